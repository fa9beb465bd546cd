import assert from "node:assert/strict";
import test from "node:test";
import { payload } from "../support.ts";
import { Axis } from "../../src/core/axis.ts";
import { decode } from "../../src/model/model.ts";
import type { Raster } from "../../src/core/raster.ts";
import { Facts } from "../../src/table/facts.ts";
import { BarRaster } from "../../src/timeline/barPixels.ts";
import { sortBars, type Bars } from "../../src/model/bars.ts";
import type { TimelineView } from "../../src/timeline/painter.ts";

const WIDE = 200;
const STEPS = 600;

function someBars(count: number): Bars {
  let seed = 11;
  const random = (below: number) => (seed = (seed * 16807) % 2147483647) % below;
  const early = Uint16Array.from({ length: count }, () => random(STEPS)).sort();
  return sortBars(1, {
    row: new Uint8Array(count),
    early,
    slack: Uint8Array.from(early, () => Math.max(0, random(9) - 5)),
  });
}

/** The pixels of the only row that are painted, where `seen` rows are said to be. */
function painted(bars: Bars, [start, stop]: [number, number], seen: number[]): Set<number> {
  const found = new Set<number>();
  const fill = (left: number, top: number, right: number, bottom: number) => {
    for (let y = top; y < bottom; y++)
      for (let x = Math.max(0, left); x < Math.min(right, WIDE); x++) found.add(y * WIDE + x);
  };
  const axis = new Axis(0, STEPS + 20);
  axis.show(start, stop);
  const view = { bars, axis, rowHeight: 20, top: 0, plotWidth: WIDE };
  const [raster, timeline] = [{ fill } as unknown as Raster, view as unknown as TimelineView];
  new BarRaster(raster, timeline, 1, seen).row(0, 0, "#0b62d6", 1, false);
  return found;
}

/** So many rows that levels of detail are drawn. */
const many = (bars: Bars) => new Array<number>(Math.ceil(1e6 / bars.count)).fill(0);

test("bars look the same whether they are read one by one or drawn from levels of detail", () => {
  const bars = someBars(300);
  for (const start of [0, 57, 301.5, 599]) {
    const range: [number, number] = [start, start + 90];
    assert.deepEqual(painted(bars, range, [0]), painted(bars, range, many(bars)));
  }
});

test("where a pixel is many steps no bar is lost, and gaps that are seen stay", () => {
  const bars = someBars(40);
  const whole: [number, number] = [0, STEPS + 20];
  const [read, levels] = [painted(bars, whole, [0]), painted(bars, whole, many(bars))];
  for (const pixel of levels) assert.ok(read.has(pixel));
  const scale = WIDE / (STEPS + 20);
  const columns = new Set([...read].map((pixel) => pixel % WIDE));
  for (const early of bars.early) assert.ok(columns.has(Math.round(early * scale)));
  for (const column of columns) {
    const near = Array.from(bars.early).some(
      (early, bar) =>
        column >= Math.round(early * scale) - 1 && column <= Math.round(bars.stopOf(bar) * scale),
    );
    assert.ok(near, `nothing is at pixel ${column}`);
  }
});

test("facts about a node are those of its firings, without weights", () => {
  const model = decode(payload());
  const facts = new Facts(model);
  assert.deepEqual(facts.fired(0), { early: 1, slack: 0, firings: 1 });
  assert.deepEqual(facts.fired(1), { early: 2, slack: 3, firings: 1 });
  assert.deepEqual([facts.bytes(0), facts.bytes(1)], [1000, 500]);
  const long = { ...model, timeline: { ...model.timeline!, listing: null } };
  assert.deepEqual(new Facts(long).fired(1), { early: 2, slack: 3, firings: 4 });
  const none = new Facts({ ...model, timeline: null, memory: null });
  assert.deepEqual([none.fired(0).firings, none.bytes(0)], [0, 0]);
});

test("bars that are not shown lie behind the end, and keep their places", () => {
  const bars = sortBars(2, {
    row: new Uint8Array([0, 1, 0]),
    early: new Uint8Array([0, 1, 2]),
    slack: new Uint8Array(3),
  });
  const shown = bars.only((bar) => bar === 0);
  assert.deepEqual([...shown.start], [...bars.start]);
  assert.deepEqual([shown.early[0], shown.end], [0, bars.end]);
  assert.ok(shown.early[1] > bars.end && shown.early[2] > bars.end);
  assert.deepEqual([bars.early[0], bars.early[1]], [0, 2], "the others stay as they are");
});
