// Paint the graph: edges with arrows and dims, boxes, inputs and outputs.

import { graph, stage } from "../../../shared/panels.json";
import { clamp } from "../core/axis.ts";
import type { Host } from "../panel/canvasPanel.ts";
import type { Phase } from "../model/firings.ts";
import type { Model } from "../model/model.ts";
import type { Raster } from "../core/raster.ts";
import { NONE } from "../model/search.ts";
import type { Store } from "../model/store.ts";
import { fitText, measuring } from "../core/text.ts";
import { PALE, type Theme } from "../core/theme.ts";
import type { NodeColours } from "./colours.ts";
import { paintDims } from "./dims.ts";
import { isCompact } from "./compact.ts";
import { paintFrames, paintTitles } from "./frames.ts";
import { paintMark } from "./marks.ts";
import type { GraphModel } from "../model/graph.ts";
import { paintTiny } from "./tiny.ts";
import { paintTokens, paintWaiting } from "./tokens.ts";

const EDGE = graph.edge;

/** How much of its colour fills a box at a step; what has not run yet is hollow. */
const TINTS: Partial<Record<Phase, number>> = { runs: 0.4, "may run": 0.2, waits: 0 };

/** Drawn smaller, the graph is drawn as pixels. */
const TINY = 0.3;
const LABELLED = 0.7;
const SMALLEST_LETTER = 7;

/** The visible part: the drawing moved by `left` and `top` pixels and scaled. */
export interface GraphView {
  readonly data: GraphModel;
  readonly colours: NodeColours;
  readonly raster: Raster;
  readonly scale: number;
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

export class GraphPainter {
  private readonly theme: Theme;
  private readonly store: Store;
  private readonly model: Model;
  /** Of names: what is pale has the dim one. */
  private ink: string;

  constructor(
    private readonly context: CanvasRenderingContext2D,
    private readonly view: GraphView,
    private readonly host: Host,
  ) {
    this.theme = host.theme;
    this.ink = host.theme.ink;
    this.store = host.store;
    this.model = host.store.model;
  }

  /** Paints everything; returns the number of boxes drawn. */
  paint(): number {
    const { context, view } = this;
    if (view.scale < TINY) return this.paintTiny();
    context.save();
    context.translate(this.view.left, this.view.top);
    context.scale(this.view.scale, this.view.scale);
    paintFrames(context, view, this.theme);
    this.paintEdges();
    if (view.scale >= this.readable) paintTitles(context, view, this.theme);
    const drawn = this.paintBoxes();
    const { step } = this;
    const { tokens } = this.store.state;
    if (tokens && view.data.name === this.model.name)
      paintWaiting(context, view, this.theme, tokens);
    else if (step !== null) {
      const { firings, player } = this.host;
      paintTokens(context, view, this.theme, firings, step, player.phase);
    }
    context.restore();
    return drawn;
  }

  /** Whether a box holds a node that is marked or, where none is, selected. */
  private isPicked(box: number): boolean {
    return this.view.data.members[box]?.some((node) => this.store.isPicked(node)) ?? false;
  }

  private isChosen(box: number): boolean {
    const { selected, hovered } = this.store.state;
    return this.isPicked(box) || this.isOf(box, selected) || this.isOf(box, hovered);
  }

  /** Drawn smaller, names have less than the smallest letters. */
  private get readable(): number {
    return SMALLEST_LETTER / (isCompact(this.view.data) ? stage.font : 12);
  }

  /** Whether a box is that of a node, or a part of it. */
  private isOf(box: number, node: number): boolean {
    return node >= 0 && (this.view.data.members[box]?.includes(node) ?? false);
  }

  /** The phase of a box at a step: that of its most active node, done when all are done. */
  private phaseOf(box: number, step: number): Phase {
    const phases = this.view.data.members[box].map((node) => this.host.firings.phase(node, step));
    for (const phase of ["runs", "may run", "between"] as const) {
      if (phases.includes(phase)) return phase;
    }
    if (phases.every((phase) => phase === "done")) return "done";
    return phases.includes("done") ? "between" : "waits";
  }

  private get step(): number | null {
    return this.host.firings.isKnown ? this.store.now : null;
  }

  /** The colour and opacity of a box. */
  colourOf(box: number): [colour: string, alpha: number] {
    const members = this.view.data.members[box];
    const isMatch = !members.length || members.some((node) => this.store.isMatch(node));
    const alpha = isMatch ? 1 : PALE;
    if (members.length > 1 && this.store.state.colours === "type") return [this.theme.muted, alpha];
    return [this.view.colours.of(members[0] ?? NONE, this.theme), alpha];
  }

