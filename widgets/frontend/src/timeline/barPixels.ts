// Paint bars as pixels: full blocks without slack, else a block and a thin tail.

import { rows as sizes } from "../../../shared/panels.json";
import { clamp } from "../core/axis.ts";
import { pixelOf, type Raster } from "../core/raster.ts";
import { lowerBound } from "../model/search.ts";
import { firstPast, type Levels } from "../model/levels.ts";
import type { TimelineView } from "./painter.ts";
import { eachOf } from "./rows.ts";

/** Where a kind of bar is drawn in its row: pixels of the screen from the top of the plot. */
interface Lane {
  top: number;
  bottom: number;
}

/** So many bars of a row are looked at one by one, for the marks at the end of their tails. */
const MOST_CAPS = 400;

/** So many bars in the rows that are seen are drawn as they are; more from levels of detail. */
const MOST_READ = 250_000;

/** Bars that follow each other in a lane; gaps too small to be seen are closed on the way. */
class Run {
  private from = 0;
  private to = -Infinity;

  constructor(
    private readonly painter: BarRaster,
    private readonly lane: Lane,
    /** Larger gaps than this are left; -Infinity keeps all bars apart. */
    private readonly gap: number,
    private readonly inset: number,
    private readonly least: number,
  ) {}

  add(from: number, to: number): void {
    if (from - this.to > this.gap) {
      this.end();
      this.from = from;
      this.to = to;
    } else if (to > this.to) this.to = to;
  }

  end(): void {
    if (this.to === -Infinity) return;
    this.painter.bar(this.from, this.to, this.lane, this.inset, this.least);
    this.to = -Infinity;
  }
}

export class BarRaster {
  drawn = 0;
  private readonly pixels: number;
  private readonly inset: number;
  private readonly start: number;
  private readonly isRead: boolean;
  /** The colour of what is painted. */
  private pixel = 0;

  constructor(
    private readonly raster: Raster,
    private readonly view: TimelineView,
    private readonly ratio: number,
    /** The rows that are seen. */
    rows: readonly number[] = [],
  ) {
    const { axis, plotWidth, bars } = view;
    this.pixels = (plotWidth * ratio) / axis.span;
    this.inset = Math.min(ratio * sizes.inset.most, this.pixels * sizes.inset.share);
    this.start = axis.start;
    let count = 0;
    for (const row of rows) count += bars.start[row + 1] - bars.start[row];
    this.isRead = count <= MOST_READ;
  }

  /** Paints the bars of a row whose top is at `y`, in the colour of its operator. */
  row(row: number, y: number, colour: string, alpha: number, isChosen: boolean): void {
    const { bars, rowHeight } = this.view;
    this.pixel = pixelOf(colour, alpha);
    const least = isChosen ? 3 : 1;
    const medium = this.lane(y, Math.max(1.5, rowHeight * sizes.medium));
    const tail = this.lane(
      y,
      clamp(rowHeight * sizes.tail.share, sizes.tail.least, sizes.tail.most),
    );
    const full = this.lane(y, Math.max(least, 1.5, rowHeight * sizes.full));
    if (this.isRead) this.read(row, { tail, medium, full }, least);
    else {
      const levels = bars.drawn();
      this.paint(levels.tail, row, tail, 0);
      this.paint(levels.begin, row, medium, least);
      this.paint(levels.full, row, full, least);
    }
    if (this.pixels > 3 * this.ratio) this.caps(row, medium);
  }

  /** Paints the bars of a row as they are, in one go. */
  private read(row: number, lanes: Record<"tail" | "medium" | "full", Lane>, least: number): void {
    const { bars, axis } = this.view;
    const { start, early, slack } = bars;
    const gap = Math.floor(0.6 / this.pixels);
    const [apart, inset] = gap < 1 ? [-Infinity, this.inset] : [gap, 0];
    const tail = new Run(this, lanes.tail, gap, inset, 0);
    const begin = new Run(this, lanes.medium, apart, inset, least);
    const full = new Run(this, lanes.full, apart, inset, least);
    const last = start[row + 1];
    const { stop } = axis;
    let bar = lowerBound(early, axis.start - bars.reach[row], start[row], last);
    for (; bar < last && early[bar] < stop; bar++) {
      const from = early[bar];
      const to = from + bars.lengthOf(bar);
      if (slack[bar] === 0) full.add(from, to);
      else {
        begin.add(from, to);
        tail.add(from, to + slack[bar]);
      }
    }
    for (const run of [tail, begin, full]) run.end();
  }

