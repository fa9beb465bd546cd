// Paint the timeline: bands, bars, labels, axis, repeated sections.

import { axis as axes, rows as sizes } from "../../../shared/panels.json";
import { niceTicks, type Axis } from "../core/axis.ts";
import type { Host } from "../panel/canvasPanel.ts";
import type { Model } from "../model/model.ts";
import { pixelOf, Raster } from "../core/raster.ts";
import { NONE } from "../model/search.ts";
import type { Store } from "../model/store.ts";
import { grouped } from "../core/text.ts";
import { PALE, type Theme } from "../core/theme.ts";
import { BarRaster } from "./barPixels.ts";
import { barAt, type Bars } from "../model/bars.ts";
import { paintMarkBands, paintMarked, type Marks } from "./marks.ts";
import { paintMilestones } from "./milestones.ts";
import type { TimelineModel } from "../model/timeline.ts";
import { paintOwners } from "./owners.ts";

export const { top: TOP, scrollbar: SCROLLBAR } = sizes;
const LABELLED_ROW = 12;

/** The visible part: rows down, steps across, in pixels. */
export interface TimelineView {
  readonly data: TimelineModel;
  readonly bars: Bars;
  readonly isLinked: boolean;
  readonly marks: Marks | null;
  readonly raster: Raster;
  readonly axis: Axis;
  readonly rows: number[];
  readonly rowHeight: number;
  readonly scroll: number;
  readonly gutter: number;
  readonly top: number;
  readonly plotWidth: number;
  readonly plotHeight: number;
  readonly width: number;
  readonly height: number;
}

/** The flag of the current step on the axis: its place and its text. */
interface Flag {
  x: number;
  middle: number;
  half: number;
  text: string;
}

export class TimelinePainter {
  private readonly theme: Theme;
  private readonly store: Store;
  private readonly model: Model;
  /** Pixels of the screen in a pixel of CSS. */
  private readonly ratio: number;

  constructor(
    private readonly context: CanvasRenderingContext2D,
    private readonly view: TimelineView,
    host: Host,
  ) {
    this.theme = host.theme;
    this.store = host.store;
    this.model = host.store.model;
    this.ratio = context.getTransform().a || 1;
  }

  /** Paints everything; returns the number of bars drawn. */
  paint(): number {
    const { context, theme } = this;
    context.font = `12px ${theme.font}`;
    const first = Math.max(0, Math.floor(this.view.scroll / this.view.rowHeight));
    const last = Math.min(
      this.view.rows.length,
      Math.ceil((this.view.scroll + this.view.plotHeight) / this.view.rowHeight),
    );
    context.save();
    context.beginPath();
    context.rect(0, this.view.top, this.view.width, this.view.plotHeight);
    context.clip();
    this.paintBands(first, last);
    this.paintGrid();
    this.paintStep(first, last);
    paintMarkBands(context, this.view, theme);
    const drawn = this.paintBars(first, last);
    if (this.view.bars.node) paintOwners(context, this.view, this.store, theme, [first, last]);
    if (this.store.state.milestones) {
      const marked = paintMilestones(context, this.view, theme, first, last);
      context.canvas.dataset.milestones = String(marked);
    }
    this.paintRunning(first, last);
    paintMarked(context, this.view, theme, [first, last]);
    this.paintLabels(first, last);
    context.restore();
    if (!this.view.isLinked) this.paintAxis();
    this.paintScrollbar();
    return drawn;
  }

  private y(place: number): number {
    return this.view.top + place * this.view.rowHeight - this.view.scroll;
  }

  private paintBands(first: number, last: number): void {
    const { context, theme } = this;
    for (let place = first; place < last; place++) {
      const node = this.view.data.node[this.view.rows[place]];
      if (this.isChosen(node)) {
        context.globalAlpha = this.store.isPicked(node) ? 0.2 : 0.1;
        context.fillStyle = theme.accent;
      } else if (place % 2 && this.view.rowHeight >= LABELLED_ROW) {
        context.fillStyle = theme.faint;
      } else continue;
      context.fillRect(0, this.y(place), this.view.width, this.view.rowHeight);
      context.globalAlpha = 1;
    }
  }

  private paintGrid(): void {
    const { context, theme } = this;
    context.strokeStyle = theme.line;
    context.lineWidth = 1;
    context.globalAlpha = 0.6;
    context.beginPath();
    for (const tick of niceTicks(
      this.view.axis.start,
      this.view.axis.stop,
      this.view.plotWidth / axes.unit,
    )) {
      const x =
        Math.round(this.view.gutter + this.view.axis.toPixel(tick, this.view.plotWidth)) + 0.5;
      context.moveTo(x, this.view.top);
      context.lineTo(x, this.view.height);
    }
    context.stroke();
    context.globalAlpha = 1;
  }