  private paintTiny(): number {
    const { context, view } = this;
    const { step } = this;
    const drawn = paintTiny(context, view.raster, view, this.theme, (box) => {
      const [colour, alpha] = this.colourOf(box);
      const waits = step !== null && this.phaseOf(box, step) === "waits";
      return [waits ? this.theme.line : colour, alpha]; // too small to be drawn hollow
    });
    context.save();
    context.translate(view.left, view.top);
    context.scale(view.scale, view.scale);
    const { selected, picked, hovered, marks } = this.store.state;
    const marked = Array.from(marks?.keys() ?? [], (node) => view.data.boxOf[node]);
    for (const box of marked) if (box >= 0) this.paintNode(box);
    for (const node of [hovered, ...picked, selected]) {
      if (node < 0) continue;
      for (let box = 0; box < view.data.nodes; box++) if (this.isOf(box, node)) this.paintNode(box);
    }
    context.restore();
    return drawn;
  }

  private paintEdges(): void {
    const { data } = this.view;
    const { context, theme } = this;
    const isChosen = (box: number) => this.isChosen(box);
    const near: number[] = [];
    const above = (-this.view.top - 40) / this.view.scale;
    const under = (this.view.height - this.view.top + 40) / this.view.scale;
    context.lineWidth = clamp(EDGE.width, 0.8 / this.view.scale, 3 / this.view.scale);
    context.strokeStyle = theme.muted;
    context.globalAlpha = EDGE.alpha;
    context.beginPath();
    const back: number[] = [];
    for (let edge = 0; edge < data.source.length; edge++) {
      const source = data.source[edge];
      const target = data.target[edge];
      const first = data.layer[source] * data.pitch;
      const last = data.layer[target] * data.pitch;
      if (Math.max(first, last) < above || Math.min(first, last) > under) continue;
      if (isChosen(source) || isChosen(target)) near.push(edge);
      else if (data.back[edge]) back.push(edge);
      else this.trace(edge);
    }
    context.stroke();
    context.setLineDash(EDGE.dash);
    context.beginPath();
    for (const edge of back) this.trace(edge);
    context.stroke();
    context.setLineDash([]);
    context.globalAlpha = 1;
    context.strokeStyle = theme.accent;
    context.lineWidth = clamp(2, 1.5 / this.view.scale, 4 / this.view.scale);
    for (const edge of near) {
      context.setLineDash(data.back[edge] ? EDGE.dash : []);
      context.beginPath();
      this.trace(edge);
      context.stroke();
    }
    context.setLineDash([]);
    if (this.view.scale >= this.readable) this.paintArrows(new Set(near), above, under);
    if (this.view.scale < LABELLED || this.store.state.tokens) return;
    paintDims(context, this.view, theme, { above, under });
  }

  private trace(edge: number): void {
    const { context } = this;
    const { data } = this.view;
    const from = data.routeStart[edge];
    const to = data.routeStart[edge + 1];
    const first = data.layer[data.source[edge]];
    const last = data.layer[data.target[edge]];
    const bottom = first * data.pitch + data.height;
    const end = last * data.pitch;
    const half = (data.pitch - data.height) / 2;
    context.moveTo(data.route[from], bottom);
    if (data.back[edge]) {
      const side = data.route[from + 1];
      context.bezierCurveTo(
        data.route[from],
        bottom + half,
        side,
        bottom + half,
        side,
        bottom - half,
      );
      context.lineTo(side, end + half);
      context.bezierCurveTo(
        side,
        end - half,
        data.route[to - 1],
        end - half,
        data.route[to - 1],
        end,
      );
      return;
    }
    if (to - from !== last - first + 1) {
      context.lineTo(data.route[to - 1], end);
      return;
    }
    for (let point = from + 1; point < to; point++) {
      const before = data.route[point - 1];
      const x = data.route[point];
      const y = (first + point - from) * data.pitch;
      const start = y - data.pitch + data.height;
      context.lineTo(before, start);
      context.bezierCurveTo(before, start + half, x, y - half, x, y);
    }
  }

  private paintArrows(near: Set<number>, above: number, under: number): void {
    const [half, long] = EDGE.arrow;
    const { data } = this.view;
    const { context, theme } = this;
    for (let edge = 0; edge < data.source.length; edge++) {
      const y = data.layer[data.target[edge]] * data.pitch;
      if (y < above || y > under) continue;
      const x = data.route[data.routeStart[edge + 1] - 1];
      context.fillStyle = near.has(edge) ? theme.accent : theme.muted;
      context.beginPath();
      context.moveTo(x, y);
      context.lineTo(x - half, y - long);
      context.lineTo(x + half, y - long);
      context.fill();
    }
  }

  private paintBoxes(): number {
    const { data } = this.view;
    const above = -this.view.top / this.view.scale;
    const under = (this.view.height - this.view.top) / this.view.scale;
    const first = -this.view.left / this.view.scale;
    const last = (this.view.width - this.view.left) / this.view.scale;
    let drawn = 0;
    for (let box = 0; box < this.view.data.x.length; box++) {
      const y = data.layer[box] * data.pitch;
      const half = data.boxWidth[box] / 2;
      if (y + data.height < above || y > under) continue;
      if (data.x[box] + half < first || data.x[box] - half > last) continue;
      if (box < data.nodes) this.paintNode(box);
      else this.paintTerminal(box, y);
      drawn++;
    }
    return drawn;
  }

