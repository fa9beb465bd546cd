// Paint elements and links of a machine: works, transfers, idle times, names.

import { axis as axes, mapping, rows as sizes } from "../../../shared/panels.json";
import { niceTicks, type Axis } from "../core/axis.ts";
import type { Host } from "../panel/canvasPanel.ts";
import { NONE } from "../model/search.ts";
import { fitText, grouped, thousands } from "../core/text.ts";
import { PALE } from "../core/theme.ts";
import type { Bars } from "../model/bars.ts";
import type { Marks } from "../timeline/marks.ts";
import type { TimelineModel } from "../model/timeline.ts";
import { ownersText } from "../timeline/owners.ts";
import { MachineBrush } from "./brush.ts";
import { familyOf } from "../model/machine.ts";
import { barBox, spanOf, type MachineLayout, type MachineRow } from "./layout.ts";

export const { top: TOP } = sizes;

const WORDS: Record<string, readonly [title: string, words: string]> = {
  element: ["Elements", "what computes"],
  link: ["Links", "what moves; hatched: colour of the tensor that is moved, grey: parameters"],
};

/** The visible part: rows down, cycles across, in pixels. */
export interface MappingView {
  readonly data: TimelineModel;
  readonly bars: Bars;
  readonly layout: MachineLayout;
  readonly isLinked: boolean;
  readonly marks: Marks | null;
  readonly axis: Axis;
  readonly scroll: number;
  readonly gutter: number;
  readonly top: number;
  readonly plotWidth: number;
  readonly width: number;
  readonly height: number;
  x(cycle: number): number;
  eachSeen(row: number, call: (bar: number, left: number, right: number) => void): void;
}

export class MappingPainter {
  private readonly brush: MachineBrush;
  private drawn = 0;

  constructor(
    private readonly context: CanvasRenderingContext2D,
    private readonly view: MappingView,
    private readonly host: Host,
  ) {
    this.brush = new MachineBrush(context, host.theme);
  }

  /** Paints everything; returns the number of bars drawn. */
  paint(): number {
    const { context, view, brush, host } = this;
    const { layout, top, scroll, width } = view;
    context.save();
    context.beginPath();
    context.rect(0, top, width, view.height - top);
    context.clip();
    context.translate(0, top - scroll);
    const rows = layout.rows.filter(
      ({ y, high }) => y + high > scroll && y < scroll + view.height - top,
    );
    context.save();
    context.beginPath();
    context.rect(view.gutter, 0, view.plotWidth + 2, layout.height);
    context.clip();
    this.paintGrid();
    this.paintMarks();
    for (const row of rows) this.paintRow(row);
    const { now } = host.store;
    if (view.isLinked && now !== null) brush.playhead(view.x(now), 0, layout.height);
    context.restore();
    for (const row of rows) this.paintName(row);
    for (const { kind, y } of layout.heads) {
      const [title, words] = WORDS[kind] ?? [kind, ""];
      brush.heading(y, width, title, words);
    }
    context.restore();
    if (!view.isLinked) this.paintAxis();
    this.paintScrollbar();
    return this.drawn;
  }

  /** Whether cycles are written as microseconds, as the ruler does. */
  private get isTime(): boolean {
    return this.view.isLinked && this.host.store.clock.unit === "µs";
  }

  private amount(cycles: number): string {
    return this.isTime ? this.host.store.clock.written(cycles) : thousands(cycles);
  }

  private paintGrid(): void {
    const { context, view } = this;
    context.strokeStyle = this.host.theme.line;
    context.lineWidth = 1;
    context.globalAlpha = 0.6;
    context.beginPath();
    for (const mark of this.ticks()) {
      const x = Math.round(view.x(mark)) + 0.5;
      context.moveTo(x, 0);
      context.lineTo(x, view.layout.height);
    }
    context.stroke();
    context.globalAlpha = 1;
  }

  private ticks(): number[] {
    const { axis, plotWidth } = this.view;
    const most = plotWidth / axes.unit;
    if (this.view.isLinked) return this.host.store.clock.marks(axis, most);
    return niceTicks(axis.start, axis.stop, most);
  }