  private isChosen(node: number): boolean {
    return this.store.isChosen(node);
  }

  private paintBars(first: number, last: number): number {
    const { view, ratio, theme } = this;
    const { raster, bars } = view;
    raster.begin(view.plotWidth * ratio, view.plotHeight * ratio);
    const painter = new BarRaster(raster, view, ratio, view.rows.slice(first, last));
    const chosen = this.store.chosen;
    const tint = tints(bars, this.store, theme);
    const paint = (place: number) => {
      const row = view.rows[place];
      if (bars.node) {
        painter.each(row, this.y(place), tint, chosen);
        return;
      }
      const node = view.data.node[row];
      const alpha = this.store.isMatch(node) ? 1 : PALE;
      const colour = theme.families[this.model.family[node]] ?? theme.muted;
      painter.row(row, this.y(place), colour, alpha, this.isChosen(node));
    };
    for (let place = first; place < last; place++) paint(place);
    // Once more over what lies close by, so that it is seen however small the rows are.
    for (let place = first; place < last; place++) {
      if (this.isChosen(view.data.node[view.rows[place]])) paint(place);
    }
    raster.show(this.context, view.gutter * ratio, view.top * ratio);
    return painter.drawn;
  }

  private readonly measure = (text: string): number => this.context.measureText(text).width;

  private get step(): number | null {
    return this.view.isLinked ? this.store.now : null;
  }

  /** Tints the cell of the unit that is looked at. */
  private paintStep(first: number, last: number): void {
    const { context, view, step } = this;
    if (step === null || last < first) return;
    const left = view.gutter + view.axis.toPixel(step, view.plotWidth);
    const right = view.gutter + view.axis.toPixel(step + 1, view.plotWidth);
    context.fillStyle = this.theme.peak;
    context.globalAlpha = 0.12;
    context.fillRect(left, view.top, Math.max(1.5, right - left), view.plotHeight);
    context.globalAlpha = 1;
  }

  /** Outlines what runs at the step, or may. */
  private paintRunning(first: number, last: number): void {
    const { context, view, step, theme } = this;
    if (step === null || view.rowHeight < 5) return;
    const { axis, bars, plotWidth, gutter } = view;
    context.strokeStyle = theme.ink;
    context.lineWidth = 1.5;
    for (let place = first; place < last; place++) {
      const bar = barAt(bars, view.rows[place], step + 0.5, 0);
      if (bar < 0) continue;
      const left = gutter + axis.toPixel(bars.early[bar], plotWidth);
      const end = gutter + axis.toPixel(bars.stopOf(bar), plotWidth);
      const high = view.rowHeight * (view.rowHeight > sizes.tall ? sizes.filled : 0.8);
      const y = this.y(place) + (view.rowHeight - high) / 2;
      context.strokeRect(left - 1, y, Math.max(3, end - left + 1), high);
    }
  }

  private paintLabels(first: number, last: number): void {
    const { context, theme } = this;
    const { gutter } = this.view;
    context.fillStyle = theme.paper;
    context.fillRect(0, this.view.top, gutter - 6, this.view.plotHeight);
    context.textBaseline = "middle";
    const { measure } = this;
    const size = Math.min(12, Math.max(9, this.view.rowHeight * 0.75));
    const stride = Math.max(1, Math.ceil((LABELLED_ROW + 1) / this.view.rowHeight));
    for (let place = first; place < last; place++) {
      const row = this.view.rows[place];
      const node = this.view.data.node[row];
      const chosen = this.isChosen(node);
      const y = this.y(place);
      if (chosen) {
        context.globalAlpha = this.store.isPicked(node) ? 0.2 : 0.1;
        context.fillStyle = theme.accent;
        context.fillRect(0, y, gutter - 6, this.view.rowHeight);
        context.globalAlpha = 1;
      }
      if (!chosen && place % stride) continue;
      const isMatch = this.store.isMatch(node);
      context.globalAlpha = isMatch ? 1 : PALE;
      context.fillStyle = theme.families[this.model.family[node]] ?? theme.muted;
      if (node >= 0)
        context.fillRect(
          4,
          y + this.view.rowHeight * 0.2,
          3,
          Math.max(2, this.view.rowHeight * 0.6),
        );
      context.globalAlpha = 1;
      const isDim = this.view.data.producer[row] || !isMatch;
      context.fillStyle = isDim ? theme.muted : theme.ink;
      context.font = `${chosen ? "600 " : ""}${size}px ${theme.font}`;
      const name = this.model.names.fit(this.view.data.name[row], gutter - 20, measure);
      context.fillText(name, 12, y + this.view.rowHeight / 2 + 0.5);
    }
    context.strokeStyle = theme.line;
    context.beginPath();
    context.moveTo(gutter - 5.5, this.view.top);
    context.lineTo(gutter - 5.5, this.view.height);
    context.stroke();
  }