  /** Paints from one value of the axis to another. */
  bar(from: number, to: number, lane: Lane, inset: number, least: number): void {
    const left = Math.round((from - this.start) * this.pixels);
    const right = Math.round((to - this.start) * this.pixels - inset);
    this.raster.fill(left, lane.top, Math.max(right, left + least), lane.bottom, this.pixel);
    this.drawn++;
  }

  /** Paints bars that have colours of their own, and once more those of the chosen nodes. */
  each(row: number, y: number, colourOf: (bar: number) => number, chosen: readonly number[]): void {
    const { bars, axis, rowHeight } = this.view;
    const { start, early, length } = bars;
    const share = rowHeight > sizes.tall ? sizes.filled : sizes.shared;
    const lane = this.lane(y, Math.max(2, rowHeight * share));
    const last = start[row + 1];
    let bar = lowerBound(early, axis.start - bars.reach[row], start[row], last);
    const ahead = 0.5 + Math.max(0, this.pixels - this.inset - 1);
    let reached = -1;
    while (bar < last && early[bar] < axis.stop) {
      const right = this.end(bar, 1);
      if (right > reached) {
        reached = right;
        this.own(bar, 1, y, lane, colourOf(bar));
        this.drawn++;
        bar++;
      } else if (length) bar++;
      // Bars of one unit end as they begin: the next one to be seen is looked up.
      else bar = lowerBound(early, this.start + (reached - ahead) / this.pixels, bar + 1, last);
    }
    for (const node of chosen) {
      eachOf(bars, axis, node, row, (own) => this.own(own, 3, y, lane, colourOf(own)));
    }
  }

  /** The pixel where a bar ends that is at least so wide. */
  private end(bar: number, least: number): number {
    const { bars, axis } = this.view;
    const from = (bars.early[bar] - axis.start) * this.pixels;
    const end = from + bars.lengthOf(bar) * this.pixels - this.inset;
    return Math.max(Math.round(from) + least, Math.round(end));
  }

  /** Paints a bar in its own colour, with the line to where it may wait until. */
  private own(bar: number, least: number, y: number, lane: Lane, colour: number): void {
    const { bars, axis } = this.view;
    const left = Math.round((bars.early[bar] - axis.start) * this.pixels);
    const right = this.end(bar, least);
    this.raster.fill(left, lane.top, right, lane.bottom, colour);
    if (bars.slack[bar] > 0) this.tail(bar, right, y, lane, colour);
  }

  /** A line to where a bar may wait until, and its end stop. */
  private tail(bar: number, from: number, y: number, lane: Lane, colour: number): void {
    const { bars, axis } = this.view;
    const to = Math.round((bars.stopOf(bar) - axis.start) * this.pixels - this.inset);
    const line = this.lane(y, 1.5);
    this.raster.fill(from, line.top, to, line.bottom, colour);
    const cap = Math.round(1.5 * this.ratio);
    const inset = Math.round((lane.bottom - lane.top) / 4);
    if (this.pixels > 3 * this.ratio) {
      this.raster.fill(to - cap, lane.top + inset, to, lane.bottom - inset, colour);
    }
  }

  private lane(y: number, height: number): Lane {
    const { rowHeight, top } = this.view;
    const high = Math.max(1, Math.round(height * this.ratio));
    const first = Math.round((y - top + (rowHeight - height) / 2) * this.ratio);
    return { top: first, bottom: first + high };
  }

  private paint(levels: Levels, row: number, lane: Lane, least: number): void {
    const { axis } = this.view;
    const intervals = levels.at(Math.floor(0.6 / this.pixels));
    const { from, to, start } = intervals;
    const stop = start[row + 1];
    const inset = intervals === levels.at(0) ? this.inset : 0;
    for (let index = firstPast(intervals, row, axis.start); index < stop; index++) {
      if (from[index] >= axis.stop) break;
      this.bar(from[index], to[index], lane, inset, least);
    }
  }

  /** Marks where the tails end, for they may reach into each other. */
  private caps(row: number, lane: Lane): void {
    const { bars, axis } = this.view;
    const { start, early, slack, reach } = bars;
    const first = lowerBound(early, axis.start - reach[row], start[row], start[row + 1]);
    const last = lowerBound(early, axis.stop, first, start[row + 1]);
    if (last - first > MOST_CAPS) return;
    for (let bar = first; bar < last; bar++) {
      if (slack[bar] === 0) continue;
      const end = Math.round((bars.stopOf(bar) - axis.start) * this.pixels - this.inset);
      this.raster.fill(end - Math.round(1.5 * this.ratio), lane.top, end, lane.bottom, this.pixel);
    }
  }
}