  /** Bands where something runs of what another clock looks at. */
  private paintMarks(): void {
    const { context, view } = this;
    context.fillStyle = this.host.theme.accent;
    context.globalAlpha = 0.12;
    for (const [from, to] of view.marks?.spans ?? []) {
      const x = view.x(from);
      context.fillRect(x, 0, Math.max(1.5, view.x(to) - x), view.layout.height);
    }
    context.globalAlpha = 1;
  }

  private paintRow(row: MachineRow): void {
    const { view } = this;
    const [top, size] = barBox(row);
    this.paintIdle(row.row, top, size);
    const isLink = view.data.type[row.row] === "link";
    this.context.font = `11px ${this.host.theme.font}`;
    let reached = -Infinity;
    view.eachSeen(row.row, (bar, from, to) => {
      const [left, right] = spanOf(from, to);
      if (right <= reached) return;
      reached = right;
      this.drawn++;
      this.paintBar(bar, left, right, top, size, isLink);
    });
    this.paintFrames(row.row, top, size);
  }

  private paintBar(
    bar: number,
    left: number,
    right: number,
    top: number,
    size: number,
    isLink: boolean,
  ): void {
    const { context, view, brush, host } = this;
    const { machine } = view.data;
    const nodes = view.bars.nodesOf(bar);
    const { model } = host.store;
    const family = familyOf(model, machine?.source?.[bar] ?? nodes[0]);
    context.globalAlpha = nodes.some((node) => host.store.isMatch(node)) ? 1 : PALE;
    if (isLink) brush.moved(left, top, right - left, size, family);
    else {
      // Of many thin ones only some are drawn: shades would say what is not so.
      const isThin = right - left < mapping.paper;
      const shade = isThin ? 0 : (machine?.shadeOf(bar, model) ?? 0);
      context.fillStyle = brush.colour(family, shade);
      context.fillRect(left, top, right - left, size);
      context.fillStyle = brush.ink(family, shade);
      this.paintLabel(bar, nodes, left, right, top, size);
    }
    context.globalAlpha = 1;
  }

  /** The name of a work in its box: with its cycles, alone, or upright. */
  private paintLabel(
    bar: number,
    nodes: number[],
    left: number,
    right: number,
    top: number,
    size: number,
  ): void {
    const { context, view, brush, host } = this;
    const { name } = mapping;
    const { model } = host.store;
    // What of a box is seen: its name stays in sight.
    const from = Math.max(left, view.gutter);
    const to = Math.min(right, view.gutter + view.plotWidth);
    const room = to - from - name.room;
    const middle = (from + to) / 2;
    if (room >= name.level) {
      const text = ownersText(nodes, model, room, brush.measure);
      const cycles = `${this.amount(view.bars.lengthOf(bar))} ${this.isTime ? "µs" : "cycles"}`;
      const isTwo = to - from >= name.two && size >= 30 && brush.measure(cycles) <= room;
      if (text && isTwo) {
        context.font = `600 11px ${host.theme.font}`;
        const isWide = brush.measure(text) > room;
        if (isWide) context.font = `11px ${host.theme.font}`;
        brush.centred(text, middle, top + size / 2 - 6);
        context.font = `11px ${host.theme.font}`;
        brush.centred(cycles, middle, top + size / 2 + 7);
        return;
      }
      if (text) {
        brush.centred(text, middle, top + size / 2);
        return;
      }
    }
    if (to - from < name.upright) return;
    const text = ownersText(nodes, model, size - 2, brush.measure);
    if (text) brush.upright(text, middle, top + size / 2);
  }

  private paintIdle(row: number, top: number, size: number): void {
    const { context, view, brush, host } = this;
    context.font = `11px ${host.theme.font}`;
    const end = view.gutter + view.plotWidth;
    for (const [at, start, stop] of view.data.machine?.idle ?? []) {
      if (at !== row) continue;
      const [left, right] = spanOf(view.x(start), view.x(stop));
      if (right < view.gutter || left > end) continue;
      brush.idle(left, top, right - left, size);
      const text = this.amount(stop - start);
      const [from, to] = [Math.max(left, view.gutter), Math.min(right, end)];
      const x = (from + to) / 2;
      const y = top + size / 2;
      const wide = brush.measure(text);
      if (wide + mapping.name.room <= to - from) brush.onPaper(text, x, y);
      else if (wide <= size - 2 && to - from >= mapping.name.upright) {
        brush.turned(x, y, () => brush.onPaper(text, 0, 0));
      }
    }
  }

