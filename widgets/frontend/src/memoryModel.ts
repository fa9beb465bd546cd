// A memory plan as the panel reads it: rectangles as columns, and what can be said of a tick.

import type { Numbers } from "./payload.ts";
import { lowerBound } from "./search.ts";

/** One of several memories, which lie behind each other in the addresses of the plan. */
export interface Space {
  name: string;
  base: number;
  size: number;
}

export interface MemoryModel {
  /** What it is called where it is compared with another. */
  label: string;
  peak: number;
  lowerBound: number;
  ticks: number;
  names: string[];
  spaces: Space[];
  node: Numbers;
  kind: Numbers;
  lower: Numbers;
  upper: Numbers;
  offset: Numbers;
  size: Numbers;
  tickNode: Numbers;
  tickStep: Numbers;
  /** Rectangles by their first tick, and the last tick that any up to each of them reaches. */
  order: Uint32Array;
  reached: Float64Array;
  /** Another plan that this one is compared with. */
  other: MemoryModel | null;
}

/** Orders rectangles by their first tick, so that those of some ticks are found at once. */
export function orderOf(
  lower: Numbers,
  upper: Numbers,
): [order: Uint32Array, reached: Float64Array] {
  const order = Uint32Array.from(lower.keys());
  let isSorted = true;
  for (let buffer = 1; buffer < lower.length && isSorted; buffer++) {
    isSorted = lower[buffer - 1] <= lower[buffer];
  }
  if (!isSorted) order.sort((a, b) => lower[a] - lower[b] || a - b);
  const reached = new Float64Array(order.length);
  let last = -Infinity;
  order.forEach((buffer, place) => (reached[place] = last = Math.max(last, upper[buffer])));
  return [order, reached];
}

/** The rectangles that live in some ticks, by their number: they are drawn in that order. */
export function livingIn(memory: MemoryModel, start: number, stop: number): number[] {
  const { order, reached, lower, upper } = memory;
  const found: number[] = [];
  let isSorted = true;
  for (let at = lowerBound(reached, start, 0, order.length); at < order.length; at++) {
    const buffer = order[at];
    if (lower[buffer] >= stop) break;
    if (upper[buffer] <= start) continue;
    if (found.length && found[found.length - 1] > buffer) isSorted = false;
    found.push(buffer);
  }
  return isSorted ? found : found.sort((a, b) => a - b);
}

/** A stretch of addresses at a tick: of a rectangle, or a hole (-1). */
export interface Stretch {
  buffer: number;
  start: number;
  stop: number;
}

/** What lies where at a tick, from address 0 to the peak, with the holes in between. */
export function stateAt(memory: MemoryModel, tick: number): Stretch[] {
  const { offset, size } = memory;
  const live = livingIn(memory, tick, tick + 1e-9);
  live.sort((a, b) => offset[a] - offset[b] || b - a);
  const found: Stretch[] = [];
  let reached = 0;
  for (const buffer of live) {
    if (offset[buffer] > reached) found.push({ buffer: -1, start: reached, stop: offset[buffer] });
    found.push({ buffer, start: offset[buffer], stop: offset[buffer] + size[buffer] });
    reached = Math.max(reached, offset[buffer] + size[buffer]);
  }
  if (reached < memory.peak) found.push({ buffer: -1, start: reached, stop: memory.peak });
  return found;
}

/** Bytes in use at each tick; addresses that several share count once. */
export function liveBytes(memory: MemoryModel): Float64Array {
  const { lower, upper, offset, size } = memory;
  const found = new Float64Array(Math.max(memory.ticks, 1));
  const order = Array.from(lower.keys()).sort((a, b) => offset[a] - offset[b]);
  const reached = new Float64Array(found.length);
  for (const buffer of order) {
    const stop = offset[buffer] + size[buffer];
    const last = Math.min(found.length, upper[buffer]);
    for (let tick = lower[buffer]; tick < last; tick++) {
      const from = Math.max(offset[buffer], reached[tick]);
      if (stop <= from) continue;
      found[tick] += stop - from;
      reached[tick] = stop;
    }
  }
  return found;
}

export function peakTick(memory: MemoryModel): number {
  const live = liveBytes(memory);
  let best = 0;
  for (let tick = 1; tick < live.length; tick++) if (live[tick] > live[best]) best = tick;
  return best;
}

/** When each rectangle is first covered by one that is drawn later, as operators in place do. */
export function coveredFrom(
  lower: Numbers,
  upper: Numbers,
  offset: Numbers,
  size: Numbers,
  some: readonly number[] = Array.from(lower.keys()),
): Float64Array {
  const covered = Float64Array.from(upper);
  const order = some.slice().sort((a, b) => lower[a] - lower[b] || a - b);
  order.forEach((buffer, place) => {
    for (let next = place + 1; next < order.length; next++) {
      const other = order[next];
      if (lower[other] >= covered[buffer]) break;
      const apart =
        offset[other] >= offset[buffer] + size[buffer] ||
        offset[buffer] >= offset[other] + size[other];
      if (other > buffer && !apart) covered[buffer] = lower[other];
    }
  });
  return covered;
}
