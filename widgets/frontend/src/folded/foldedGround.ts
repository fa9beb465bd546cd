// Paint what a folded schedule stands on: titles of turns, the ruler, frames, breaks, chips, names.

import { folded as sizes } from "../../../shared/panels.json";
import type { Host } from "../panel/canvasPanel.ts";
import { fitText, grouped, measuring } from "../core/text.ts";
import { PALE, thinned, type Theme } from "../core/theme.ts";
import type { Segment } from "../core/timeMap.ts";
import { paintLegend } from "./foldedLegend.ts";
import type { FoldedView } from "./foldedPainter.ts";
import { halves, shorter, wrapped } from "./foldedText.ts";
import type { Band, Piece } from "../model/frames.ts";

const LABELLED_ROW = 10;
/** Pixels below which the text of a break or a chip stands upright. */
const NARROW = 56;

export class GroundPainter {
  private readonly theme: Theme;

  constructor(
    private readonly context: CanvasRenderingContext2D,
    private readonly view: FoldedView,
    private readonly host: Host,
  ) {
    this.theme = host.theme;
  }

  /** Under the firings: rows, the grid, the tint of frames, the step. */
  paintUnder(): void {
    const { view, context, theme } = this;
    const { rows, rowHeight, gutter, width } = view;
    rows.forEach((row, place) => {
      const y = view.top + place * rowHeight - view.scroll;
      if (y + rowHeight < view.top || y > view.bottom) return;
      const chosen = this.isChosen(row);
      if (!chosen && (place % 2 === 0 || rowHeight < LABELLED_ROW)) return;
      context.globalAlpha = chosen ? 0.12 : 1;
      context.fillStyle = chosen ? theme.accent : theme.faint;
      context.fillRect(0, y, width - sizes.right, rowHeight);
      context.globalAlpha = 1;
    });
    this.frames((band, left, right) => {
      context.fillStyle = theme.accent;
      context.globalAlpha = 0.06;
      context.fillRect(left, view.top, right - left, view.bottom - view.top);
      context.globalAlpha = 1;
      return band;
    });
    this.grid();
    this.step();
    context.fillStyle = theme.line;
    context.fillRect(gutter - 0.5, view.top, 1, view.bottom - view.top);
  }

  /** Over the firings: breaks, chips, outlines of frames. */
  paintOver(): void {
    const { view, context, theme } = this;
    const { pieces, map } = view.folding;
    pieces.forEach((piece, index) => {
      if (piece.kind === "break") this.break(piece, map.segments[index]);
      else if (piece.kind === "chip") this.chip(piece, map.segments[index]);
    });
    context.strokeStyle = theme.accent;
    context.lineWidth = 1.5;
    this.frames((band, left, right) => {
      const y = this.bandTop(band) + sizes.band;
      context.strokeRect(left, y, right - left, view.bottom - y);
    });
  }

  /** What does not scroll: the ruler, titles, names, the legend. */
  paintEdges(): void {
    const { view, context, theme } = this;
    for (const band of view.folding.bands) this.band(band);
    this.names();
    context.fillStyle = theme.muted;
    context.font = `11px ${theme.font}`;
    context.textBaseline = "middle";
    context.textAlign = "right";
    context.fillText("step", view.gutter - 10, view.top - sizes.ruler / 2);
    this.numbers();
    this.notes();
    paintLegend(context, view, theme);
    context.textAlign = "start";
  }

  private isChosen(row: number): boolean {
    return this.host.store.isChosen(this.view.data.node[row]);
  }

  bandTop(band: Band): number {
    return 4 + band.depth * sizes.band;
  }

  private frames(paint: (band: Band, left: number, right: number) => void): void {
    const { bands, map } = this.view.folding;
    for (const band of bands) if (band.turn) paint(band, map.x(band.t0), map.end(band.t1));
  }

  private grid(): void {
    const { context, view, theme } = this;
    context.fillStyle = theme.line;
    context.globalAlpha = 0.5;
    for (const unit of view.folding.map.labels(view.folding.map.segments.length > 1 ? 12 : 24)) {
      context.fillRect(view.folding.map.x(unit), view.top, 0.7, view.bottom - view.top);
    }
    context.globalAlpha = 1;
  }

  private step(): void {
    const { context, view, theme, host } = this;
    const { step } = host.store.state;
    const { map } = view.folding;
    if (step === null || !map.shows(step)) return;
    context.fillStyle = theme.peak;
    context.globalAlpha = 0.12;
    context.fillRect(map.x(step), view.top, map.unit(step), view.bottom - view.top);
    context.globalAlpha = 1;
  }

