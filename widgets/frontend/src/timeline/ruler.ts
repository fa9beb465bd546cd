// The ruler of the time column: numbers in the middle of their cells, the playhead, the brush.

import { axis as sizes, column } from "../../../shared/panels.json";
import { gutterOf, plotOf } from "../core/column.ts";
import type { Host } from "../panel/canvasPanel.ts";
import { Sheet } from "../core/sheet.ts";
import type { Change } from "../model/store.ts";
import { rangeText } from "../core/range.ts";
import type { Axis } from "../core/axis.ts";
import type { Clock } from "../model/clock.ts";
import { grouped, sizeText } from "../core/text.ts";
import { TimeMap } from "../core/timeMap.ts";
import { mostBytes } from "../memory/usage.ts";

export class Ruler {
  readonly element = document.createElement("div");
  private readonly sheet: Sheet;
  private readonly host: Host;
  /** Where a brush was begun. */
  private brushed: number | null = null;

  constructor(host: Host) {
    this.host = host;
    this.element.className = "anb-ruler";
    this.sheet = new Sheet(
      this.element,
      { tabindex: "0", role: "slider", "aria-label": "Playhead" },
      (context) => this.paint(context),
    );
    this.listen();
    this.changed({ clock: host.store.state.clock });
  }

  get canvas(): HTMLCanvasElement {
    return this.sheet.canvas;
  }

  changed(change: Change): void {
    const { store } = this.host;
    const { canvas } = this;
    if (change.clock !== undefined || change.tick !== undefined || change.step !== undefined) {
      const { clock, now } = store;
      canvas.setAttribute("aria-valuemin", String(clock.begin));
      canvas.setAttribute("aria-valuemax", String(Math.max(clock.begin, clock.end - 1)));
      canvas.setAttribute("aria-valuenow", String(now ?? clock.begin));
      canvas.setAttribute(
        "aria-valuetext",
        now === null ? `no ${clock.unit}` : `${clock.unit} ${clock.written(now)}`,
      );
    }
    this.redraw();
  }

  redraw(): void {
    this.sheet.redraw();
  }

  destroy(): void {
    this.sheet.destroy();
  }

  /** Makes the brush the window. */
  enter(): boolean {
    const { store } = this.host;
    const { brush } = store.state;
    if (!brush) return false;
    store.moveWindow((axis) => axis.show(...brush));
    store.set({ brush: null });
    return true;
  }

  /** The ruler's map from time to pixels. */
  private get map(): TimeMap {
    const { start, stop } = this.host.store.window.axis;
    const { width } = this.sheet;
    return TimeMap.plain(start, stop, gutterOf(width), gutterOf(width) + plotOf(width));
  }

  private listen(): void {
    const { canvas } = this;
    const { store } = this.host;
    canvas.addEventListener("pointerdown", (event) => {
      if (event.button !== 0 || this.sheet.at(event).x < gutterOf(this.sheet.width)) return;
      canvas.setPointerCapture(event.pointerId);
      this.brushed = event.shiftKey ? this.unitAt(event) : null;
      this.drag(event);
    });
    canvas.addEventListener("pointermove", (event) => {
      if (event.buttons & 1 && canvas.hasPointerCapture(event.pointerId)) this.drag(event);
    });
    canvas.addEventListener("dblclick", () => {
      store.moveWindow((axis) => axis.showAll());
    });
    canvas.addEventListener(
      "wheel",
      (event) => {
        if (!event.ctrlKey && !event.metaKey) return;
        event.preventDefault();
        const x = this.sheet.at(event).x - gutterOf(this.sheet.width);
        const factor = Math.exp(Math.min(Math.max(event.deltaY, -240), 240) / 400);
        store.moveWindow((axis) => axis.zoom(x, plotOf(this.sheet.width), factor));
      },
      { passive: false },
    );
  }

  private unitAt(event: MouseEvent): number {
    const { clock } = this.host.store;
    return clock.inside(Math.floor(this.map.t(this.sheet.at(event).x)));
  }

  private drag(event: MouseEvent): void {
    const { store } = this.host;
    const unit = this.unitAt(event);
    if (this.brushed === null) {
      store.set({ brush: null });
      store.goTo(unit, this);
    } else {
      const first = Math.min(this.brushed, unit);
      store.set({ brush: [first, Math.max(this.brushed, unit) + 1] });
    }
  }

