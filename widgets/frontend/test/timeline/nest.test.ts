import assert from "node:assert/strict";
import test from "node:test";
import { payload } from "../support.ts";
import { decode } from "../../src/core/model.ts";
import { sortBars } from "../../src/timeline/bars.ts";
import { close, Levels } from "../../src/timeline/levels.ts";
import { nestOf, Unfolding } from "../../src/timeline/nest.ts";

const { timeline } = decode(payload());
const none = new Uint8Array(8);

/** `count × (a, inner × b)`, one step each, then c. */
function nested(count: number, inner: number) {
  const columns: Record<string, number[]> = {
    "nest.row": [0, 1, 2],
    "nest.early": [0, 1, count * (inner + 1)],
    "nest.slack": [0, 0, 0],
    "loop.count": [count, inner],
    "loop.start": [0, 1],
    "loop.stop": [2, 2],
    "loop.parent": [-1, 0],
    "loop.shifts": [2, 1],
    "shift.row": [0, 1, 1],
    "shift.early": [inner + 1, inner + 1, 1],
    "shift.late": [inner + 1, inner + 1, 1],
  };
  return nestOf(
    new Map(Object.entries(columns).map(([name, all]) => [name, Float64Array.from(all)])),
  );
}

test("a closed loop is shown once, and what comes behind it moves up", () => {
  const { bars, folds } = new Unfolding(nested(10, 3), new Set(), none).result(3);
  assert.deepEqual([...bars.early], [0, 1, 2]);
  assert.deepEqual([...bars.step!], [0, 1, 40]);
  assert.deepEqual(
    folds.map(({ repeat, begin, end, lane }) => [repeat, begin, end, lane]),
    [
      [10, 0, 2, 0],
      [3, 1, 2, 1],
    ],
  );
});

test("a loop that was opened shows all its copies at their steps", () => {
  const { bars, folds } = new Unfolding(nested(2, 3), new Set(["/0"]), none).result(3);
  assert.deepEqual([...bars.early], [0, 2, 1, 3, 4]);
  assert.deepEqual(
    folds.map(({ repeat, isOpen }) => [repeat, isOpen]),
    [
      [2, true],
      [3, false],
      [3, false],
    ],
  );
});

test("with everything open, steps are those of the schedule", () => {
  const closed = new Unfolding(nested(2, 3), new Set(["/0"]), none).result(3);
  const all = new Set(closed.folds.map(({ id }) => id));
  const { bars } = new Unfolding(nested(2, 3), all, none).result(3);
  assert.deepEqual([...bars.early], [0, 4, 1, 2, 3, 5, 6, 7, 8]);
  assert.deepEqual([...bars.early], [...bars.step!]);
});

test("a loop of a billion copies opens into loops, again and again, and stays small", () => {
  const open = new Set<string>();
  let id = "/0";
  for (let depth = 0; depth < 12; depth++) {
    open.add(id);
    const { bars, folds } = new Unfolding(nested(10 ** 9, 2), open, none).result(3);
    assert.ok(bars.count < 5000, `${bars.count} bars`);
    const inside = folds.filter((fold) => fold.id.startsWith(`${id}[`) && !fold.isOpen);
    if (inside.length === 0) break;
    assert.equal(inside.reduce((sum, { repeat }) => sum + repeat, 0) > 0, true);
    id = inside[0].id;
  }
  assert.ok(open.size > 6);
});

test("weights do not stretch a section", () => {
  const { folds } = new Unfolding(timeline!.nest!, new Set(), timeline!.producer).result(3);
  assert.deepEqual(
    folds.map(({ repeat, begin, end, lane }) => [repeat, begin, end, lane]),
    [[4, 1, 3, 0]],
  );
});

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