  /** Frames the bars of what is picked or pointed at, and those that another clock marks. */
  private paintFrames(row: number, top: number, size: number): void {
    const { context, view, host } = this;
    const { selected, hovered } = host.store.state;
    const marked = new Set(view.marks?.bars.get(row));
    if (selected === NONE && hovered === NONE && marked.size === 0) return;
    context.strokeStyle = host.theme.ink;
    view.eachSeen(row, (bar, from, to) => {
      const isPicked = selected !== NONE && view.bars.isOf(bar, selected);
      const isOver = hovered !== NONE && view.bars.isOf(bar, hovered);
      if (!isPicked && !isOver && !marked.has(bar)) return;
      const [left, right] = spanOf(from, to);
      // Around what is small, so that its colour can still be seen.
      const out = right - left < 8 ? 1 : 0;
      context.lineWidth = isPicked ? 2.5 : 1.5;
      context.strokeRect(left - out, top - out, right - left + 2 * out, size + 2 * out);
    });
    context.lineWidth = 1;
  }

  /** Name and busy share of a row; the share where there is a second line for it. */
  private paintName({ row, y, high }: MachineRow): void {
    const { context, view, host } = this;
    const { theme } = host;
    const { machine } = view.data;
    const left = view.gutter;
    context.fillStyle = theme.paper;
    context.fillRect(0, y, left - 1, high);
    const isTwo = high >= mapping.busy;
    context.textAlign = "right";
    context.textBaseline = "middle";
    context.fillStyle = theme.ink;
    const name = this.rowText(machine?.labels[row] ?? view.data.name[row], view.data.type[row]);
    context.fillText(name, left - 8, y + high / 2 - (isTwo ? 6 : 0) + 0.5);
    context.font = `11px ${theme.font}`;
    context.fillStyle = theme.muted;
    if (isTwo) context.fillText(machine?.busy[row] ?? "", left - 8, y + high / 2 + 7.5);
    context.textAlign = "start";
    context.strokeStyle = theme.line;
    context.lineWidth = 1;
    context.beginPath();
    context.moveTo(left - 0.5, y);
    context.lineTo(left - 0.5, y + high);
    context.stroke();
  }

  /** The name of a row, in letters that it has room for or, if those were too small, cut. */
  private rowText(label: string, type: string): string {
    const { context, view, brush, host } = this;
    for (const size of [12, 11, 10]) {
      context.font = `${type === "element" ? "600 " : ""}${size}px ${host.theme.font}`;
      if (label.length < 60 && brush.measure(label) <= view.gutter - 12) return label;
    }
    return fitText(label, view.gutter - 12, brush.measure);
  }

  /** The axis of its own, where the other panels count something else. */
  private paintAxis(): void {
    const { context, view, brush } = this;
    const { theme } = this.host;
    context.fillStyle = theme.muted;
    context.font = `11px ${theme.font}`;
    context.textBaseline = "middle";
    context.textAlign = "right";
    context.fillText("cycle", view.gutter - 8, TOP / 2);
    let reached = view.gutter - 4;
    for (const mark of this.ticks()) {
      const text = grouped(mark);
      const half = brush.measure(text) / 2;
      const x = Math.max(view.x(mark), view.gutter + half);
      if (x - half <= reached || x + half > view.width) continue;
      brush.centred(text, x, TOP / 2);
      reached = x + half + 6;
    }
    context.textAlign = "start";
    context.strokeStyle = theme.line;
    context.beginPath();
    context.moveTo(0, view.top - 0.5);
    context.lineTo(view.width, view.top - 0.5);
    context.stroke();
  }

  private paintScrollbar(): void {
    const { context, view } = this;
    const room = view.height - view.top;
    const whole = view.layout.height;
    if (whole <= room) return;
    const size = Math.max(24, (room / whole) * room);
    const y = (view.scroll / (whole - room)) * (room - size);
    context.fillStyle = this.host.theme.muted;
    context.globalAlpha = 0.45;
    context.beginPath();
    context.roundRect(view.width - sizes.scrollbar - 1, view.top + y, sizes.scrollbar - 2, size, 2);
    context.fill();
    context.globalAlpha = 1;
  }
}
