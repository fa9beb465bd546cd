import assert from "node:assert/strict";
import test from "node:test";
import { payload } from "../support.ts";
import { Clock } from "../../src/core/clock.ts";
import { Firings } from "../../src/core/firings.ts";
import { decode } from "../../src/core/model.ts";
import { peakTick } from "../../src/memory/filter.ts";
import { orderOf, stateAt, type MemoryModel } from "../../src/memory/model.ts";
import { morph } from "../../src/memory/morph.ts";

const model = decode(payload());

test("steps follow each other, from the first to the last", () => {
  const clock = new Clock(model);
  assert.deepEqual([clock.unit, clock.begin, clock.end], ["step", 1, 6]);
  assert.equal(clock.next(null, 1), 1);
  assert.equal(clock.next(1, -1), null);
  assert.equal(clock.next(5, 1), null);
  assert.equal(clock.inside(99), 5);
});

test("a step is a tick, and a tick a step", () => {
  const clock = new Clock(model);
  assert.deepEqual(
    [clock.tickAt(null), clock.tickAt(1), clock.tickAt(2), clock.tickAt(5)],
    [-1, 0, 1, 1],
  );
  assert.deepEqual([clock.stepOf(0), clock.stepOf(1.7)], [1, 2]);
});

test("without a schedule, ticks are counted", () => {
  const clock = new Clock({ ...model, timeline: null });
  assert.deepEqual([clock.unit, clock.end, clock.tickAt(1)], ["tick", 2, 1]);
});

test("a node waits, runs, may run until its late step, and is done", () => {
  const firings = new Firings(model);
  assert.deepEqual(
    [1, 2, 3, 5].map((step) => firings.phase(1, step)),
    ["waits", "runs", "may run", "may run"],
  );
  assert.equal(firings.phase(0, 2), "done");
  assert.deepEqual(firings.at(2), { runs: [1], mayRun: [] });
  assert.equal(firings.waiting(0, 1, 1), false);
  assert.equal(firings.waiting(0, 1, 2), true);
  assert.equal(firings.waiting(0, 1, 3), false);
});

test("the state at a tick has what lives then, and the holes", () => {
  const memory = model.memory!;
  assert.deepEqual(stateAt(memory, 0), [
    { buffer: 0, start: 0, stop: 1000 },
    { buffer: -1, start: 1000, stop: 1500 },
  ]);
  assert.equal(peakTick(memory), 1);
});

/** Bytes in use at a tick, one by one. */
function bytesAt({ lower, upper, offset, size }: MemoryModel, tick: number): number {
  const used = new Set<number>();
  for (let buffer = 0; buffer < size.length; buffer++) {
    if (lower[buffer] > tick || upper[buffer] <= tick) continue;
    for (let byte = 0; byte < size[buffer]; byte++) used.add(offset[buffer] + byte);
  }
  return used.size;
}

test("the peak is the first tick of most bytes, where addresses that are shared count once", () => {
  let seed = 7;
  const random = (below: number) => (seed = (seed * 16807) % 2147483647) % below;
  for (let round = 0; round < 40; round++) {
    const ticks = 1 + random(12);
    const count = random(30);
    const lower = Uint8Array.from({ length: count }, () => random(ticks));
    const upper = lower.map((first) => Math.min(ticks, first + 1 + random(4)));
    const offset = Uint8Array.from(lower, () => 4 * random(8));
    const size = Uint8Array.from(lower, () => 1 + random(12));
    const [order, reached] = orderOf(lower, upper);
    const plan = { ...model.memory!, ticks, lower, upper, offset, size, order, reached };
    const used = Array.from({ length: ticks }, (_, tick) => bytesAt(plan, tick));
    assert.equal(peakTick(plan), used.indexOf(Math.max(...used)));
  }
});

test("a plan becomes another: rectangles of one name move, others come and go", () => {
  const before = model.memory!;
  const after = { ...before, names: ["conv1", "new"], offset: Uint16Array.of(500, 0), peak: 2500 };
  const way = morph(before, after);
  const half = way(0.5);
  assert.deepEqual(half.data.names, ["relu1", "conv1", "new"]);
  assert.equal(half.data.offset[1], 250);
  assert.deepEqual([...half.alpha], [0.5, 1, 0.5]);
  assert.equal(half.data.peak, 2000);
  assert.deepEqual([...way(1).alpha], [0, 1, 1]);
  assert.equal(way(1).data.offset[1], 500);
});
