// Paint the rows of a folded schedule: boxes at early steps, lines to late steps.

import { folded as sizes } from "../../../shared/panels.json";
import type { Host } from "../panel/canvasPanel.ts";
import { PALE, type Theme } from "../core/theme.ts";
import type { TimeMap } from "../core/timeMap.ts";
import { countText } from "../core/text.ts";
import type { Folding, Piece } from "../model/frames.ts";
import type { TimelineModel } from "../model/timeline.ts";
import type { Seen } from "../model/nest.ts";
import type { Entry } from "./foldedLegend.ts";

/** A firing, and how it is drawn in a piece of the ruler. */
export interface Drawn extends Seen {
  /** Turns later than the turn it is drawn in; 0 for its own. */
  away: number;
  /** The loop fires already or still, outside of its frames. */
  isGuest: boolean;
  /** Firings of a run that are one bar; 0 for those that the first one stands for. */
  run: number;
  /** Whether windows of its row overlap in the piece. */
  overlaps: boolean;
}

export interface FoldedView {
  readonly data: TimelineModel;
  readonly folding: Folding;
  /** What is seen in each piece. */
  readonly drawn: readonly (readonly Drawn[])[];
  readonly rows: readonly number[];
  readonly places: ReadonlyMap<number, number>;
  readonly gutter: number;
  readonly top: number;
  readonly bottom: number;
  readonly width: number;
  readonly height: number;
  readonly rowHeight: number;
  readonly scroll: number;
  readonly note: readonly string[];
  readonly legend: readonly Entry[];
}

export class RowsPainter {
  readonly theme: Theme;
  drawn = 0;
  private readonly map: TimeMap;

  constructor(
    private readonly context: CanvasRenderingContext2D,
    private readonly view: FoldedView,
    private readonly host: Host,
  ) {
    this.theme = host.theme;
    this.map = view.folding.map;
  }

  paint(): void {
    const { view } = this;
    view.folding.pieces.forEach((piece, index) => {
      if (piece.kind === "shown") this.piece(piece, index);
    });
  }

  private y(row: number): number | null {
    const { places, top, rowHeight, scroll, bottom } = this.view;
    const place = places.get(row);
    if (place === undefined) return null;
    const y = top + (place + 0.5) * rowHeight - scroll;
    return y < top - rowHeight || y > bottom + rowHeight ? null : y;
  }

  private colour(row: number): string {
    const { data } = this.view;
    return this.theme.families[this.host.store.model.family[data.node[row]]] ?? this.theme.muted;
  }

  private alpha(row: number): number {
    return this.host.store.isMatch(this.view.data.node[row]) ? 1 : PALE;
  }

  private piece(piece: Piece, index: number): void {
    const { context, view, map } = this;
    const unit = map.unit(piece.t0);
    const items = view.drawn[index];
    for (const item of items) {
      const y = this.y(item.row);
      if (y === null || item.run === 0) continue;
      context.globalAlpha = this.alpha(item.row);
      this.window(piece, index, item, y, unit);
    }
    for (const item of items) {
      const y = this.y(item.row);
      if (y === null || item.run === 0 || item.early < piece.t0) continue;
      context.globalAlpha = this.alpha(item.row);
      this.box(item, y, unit);
      this.drawn++;
    }
    context.globalAlpha = 1;
  }

  /** The line to the late step: dashed where it comes from another turn, cut at the piece. */
  private window(piece: Piece, index: number, item: Drawn, y: number, unit: number): void {
    const { context, map, view } = this;
    const { t0, t1 } = piece;
    const begun = item.early < t0;
    const last = item.run > 1 ? item.early + item.run - 1 : item.early;
    if (item.late <= last) return;
    const { pieces } = view.folding;
    const from = begun ? map.x(t0) : inset(unit, map.x(last) + unit);
    const leaves = item.late >= t1;
    const to = leaves ? map.end(t1) : map.end(item.late + 1) - 1;
    const apart = item.overlaps ? Math.min(sizes.apart, view.rowHeight * 0.18) : 0;
    const at = y + (item.execution % 2 ? apart : -apart);
    context.strokeStyle = this.colour(item.row);
    context.lineWidth = sizes.line;
    context.setLineDash(begun || item.isGuest ? [2.5, 2.5] : []);
    const comes = begun && pieces[index - 1]?.kind === "break";
    const goes = leaves && pieces[index + 1]?.kind === "break";
    context.beginPath();
    context.moveTo(comes ? from - sizes.stub : from, at);
    context.lineTo(goes ? to + sizes.stub : to, at);
    context.stroke();
    context.setLineDash([]);
    context.beginPath();
    if (goes) {
      context.fillStyle = this.colour(item.row);
      context.moveTo(to + sizes.stub + 4, at);
      context.lineTo(to + sizes.stub - 1, at - 2.5);
      context.lineTo(to + sizes.stub - 1, at + 2.5);
      context.fill();
    } else if (!leaves) {
      const half = Math.min(3, view.rowHeight * 0.25);
      context.moveTo(to, at - half);
      context.lineTo(to, at + half);
      context.stroke();
    }
  }

  private box(item: Drawn, y: number, unit: number): void {
    const { context, map, view, theme, host } = this;
    const left = map.x(item.early);
    const right = inset(unit, left + unit * item.run);
    const high = Math.max(2, view.rowHeight * sizes.box);
    const wide = Math.max(1, right - left);
    const colour = this.colour(item.row);
    context.beginPath();
    context.roundRect(left, y - high / 2, wide, high, Math.min(2, wide / 3));
    if (item.isGuest) {
      context.fillStyle = theme.paper;
      context.fill();
      context.strokeStyle = colour;
      context.lineWidth = 1;
      context.setLineDash([2.5, 2]);
      context.stroke();
      context.setLineDash([]);
    } else {
      context.fillStyle = colour;
      context.fill();
      this.writing(item, left, wide, y, unit, high);
    }
    const node = view.data.node[item.row];
    if (!host.store.isChosen(node)) return;
    context.strokeStyle = theme.ink;
    context.lineWidth = host.store.isPicked(node) ? 2 : 1;
    context.stroke();
  }

  /** "+2" in a box of another turn; the joints of a run, and how many firings it has. */
  private writing(item: Drawn, x: number, wide: number, y: number, unit: number, high: number) {
    const { context, theme, host, view } = this;
    const family = host.store.model.family[view.data.node[item.row]];
    const alpha = context.globalAlpha;
    context.fillStyle = alpha < 1 ? theme.ink : (theme.inks[family] ?? theme.paper);
    context.globalAlpha = alpha * 0.45;
    for (let part = 1; part < item.run && unit > 3; part++) {
      context.fillRect(x + part * unit - 1, y - high / 2, 0.7, high);
    }
    context.globalAlpha = 1;
    const turns = item.away ? (item.away > 0 ? "+" : "−") + countText(Math.abs(item.away)) : "";
    const label = [turns, item.run > 1 ? `×${item.run}` : ""].filter(Boolean).join(" ");
    if (!label || high < 7) return;
    context.font = `600 ${Math.min(10.5, high, wide * 0.7)}px ${theme.font}`;
    context.textAlign = "center";
    context.textBaseline = "middle";
    if (context.measureText(label).width <= wide) context.fillText(label, x + wide / 2, y + 0.5);
    context.textAlign = "start";
  }
}

/** Where a box ends: a little before its neighbour, so that they stay apart. */
const inset = (unit: number, right: number) => right - Math.min(1, unit * 0.08);
