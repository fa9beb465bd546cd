// A decoded memory plan: rectangles as columns, and the state at a tick.

import { kinds } from "../../../shared/wire.json";
import { ColumnGroup, type Columns, type MemoryMeta, type Numbers } from "./payload.ts";
import { lowerBound, NONE, sortedBy } from "./search.ts";

/** The kind of buffers that hold weights. */
export const WEIGHTS = kinds.indexOf("producer");

/** One of several memories, which follow each other in the addresses of the plan. */
export interface Space {
  name: string;
  base: number;
  size: number;
  capacity: number;
  /** Bytes that are drawn. */
  scale: number;
  /** How much of it is used. */
  text: string;
}

/** A range of addresses with a name. */
export type Region = Pick<Space, "name" | "base" | "size">;

export interface MemoryModel {
  /** Name of the plan in a comparison. */
  label: string;
  peak: number;
  lowerBound: number;
  /** Bytes that the plan should not exceed; 0 for none. */
  budget: number;
  ticks: number;
  names: string[];
  spaces: Space[];
  node: Numbers;
  kind: Numbers;
  lower: Numbers;
  upper: Numbers;
  offset: Numbers;
  size: Numbers;
  /** Bytes of the buffer that each rectangle belongs to: of one that wraps around, or lies in blocks. */
  whole: Numbers;
  tickNode: Numbers;
  /** Rectangles by their first tick, and the last tick that any up to each of them reaches. */
  order: Uint32Array;
  reached: Float64Array;
  /** Another plan that this one is compared with. */
  other: MemoryModel | null;
  /** Bytes of the weights of each node, where the plan does not hold them. */
  weights: Numbers | null;
  /** Region of these weights, once they are shown. */
  region: Region | null;
  /** Of several memories: 1 for copies, and the node whose colour each rectangle has. */
  copy?: Numbers;
  source?: Numbers;
}

export function memoryModel(meta: MemoryMeta, columns: Columns, prefix = "buffer"): MemoryModel {
  const own = new ColumnGroup(columns, "buffer", prefix);
  const ticks = new ColumnGroup(columns, "tick");
  const [order, reached] = orderOf(own.get("lower"), own.get("upper"));
  const plan: MemoryModel = {
    order,
    reached,
    label: meta.label ?? "",
    peak: meta.peak,
    lowerBound: meta.lowerBound,
    budget: meta.budget ?? 0,
    ticks: meta.ticks,
    names: meta.names,
    spaces: (meta.spaces ?? []).map(([name, base, size, capacity, scale, text]) => ({
      name,
      base,
      size,
      capacity,
      scale,
      text,
    })),
    node: own.get("node"),
    kind: own.get("kind"),
    lower: own.get("lower"),
    upper: own.get("upper"),
    offset: own.get("offset"),
    size: own.get("size"),
    whole: own.find("whole") ?? own.get("size"),
    tickNode: ticks.get("node"),
    other: meta.other ? memoryModel(meta.other, columns, "other") : null,
    weights: new ColumnGroup(columns, "weight").find("size") ?? null,
    region: null,
    copy: own.find("copy"),
    source: own.find("source"),
  };
  return plan.spaces.length ? plan : { ...plan, region: regionOf(plan) };
}

/** Orders rectangles by their first tick, so that those of some ticks are found at once. */
export function orderOf(
  lower: Numbers,
  upper: Numbers,
): [order: Uint32Array, reached: Float64Array] {
  const order = sortedBy(lower);
  const reached = new Float64Array(order.length);
  let last = -Infinity;
  for (let place = 0; place < order.length; place++) {
    const end = upper[order[place]];
    if (end > last) last = end;
    reached[place] = last;
  }
  return [order, reached];
}

/** The rectangles that live in some ticks, by their number: they are drawn in that order. */
export function livingIn(memory: MemoryModel, start: number, stop: number): Uint32Array {
  const { order, reached, lower, upper } = memory;
  const from = lowerBound(reached, start, 0, order.length);
  let [to, behind] = [from, order.length];
  while (to < behind) {
    const middle = (to + behind) >>> 1;
    if (lower[order[middle]] < stop) to = middle + 1;
    else behind = middle;
  }
  const found = new Uint32Array(to - from);
  let count = 0;
  let last = -1;
  let isSorted = true;
  for (let at = from; at < to; at++) {
    const buffer = order[at];
    if (upper[buffer] <= start) continue;
    if (last > buffer) isSorted = false;
    found[count++] = last = buffer;
  }
  const own = found.subarray(0, count);
  return isSorted ? own : own.sort();
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

/** Whether a rectangle belongs to the same buffer as the one before it. */
export function goesOn({ names, size, whole }: MemoryModel, rectangle: number): boolean {
  const isPart = size[rectangle] !== whole[rectangle];
  return isPart && rectangle > 0 && names[rectangle] === names[rectangle - 1];
}

/** A stretch of addresses at a tick: of a rectangle, or a hole (-1). */
export interface Stretch {
  buffer: number;
  start: number;
  stop: number;
}

/** The buffers at a tick by address, from 0 to the peak, with the holes between them. */
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

/** The region of weights that share no address with other buffers; null without one. */
export function regionOf({ kind, offset, size }: MemoryModel): Region | null {
  if (!kind.includes(WEIGHTS)) return null;
  let [base, stop] = [Infinity, -Infinity];
  for (let buffer = 0; buffer < kind.length; buffer++) {
    if (kind[buffer] !== WEIGHTS) continue;
    base = Math.min(base, offset[buffer]);
    stop = Math.max(stop, offset[buffer] + size[buffer]);
  }
  for (let buffer = 0; buffer < kind.length; buffer++) {
    const isApart = offset[buffer] >= stop || offset[buffer] + size[buffer] <= base;
    if (kind[buffer] !== WEIGHTS && !isApart) return null;
  }
  return stop > base ? { name: "weights:", base, size: stop - base } : null;
}

/** The buffer that is written over another one, in place, while that is alive; NONE for none. */
export function takerOf(memory: MemoryModel, buffer: number): number {
  const { lower, upper, offset, size } = memory;
  let taker = NONE;
  for (const other of livingIn(memory, lower[buffer] + 1, upper[buffer])) {
    if (other <= buffer || lower[other] <= lower[buffer]) continue;
    const isOver =
      offset[other] <= offset[buffer] &&
      offset[other] + size[other] >= offset[buffer] + size[buffer];
    if (isOver && (taker === NONE || lower[other] < lower[taker])) taker = other;
  }
  return taker;
}

/**
 * When each of some rectangles is first covered by one that is drawn later, as operators in place do; with
 * `isWhole` only where that covers all of its addresses.
 */
export function coveredFrom(
  lower: Numbers,
  upper: Numbers,
  offset: Numbers,
  size: Numbers,
  some: ArrayLike<number>,
  isWhole = false,
): Map<number, number> {
  const covered = new Map<number, number>();
  const order = Array.from(some).sort((a, b) => lower[a] - lower[b] || a - b);
  order.forEach((buffer, place) => {
    let end = upper[buffer];
    for (let next = place + 1; next < order.length; next++) {
      const other = order[next];
      if (lower[other] >= end) break;
      const [top, above] = [offset[buffer] + size[buffer], offset[other] + size[other]];
      const isOver = isWhole
        ? offset[other] <= offset[buffer] && top <= above
        : offset[other] < top && offset[buffer] < above;
      if (other > buffer && isOver) end = lower[other];
    }
    covered.set(buffer, end);
  });
  return covered;
}
