import assert from "node:assert/strict";
import { test } from "node:test";

import { Axis } from "../../src/core/axis.ts";
import type { Raster } from "../../src/core/raster.ts";
import { BarRaster } from "../../src/timeline/barPixels.ts";
import { sortBars } from "../../src/model/bars.ts";
import type { TimelineView } from "../../src/timeline/painter.ts";
import { barOf, eachOf, middleOf } from "../../src/timeline/rows.ts";

const NODES = 50;

/** A lane in which one node of some runs at each unit of time. */
const lane = (count: number) =>
  sortBars(1, {
    row: new Uint8Array(count),
    early: Uint32Array.from({ length: count }, (_, at) => at),
    slack: new Uint8Array(count),
    node: Uint8Array.from({ length: count }, (_, at) => at % NODES),
  });

/** Paints a lane; gives the bar on top at each pixel, and how many colours were asked for. */
function painted(count: number, [start, stop]: [number, number], chosen: number[] = []) {
  const bars = lane(count);
  const axis = new Axis(0, count);
  axis.show(start, stop);
  const pixels = new Int32Array(1000).fill(-1);
  const raster = {
    fill: (left: number, _top: number, right: number, _bottom: number, bar: number) =>
      pixels.fill(bar, Math.max(0, left), Math.max(0, right)),
  } as unknown as Raster;
  const view = { bars, axis, plotWidth: 1000, rowHeight: 80, top: 0 } as TimelineView;
  let asked = 0;
  const painter = new BarRaster(raster, view, 1, [0]);
  painter.each(0, 0, (bar) => (asked++, bar), chosen);
  return { pixels, asked, drawn: painter.drawn };
}

test("a million bars in a lane cost as much as there are pixels", () => {
  const { pixels, asked } = painted(1_000_000, [0, 1_000_000]);
  assert.ok(asked <= 1001, `${asked} bars were looked at`);
  assert.ok(pixels.every((bar, pixel) => Math.abs(bar - pixel * 1000) <= 1000));
});

test("where bars have room all of them are painted", () => {
  for (const span of [20, 333, 999]) {
    const { pixels, drawn } = painted(1_000_000, [500_000, 500_000 + span]);
    // The one before the window may reach into it.
    const seen = new Set(pixels.filter((bar) => bar >= 0)).size;
    assert.ok(seen >= span && drawn >= seen && drawn <= seen + 1, `${drawn}, ${seen} of ${span}`);
  }
});

test("bars of the chosen nodes lie on top, three pixels wide at least", () => {
  const { pixels } = painted(1000 * NODES, [0, 1000 * NODES], [7]);
  const { pixels: rare } = painted(1000, [0, 1000], [7]);
  assert.ok(pixels.every((bar) => bar % NODES === 7));
  assert.deepEqual([...rare.slice(7, 11)], [7, 7, 7, 10]);
});

test("bars of a node are found by its number", () => {
  const bars = lane(1000);
  const axis = new Axis(0, 1000);
  assert.deepEqual([barOf(bars, 3, 0), barOf(bars, NODES, 0)], [3, -1]);
  axis.show(100, 200);
  const seen: number[] = [];
  eachOf(bars, axis, 3, 0, (bar) => void seen.push(bar));
  assert.deepEqual(seen, [103, 153]);
  assert.equal(middleOf(bars, axis, 3, 0, 1000), 35);
  assert.equal(middleOf(bars, axis, NODES, 0, 1000), null);
});

test("a bar of nodes that are computed together is found by each of them", () => {
  const columns = { row: Uint8Array.of(0, 0, 1), early: Uint8Array.of(0, 5, 2) };
  const bars = sortBars(
    2,
    {
      ...columns,
      slack: new Uint8Array(3),
      node: Uint8Array.of(0, 2, 1),
      work: Uint8Array.of(0, 1, 0),
    },
    undefined,
    [[0, 1], [2]],
  );
  assert.deepEqual([barOf(bars, 1, 0), barOf(bars, 1, 1), barOf(bars, 2, 0)], [0, 2, 1]);
  assert.deepEqual([barOf(bars, 0, 1), barOf(bars, 2, 1), barOf(bars, 3, 0)], [2, -1, -1]);
});
