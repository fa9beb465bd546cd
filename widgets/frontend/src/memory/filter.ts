// Filter buffers: alive at the step, alive at the peak, or the largest.

import type { Filter } from "../core/store.ts";
import { goesOn, WEIGHTS, type MemoryModel } from "./model.ts";

export const FILTERS: readonly (readonly [Filter, string])[] = [
  ["all", "all buffers"],
  ["step", "alive at the step"],
  ["peak", "alive at the peak"],
  ["5", "the 5 largest"],
  ["10", "the 10 largest"],
  ["20", "the 20 largest"],
  ["50", "the 50 largest"],
];

/** Plans of more ticks than this are not searched for their peak. */
const MOST_TICKS = 1e6;

const peaks = new WeakMap<MemoryModel, number>();

/** The first tick at which most bytes are in use; addresses that several share count once. */
export function peakTick(memory: MemoryModel): number {
  let best = peaks.get(memory);
  if (best === undefined) {
    best = memory.ticks <= MOST_TICKS ? findPeak(memory) : 0;
    peaks.set(memory, best);
  }
  return best;
}

/** Looks closely only at ticks whose buffers are more than the most so far, all taken together. */
function findPeak(memory: MemoryModel): number {
  const { order, lower, upper, size, ticks } = memory;
  const change = new Float64Array(ticks + 1);
  for (let buffer = 0; buffer < size.length; buffer++) {
    if (lower[buffer] >= ticks) continue;
    change[lower[buffer]] += size[buffer];
    change[Math.min(upper[buffer], ticks)] -= size[buffer];
  }
  let [peak, most, together, next] = [0, 0, 0, 0];
  let live: number[] = [];
  for (let tick = 0; tick < ticks; tick++) {
    together += change[tick];
    if (together <= most) continue;
    for (; next < order.length && lower[order[next]] <= tick; next++) live.push(order[next]);
    live = live.filter((buffer) => upper[buffer] > tick);
    const used = covered(memory, live);
    if (used > most) [peak, most] = [tick, used];
  }
  return peak;
}

/** Bytes that some rectangles take. */
function covered({ offset, size }: MemoryModel, some: number[]): number {
  let [bytes, reached] = [0, 0];
  for (const buffer of some.sort((a, b) => offset[a] - offset[b])) {
    const stop = offset[buffer] + size[buffer];
    if (stop <= reached) continue;
    bytes += stop - Math.max(offset[buffer], reached);
    reached = stop;
  }
  return bytes;
}

/** Marks the rectangles that a filter leaves; null when it leaves all. */
export function litBuffers(memory: MemoryModel, filter: Filter, tick: number): Uint8Array | null {
  const { lower, upper, size, whole, kind, weights, region } = memory;
  if (filter === "all" || (filter === "step" && tick < 0)) return null;
  if (filter === "step" || filter === "peak") {
    const at = filter === "peak" ? peakTick(memory) : tick;
    return Uint8Array.from(size, (_, buffer) => +(lower[buffer] <= at && at < upper[buffer]));
  }
  // Weights beside the plan are no part of it.
  const isBeside = weights !== null && region !== null;
  const own = Array.from(size.keys()).filter(
    (buffer) => !goesOn(memory, buffer) && (!isBeside || kind[buffer] !== WEIGHTS),
  );
  const order = own.sort((a, b) => whole[b] - whole[a] || a - b);
  const marks = new Uint8Array(size.length);
  for (const buffer of order.slice(0, Number(filter))) {
    marks[buffer] = 1;
    for (let next = buffer + 1; goesOn(memory, next); next++) marks[next] = 1;
  }
  return marks;
}

/** Marks the nodes that have such a rectangle; null when all are left. */
export function litNodes(
  memory: MemoryModel | null,
  filter: Filter,
  tick: number,
  count: number,
): Uint8Array | null {
  const lit = memory && litBuffers(memory, filter, tick);
  if (!memory || !lit) return null;
  const marks = new Uint8Array(count);
  lit.forEach((isLit, buffer) => isLit && (marks[memory.node[buffer]] = 1));
  return marks;
}
