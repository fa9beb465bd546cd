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

/** Paints the runs from `top` down; `x` says where a tick begins, `picked` is outlined. */
export function paintBlocks(
  context: CanvasRenderingContext2D,
  { parts }: Pick<Model, "parts">,
  runs: readonly BlockRun[],
  theme: Theme,
  place: { top: number; height: number; left: number; right: number; picked: number },
  x: (tick: number) => number,
): void {
  const { top, height, left, right, picked } = place;
  const shape = parts.shape;
  let isTold = false;
  context.font = `600 11px ${theme.font}`;
  context.textBaseline = "middle";
  context.textAlign = "center";
  for (const { block, first, stop } of runs) {
    const from = Math.max(left, x(first));
    const to = Math.min(right, x(stop));
    if (to <= from || block === NONE) continue;
    context.fillStyle = theme.muted;
    context.globalAlpha = SHADES[block % 2];
    context.fillRect(from + 0.5, top, Math.max(1, to - from - 1), height);
    context.globalAlpha = 1;
    if (block === picked) {
      context.strokeStyle = theme.accent;
      context.lineWidth = 1.5;
      context.strokeRect(from + 1, top + 0.75, Math.max(1, to - from - 2), height - 1.5);
    }
    context.fillStyle = theme.ink;
    const fits = (text: string) => context.measureText(text).width <= to - from - 6;
    const title = parts.title(block);
    const names = isTold && shape ? [parts.label(block)] : [title, parts.label(block)];
    const text = names.find(fits);
    if (!text) continue;
    if (text === title && title !== parts.label(block)) isTold = true;
    context.fillText(text, (from + to) / 2, top + height / 2 + 0.5);
  }
  context.textAlign = "start";
}