  private paint(context: CanvasRenderingContext2D): void {
    const { host, map } = this;
    const { theme, store } = host;
    const { width, height } = this.sheet;
    const left = gutterOf(width);
    const { unit } = store.clock;
    const { now } = store;
    context.textBaseline = "middle";
    context.font = `11px ${theme.font}`;
    context.fillStyle = theme.muted;
    context.textAlign = "right";
    context.fillText(unit, left - 8, height / 2);
    context.textAlign = "center";
    const [first, last] = store.window.units;
    const pill = now !== null && now >= first && now < last ? this.pill(context, now) : null;
    const brush = this.brush(context);
    const { clock } = store;
    const isLine = clock.isMachine;
    for (const [time, text] of labelsOf(clock, map, store.window.axis, plotOf(width))) {
      const half = context.measureText(text).width / 2;
      const place = map.x(time + (isLine ? 0 : 0.5));
      const x = isLine && place > left - 1 ? Math.max(place, left - 4 + half) : place;
      if (x - half < left - (isLine ? 4 : 0) || x + half > width) continue;
      const isUnder = [pill, brush].some(
        (box) => box && x + half > box[0] - 4 && x - half < box[1] + 4,
      );
      if (!isUnder) context.fillText(text, x, height / 2);
    }
    context.textAlign = "start";
    if (brush) this.paintBrush(context, brush);
    if (pill) this.paintPill(context, pill, now ?? 0);
    context.strokeStyle = theme.line;
    context.beginPath();
    context.moveTo(0, height - 0.5);
    context.lineTo(width, height - 0.5);
    context.stroke();
  }

  /** Where the pill of the playhead is, from left to right. */
  private pill(context: CanvasRenderingContext2D, now: number): [number, number] {
    const { map } = this;
    const { width } = this.sheet;
    const { clock } = this.host.store;
    const half = Math.max(12, context.measureText(clock.written(now)).width / 2 + 7);
    const low = gutterOf(width) + (clock.isMachine ? 0 : half);
    const at = map.x(now + (clock.isMachine ? 0 : 0.5));
    const middle = Math.min(Math.max(at, low), width - 1 - half);
    return [middle - half, middle + half];
  }

  private paintPill(
    context: CanvasRenderingContext2D,
    [left, right]: [number, number],
    now: number,
  ): void {
    const { theme } = this.host;
    const { height } = this.sheet;
    context.fillStyle = theme.peak;
    context.beginPath();
    context.roundRect(left, height / 2 - 9, right - left, 18, 4);
    context.fill();
    context.fillStyle = theme.paper;
    context.font = `600 11px ${theme.font}`;
    context.textAlign = "center";
    context.fillText(this.host.store.clock.written(now), (left + right) / 2, height / 2 + 0.5);
    context.textAlign = "start";
  }

  /** What the brush says, and where: null without a brush. */
  private brush(context: CanvasRenderingContext2D): [number, number, string] | null {
    const { store } = this.host;
    const { brush } = store.state;
    if (!brush) return null;
    const { width } = this.sheet;
    const text = this.brushText(brush);
    const half = context.measureText(text).width / 2 + 8;
    const { map } = this;
    const wanted = (map.x(brush[0]) + map.x(brush[1])) / 2;
    const low = gutterOf(width) + half;
    const middle = Math.min(Math.max(wanted, low), Math.max(low, width - 1 - half));
    return [middle - half, middle + half, text];
  }

  /** "ticks 11–18 · 8 ticks · 5.74 MiB" */
  brushText([first, stop]: [number, number]): string {
    const { model, clock, window } = this.host.store;
    const isTime = clock.unit === "µs";
    const range = `${clock.written(first)}–${clock.written(stop)} µs`;
    const parts = [isTime ? range : rangeText(clock.unit, first, stop)];
    if (stop - first > 1) {
      const count = clock.written(stop - first);
      parts.push(isTime ? `${count} µs` : `${count} ${clock.unit}s`);
    }
    if (model.memory && clock.isAligned && model.memory.spaces.length === 0) {
      const ticks = [first, stop].map((time) => window.clock.tickAt(time));
      parts.push(sizeText(mostBytes(model.memory, Math.floor(ticks[0]), Math.ceil(ticks[1]))));
    }
    return parts.join(" · ");
  }

  private paintBrush(
    context: CanvasRenderingContext2D,
    [left, right, text]: [number, number, string],
  ): void {
    const { theme, store } = this.host;
    const { height } = this.sheet;
    const { map } = this;
    const [from, to] = (store.state.brush ?? [0, 0]).map((time) => map.x(time));
    context.fillStyle = theme.accent;
    context.globalAlpha = 0.2;
    context.fillRect(from, 0, to - from, height);
    context.globalAlpha = 1;
    context.beginPath();
    context.roundRect(left, height / 2 - 9, right - left, 18, 4);
    context.fill();
    context.fillStyle = theme.paper;
    context.textAlign = "center";
    context.fillText(text, (left + right) / 2, height / 2 + 0.5);
    context.textAlign = "start";
  }
}

/** Units to write a number at, and the numbers; cycles may be written as microseconds. */
function labelsOf(clock: Clock, map: TimeMap, axis: Axis, plot: number): [number, string][] {
  if (!clock.isMachine) return map.labels(column.label).map((time) => [time, clock.written(time)]);
  const text = (mark: number) =>
    clock.unit === "µs" ? String(+(mark / clock.perMicrosecond).toPrecision(9)) : grouped(mark);
  return clock.marks(axis, plot / sizes.unit).map((mark) => [mark, text(mark)]);
}
