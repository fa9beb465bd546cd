import assert from "node:assert/strict";
import test from "node:test";
import { payload } from "../support.ts";
import { decode } from "../../src/model/model.ts";
import { Store } from "../../src/model/store.ts";
import { bytesInUse, mostBytes } from "../../src/memory/usage.ts";
import { startOf } from "../../src/overview/start.ts";
import { ticksAround } from "../../src/timeline/blockRow.ts";
import { roomOf, stepLanes, tickLane } from "../../src/timeline/lanes.ts";
import { Listing } from "../../src/model/listing.ts";

const model = decode(payload());

/** A store of operators that fire once, from their early to their late step, in this order. */
function storeOf(windows: [early: number, late: number][], edges: [number, number][] = []): Store {
  const count = windows.length;
  const name = windows.map((_, node) => `op${node}`);
  const node = Int32Array.from(windows.keys());
  const early = Int32Array.from(windows, ([early]) => early);
  const slack = Int32Array.from(windows, ([early, late]) => late - early);
  const rows = { name, type: name, node, producer: new Uint8Array(count), nest: null };
  const listing = new Listing({ row: node, early, slack }, node, rows.producer);
  const listed = { listing, listed: listing };
  const timeline = { ...model.timeline!, ...rows, ...listed, steps: listing.end };
  const graph = {
    ...model.graph!,
    source: Int32Array.from(edges, ([source]) => source),
    target: Int32Array.from(edges, ([, target]) => target),
    back: new Uint8Array(edges.length),
  };
  const family = name.map(() => 0);
  return new Store({ ...model, name, type: name, family, count, timeline, graph, memory: null });
}

test("at ticks there is one lane with every firing at its tick", () => {
  const lane = tickLane(
    storeOf([
      [0, 0],
      [1, 1],
      [1, 2],
    ]).clock.order,
  );
  assert.deepEqual([...lane.listed!.bars.early], [0, 1, 2]);
  assert.deepEqual([...lane.listed!.bars.node!], [0, 1, 2]);
  assert.equal(lane.name.length, 1);
});

test("there are as many lanes as windows are open at once, and none overlap", () => {
  let seed = 11;
  const random = (below: number) => (seed = (seed * 16807) % 2147483647) % below;
  for (let round = 0; round < 30; round++) {
    const windows = Array.from({ length: 1 + random(30) }, (): [number, number] => {
      const early = random(20);
      return [early, early + random(5)];
    }).sort((a, b) => a[0] - b[0]);
    const store = storeOf(windows);
    const { listed, name } = stepLanes(store, store.model.timeline!.listing!);
    const { bars } = listed!;
    const open = Array.from(
      { length: 30 },
      (_, step) => windows.filter(([early, late]) => early <= step && step <= late).length,
    );
    assert.equal(name.length, Math.max(...open));
    assert.equal(bars.count, windows.length);
    for (let lane = 0; lane < name.length; lane++) {
      for (let bar = bars.start[lane] + 1; bar < bars.start[lane + 1]; bar++) {
        assert.ok(bars.stopOf(bar - 1) <= bars.early[bar]);
      }
    }
  }
});

test("what follows another stays in its lane", () => {
  const store = storeOf(
    [
      [0, 0],
      [0, 0],
      [1, 1],
    ],
    [[1, 2]],
  );
  const { bars } = stepLanes(store, store.model.timeline!.listing!).listed!;
  assert.deepEqual([...bars.node!], [0, 1, 2]);
  assert.deepEqual([...bars.start], [0, 1, 3], "op2 is in the lane of op1");
});

test("the room of a firing is between what it waits for and what waits for it", () => {
  const edges: [number, number][] = [
    [0, 2],
    [2, 4],
  ];
  const store = storeOf(
    [
      [0, 0],
      [0, 3],
      [1, 1],
      [0, 3],
      [2, 2],
    ],
    edges,
  );
  assert.deepEqual(roomOf(store, 2), { first: 1, last: 3, after: 0, before: 4 });
  assert.deepEqual(roomOf(store, 1), { first: 0, last: 4, after: -1, before: -1 });
});

test("the window at the start is all, or the block of a tick and two on either side", () => {
  const block = Int32Array.from({ length: 7 }, (_, at) => at);
  const first = block.map((each) => 10 * each);
  const runs = { length: 7, block, first, stop: first.map((each) => each + 10) };
  assert.deepEqual(ticksAround(runs, 35), [10, 60]);
  assert.deepEqual(ticksAround(runs, 3), [0, 30]);
  const many = storeOf(Array.from({ length: 200 }, (_, step): [number, number] => [step, step]));
  assert.equal(startOf(many, 2400), null, "12 pixels for each tick");
  many.set({ tick: 100 });
  const range = startOf(many, 560)!;
  assert.deepEqual(range, [90, 110]);
});

test("bytes in use count shared addresses once", () => {
  const memory = model.memory!;
  assert.deepEqual([...bytesInUse(memory)], [1000, 1500]);
  assert.deepEqual([mostBytes(memory, 0, 1), mostBytes(memory, 0, 2)], [1000, 1500]);
  const shared = { ...memory, offset: Uint16Array.of(0, 500) };
  assert.deepEqual([...bytesInUse(shared)], [1000, 1000]);
});
