// Bytes in use at each tick of a memory plan; addresses that several buffers share count once.

import type { MemoryModel } from "../model/memory.ts";

/** Buffers are looked at one by one in so many ticks, all taken together. */
const MOST_READ = 4e6;

const known = new WeakMap<MemoryModel, Float64Array>();

/** The bytes in use at each tick; no more than the peak where there are too many to look at. */
export function bytesInUse(memory: MemoryModel): Float64Array {
  let found = known.get(memory);
  if (!found) known.set(memory, (found = counted(memory)));
  return found;
}

const peaks = new WeakMap<MemoryModel, number>();

/** The first tick at which most bytes are in use. */
export function peakTick(memory: MemoryModel): number {
  let found = peaks.get(memory);
  if (found === undefined) peaks.set(memory, (found = highest(memory)));
  return found;
}

function highest(memory: MemoryModel): number {
  const bytes = bytesInUse(memory);
  let best = 0;
  for (let tick = 1; tick < bytes.length; tick++) if (bytes[tick] > bytes[best]) best = tick;
  return best;
}

/** The most bytes that are in use from one tick to another. */
export function mostBytes(memory: MemoryModel, from: number, to: number): number {
  const bytes = bytesInUse(memory);
  let most = 0;
  for (let tick = Math.max(0, from); tick < Math.min(to, bytes.length); tick++) {
    if (bytes[tick] > most) most = bytes[tick];
  }
  return most;
}

function counted(memory: MemoryModel): Float64Array {
  const { order, lower, upper, size, ticks, peak } = memory;
  let read = 0;
  for (let buffer = 0; buffer < size.length; buffer++) read += upper[buffer] - lower[buffer];
  const bytes = new Float64Array(ticks);
  if (read > MOST_READ) {
    for (let buffer = 0; buffer < size.length; buffer++) {
      if (lower[buffer] >= ticks) continue;
      bytes[lower[buffer]] += size[buffer];
      if (upper[buffer] < ticks) bytes[upper[buffer]] -= size[buffer];
    }
    for (let tick = 1; tick < ticks; tick++) bytes[tick] += bytes[tick - 1];
    return bytes.map((sum) => Math.min(sum, peak));
  }
  let live: number[] = [];
  let next = 0;
  for (let tick = 0; tick < ticks; tick++) {
    live = live.filter((buffer) => upper[buffer] > tick);
    for (; next < order.length && lower[order[next]] <= tick; next++) {
      if (upper[order[next]] > tick) live.push(order[next]);
    }
    bytes[tick] = covered(memory, live);
  }
  return bytes;
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
