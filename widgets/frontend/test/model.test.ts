import assert from "node:assert/strict";
import test from "node:test";
import { assignLanes, coveredFrom, decode, sortBars } from "../src/model.ts";
import { payload } from "./support.ts";

test("bars are sorted by row and keep their order", () => {
  const bars = sortBars(3, [2, 0, 2, 0] as never, [5, 1, 7, 3] as never, [0, 2, 1, 0] as never);
  assert.deepEqual([...bars.start], [0, 2, 2, 4]);
  assert.deepEqual([...bars.early], [1, 3, 5, 7]);
  assert.deepEqual([...bars.slack], [2, 0, 0, 1]);
  assert.deepEqual([...bars.maxSlack], [2, 0, 1]);
  assert.deepEqual([bars.begin, bars.end], [1, 9]);
});

test("no bars give an empty range", () => {
  const bars = sortBars(0, [] as never, [] as never, [] as never);
  assert.deepEqual([bars.begin, bars.end], [0, 0]);
});

test("weights may lie before the first step and do not stretch the range", () => {
  const { timeline } = decode(payload());
  assert.equal(timeline?.folded.early[0], -2);
  assert.equal(timeline?.folded.begin, 1);
});

test("only repeated sections are marked, by their operators' early steps", () => {
  const { timeline } = decode(payload());
  assert.deepEqual(timeline?.folds, [{ repeat: 4, begin: 1, end: 3, lane: 0 }]);
});

test("sections that overlap are put on lanes", () => {
  const spans = [
    { begin: 0, end: 4 },
    { begin: 2, end: 6 },
    { begin: 4, end: 5 },
  ];
  assert.deepEqual(assignLanes(spans), [0, 1, 0]);
});

test("a name is written before the tick at which another rectangle covers it", () => {
  const of = (...values: number[]) => Uint16Array.from(values);
  // In place: 1 over 0 from tick 2; 2 beside them; 3 has the same ticks as 1 elsewhere.
  const covered = coveredFrom(of(0, 2, 0, 2), of(3, 5, 5, 5), of(0, 0, 10, 20), of(10, 10, 10, 5));
  assert.deepEqual([...covered], [2, 5, 5, 5]);
});
