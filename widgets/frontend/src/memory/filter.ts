// Filter buffers: alive at the step, alive at the peak, or the largest.

import type { Filter } from "../model/store.ts";
import { goesOn, WEIGHTS, type MemoryModel } from "../model/memory.ts";
import { peakTick } from "./usage.ts";

export const FILTERS: readonly (readonly [Filter, string])[] = [
  ["all", "all buffers"],
  ["step", "alive at the tick"],
  ["peak", "alive at the peak"],
  ["5", "the 5 largest"],
  ["10", "the 10 largest"],
  ["20", "the 20 largest"],
  ["50", "the 50 largest"],
];

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
