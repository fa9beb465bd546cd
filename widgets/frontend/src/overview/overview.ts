// The overview: blocks and bytes in use of everything, and the window that the column shows.

import { column } from "../../../shared/panels.json";
import { gutterOf, plotOf } from "../core/column.ts";
import { element, type Host } from "../panel/canvasPanel.ts";
import { rangeText } from "../core/range.ts";
import { NONE } from "../model/search.ts";
import { Sheet } from "../core/sheet.ts";
import { grouped, sizeText } from "../core/text.ts";
import { TimeMap } from "../core/timeMap.ts";
import { bytesInUse, peakTick } from "../memory/usage.ts";
import { blockRuns, NO_RUNS, paintBlocks } from "../timeline/blockRow.ts";

const { top: TOP, silhouette, flat, handle: HANDLE, label: LABEL } = column.overview;

/** How much is left of what lies outside the window. */
const REST = 0.5;

/** How far from a handle a finger may be. */
const TOUCH = 20;

type Grip = "move" | "start" | "stop" | "draw";

export class Overview {
  private readonly hint = element("span", { class: "anb-hint" });
  readonly element = element(
    "div",
    { class: "anb-overview" },
    element("h3", {}, "Overview ", this.hint),
  );
  private readonly sheet: Sheet;
  /** Pixels of the silhouette; where there is none, as few as the frame of the window needs. */
  private readonly high: number;
  private known: { key: string; most: number[] } | null = null;
  private grip: { kind: Grip; at: number; start: number; stop: number } | null = null;

  constructor(private readonly host: Host) {
    this.high = host.store.model.memory ? silhouette : flat;
    this.element.classList.toggle("anb-flat", !host.store.model.memory);
    this.sheet = new Sheet(
      this.element,
      { tabindex: "0", role: "slider", "aria-label": "Window" },
      (context) => this.paint(context),
    );
    this.listen();
    this.changed();
  }

  get canvas(): HTMLCanvasElement {
    return this.sheet.canvas;
  }

  changed(): void {
    const { clock, model, window } = this.host.store;
    const [first, stop] = window.units;
    const { count } = model.parts;
    const blocks = count > 1 ? `, ${count} blocks` : "";
    const all = rangeText(clock.unit, clock.begin, clock.end);
    this.hint.textContent = `${all}${blocks}: drag or click`;
    const { canvas } = this;
    canvas.setAttribute("aria-valuemin", String(clock.begin));
    canvas.setAttribute("aria-valuemax", String(clock.end));
    canvas.setAttribute("aria-valuenow", String(first));
    canvas.setAttribute("aria-valuetext", rangeText(clock.unit, first, stop));
    this.redraw();
  }

  redraw(): void {
    this.sheet.redraw();
  }

  destroy(): void {
    this.sheet.destroy();
  }

  /** Moves the window by a part of itself. */
  page(by: number): void {
    this.host.store.moveWindow((axis) =>
      axis.show(axis.start + by * axis.span, axis.stop + by * axis.span),
    );
  }

  private get map(): TimeMap {
    const { least, most } = this.host.store.window.axis;
    const { width } = this.sheet;
    return TimeMap.plain(least, most, gutterOf(width), gutterOf(width) + plotOf(width));
  }

  // --- the window -----------------------------------------------------------------------------

  private listen(): void {
    const { canvas } = this;
    canvas.addEventListener("pointerdown", (event) => {
      if (event.button !== 0) return;
      canvas.setPointerCapture(event.pointerId);
      const reach = event.pointerType === "touch" ? TOUCH : HANDLE + 2;
      this.grip = this.take(this.sheet.at(event).x, event.shiftKey, reach);
    });
    canvas.addEventListener("pointermove", (event) => {
      if (this.grip && canvas.hasPointerCapture(event.pointerId)) {
        this.drag(this.sheet.at(event).x);
      }
    });
    canvas.addEventListener("pointerup", () => (this.grip = null));
    canvas.addEventListener("pointercancel", () => (this.grip = null));
    canvas.addEventListener("dblclick", () => {
      this.host.store.moveWindow((axis) => axis.showAll());
    });
  }

  /** What the pointer takes hold of; a click outside the window moves it there first. */
  private take(x: number, isNew: boolean, reach: number): NonNullable<typeof this.grip> {
    const { store } = this.host;
    const { map } = this;
    const at = map.t(x);
    const { axis } = store.window;
    if (isNew) return { kind: "draw", at, start: at, stop: at };
    const near = (time: number) => Math.abs(map.x(time) - x) <= reach;
    const kind = near(axis.start) ? "start" : near(axis.stop) ? "stop" : "move";
    if (kind === "move" && (at < axis.start || at > axis.stop)) {
      store.moveWindow((own) => own.show(at - own.span / 2, at + own.span / 2));
    }
    return { kind, at, start: axis.start, stop: axis.stop };
  }

  private drag(x: number): void {
    if (!this.grip) return;
    const { kind, at, start, stop } = this.grip;
    const to = this.map.t(x);
    const range: Record<Grip, [number, number]> = {
      move: [start + to - at, stop + to - at],
      start: [Math.min(to, stop - 1), stop],
      stop: [start, Math.max(to, start + 1)],
      draw: [Math.floor(Math.min(at, to)), Math.ceil(Math.max(at, to))],
    };
    this.host.store.moveWindow((axis) => axis.show(...range[kind]));
  }

  // --- painting -------------------------------------------------------------------------------

