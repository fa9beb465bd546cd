// The bars of the timeline, as pixels: full blocks without slack, else a block and a thin tail.

import type { Levels } from "./levels.ts";
import { firstPast } from "./levels.ts";
import { pixelOf, type Raster } from "./raster.ts";
import { lowerBound } from "./search.ts";
import type { TimelineView } from "./timelinePainter.ts";

/** Where a kind of bar is drawn in its row: pixels of the screen from the top of the plot. */
interface Lane {
  top: number;
  bottom: number;
}

/** So many bars of a row are looked at one by one, for the marks at the end of their tails. */
const MOST_CAPS = 400;

export class BarRaster {
  drawn = 0;
  private readonly pixels: number;
  private readonly inset: number;

  constructor(
    private readonly raster: Raster,
    private readonly view: TimelineView,
    private readonly ratio: number,
  ) {
    this.pixels = (view.plotWidth * ratio) / view.axis.span;
    this.inset = Math.min(ratio, this.pixels * 0.08);
  }

  /** Paints the bars of a row whose top is at `y`, in the colour of its operator. */
  row(row: number, y: number, colour: string, alpha: number, isChosen: boolean): void {
    const { bars, rowHeight } = this.view;
    const pixel = pixelOf(colour, alpha);
    const least = isChosen ? 3 : 1;
    const { full, begin, tail } = bars.drawn();
    const medium = Math.max(1.5, rowHeight * 0.4);
    this.paint(tail, row, this.lane(y, clampTo(rowHeight * 0.14, 1, 3)), pixel, 0);
    this.paint(begin, row, this.lane(y, medium), pixel, least);
    this.paint(full, row, this.lane(y, Math.max(least, 1.5, rowHeight * 0.7)), pixel, least);
    if (this.pixels > 3 * this.ratio) this.caps(row, this.lane(y, medium), pixel);
  }

  /** Paints bars that have colours of their own, one by one. */
  each(
    row: number,
    y: number,
    colourOf: (bar: number) => number,
    isChosen: (bar: number) => boolean,
  ): void {
    const { bars, axis, rowHeight } = this.view;
    const { start, early } = bars;
    const lane = this.lane(y, Math.max(2, rowHeight * 0.72));
    let bar = lowerBound(early, axis.start - bars.reach[row], start[row], start[row + 1]);
    let reached = -1;
    for (; bar < start[row + 1] && early[bar] < axis.stop; bar++) {
      const left = Math.round((early[bar] - axis.start) * this.pixels);
      const end = (early[bar] + bars.lengthOf(bar) - axis.start) * this.pixels - this.inset;
      const right = Math.max(left + (isChosen(bar) ? 3 : 1), Math.round(end));
      if (right <= reached && !isChosen(bar)) continue;
      reached = right;
      this.raster.fill(left, lane.top, right, lane.bottom, colourOf(bar));
      this.drawn++;
    }
  }

  private lane(y: number, height: number): Lane {
    const { rowHeight, top } = this.view;
    const high = Math.max(1, Math.round(height * this.ratio));
    const first = Math.round((y - top + (rowHeight - height) / 2) * this.ratio);
    return { top: first, bottom: first + high };
  }

  private paint(levels: Levels, row: number, lane: Lane, pixel: number, least: number): void {
    const { axis } = this.view;
    const intervals = levels.at(Math.floor(0.6 / this.pixels));
    const { from, to, start } = intervals;
    const stop = start[row + 1];
    const inset = intervals === levels.at(0) ? this.inset : 0;
    for (let index = firstPast(intervals, row, axis.start); index < stop; index++) {
      if (from[index] >= axis.stop) break;
      const left = Math.round((from[index] - axis.start) * this.pixels);
      const right = Math.round((to[index] - axis.start) * this.pixels - inset);
      this.raster.fill(left, lane.top, Math.max(right, left + least), lane.bottom, pixel);
      this.drawn++;
    }
  }

  /** Marks where the tails end, for they may reach into each other. */
  private caps(row: number, lane: Lane, pixel: number): void {
    const { bars, axis } = this.view;
    const { start, early, slack, reach } = bars;
    const first = lowerBound(early, axis.start - reach[row], start[row], start[row + 1]);
    const last = lowerBound(early, axis.stop, first, start[row + 1]);
    if (last - first > MOST_CAPS) return;
    for (let bar = first; bar < last; bar++) {
      if (slack[bar] === 0) continue;
      const end = Math.round((bars.stopOf(bar) - axis.start) * this.pixels - this.inset);
      this.raster.fill(end - Math.round(1.5 * this.ratio), lane.top, end, lane.bottom, pixel);
    }
  }
}

function clampTo(value: number, low: number, high: number): number {
  return Math.min(high, Math.max(low, value));
}
