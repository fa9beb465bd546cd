// The row of blocks on top of the lanes, and in the overview: runs of ticks of one block.

import type { Model } from "../model/model.ts";
import type { Order } from "../model/order.ts";
import { NONE } from "../model/search.ts";
import type { Theme } from "../core/theme.ts";

/** Ticks of one block that follow each other, half-open: columns, for there may be a million. */
export interface BlockRuns {
  readonly length: number;
  readonly block: Int32Array;
  readonly first: Int32Array;
  readonly stop: Int32Array;
}

export const NO_RUNS: BlockRuns = columnsOf(0);
const known = new WeakMap<Order, BlockRuns>();

/** The blocks in the order that runs; empty where the network has none. */
export function blockRuns({ parts }: Pick<Model, "parts">, order: Order): BlockRuns {
  let found = known.get(order);
  if (!found) known.set(order, (found = parts.count ? runsOf(parts, order) : NO_RUNS));
  return found;
}

function columnsOf(count: number): BlockRuns {
  const [block, first, stop] = [0, 0, 0].map(() => new Int32Array(count));
  return { length: count, block, first, stop };
}

function shortened({ block, first, stop }: BlockRuns, length: number): BlockRuns {
  const [b, f, s] = [block, first, stop].map((column) => column.subarray(0, length));
  return { length, block: b, first: f, stop: s };
}

function runsOf(parts: Model["parts"], { node, ticks }: Order): BlockRuns {
  const made = columnsOf(ticks);
  const { block, first, stop } = made;
  let count = 0;
  let before: number | null = null;
  for (let tick = 0; tick < ticks; tick++) {
    const own = parts.of(node[tick]);
    if (own === before) continue;
    if (count) stop[count - 1] = tick;
    block[count] = before = own;
    first[count++] = tick;
  }
  if (count) stop[count - 1] = ticks;
  return shortened(made, count);
}

/** The ticks that a view shows first: the block of a tick, and two on either side. */
export function ticksAround({ length, first, stop }: BlockRuns, tick: number): [number, number] {
  const at = stop.findIndex((end) => tick < end);
  return [first[Math.max(0, at - 2)], stop[Math.min(length - 1, at + 2)]];
}

/** A run in pixels. */
interface Seen {
  block: number;
  from: number;
  to: number;
}

/**
 * The runs between two pixels, cut to them. Those that end in the pixel where another was painted
 * are left out, but for the last one, so that it takes as long as there are pixels and not runs.
 */
export function seenRuns(
  runs: BlockRuns,
  left: number,
  right: number,
  x: (tick: number) => number,
): Seen[] {
  const found: Seen[] = [];
  const last = runs.length - 1;
  let reached = left;
  let at = firstPast(runs, left, 0, x);
  while (at <= last) {
    const block = runs.block[at];
    const from = x(runs.first[at]);
    const to = x(runs.stop[at]);
    if (from >= right) break;
    if (to > reached || at === last) {
      const seen = { block, from: Math.max(left, from), to: Math.min(right, to) };
      if (block !== NONE) {
        found.push(seen);
        reached = Math.max(reached, seen.from + 1);
      }
      at++;
    } else at = Math.min(last, firstPast(runs, reached, at + 1, x));
  }
  return found;
}

/** The first run from `low` on that ends after a pixel; it is looked for close by at first. */
function firstPast(
  runs: BlockRuns,
  pixel: number,
  low: number,
  x: (tick: number) => number,
): number {
  let reach = 0;
  while (low + reach < runs.length && x(runs.stop[low + reach]) <= pixel) reach = 2 * reach + 1;
  let high = Math.min(runs.length, low + reach);
  if (reach) low += (reach - 1) / 2 + 1;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (x(runs.stop[middle]) <= pixel) low = middle + 1;
    else high = middle;
  }
  return low;
}

const lately = new WeakMap<BlockRuns, { block: number; own: BlockRuns }>();

/** The runs of one block; those of the block that was asked for last are known. */
function ofBlock(runs: BlockRuns, block: number): BlockRuns {
  if (block === NONE) return NO_RUNS;
  let found = lately.get(runs);
  if (found?.block !== block) {
    found = { block, own: only(runs, block) };
    lately.set(runs, found);
  }
  return found.own;
}

function only({ length, block, first, stop }: BlockRuns, wanted: number): BlockRuns {
  const made = columnsOf(length);
  let count = 0;
  for (let at = 0; at < length; at++) {
    if (block[at] !== wanted) continue;
    made.block[count] = wanted;
    made.first[count] = first[at];
    made.stop[count++] = stop[at];
  }
  return shortened(made, count);
}

const SHADES = [0.3, 0.17];

/** Runs narrower than this cannot be told apart: those that follow each other are one band. */
const THIN = 2;

/** What is filled in one shade: a run, or a band of thin ones. */
interface Fill {
  from: number;
  to: number;
  shade: number;
}

/** What to fill for runs that are seen; `paleness` is how much is left of the shade at a pixel. */
export function fillsOf(seen: readonly Seen[], paleness: (pixel: number) => number): Fill[] {
  const found: Fill[] = [];
  let wasThin = false;
  for (const { block, from, to } of seen) {
    const left = paleness((from + to) / 2);
    const isThin = to - from < THIN;
    const last = found.at(-1);
    const mean = (left * (SHADES[0] + SHADES[1])) / 2;
    const isSame = last && isThin && wasThin && from < last.to + 1;
    if (isSame && paleness((last.from + last.to) / 2) === left) {
      last.to = to;
      last.shade = mean;
    } else found.push({ from, to, shade: left * SHADES[block % 2] });
    wasThin = isThin;
  }
  return found;
}