  private paint(context: CanvasRenderingContext2D): void {
    const { map } = this;
    const { theme, store } = this.host;
    const { clock, model, window } = store;
    const left = gutterOf(this.sheet.width);
    const right = left + plotOf(this.sheet.width);
    const runs = clock.isAligned ? blockRuns(model, clock.order) : NO_RUNS;
    const picked = store.state.selected === NONE ? NONE : model.parts.of(store.state.selected);
    if (model.memory && clock.isAligned) this.paintSilhouette(context, left, right);
    context.fillStyle = theme.paper;
    context.globalAlpha = 1 - REST;
    const [from, to] = [map.x(window.axis.start), map.x(window.axis.stop)];
    context.fillRect(left, 0, from - left, TOP + this.high + 1);
    context.fillRect(to, 0, right - to, TOP + this.high + 1);
    context.globalAlpha = 1;
    const place = {
      top: 4,
      height: column.block,
      left,
      right,
      picked,
      window: [from, to] as const,
    };
    paintBlocks(context, model, runs, theme, place, (tick) => map.x(clock.at(tick)));
    this.paintLabels(context, left, right);
    this.paintWindow(context, from, to);
  }

  /** Bytes in use, the most of each pixel, under the line of the peak. */
  private paintSilhouette(context: CanvasRenderingContext2D, left: number, right: number): void {
    const { theme, store } = this.host;
    const { memory } = store.model;
    const { clock } = store;
    if (!memory) return;
    const { map } = this;
    const bytes = bytesInUse(memory);
    const most = this.mostAt(left, right, bytes);
    const base = TOP + this.high;
    const high = (value: number) => (value / Math.max(1, memory.peak)) * (this.high - 2);
    context.fillStyle = theme.muted;
    context.globalAlpha = 0.65;
    for (let at = 0, stop = 0; at < most.length; at = stop) {
      const value = most[at];
      while (most[stop] === value) stop++;
      context.fillRect(left + at, base - high(value), stop - at, high(value));
    }
    context.globalAlpha = 1;
    const at = peakTick(memory);
    const x = map.x(clock.at(at));
    context.fillStyle = theme.peak;
    context.fillRect(
      x,
      base - high(bytes[at] ?? 0),
      Math.max(2, map.x(clock.at(at + 1)) - x),
      high(bytes[at] ?? 0),
    );
    context.strokeStyle = theme.peak;
    context.lineWidth = 1;
    context.setLineDash([4, 3]);
    context.beginPath();
    context.moveTo(left, TOP + 2.5);
    context.lineTo(right, TOP + 2.5);
    context.stroke();
    context.setLineDash([]);
  }

  /** The most bytes in use in each pixel: looked up again when pixels or their ticks change. */
  private mostAt(left: number, right: number, bytes: Float64Array): number[] {
    const { clock, window } = this.host.store;
    const { map } = this;
    const { least, most: end } = window.axis;
    const key = [left, right, clock.unit, least, end].join();
    if (this.known?.key === key) return this.known.most;
    const most: number[] = [];
    let tick = 0;
    for (let x = left; x < right && bytes.length; x++) {
      const after = clock.tickAt(map.t(x + 1));
      const stop = Math.min(bytes.length, Math.ceil(after));
      let value = bytes[Math.min(tick, bytes.length - 1)];
      for (let each = tick; each < stop; each++) if (bytes[each] > value) value = bytes[each];
      most.push(value);
      tick = Math.max(tick, after >= stop ? stop : stop - 1);
    }
    this.known = { key, most };
    return most;
  }

  private paintLabels(context: CanvasRenderingContext2D, left: number, right: number): void {
    const { theme, store } = this.host;
    const { map } = this;
    const { model } = store;
    context.font = `11px ${theme.font}`;
    context.textBaseline = "middle";
    context.fillStyle = theme.muted;
    context.textAlign = "right";
    if (model.parts.count) context.fillText("block", left - 8, 4 + column.block / 2);
    if (model.memory) context.fillText("memory", left - 8, TOP + this.high / 2);
    const y = TOP + this.high + 10;
    context.fillText(store.clock.unit, left - 8, y);
    context.textAlign = "center";
    for (const time of map.labels(LABEL)) {
      const text = grouped(time);
      const x = map.x(time + 0.5);
      const half = context.measureText(text).width / 2;
      if (x - half >= left && x + half <= right) context.fillText(text, x, y);
    }
    context.textAlign = "start";
    if (!model.memory || model.memory.spaces.length) return;
    context.fillStyle = theme.peak;
    context.textAlign = "right";
    context.font = `600 11px ${theme.font}`;
    const text = `peak ${sizeText(model.memory.peak)}`;
    const wide = context.measureText(text).width;
    const isApart = map.x(peakTick(model.memory)) < right - wide - 8;
    if (isApart) context.fillText(text, right - 4, TOP + 10);
    context.textAlign = "start";
  }

  private paintWindow(context: CanvasRenderingContext2D, from: number, to: number): void {
    const { theme } = this.host;
    const bottom = TOP + this.high + 1;
    context.strokeStyle = theme.accent;
    context.lineWidth = 1.5;
    context.strokeRect(from, 1, to - from, bottom - 1);
    context.fillStyle = theme.accent;
    for (const x of [from, to]) {
      context.beginPath();
      context.roundRect(x - HANDLE / 2, bottom / 2 - 11, HANDLE, 22, 2);
      context.fill();
    }
  }
}