  private paintAxis(): void {
    const { context, theme, view } = this;
    const { axis, gutter, plotWidth } = view;
    const flag = this.stepFlag();
    context.fillStyle = theme.muted;
    context.font = `11px ${theme.font}`;
    context.textBaseline = "middle";
    context.fillText(view.data.unit, 12, TOP / 2);
    context.textAlign = "center";
    for (const tick of niceTicks(axis.start, axis.stop, plotWidth / axes.unit)) {
      const text = grouped(tick);
      const x = Math.max(gutter + axis.toPixel(tick, plotWidth), gutter + 4);
      const isHidden = flag && Math.abs(x - flag.middle) < flag.half + this.measure(text) / 2 + 2;
      if (x < view.width - 12 && !isHidden) context.fillText(text, x, TOP / 2);
    }
    if (flag) this.paintFlag(flag);
    context.textAlign = "start";
    context.strokeStyle = theme.line;
    context.beginPath();
    context.moveTo(0, view.top - 0.5);
    context.lineTo(view.width, view.top - 0.5);
    context.stroke();
  }

  /** The flag of the current step on the axis, or of its span on an axis with another unit. */
  private stepFlag(): Flag | null {
    const { context, theme, view, step } = this;
    const { axis, gutter, plotWidth, marks } = view;
    const seen = marks?.spans.find(([from, to]) => to > axis.start && from < axis.stop);
    if (step === null && !seen) return null;
    const at = seen
      ? (Math.max(seen[0], axis.start) + Math.min(seen[1], axis.stop)) / 2
      : (step ?? 0) + 0.5;
    const x = gutter + axis.toPixel(at, plotWidth);
    if (x < gutter - 1 || x > gutter + plotWidth + 1) return null;
    context.font = `600 11px ${theme.font}`;
    const text = marks?.label ?? grouped(step ?? 0);
    const half = Math.max(12, this.measure(text) / 2 + 6);
    const middle = Math.min(Math.max(x, gutter + half), gutter + plotWidth - half);
    return { x, middle, half, text };
  }

  private paintFlag({ x, middle, half, text }: Flag): void {
    const { context, theme } = this;
    context.fillStyle = theme.accent;
    context.beginPath();
    context.roundRect(middle - half, 3, 2 * half, 16, 4);
    context.moveTo(x - 4, 19);
    context.lineTo(x + 4, 19);
    context.lineTo(x, 24);
    context.fill();
    context.font = `600 11px ${theme.font}`;
    context.fillStyle = theme.paper;
    context.fillText(text, middle, 11.5);
  }

  private paintScrollbar(): void {
    const { context } = this;
    const whole = this.view.rows.length * this.view.rowHeight;
    if (whole <= this.view.plotHeight) return;
    const size = Math.max(24, (this.view.plotHeight / whole) * this.view.plotHeight);
    const y = (this.view.scroll / (whole - this.view.plotHeight)) * (this.view.plotHeight - size);
    context.fillStyle = this.theme.muted;
    context.globalAlpha = 0.45;
    context.beginPath();
    context.roundRect(this.view.width - SCROLLBAR - 1, this.view.top + y, SCROLLBAR - 2, size, 2);
    context.fill();
    context.globalAlpha = 1;
  }
}

/** The colour of each bar that is not that of its row. */
function tints(bars: Bars, store: Store, { families, muted }: Theme): (bar: number) => number {
  const [full, pale] = [1, PALE].map((alpha) =>
    [...families, muted].map((colour) => pixelOf(colour, alpha)),
  );
  const { family } = store.model;
  return (bar) => {
    const isMatch = store.matches === null || bars.nodesOf(bar).some((node) => store.isMatch(node));
    const of = isMatch ? full : pale;
    return of[family[bars.node?.[bar] ?? NONE]] ?? of[families.length];
  };
}
