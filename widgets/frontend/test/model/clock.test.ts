import assert from "node:assert/strict";
import test from "node:test";
import { payload } from "../support.ts";
import { clocksOf, stepOf, tickOf } from "../../src/model/clock.ts";
import { Firings } from "../../src/model/firings.ts";
import { decode } from "../../src/model/model.ts";
import { pythonText, rangeText } from "../../src/core/range.ts";
import { Store } from "../../src/model/store.ts";
import { orderOf, stateAt, type MemoryModel } from "../../src/model/memory.ts";
import { morph } from "../../src/memory/morph.ts";
import { peakTick } from "../../src/memory/usage.ts";
import { Listing } from "../../src/model/listing.ts";

const model = decode(payload());

const { nodes } = model.meta;

/** The model with four firings: two in step 1, and one in each of the next two. */
function four(ticks: number[]): typeof model {
  const columns = { row: Uint8Array.of(0, 1, 2, 3), slack: Uint8Array.of(0, 1, 0, 0) };
  const names = ["a", "b", "c", "d"];
  const node = Uint8Array.of(0, 1, 2, 3);
  const early = Uint8Array.of(1, 1, 2, 3);
  const rows = { name: names, type: names, node, producer: new Uint8Array(4), nest: null };
  const listing = new Listing({ ...columns, early }, node, rows.producer);
  const timeline = { ...model.timeline!, ...rows, listing, listed: listing, steps: 4 };
  const memory = { ...model.memory!, tickNode: Uint8Array.from(ticks), ticks: 4 };
  const meta = { ...model.meta, nodes: { ...nodes, name: names } };
  return { ...model, meta, count: 4, name: names, timeline, memory };
}

test("the default clock counts ticks, and steps keep their true numbers", () => {
  const [tick, step] = clocksOf(model);
  assert.deepEqual([tick.unit, tick.begin, tick.end], ["tick", 0, 2]);
  assert.deepEqual([step.unit, step.begin, step.end], ["step", 1, 6]);
  assert.equal(step.next(null, 1), 1);
  assert.equal(step.next(1, -1), null);
  assert.equal(step.next(5, 1), null);
  assert.equal(step.inside(99), 5);
  assert.deepEqual([...tick.bars!.early], [-1, 0, 1]);
});

test("a tick has the step of its firing, and a step its first tick", () => {
  const { order } = clocksOf(four([0, 1, 2, 3]))[0];
  assert.deepEqual([...order.step], [1, 1, 2, 3]);
  assert.deepEqual([stepOf(order, 1), stepOf(order, 3), stepOf(order, 9)], [1, 3, null]);
  assert.deepEqual([tickOf(order, 1), tickOf(order, 2), tickOf(order, 9)], [0, 2, 3]);
  assert.equal(tickOf(order, 0), 0);
});

test("the ticks of a step share its width where steps run one after the other", () => {
  const step = clocksOf(four([0, 1, 2, 3]))[1];
  assert.equal(step.isAligned, true);
  assert.deepEqual(
    [0, 1, 2, 3, 4].map((tick) => step.at(tick)),
    [1, 1.5, 2, 3, 4],
  );
  for (const time of [1, 1.25, 1.75, 2.5, 3.9]) assert.equal(step.at(step.tickAt(time)), time);
});

test("an order that jumps between steps has ticks beside the steps", () => {
  const jumping = new Store(four([0, 2, 1, 3]));
  jumping.setClock("step");
  assert.equal(jumping.clock.isAligned, false);
  assert.deepEqual([...jumping.clock.order.step], [1, 2, 1, 3]);
  jumping.set({ timeRange: [1, 3] });
  const { ticks } = jumping.window;
  assert.deepEqual([ticks!.start, ticks!.stop], [0, 3], "the ticks of steps 1 and 2");
  assert.equal(jumping.window.tickToPixel(1, 300), 100);
});

test("the order of another graph is that of the memory alone", () => {
  const store = new Store(four([0, 1, 1, 3]));
  assert.deepEqual([store.clock.unit, store.clock.bars], ["tick", null]);
  assert.deepEqual([store.clocks[1].unit, store.clocks[1].isAligned], ["step", false]);
});

test("without a schedule, ticks are counted", () => {
  const [clock, ...others] = clocksOf({ ...model, timeline: null });
  assert.deepEqual([clock.unit, clock.end, others.length], ["tick", 2, 0]);
});

test("without a plan, ticks are the order of the schedule", () => {
  const [clock] = clocksOf({ ...model, memory: null });
  assert.deepEqual([clock.unit, clock.end, [...clock.order.node]], ["tick", 2, [0, 1]]);
});

test("tick and step go together, and another clock keeps the firing where it is", () => {
  const store = new Store(four([0, 1, 2, 3]));
  store.goTo(2);
  assert.deepEqual([store.state.tick, store.state.step, store.now], [2, 2, 2]);
  store.set({ timeRange: [1, 4] });
  const before = store.window.axis.toPixel(2.5, 1);
  store.setClock("step");
  assert.equal(store.now, 2);
  assert.equal(store.window.axis.toPixel(2.5, 1), before);
  store.goTo(1);
  assert.deepEqual([store.state.tick, store.state.step], [0, 1]);
  store.goToTick(1);
  assert.deepEqual([store.state.tick, store.state.step], [1, 1]);
  store.set({ step: 1 });
  assert.equal(store.state.tick, 1, "a tick of the step stays");
  store.set({ tick: null, step: null });
  assert.equal(store.now, null);
});

test("what is looked at is always in the window", () => {
  const store = new Store(four([0, 1, 2, 3]));
  store.set({ timeRange: [0, 2] });
  store.goTo(3);
  const [first, stop] = store.window.units;
  assert.ok(first <= 3 && 3 < stop);
  assert.deepEqual(store.state.timeRange, store.window.range);
});

test("a node waits, runs, may run until its late step, and is done", () => {
  const store = new Store(model);
  const firings = new Firings(store);
  assert.deepEqual(firings.at(1), { runs: [1], mayRun: [] }, "one firing at each tick");
  store.setClock("step");
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

test("ranges are half-open in Python, and end with what they hold on screen", () => {
  assert.equal(rangeText("tick", 13, 15), "ticks 13–14");
  assert.equal(rangeText("tick", 14, 15), "tick 14");
  assert.equal(pythonText("tick", 13, 15), "ticks 13–14, [13, 15) in Python");
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
