// What lies under the pointer, in the units of each view.

import type { Bars } from "./bars.ts";
import { livingIn, type MemoryModel } from "./memoryModel.ts";
import type { GraphModel } from "./model.ts";
import { lowerBound } from "./search.ts";
import { NONE } from "./store.ts";

/** The bar of a row at a step, or the closest one within `reach` steps. */
export function barAt(bars: Bars, row: number, step: number, reach: number): number {
  const { start, early } = bars;
  const first = step - bars.reach[row] - reach;
  let best = NONE;
  let closest = Infinity;
  let bar = lowerBound(early, first, start[row], start[row + 1]);
  for (; bar < start[row + 1] && early[bar] <= step + reach; bar++) {
    const end = bars.stopOf(bar);
    const distance = step < early[bar] ? early[bar] - step : step >= end ? step - end : 0;
    if (distance <= reach && distance <= closest) {
      best = bar;
      closest = distance;
    }
  }
  return best;
}

/** The rectangle at a tick and an address: the one drawn last, or one within `reach` bytes. */
export function bufferAt(
  memory: MemoryModel,
  tick: number,
  address: number,
  reach: number,
): number {
  const { offset, size } = memory;
  let inside = NONE;
  let near = NONE;
  for (const buffer of livingIn(memory, tick, tick + 1e-9)) {
    const first = offset[buffer];
    const stop = first + size[buffer];
    if (address >= first && address < stop) inside = buffer;
    else if (near === NONE && address >= first - reach && address < stop + reach) near = buffer;
  }
  return inside === NONE ? near : inside;
}

/** The node whose box holds a point of the drawing, give or take `reach` pixels. */
export function boxAt(graph: GraphModel, x: number, y: number, reach: number): number {
  for (let node = 0; node < graph.nodes; node++) {
    const top = graph.layer[node] * graph.pitch;
    if (y < top - reach || y > top + graph.height + reach) continue;
    if (Math.abs(x - graph.x[node]) <= graph.boxWidth[node] / 2 + reach) return node;
  }
  return NONE;
}