  /** Numbers stand in the middle of their step; that of the first of a segment is bold. */
  private numbers(): void {
    const { context, view, theme, host } = this;
    const { map, pieces } = view.folding;
    const y = view.top - sizes.ruler / 2;
    const first = new Set(pieces.map(({ t0 }) => t0));
    const { step } = host.store.state;
    context.textAlign = "center";
    let reached = -Infinity;
    const widest = grouped(map.t1).length * 6.4;
    for (const unit of map.labels(widest + 8)) {
      if (unit === step) continue;
      context.fillStyle = first.has(unit) ? theme.ink : theme.muted;
      context.font = `${first.has(unit) ? "600 " : ""}11px ${theme.font}`;
      const [text, x] = [grouped(unit), map.x(unit) + map.unit(unit) / 2];
      const half = context.measureText(text).width / 2;
      if (x - half < reached || x + half > view.width) continue;
      context.fillText(text, x, y);
      reached = x + half + 4;
    }
    if (step === null || !map.shows(step)) return;
    const x = map.x(step) + map.unit(step) / 2;
    context.font = `600 11px ${theme.font}`;
    const half = context.measureText(grouped(step)).width / 2 + 5;
    context.fillStyle = theme.peak;
    context.beginPath();
    context.roundRect(x - half, y - 8, 2 * half, 16, 4);
    context.fill();
    context.fillStyle = theme.paper;
    context.fillText(grouped(step), x, y + 0.5);
  }

  private band(band: Band): void {
    const { context, view, theme } = this;
    const { map } = view.folding;
    const [left, right] = [map.x(band.t0), map.end(band.t1)];
    const y = this.bandTop(band);
    const isNested = band.depth > 0 && !band.turn;
    if (!isNested) {
      context.fillStyle = band.turn ? theme.accent : theme.muted;
      context.globalAlpha = 0.13;
      context.beginPath();
      context.roundRect(left, y, right - left - (band.turn ? 0 : 1), sizes.band - 2, 4);
      context.fill();
      context.globalAlpha = 1;
    }
    const colour = band.turn ? theme.accent : isNested ? theme.muted : theme.ink;
    const wide = right - left - 6;
    context.font = `600 11px ${theme.font}`;
    const isWide = context.measureText(band.title).width <= wide;
    const cut = band.turn && !isWide ? band.title.split(", ") : [band.title, band.detail];
    this.lines(isNested ? [band.title] : cut, (left + right) / 2, y + sizes.band / 2 - 1, wide, [
      colour,
      band.turn ? theme.accent : theme.muted,
    ]);
  }

  /** Writes lines around a middle, the first bold: the lines that have room. */
  private lines(lines: string[], x: number, y: number, width: number, colours: string[]): void {
    const { context, theme } = this;
    context.textAlign = "center";
    context.textBaseline = "middle";
    const measure = measuring(context);
    lines.forEach((line, index) => {
      context.font = `${index ? "" : "600 "}11px ${theme.font}`;
      context.fillStyle = colours[Math.min(index, colours.length - 1)];
      const at = y + (index - (lines.length - 1) / 2) * 13.5;
      const short = measure(line) <= width ? line : shorter(line, width, measure);
      if (short) context.fillText(short, x, at);
    });
    context.textAlign = "start";
  }

  private break(piece: Piece, { x0, x1 }: Segment): void {
    const { context, view, theme } = this;
    const top = 4 + (piece.depth + 1) * sizes.band - (piece.depth ? 0 : sizes.band);
    const { tooth } = sizes;
    const from = Math.max(top, view.top - sizes.ruler);
    context.save();
    const edge = (x: number, down: boolean) => {
      const count = Math.ceil((view.bottom - from) / tooth);
      for (let step = 0; step <= count; step++) {
        const place = down ? step : count - step;
        context.lineTo(x + (place % 2 ? 3 : 0), Math.min(view.bottom, from + place * tooth));
      }
    };
    const inner = Math.min(sizes.stub + 1, (x1 - x0) * 0.16);
    context.beginPath();
    edge(x0 + inner, true);
    edge(x1 - inner - 3, false);
    context.closePath();
    context.fillStyle = theme.paper;
    context.fill();
    context.clip();
    context.strokeStyle = theme.line;
    context.lineWidth = 1;
    context.beginPath();
    const high = view.bottom - from;
    for (let x = x0 - high; x < x1; x += sizes.hatch) {
      context.moveTo(x, view.bottom);
      context.lineTo(x + high, from);
    }
    context.stroke();
    context.restore();
    context.strokeStyle = theme.muted;
    context.lineWidth = 0.8;
    for (const x of [x0 + inner, x1 - inner - 3]) {
      context.beginPath();
      edge(x, true);
      context.stroke();
    }
    this.pill([piece.title, piece.detail], (x0 + x1) / 2, x1 - x0 - 10);
  }

