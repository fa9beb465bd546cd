// How the timeline is painted: bands, bars, labels, axis, repeated sections.

import { niceTicks, type Axis } from "./axis.ts";
import type { Bars, Model, TimelineModel } from "./model.ts";
import type { Host } from "./panel.ts";
import { lowerBound, RunCollector } from "./runs.ts";
import type { Store } from "./store.ts";
import { fitText } from "./text.ts";
import type { Theme } from "./theme.ts";

export const TOP = 24;
export const LANE = 16;
export const SCROLLBAR = 6;
const LABELLED_ROW = 12;

/** What is seen: rows down, steps across, in pixels. */
export interface TimelineView {
  readonly data: TimelineModel;
  readonly bars: Bars;
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

export class TimelinePainter {
  private readonly theme: Theme;
  private readonly store: Store;
  private readonly model: Model;
  /** Size of a pixel of the screen, in pixels of CSS. */
  private readonly pixel: number;

  constructor(
    private readonly context: CanvasRenderingContext2D,
    private readonly view: TimelineView,
    host: Host,
  ) {
    this.theme = host.theme;
    this.store = host.store;
    this.model = host.store.model;
    this.pixel = 1 / (context.getTransform().a || 1);
  }

  /** Moves an edge to the border between two pixels: sharper, and much faster to fill. */
  private snap(value: number): number {
    return Math.round(value / this.pixel) * this.pixel;
  }

  /** Paints everything; gives how many bars were drawn. */
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
    let drawn = 0;
    for (let place = first; place < last; place++) drawn += this.paintBars(place);
    this.paintLabels(first, last);
    context.restore();
    this.paintAxis();
    if (this.store.state.folded) this.paintFolds();
    this.paintScrollbar();
    return drawn;
  }

  private y(place: number): number {
    return this.view.top + place * this.view.rowHeight - this.view.scroll;
  }

  private paintBands(first: number, last: number): void {
    const { context, theme } = this;
    const { selected, hovered } = this.store.state;
    for (let place = first; place < last; place++) {
      const node = this.view.data.node[this.view.rows[place]];
      if (node === selected || node === hovered) {
        context.globalAlpha = node === selected ? 0.2 : 0.1;
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
      this.view.plotWidth / 64,
    )) {
      const x =
        Math.round(this.view.gutter + this.view.axis.toPixel(tick, this.view.plotWidth)) + 0.5;
      context.moveTo(x, this.view.top);
      context.lineTo(x, this.view.height);
    }
    context.stroke();
    context.globalAlpha = 1;
  }

  /** Bars without slack are full blocks; others a block at the early step and a thin tail. */
  private paintBars(place: number): number {
    const { context, theme } = this;
    const { selected, hovered } = this.store.state;
    const row = this.view.rows[place];
    const node = this.view.data.node[row];
    const { start, early, slack, maxSlack } = this.view.bars;
    const { axis, plotWidth, gutter } = this.view;
    const y = this.y(place);
    const chosen = node === selected || node === hovered;
    const thick = Math.max(1.5, this.view.rowHeight * 0.7);
    const medium = Math.max(1.5, this.view.rowHeight * 0.4);
    const thin = Math.max(1, Math.min(3, this.view.rowHeight * 0.14));
    const least = chosen ? 3 : 1;
    const block = (height: number) => {
      const top = this.snap(y + (this.view.rowHeight - height) / 2);
      const high = Math.max(1, this.snap(height));
      return (left: number, right: number) => {
        const x = this.snap(gutter + left);
        const end = this.snap(gutter + right);
        context.fillRect(x, top, Math.max(end - x, this.pixel), high);
      };
    };
    const cap = block(medium);
    const pixels = plotWidth / axis.span;
    const inset = Math.min(1, pixels * 0.08);
    const full = new RunCollector(block(thick), least, inset ? Math.min(0.6, inset) : 0.6);
    const begin = new RunCollector(block(medium), least, inset ? Math.min(0.6, inset) : 0.6);
    const tail = new RunCollector(block(thin), 0);
    const from = lowerBound(early, axis.start - maxSlack[row] - 1, start[row], start[row + 1]);
    context.fillStyle = theme.families[this.model.family[node]];
    context.globalAlpha = this.store.isMatch(node) ? 1 : 0.15;
    for (let bar = from; bar < start[row + 1] && early[bar] < axis.stop; bar++) {
      const left = Math.max(-4, (early[bar] - axis.start) * pixels);
      const spare = slack[bar];
      const right = (early[bar] + 1 - axis.start) * pixels - inset;
      if (spare === 0) {
        if (right > 0) full.add(left, right);
        continue;
      }
      if (right > 0) begin.add(left, right);
      const end = Math.min(plotWidth + 4, (early[bar] + spare + 1 - axis.start) * pixels - inset);
      if (end > 0) {
        tail.add(left, end);
        if (pixels * spare > 6) cap(end - 1.5, end);
      }
    }
    full.flush();
    begin.flush();
    tail.flush();
    context.globalAlpha = 1;
    return full.count + begin.count;
  }