  private paintNode(node: number): void {
    const { context, theme, step } = this;
    const { data } = this.view;
    const { height } = data;
    const wide = data.boxWidth[node];
    const x = data.x[node] - wide / 2;
    const y = data.layer[node] * data.pitch;
    const isSelected = this.isPicked(node);
    const chosen = this.isChosen(node);
    const [colour, alpha] = this.colourOf(node);
    const phase = step === null ? null : this.phaseOf(node, step);
    const isBlock = data.members[node].length > 1;
    context.globalAlpha = alpha;
    if (this.view.scale < this.readable) {
      context.fillStyle = colour;
      const grow = chosen ? 2 / this.view.scale : 0;
      context.fillRect(x - grow, y - grow, wide + 2 * grow, height + 2 * grow);
    } else {
      if (data.stacks?.has(node)) this.paintStack(x, y, wide, height, colour);
      context.fillStyle = theme.surface;
      context.beginPath();
      context.roundRect(x, y, wide, height, graph.radius);
      context.fill();
      const tint = TINTS[phase ?? "done"] ?? this.view.colours.tint;
      context.save();
      context.clip();
      context.fillStyle = colour;
      context.globalAlpha = alpha * tint;
      context.fillRect(x, y, wide, height);
      context.globalAlpha = alpha;
      context.fillRect(x, y, graph.stripe, height);
      context.restore();
      context.strokeStyle = colour;
      context.lineWidth = phase === "runs" ? 2.4 : 1.2;
      context.stroke();
      const isInFrame = data.frames !== undefined && data.members[node].length === 1;
      const type = (isBlock && this.store.foundIn(data.members[node])) || data.type[node];
      context.globalAlpha = 1;
      this.ink = alpha < 1 ? theme.muted : theme.ink;
      this.paintText(data.name[node], type, x + graph.indent, y, wide - 20, isInFrame);
    }
    context.globalAlpha = 1;
    const { marks } = this.store.state;
    const role = marks && data.members[node].map((each) => marks.get(each)).find(Boolean);
    if (role) paintMark(context, this.view, theme, role, node, [x, y, wide, height]);
    if (!chosen) return;
    const thin = this.store.state.picked.length ? 1.2 : 2;
    const ring = (isSelected ? 3 : thin) / Math.min(1, this.view.scale);
    context.strokeStyle = theme.accent;
    context.lineWidth = ring;
    context.beginPath();
    context.roundRect(x - ring / 2 - 1, y - ring / 2 - 1, wide + ring + 2, height + ring + 2, 8);
    context.stroke();
  }

  /** Sheets behind a box that stands for several blocks. */
  private paintStack(x: number, y: number, wide: number, height: number, colour: string): void {
    const { context, theme } = this;
    context.fillStyle = theme.faint;
    context.strokeStyle = colour;
    context.lineWidth = 1.2;
    for (const shift of [6, 3]) {
      context.beginPath();
      context.roundRect(x + shift, y + shift, wide, height, graph.radius);
      context.fill();
      context.stroke();
    }
  }

  private paintText(
    first: string,
    second: string,
    x: number,
    y: number,
    room: number,
    inBlock = false,
  ): void {
    const { context, theme } = this;
    const measure = measuring(context);
    const { data } = this.view;
    const low = isCompact(data);
    context.textBaseline = "middle";
    context.font = `600 ${low ? stage.font : 12}px ${theme.font}`;
    context.fillStyle = this.ink;
    const isAlone = low || this.view.scale * graph.type < SMALLEST_LETTER;
    const label = this.model.names.fit(first, room, measure, inBlock);
    context.fillText(label, x, y + (isAlone ? data.height / 2 + 1 : 14));
    if (isAlone) return;
    context.font = `${graph.type}px ${theme.font}`;
    context.fillStyle = theme.muted;
    context.fillText(fitText(second, room, measure), x, y + 29);
  }

  private paintTerminal(box: number, y: number): void {
    const { data } = this.view;
    const { context, theme } = this;
    const [label, dims] = data.terminals[box - data.nodes];
    const wide = data.boxWidth[box];
    const x = data.x[box] - wide / 2;
    context.strokeStyle = theme.muted;
    context.lineWidth = 1;
    context.setLineDash([3, 3]);
    context.beginPath();
    context.roundRect(x, y, wide, data.height, data.height / 2);
    context.stroke();
    context.setLineDash([]);
    if (this.view.scale < this.readable) return;
    context.textAlign = "center";
    this.ink = theme.ink;
    this.paintText(label, dims, data.x[box], y, wide - 16);
    context.textAlign = "start";
  }
}
