import assert from "node:assert/strict";
import test from "node:test";
import { payload } from "../support.ts";
import { Axis } from "../../src/core/axis.ts";
import type { Unit } from "../../src/model/clock.ts";
import { Firings } from "../../src/model/firings.ts";
import { decode } from "../../src/model/model.ts";
import { Store } from "../../src/model/store.ts";
import { plainTheme } from "../../src/core/theme.ts";
import { sortBars } from "../../src/model/bars.ts";
import { marksAt } from "../../src/timeline/marks.ts";
import type { TimelineModel } from "../../src/model/timeline.ts";
import { ownersText, paintOwners } from "../../src/timeline/owners.ts";
import type { TimelineView } from "../../src/timeline/painter.ts";

const model = decode(payload());

/** Two elements: conv1 and relu1 together on the first, conv1 alone on the second. */
const bars = sortBars(
  2,
  {
    row: Uint8Array.of(0, 1, 0),
    early: Uint8Array.of(0, 8, 20),
    slack: new Uint8Array(3),
    length: Uint8Array.of(10, 4, 5),
    node: Uint8Array.of(0, 0, 1),
    work: Uint8Array.of(0, 1, 1),
  },
  undefined,
  [[0, 1], []],
);
const devices: TimelineModel = {
  steps: 25,
  unit: "cycle",
  name: ["pe/0", "pe/1"],
  type: ["element", "element"],
  node: Int32Array.of(-1, -1),
  producer: new Uint8Array(2),
  listed: bars,
  nest: null,
  frames: [],
};
function host(of: typeof model, unit: Unit = "step") {
  const store = new Store(of);
  store.setClock(unit);
  return { firings: new Firings(store), store };
}

test("a bar of what is computed together is of all its nodes", () => {
  assert.deepEqual([bars.nodesOf(0), bars.nodesOf(1), bars.nodesOf(2)], [[0, 1], [1], [0]]);
  assert.deepEqual([bars.isOf(0, 0), bars.isOf(0, 1), bars.isOf(2, 1)], [true, true, false]);
});

test("names of what is computed together are written as far as there is room", () => {
  const measure = (text: string) => 10 * text.length;
  assert.equal(ownersText([0, 1], model, 200, measure), "conv1 + relu1");
  assert.equal(ownersText([0, 1], model, 90, measure), "conv1 +1");
  assert.equal(ownersText([0, 1], model, 40, measure), "");
  assert.equal(ownersText([1], model, 90, measure), "0 · relu1");
  assert.equal(ownersText([1], model, 80, measure), "relu1");
});

test("a step is marked where its nodes run on a machine, and when", () => {
  const marks = marksAt({ data: devices, bars }, host(model), 1); // conv1
  assert.equal(marks.label, "step 1");
  assert.deepEqual(
    [...marks.bars],
    [
      [0, [0]],
      [1, [2]],
    ],
  );
  assert.deepEqual(marks.spans, [[0, 12]]);
  assert.deepEqual(marksAt({ data: devices, bars }, host(model), 2).spans, [
    [0, 10],
    [20, 25],
  ]);
  assert.deepEqual(marksAt({ data: devices, bars }, host(model), 4).spans, []);
});

test("beside a plan alone it is the tick that is marked", () => {
  const beside = { ...model, timeline: null, devices };
  assert.equal(new Store(beside).clock.unit, "tick");
  assert.equal(new Store({ ...beside, memory: null }).clock.unit, "cycle");
  const space = { name: "l2", base: 0, size: 9, capacity: 9, scale: 9, text: "9 B of 9 B" };
  const memory = { ...model.memory!, spaces: [space] };
  assert.equal(new Store({ ...beside, memory }).clock.unit, "cycle");
  const marks = marksAt({ data: devices, bars }, host(beside, "tick"), 1); // relu1
  assert.deepEqual(
    [marks.label, marks.spans],
    [
      "tick 1",
      [
        [0, 10],
        [20, 25],
      ],
    ],
  );
});

test("in a run it is the execution that is marked", () => {
  const run = sortBars(3, {
    row: Uint8Array.of(0, 1, 1, 2),
    early: Uint8Array.of(0, 3, 30, 50),
    slack: new Uint8Array(4),
    length: Uint8Array.of(1, 9, 9, 7),
  });
  const measured: TimelineModel = { ...model.timeline!, unit: "µs", listed: run };
  assert.deepEqual(marksAt({ data: measured, bars: run }, host(model), 1).spans, [[3, 12]]);
  assert.deepEqual(marksAt({ data: measured, bars: run }, host(model), 2).spans, [[50, 57]]);
});

/** The frames around the bars of a node, from left to right: where each begins, and how wide. */
function framed(early: number[], length: number[], pixels: number): [number, number][] {
  const several = sortBars(1, {
    row: new Uint8Array(early.length),
    early: Uint16Array.from(early),
    slack: new Uint8Array(early.length),
    length: Uint16Array.from(length),
    node: new Uint8Array(early.length),
  });
  const frames: [number, number][] = [];
  const context = {
    strokeRect: (x: number, _y: number, wide: number) => frames.push([x, wide]),
    measureText: () => ({ width: 0 }),
  } as unknown as CanvasRenderingContext2D;
  const view = { bars: several, axis: new Axis(0, 100), rows: [0], rowHeight: 10, scroll: 0 };
  const panel = { ...view, top: 0, gutter: 0, plotWidth: 100 * pixels } as unknown as TimelineView;
  const store = new Store(model);
  store.set({ selected: 0 });
  paintOwners(context, panel, store, plainTheme(model.meta.families), [0, 1]);
  return frames;
}

test("bars too narrow for frames of their own have one together", () => {
  const [early, length] = [
    [0, 3, 6, 60],
    [2, 2, 2, 2],
  ];
  assert.deepEqual(framed(early, length, 1), [
    [-1, 9],
    [59, 3],
  ]);
  assert.equal(framed(early, length, 10).length, 4);
});
