// The row of blocks on top of the lanes, and in the overview: runs of ticks of one block.

import type { Model } from "../core/model.ts";
import type { Order } from "../core/order.ts";
import { NONE } from "../core/search.ts";
import type { Theme } from "../core/theme.ts";

/** Ticks of one block that follow each other, half-open. */
export interface BlockRun {
  block: number;
  first: number;
  stop: number;
}

const known = new WeakMap<Order, BlockRun[]>();

/** The blocks in the order that runs; empty where the network has none. */
export function blockRuns({ parts }: Pick<Model, "parts">, order: Order): BlockRun[] {
  let found = known.get(order);
  if (!found) known.set(order, (found = parts.count ? runsOf(parts, order) : []));
  return found;
}

function runsOf(parts: Model["parts"], { node, ticks }: Order): BlockRun[] {
  const found: BlockRun[] = [];
  for (let tick = 0; tick < ticks; tick++) {
    const block = parts.of(node[tick]);
    const last = found.at(-1);
    if (last?.block === block) last.stop = tick + 1;
    else found.push({ block, first: tick, stop: tick + 1 });
  }
  return found;
}

/** The ticks that a view shows first: the block of a tick, and two on either side. */
export function ticksAround(runs: readonly BlockRun[], tick: number): [number, number] {
  const at = runs.findIndex(({ first, stop }) => first <= tick && tick < stop);
  return [runs[Math.max(0, at - 2)].first, runs[Math.min(runs.length - 1, at + 2)].stop];
}

const SHADES = [0.3, 0.17];

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
  runs: readonly BlockRun[],
  theme: Theme,
  place: Place,
  x: (tick: number) => number,
): void {
  const { top, height, left, right, picked, window } = place;
  const shape = parts.shape;
  const labels: Label[] = [];
  let isTold = false;
  context.font = `600 11px ${theme.font}`;
  for (const { block, first, stop } of runs) {
    const from = Math.max(left, x(first));
    const to = Math.min(right, x(stop));
    if (to <= from || block === NONE) continue;
    const middle = (from + to) / 2;
    const isPale = window !== undefined && (middle < window[0] || middle > window[1]);
    context.fillStyle = theme.muted;
    context.globalAlpha = SHADES[block % 2] * (isPale ? 0.5 : 1);
    context.fillRect(from + 0.5, top, Math.max(1, to - from - 1), height);
    context.globalAlpha = 1;
    if (block === picked) {
      context.strokeStyle = theme.accent;
      context.lineWidth = 1.5;
      context.strokeRect(from + 1, top + 0.75, Math.max(1, to - from - 2), height - 1.5);
    }
    const fits = (text: string) => context.measureText(text).width <= to - from - 6;
    const title = parts.title(block);
    const name = parts.label(block);
    const text = (isTold && shape ? [name] : [title, name]).find(fits) ?? "";
    if (text === title && title !== name) isTold = true;
    labels.push({ text, name, from, to, ink: isPale ? theme.muted : theme.ink });
  }
  context.textBaseline = "middle";
  context.textAlign = "center";
  const y = top + height / 2 + 0.5;
  for (const { text, from, to, ink } of labels) {
    context.fillStyle = ink;
    if (text) context.fillText(text, (from + to) / 2, y);
  }
  paintEnds(context, labels, y);
  context.textAlign = "start";
}

/** What is written in a run from one pixel to another, and its shortest name. */
interface Label {
  text: string;
  name: string;
  from: number;
  to: number;
  ink: string;
}

/** Pixels that the name of the last run may take behind it. */
const BEHIND = 12;

/** Names the first and the last run where they are narrow, if their neighbour leaves the room. */
function paintEnds(context: CanvasRenderingContext2D, labels: readonly Label[], y: number): void {
  if (labels.length < 3) return;
  const wide = (text: string) => context.measureText(text).width;
  for (const [end, next] of [labels.slice(0, 2), labels.slice(-2).reverse()]) {
    const isLast = next.from < end.from;
    const middle = (next.from + next.to) / 2;
    const free = isLast ? end.to + BEHIND - middle : middle - end.from;
    const own = wide(end.name);
    if (end.text || own > free - wide(next.text) / 2 - 8) continue;
    const least = isLast ? end.to + BEHIND - own : end.from + 1;
    context.fillStyle = end.ink;
    context.textAlign = "left";
    context.fillText(end.name, isLast ? Math.min((end.from + end.to - own) / 2, least) : least, y);
  }
}
