// Find the row and the bars of a node in a schedule.

import type { Axis } from "../core/axis.ts";
import { lowerBound, NONE } from "../model/search.ts";
import type { Bars } from "../model/bars.ts";
import type { TimelineModel } from "../model/timeline.ts";

/** The place of a node's row among those that are shown; NONE when it has none. */
export function placeOf(data: TimelineModel, bars: Bars, rows: number[], node: number): number {
  if (node === NONE) return NONE;
  const { node: owner, producer } = data;
  const own = rows.findIndex((row) => owner[row] === node && !producer[row]);
  if (own >= 0) return own;
  if (!bars.node) return rows.findIndex((row) => owner[row] === node);
  return rows.findIndex((row) => barOf(bars, node, row) !== NONE);
}

/** The first bar of a node in its row. */
export function barOf(bars: Bars, node: number, row: number): number {
  const { start } = bars;
  if (!bars.node) return start[row] < start[row + 1] ? start[row] : NONE;
  const { list, first, last } = bars.ofNode(node, row);
  return first < last ? list[first] : NONE;
}

/** Where a bar of a node is seen in its row, in pixels from the start; null when none is. */
export function middleOf(bars: Bars, axis: Axis, node: number, row: number, size: number) {
  let found: number | null = null;
  eachOf(bars, axis, node, row, (bar) => {
    const from = Math.max(axis.start, bars.early[bar]);
    const to = Math.min(axis.stop, bars.early[bar] + bars.lengthOf(bar));
    if (to > from) found = axis.toPixel((from + to) / 2, size);
    return found === null;
  });
  return found;
}

/** Goes through the bars of a node in a row that may be seen, as long as it is asked to go on. */
export function eachOf(
  bars: Bars,
  axis: Axis,
  node: number,
  row: number,
  call: (bar: number) => boolean | void,
): void {
  const { start, early, reach } = bars;
  const from = lowerBound(early, axis.start - reach[row], start[row], start[row + 1]);
  if (!bars.node) {
    for (let bar = from; bar < start[row + 1] && early[bar] < axis.stop; bar++) {
      if (call(bar) === false) return;
    }
    return;
  }
  const { list, first, last } = bars.ofNode(node, row);
  for (let at = lowerBound(list, from, first, last); at < last; at++) {
    if (early[list[at]] >= axis.stop || call(list[at]) === false) return;
  }
}

/** The first bar of a row that is seen; NONE when there is none. */
export function firstBar(bars: Bars, axis: Axis, row: number): number {
  const { start, early, reach } = bars;
  let bar = lowerBound(early, axis.start - reach[row], start[row], start[row + 1]);
  for (; bar < start[row + 1] && early[bar] < axis.stop; bar++) {
    if (bars.stopOf(bar) > axis.start) return bar;
  }
  return NONE;
}
