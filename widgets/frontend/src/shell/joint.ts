// The strip between steps and memory: the ticks of the order that runs, below the steps they are in.
// Where the order runs step after step, ticks share the width of their step. Any other order has an
// axis of ticks of its own, and a curve leads from the step of each firing to its tick.

import { column } from "../../../shared/panels.json";
import { gutterOf, plotOf } from "../core/column.ts";
import type { Host } from "../panel/canvasPanel.ts";
import { Sheet } from "../core/sheet.ts";
import type { Change } from "../model/store.ts";
import { grouped } from "../core/text.ts";

/** More curves would be a grey area. */
const MOST_CURVES = 600;
const ROW = 18;

/** Ticks in a pixel from which on the place of the next number is looked up. */
const DENSE = 4;

export class Joint {
  readonly element = document.createElement("div");
  private readonly sheet: Sheet;

  constructor(private readonly host: Host) {
    this.element.className = "anb-joint";
    this.sheet = new Sheet(this.element, { "aria-hidden": "true" }, (context) =>
      this.paint(context),
    );
    this.arrange();
  }

  changed(change: Change): void {
    if (change.clock !== undefined) this.arrange();
    this.sheet.redraw();
  }

  redraw(): void {
    this.sheet.redraw();
  }

  destroy(): void {
    this.sheet.destroy();
  }

  /** Where something is in the strip, in pixels: the step above, the tick below. */
  places(tick: number): { step: number; tick: number } {
    const { window, clock } = this.host.store;
    const { width } = this.sheet;
    const [left, plot] = [gutterOf(width), plotOf(width)];
    return {
      step: left + window.axis.toPixel(clock.order.step[tick] + 0.5, plot),
      tick: left + window.tickToPixel(tick + 0.5, plot),
    };
  }

  /** The strip is there for steps whose ticks are known. */
  private arrange(): void {
    const { clock } = this.host.store;
    this.element.hidden = clock.unit !== "step" || clock.order.step.length === 0;
    const curves = clock.isAligned ? 0 : column.joint;
    this.element.style.height = `${curves + ROW}px`;
  }

  private paint(context: CanvasRenderingContext2D): void {
    const { store, theme } = this.host;
    const { width, height } = this.sheet;
    const left = gutterOf(width);
    context.font = `11px ${theme.font}`;
    context.textBaseline = "middle";
    context.textAlign = "right";
    context.fillStyle = theme.muted;
    context.fillText("tick", left - 8, height - ROW / 2);
    context.save();
    context.beginPath();
    context.rect(left, 0, plotOf(width), height);
    context.clip();
    const [from, to] = store.window.shownTicks;
    const [first, stop] = [Math.max(0, Math.floor(from)), Math.ceil(to)];
    if (!store.clock.isAligned) this.paintCurves(context, first, stop);
    this.paintNumbers(context, first, stop);
    context.restore();
    context.textAlign = "start";
    context.globalAlpha = 1;
  }

  private paintCurves(context: CanvasRenderingContext2D, first: number, stop: number): void {
    const { store, theme } = this.host;
    const { selected, tick: now } = store.state;
    const { order } = store.clock;
    const every = Math.max(1, Math.ceil((stop - first) / MOST_CURVES));
    const thick: number[] = [];
    context.strokeStyle = theme.muted;
    context.globalAlpha = 0.55;
    context.lineWidth = 1;
    context.beginPath();
    for (let tick = first; tick < Math.min(stop, order.ticks); tick++) {
      if (tick === now || order.node[tick] === selected) thick.push(tick);
      else if (tick % every === 0) this.trace(context, tick);
    }
    context.stroke();
    context.globalAlpha = 1;
    context.lineWidth = 2.4;
    for (const tick of thick) {
      context.strokeStyle = tick === now ? theme.peak : theme.ink;
      context.beginPath();
      this.trace(context, tick);
      context.stroke();
    }
  }

  private trace(context: CanvasRenderingContext2D, at: number): void {
    const { step, tick } = this.places(at);
    const middle = column.joint / 2;
    context.moveTo(step, 0);
    context.bezierCurveTo(step, middle, tick, middle, tick, column.joint);
  }

  /** Numbers in the middle of their ticks: those that have room, and that of the playhead. */
  private paintNumbers(context: CanvasRenderingContext2D, first: number, stop: number): void {
    const { store, theme } = this.host;
    const { tick: now } = store.state;
    const y = this.sheet.height - ROW / 2;
    context.textAlign = "center";
    const half = (tick: number) => context.measureText(grouped(tick)).width / 2 + 3;
    const isNow = now !== null && now >= first && now < stop;
    const kept: [number, number] = [Infinity, -Infinity];
    if (isNow) {
      context.font = `600 11px ${theme.font}`;
      context.fillStyle = theme.peak;
      const x = this.places(now).tick;
      context.fillText(grouped(now), x, y);
      kept.splice(0, 2, x - half(now), x + half(now));
      context.font = `11px ${theme.font}`;
    }
    context.fillStyle = theme.muted;
    let reached = -Infinity;
    const { width } = this.sheet;
    const isDense = stop - first > DENSE * plotOf(width);
    for (let tick = first; tick < Math.min(stop, store.clock.order.ticks); tick++) {
      if (tick === now) continue;
      const x = this.places(tick).tick;
      const wide = half(tick);
      const isFree = x + wide <= kept[0] || x - wide >= kept[1];
      if (x - wide >= reached && isFree) {
        context.fillText(grouped(tick), x, y);
        reached = x + wide;
      } else if (isDense) {
        const next = (isFree ? reached : kept[1]) + wide - gutterOf(width);
        tick = Math.max(tick, Math.floor(store.window.tickFromPixel(next, plotOf(width))) - 1);
      }
    }
  }
}