  private paintLabels(first: number, last: number): void {
    const { context, theme } = this;
    const { gutter } = this.view;
    context.fillStyle = theme.paper;
    context.fillRect(0, this.view.top, gutter - 6, this.view.plotHeight);
    context.textBaseline = "middle";
    const measure = (text: string) => context.measureText(text).width;
    const size = Math.min(12, Math.max(9, this.view.rowHeight * 0.75));
    const stride = Math.max(1, Math.ceil((LABELLED_ROW + 1) / this.view.rowHeight));
    for (let place = first; place < last; place++) {
      const row = this.view.rows[place];
      const node = this.view.data.node[row];
      const chosen = node === this.store.state.selected || node === this.store.state.hovered;
      const y = this.y(place);
      if (chosen) {
        context.globalAlpha = node === this.store.state.selected ? 0.2 : 0.1;
        context.fillStyle = theme.accent;
        context.fillRect(0, y, gutter - 6, this.view.rowHeight);
        context.globalAlpha = 1;
      }
      if (!chosen && place % stride) continue;
      context.globalAlpha = this.store.isMatch(node) ? 1 : 0.4;
      context.fillStyle = theme.families[this.model.family[node]];
      context.fillRect(4, y + this.view.rowHeight * 0.2, 3, Math.max(2, this.view.rowHeight * 0.6));
      context.fillStyle = this.view.data.producer[row] ? theme.muted : theme.ink;
      context.font = `${chosen ? "600 " : ""}${size}px ${theme.font}`;
      const name = fitText(this.view.data.name[row], gutter - 20, measure, this.model.shared);
      context.fillText(name, 12, y + this.view.rowHeight / 2 + 0.5);
      context.globalAlpha = 1;
    }
    context.strokeStyle = theme.line;
    context.beginPath();
    context.moveTo(gutter - 5.5, this.view.top);
    context.lineTo(gutter - 5.5, this.view.height);
    context.stroke();
  }

  private paintAxis(): void {
    const { context, theme } = this;
    context.fillStyle = theme.muted;
    context.font = `11px ${theme.font}`;
    context.textBaseline = "middle";
    context.fillText("step", 12, TOP / 2);
    context.textAlign = "center";
    for (const tick of niceTicks(
      this.view.axis.start,
      this.view.axis.stop,
      this.view.plotWidth / 64,
    )) {
      const x = this.view.gutter + this.view.axis.toPixel(tick, this.view.plotWidth);
      if (x < this.view.width - 12)
        context.fillText(String(tick), Math.max(x, this.view.gutter + 4), TOP / 2);
    }
    context.textAlign = "start";
    context.strokeStyle = theme.line;
    context.beginPath();
    context.moveTo(0, this.view.top - 0.5);
    context.lineTo(this.view.width, this.view.top - 0.5);
    context.stroke();
  }

  private paintFolds(): void {
    const { context, theme } = this;
    const measure = (text: string) => context.measureText(text).width;
    context.save();
    context.beginPath();
    context.rect(this.view.gutter, 0, this.view.plotWidth, this.view.height);
    context.clip();
    context.font = `600 11px ${theme.font}`;
    context.textAlign = "center";
    for (const { repeat, begin, end, lane } of this.view.data.folds) {
      const left = this.view.gutter + this.view.axis.toPixel(begin, this.view.plotWidth);
      const wide = this.view.gutter + this.view.axis.toPixel(end, this.view.plotWidth) - left;
      context.fillStyle = theme.accent;
      context.globalAlpha = 0.06;
      context.fillRect(left, this.view.top, wide, this.view.plotHeight);
      context.globalAlpha = 0.22;
      context.fillRect(left + 0.5, TOP + lane * LANE + 1, Math.max(1, wide - 1), LANE - 3);
      context.globalAlpha = 1;
      const label = `×${repeat}`;
      if (measure(label) > wide) continue;
      context.fillStyle = theme.ink;
      context.fillText(label, left + wide / 2, TOP + lane * LANE + LANE / 2);
    }
    context.restore();
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
