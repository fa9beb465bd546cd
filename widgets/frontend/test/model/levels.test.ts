import assert from "node:assert/strict";
import test from "node:test";
import { sortBars } from "../../src/model/bars.ts";
import { close, Levels } from "../../src/model/levels.ts";

const intervals = (from: number[], to: number[]) => ({
  start: Uint32Array.of(0, from.length),
  from: Int32Array.from(from),
  to: Int32Array.from(to),
});

test("gaps that are not seen are closed, others stay", () => {
  const { from, to } = close(intervals([0, 2, 9, 10], [1, 3, 10, 12]), 1);
  assert.deepEqual(
    [[...from], [...to]],
    [
      [0, 9],
      [3, 12],
    ],
  );
});

test("a level never closes a gap that is seen, and halves what it can", () => {
  const count = 4096;
  const from = Array.from({ length: count }, (_, index) => index * 4 + (index % 64 ? 0 : 2));
  const finest = intervals(
    from,
    from.map((at) => at + 1),
  );
  const levels = new Levels(finest);
  for (const gap of [0, 1, 3, 4, 5, 8, 100]) {
    const level = levels.at(gap);
    for (let index = 1; index < level.from.length; index++) {
      const between = level.from[index] - level.to[index - 1];
      assert.ok(between > 0);
    }
    assert.ok(level.from.length <= 2 * close(finest, Math.floor(gap / 2)).from.length);
    assert.equal(level.from[0], finest.from[0]);
    assert.equal(level.to[level.to.length - 1], finest.to[count - 1]);
  }
  assert.equal(levels.at(0).from.length, count);
  assert.ok(levels.at(64).from.length <= 64);
});

test("bars with slack and without are drawn apart, and none is lost", () => {
  const bars = sortBars(2, {
    row: Uint8Array.of(0, 0, 1),
    early: Uint8Array.of(0, 5, 2),
    slack: Uint8Array.of(0, 3, 0),
  });
  const { full, begin, tail } = bars.drawn();
  assert.deepEqual([...full.at(0).from], [0, 2]);
  assert.deepEqual([...begin.at(0).from], [5]);
  assert.deepEqual([[...tail.at(0).from], [...tail.at(0).to]], [[5], [9]]);
});