interface Place {
  top: number;
  height: number;
  left: number;
  right: number;
  /** The block that is outlined. */
  picked: number;
  /** What is in focus, in pixels; what lies outside is pale. */
  window?: readonly [from: number, to: number];
}

/** Paints the runs from `top` down; `x` says where a tick begins. */
export function paintBlocks(
  context: CanvasRenderingContext2D,
  { parts }: Pick<Model, "parts">,
  runs: BlockRuns,
  theme: Theme,
  place: Place,
  x: (tick: number) => number,
): void {
  const { top, height, left, right, picked, window } = place;
  const shape = parts.shape;
  const labels: Label[] = [];
  // Where all is seen at once, numbers do: the row of what the window shows says of what.
  let isTold = window !== undefined;
  const seen = seenRuns(runs, left, right, x);
  const isOut = (at: number) => window !== undefined && (at < window[0] || at > window[1]);
  context.fillStyle = theme.muted;
  for (const { from, to, shade } of fillsOf(seen, (at) => (isOut(at) ? 0.5 : 1))) {
    context.globalAlpha = shade;
    context.fillRect(from + 0.5, top, Math.max(1, to - from - 1), height);
  }
  context.font = `600 11px ${theme.font}`;
  // What is too narrow for a name has none, but for those at the ends.
  const last = seen.length - 2;
  const told = seen.filter(({ from, to }, at) => to - from >= TOLD || at < 2 || at >= last);
  for (const { block, from, to } of told) {
    const middle = (from + to) / 2;
    const room = to - from - 6;
    let text = "";
    if (room > 0) {
      const [title, name] = [parts.title(block), parts.label(block)];
      const wide = (words: string) => context.measureText(words).width;
      const texts = (isTold && shape ? [name] : [title, name]).filter((each) => wide(each) <= room);
      // The second one says its kind only where that leaves room for the name of the first.
      const [end] = labels;
      const isSecond = labels.length === 1 && end.text === "";
      const free = isSecond ? middle - end.from - wide(parts.label(end.block)) - APART : 0;
      text = texts.find((each) => !isSecond || wide(each) / 2 < free) ?? texts[0] ?? "";
      if (text === title && title !== name) isTold = true;
    }
    labels.push({ text, block, from, to, ink: isOut(middle) ? theme.muted : theme.ink });
  }
  if (labels.every(({ text }) => !text)) {
    const nameOf = (block: number) => parts.label(block);
    nameSome(labels, nameOf, (text) => context.measureText(text).width);
  }
  context.globalAlpha = 1;
  context.strokeStyle = theme.accent;
  context.lineWidth = 1.5;
  for (const { from, to } of seenRuns(ofBlock(runs, picked), left, right, x)) {
    context.strokeRect(from + 1, top + 0.75, Math.max(1, to - from - 2), height - 1.5);
  }
  context.textBaseline = "middle";
  context.textAlign = "center";
  const y = top + height / 2 + 0.5;
  for (const { text, from, to, ink } of labels) {
    context.fillStyle = ink;
    if (text) context.fillText(text, (from + to) / 2, y);
  }
  paintEnds(context, labels, (block) => parts.label(block), y);
  context.textAlign = "start";
}

/** What is written in a run from one pixel to another. */
interface Label extends Seen {
  text: string;
  ink: string;
}

/** Pixels from which on a run can be told apart, and named in a row where none has room. */
const TOLD = 6;

/** Names some of the runs, as an axis does, where no name has room in its run. */
function nameSome(
  labels: readonly Label[],
  nameOf: (block: number) => string,
  wide: (text: string) => number,
): void {
  const end = labels.at(-1)?.to ?? 0;
  let reached = labels[0]?.from ?? 0;
  for (const label of labels) {
    const { block, from, to } = label;
    if (to - from < TOLD) continue;
    const half = wide(nameOf(block)) / 2;
    const middle = (from + to) / 2;
    if (middle - half < reached || middle + half > end) continue;
    label.text = nameOf(block);
    reached = middle + half + APART / 2;
  }
}

/** Pixels between the name of a narrow run and that of its neighbour. */
const APART = 8;

/** Pixels that the name of the last run may take behind it. */
const BEHIND = 12;

/** Names the first and the last run where they are narrow, if their neighbour leaves the room. */
function paintEnds(
  context: CanvasRenderingContext2D,
  labels: readonly Label[],
  nameOf: (block: number) => string,
  y: number,
): void {
  if (labels.length < 3) return;
  const wide = (text: string) => context.measureText(text).width;
  for (const [end, next] of [labels.slice(0, 2), labels.slice(-2).reverse()]) {
    const isLast = next.from < end.from;
    const middle = (next.from + next.to) / 2;
    const free = isLast ? end.to + BEHIND - middle : middle - end.from;
    if (end.text || free <= APART) continue;
    const name = nameOf(end.block);
    const own = wide(name);
    if (own > free - wide(next.text) / 2 - APART) continue;
    const least = isLast ? end.to + BEHIND - own : end.from + 1;
    context.fillStyle = end.ink;
    context.textAlign = "left";
    context.fillText(name, isLast ? Math.min((end.from + end.to - own) / 2, least) : least, y);
  }
}