  /** Writes lines one behind the other, from bottom to top. */
  private upright(lines: string[], x: number, colour: string): void {
    const { context, view, theme } = this;
    context.save();
    context.translate(x, (view.top + view.bottom) / 2);
    context.rotate(-Math.PI / 2);
    context.font = `11px ${theme.font}`;
    const text = lines.join(" · ");
    const half = Math.min(view.bottom - view.top, context.measureText(text).width + 12) / 2;
    context.fillStyle = theme.paper;
    context.fillRect(-half, -8, 2 * half, 16);
    this.lines([text], 0, 0, view.bottom - view.top, [colour]);
    context.restore();
  }

  private pill(lines: string[], x: number, width: number): void {
    const { context, view, theme } = this;
    if (width < NARROW) {
      this.upright(lines, x, theme.ink);
      return;
    }
    const y = (view.top + view.bottom) / 2;
    context.font = `600 11px ${theme.font}`;
    const widest = Math.max(...lines.map((line) => context.measureText(line).width));
    const wrapped = widest + 8 > width ? lines.flatMap(halves) : lines;
    const half =
      Math.min(width, Math.max(...wrapped.map((l) => context.measureText(l).width)) + 14) / 2;
    const high = wrapped.length * 13.5 + 8;
    context.fillStyle = theme.paper;
    context.strokeStyle = theme.line;
    context.lineWidth = 1;
    context.beginPath();
    context.roundRect(x - half, y - high / 2, 2 * half, high, 4);
    context.fill();
    context.stroke();
    this.lines(wrapped, x, y, 2 * half - 4, [theme.ink, theme.muted]);
  }

  private chip(piece: Piece, { x0, x1 }: Segment): void {
    const { context, view, theme } = this;
    context.fillStyle = thinned(theme.muted, theme.paper, 0.1);
    context.strokeStyle = theme.muted;
    context.lineWidth = 1;
    context.beginPath();
    const y = view.top - sizes.ruler + 1;
    context.roundRect(x0 + 0.5, y, x1 - x0 - 4, view.bottom - y - 1, 6);
    context.fill();
    context.stroke();
    const count = piece.id.startsWith("f") ? [] : [`${grouped(piece.t1 - piece.t0)} steps`];
    const lines = [piece.title, ...count, piece.detail.replace(/^steps? /, "")];
    const middle = (x0 + x1) / 2 - 2;
    if (x1 - x0 < NARROW + 12) {
      this.upright(lines.slice(0, 2), middle, theme.ink);
      return;
    }
    const centre = (view.top + view.bottom) / 2;
    this.lines(lines, middle, centre - 8, x1 - x0 - 10, [theme.ink, theme.muted]);
    const below = centre + lines.length * 7 + 6;
    this.lines(["▸ open"], middle, below, x1 - x0 - 10, [theme.accent]);
  }

  private names(): void {
    const { context, view, theme, host } = this;
    const { gutter, rowHeight, rows } = view;
    const size = Math.min(12, Math.max(9, rowHeight * 0.8));
    const stride = Math.max(1, Math.ceil(LABELLED_ROW / rowHeight));
    context.save();
    context.beginPath();
    context.rect(0, view.top, gutter - 2, view.bottom - view.top);
    context.clip();
    context.textBaseline = "middle";
    context.font = `${size}px ${theme.font}`;
    const measure = measuring(context);
    rows.forEach((row, place) => {
      const y = view.top + (place + 0.5) * rowHeight - view.scroll;
      if (y < view.top - rowHeight || y > view.bottom + rowHeight) return;
      if (place % stride && !this.isChosen(row)) return;
      const node = view.data.node[row];
      const isMatch = host.store.isMatch(node);
      context.globalAlpha = isMatch ? 1 : PALE;
      context.fillStyle = theme.families[host.store.model.family[node]] ?? theme.muted;
      context.fillRect(8, y - Math.max(1, rowHeight * 0.3), 3, Math.max(2, rowHeight * 0.6));
      context.globalAlpha = 1;
      context.fillStyle = view.data.producer[row] || !isMatch ? theme.muted : theme.ink;
      const name = host.store.model.names.fit(view.data.name[row], gutter - 24, measure);
      context.fillText(name, 16, y + 0.5);
    });
    context.restore();
    context.globalAlpha = 1;
  }

  /** In the gutter: how many rows, and how the parts add up to all steps. */
  private notes(): void {
    const { context, view, theme } = this;
    const wide = view.gutter - 16;
    context.textAlign = "right";
    context.textBaseline = "middle";
    const measure = measuring(context);
    const most = Math.floor((view.top - sizes.ruler) / 12);
    let line = 0;
    view.note.forEach((text, index) => {
      context.font = `${index === 1 ? "600 " : ""}11px ${theme.font}`;
      context.fillStyle = index === 1 ? theme.ink : theme.muted;
      // What is left out of names is in the header, too.
      const shown = index === 0 && measure(text) > wide ? text.split(",")[0] : text;
      for (const part of wrapped(shown, wide, measure)) {
        if (line >= most) return;
        context.fillText(fitText(part, wide, measure), view.gutter - 10, 9 + line++ * 12.5);
      }
    });
  }
}
