// Mark the current step on an axis with another unit.

import type { Firings } from "../model/firings.ts";
import type { Store } from "../model/store.ts";
import { grouped } from "../core/text.ts";
import type { Theme } from "../core/theme.ts";
import type { Bars } from "../model/bars.ts";
import type { TimelineModel } from "../model/timeline.ts";
import type { TimelineView } from "./painter.ts";

export interface Marks {
  /** The unit of the clock that is marked, and where. */
  unit: string;
  time: number;
  /** What is marked, in words. */
  label: string;
  /** The bars of what runs at it, by their row. */
  bars: ReadonlyMap<number, number[]>;
  /** Their spans, sorted and without gaps. */
  spans: (readonly [from: number, to: number])[];
}

/** Finds the bars of what runs at a unit of the clock: of its nodes on a machine, of its executions in a run. */
export function marksAt(
  { data, bars }: { data: TimelineModel; bars: Bars },
  { firings, store }: { firings: Firings; store: Pick<Store, "clock"> },
  time: number,
): Marks {
  const nodes = firings.running(time);
  const found = new Map<number, number[]>();
  const add = (row: number, bar: number) => found.set(row, [...(found.get(row) ?? []), bar]);
  for (let row = 0; row + 1 < bars.start.length; row++) {
    const [first, last] = [bars.start[row], bars.start[row + 1]];
    if (bars.node) {
      for (let bar = first; bar < last; bar++) {
        if (nodes.some((node) => bars.isOf(bar, node))) add(row, bar);
      }
    } else if (nodes.includes(data.node[row]) && !data.producer[row]) {
      const bar = first + firings.before(data.node[row], time);
      if (bar < last) add(row, bar);
    }
  }
  const spans = [...found.values()]
    .flat()
    .map((bar) => [bars.early[bar], bars.stopOf(bar)] as const);
  const { unit } = store.clock;
  return { unit, time, label: `${unit} ${grouped(time)}`, bars: found, spans: joined(spans) };
}

/** Joins spans that overlap or touch. */
function joined(spans: (readonly [number, number])[]): (readonly [number, number])[] {
  const made: [number, number][] = [];
  for (const [from, to] of spans.sort((a, b) => a[0] - b[0])) {
    const last = made.at(-1);
    if (last && from <= last[1]) last[1] = Math.max(last[1], to);
    else made.push([from, to]);
  }
  return made;
}

/** Paints bands under the bars, from top to bottom. */
export function paintMarkBands(
  context: CanvasRenderingContext2D,
  view: TimelineView,
  theme: Theme,
): void {
  const { axis, plotWidth, gutter } = view;
  context.fillStyle = theme.accent;
  context.globalAlpha = 0.12;
  for (const [from, to] of view.marks?.spans ?? []) {
    const left = gutter + Math.max(0, axis.toPixel(from, plotWidth));
    const right = gutter + Math.min(plotWidth, axis.toPixel(to, plotWidth));
    if (right >= left) {
      context.fillRect(left, view.top, Math.max(1.5, right - left), view.plotHeight);
    }
  }
  context.globalAlpha = 1;
}

/** Outlines the bars of what runs. */
export function paintMarked(
  context: CanvasRenderingContext2D,
  view: TimelineView,
  theme: Theme,
  [first, last]: [number, number],
): void {
  const { axis, bars, plotWidth, gutter, rowHeight, marks } = view;
  if (!marks || rowHeight < 5) return;
  context.strokeStyle = theme.ink;
  context.lineWidth = 1.5;
  for (let place = first; place < last; place++) {
    const high = rowHeight * 0.84;
    const y = view.top + place * rowHeight - view.scroll + (rowHeight - high) / 2;
    for (const bar of marks.bars.get(view.rows[place]) ?? []) {
      const left = axis.toPixel(bars.early[bar], plotWidth);
      const right = axis.toPixel(bars.stopOf(bar), plotWidth);
      // Narrow ones would only be black: the band shows where they are.
      if (right - left < 4 || right < 0 || left > plotWidth) continue;
      const from = Math.max(-2, left);
      context.strokeRect(gutter + from, y, Math.min(plotWidth + 2, right) - from, high);
    }
  }
}
