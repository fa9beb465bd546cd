// What is alive at a tick, where else memory is high, and the peak of each block.

import type { Blocks } from "../model/blocks.ts";
import { livingIn, type MemoryModel } from "../model/memory.ts";
import { bytesInUse } from "../memory/usage.ts";

export interface Held {
  /** A rectangle of the buffer. */
  buffer: number;
  node: number;
  /** Bytes that it alone holds: what it shares counts for the buffer that was written last. */
  size: number;
}

type Interval = [start: number, stop: number];

/** What holds bytes at a tick, the largest first; all sizes together are the bytes in use. */
export function heldAt(memory: MemoryModel, tick: number): Held[] {
  const { lower, offset, size, node, names } = memory;
  const alive = [...livingIn(memory, tick, tick + 1e-9)];
  alive.sort((a, b) => lower[b] - lower[a] || b - a);
  const found = new Map<string, Held>();
  let taken: Interval[] = [];
  let bytes = 0;
  for (const buffer of alive) {
    taken = merged([...taken, [offset[buffer], offset[buffer] + size[buffer]]]);
    const now = taken.reduce((sum, [start, stop]) => sum + stop - start, 0);
    if (now === bytes) continue;
    const held = found.get(names[buffer]) ?? { buffer, node: node[buffer], size: 0 };
    held.size += now - bytes;
    found.set(names[buffer], held);
    bytes = now;
  }
  return [...found.values()].sort((a, b) => b.size - a.size);
}

function merged(intervals: Interval[]): Interval[] {
  const made: Interval[] = [];
  for (const [start, stop] of intervals.sort((a, b) => a[0] - b[0])) {
    const last = made.at(-1);
    if (last && start <= last[1]) last[1] = Math.max(last[1], stop);
    else made.push([start, stop]);
  }
  return made;
}

export interface Highest {
  /** The ticks at which most bytes are in use. */
  peaks: number[];
  /** Lower local maxima, the highest first. */
  lower: number[];
}

/** Where memory is high: local maxima apart from each other and from a tick that is known. */
export function highest(bytes: ArrayLike<number>, known: number, most = 5, apart = 3): Highest {
  const peaks: number[] = [];
  const tops: number[] = [];
  let top = 0;
  for (let tick = 0; tick < bytes.length; tick++) top = Math.max(top, bytes[tick]);
  for (let tick = 0; tick < bytes.length && top > 0; tick++) {
    const isTop = !(bytes[tick - 1] >= bytes[tick]) && !(bytes[tick + 1] > bytes[tick]);
    if (bytes[tick] === top) peaks.push(tick);
    else if (isTop && bytes[tick] > 0) tops.push(tick);
  }
  tops.sort((a, b) => bytes[b] - bytes[a] || a - b);
  const lower: number[] = [];
  const isNearPeak = (tick: number) => {
    for (let each = tick - apart + 1; each < tick + apart; each++) {
      if (bytes[each] === top) return true;
    }
    return false;
  };
  for (const tick of tops) {
    if (lower.length === most) break;
    const isApart = [known, ...lower].every((each) => Math.abs(each - tick) >= apart);
    if (isApart && !isNearPeak(tick)) lower.push(tick);
  }
  return { peaks, lower };
}

export interface BlockPeak {
  block: number;
  bytes: number;
  tick: number;
}

/** The most bytes in use while an operator of each block runs, in the order of their first ticks. */
export function blockPeaks(memory: MemoryModel, blocks: Blocks): BlockPeak[] {
  const bytes = bytesInUse(memory);
  const found = new Map<number, BlockPeak>();
  for (let tick = 0; tick < memory.tickNode.length; tick++) {
    const block = blocks.of(memory.tickNode[tick]);
    if (block < 0) continue;
    const known = found.get(block);
    if (!known) found.set(block, { block, bytes: bytes[tick], tick });
    else if (bytes[tick] > known.bytes) Object.assign(known, { bytes: bytes[tick], tick });
  }
  return [...found.values()];
}
