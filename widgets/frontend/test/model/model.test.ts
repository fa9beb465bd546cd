import assert from "node:assert/strict";
import test from "node:test";
import { coveredFrom } from "../../src/model/memory.ts";
import { sortBars } from "../../src/model/bars.ts";

const columns = (row: number[], early: number[], slack: number[]) => ({
  row: Uint8Array.from(row),
  early: Uint16Array.from(early),
  slack: Uint16Array.from(slack),
});

test("bars are sorted by row and keep their order", () => {
  const bars = sortBars(3, columns([2, 0, 2, 0], [5, 1, 7, 3], [0, 2, 1, 0]));
  assert.deepEqual([...bars.start], [0, 2, 2, 4]);
  assert.deepEqual([...bars.early], [1, 3, 5, 7]);
  assert.deepEqual([...bars.slack], [2, 0, 0, 1]);
  assert.deepEqual([...bars.reach], [3, 0, 2]);
  assert.deepEqual([bars.begin, bars.end], [1, 9]);
});

test("bars can have lengths, and more than 32 bits", () => {
  const far = {
    ...columns([0], [0], [0]),
    early: Float64Array.of(2 ** 40),
    length: Uint8Array.of(9),
  };
  const bars = sortBars(1, far);
  assert.equal(bars.stopOf(0), 2 ** 40 + 9);
});

test("no bars give an empty range", () => {
  const bars = sortBars(0, columns([], [], []));
  assert.deepEqual([bars.begin, bars.end], [0, 0]);
});

test("a name is written before the tick at which another rectangle covers it", () => {
  const of = (...values: number[]) => Uint16Array.from(values);
  // In place: 1 over 0 from tick 2; 2 beside them; 3 has the same ticks as 1 elsewhere.
  const covered = coveredFrom(
    of(0, 2, 0, 2),
    of(3, 5, 5, 5),
    of(0, 0, 10, 20),
    of(10, 10, 10, 5),
    [0, 1, 2, 3],
  );
  assert.deepEqual([...covered.values()], [2, 5, 5, 5]);
});
