// The window of the time column: what all of its panels show of the clock.

import { Axis } from "../core/axis.ts";
import type { Clock } from "./clock.ts";

/** Fewest units that a window shows. */
const LEAST = 2;

export class TimeWindow {
  readonly axis: Axis;
  /** The ticks beside the steps of the axis, where the order does not run step after step. */
  readonly ticks: Axis | null;

  constructor(
    readonly clock: Clock,
    begin: number,
  ) {
    this.axis = new Axis(Math.min(begin, clock.begin), clock.extent, LEAST);
    this.ticks = clock.isAligned ? null : new Axis(0, clock.order.ticks, LEAST);
  }

  /** Shows a range of the clock; null shows all. */
  show(range: readonly [number, number] | null): void {
    if (range) this.axis.show(range[0], range[1]);
    else this.axis.showAll();
    this.follow();
  }

  /** What is shown, for the state; null where it is all. */
  get range(): [number, number] | null {
    const { isWhole, start, stop } = this.axis;
    return isWhole ? null : [start, stop];
  }

  /** The units of which something is shown: the first and, half-open, the last. */
  get units(): [first: number, stop: number] {
    const { start, stop } = this.axis;
    return [Math.floor(start + 1e-9), Math.ceil(stop - 1e-9)];
  }

  /** Where a tick begins, in pixels of a plot. */
  tickToPixel(tick: number, size: number): number {
    const { ticks, axis, clock } = this;
    return ticks ? ticks.toPixel(tick, size) : axis.toPixel(clock.at(tick), size);
  }

  /** The tick at a pixel of a plot, with its fraction. */
  tickFromPixel(pixel: number, size: number): number {
    const { ticks, axis, clock } = this;
    if (ticks) return ticks.fromPixel(pixel, size);
    return clock.tickAt(axis.fromPixel(pixel, size));
  }

  /** The ticks that are shown, with their fractions. */
  get shownTicks(): [start: number, stop: number] {
    return [this.tickFromPixel(0, 1), this.tickFromPixel(1, 1)];
  }

  /** Shows the ticks of the steps that are shown. */
  private follow(): void {
    if (!this.ticks) return;
    const { step } = this.clock.order;
    const [from, to] = this.units;
    let [first, last] = [Infinity, -1];
    for (let tick = 0; tick < step.length; tick++) {
      if (step[tick] < from || step[tick] >= to) continue;
      first = Math.min(first, tick);
      last = tick;
    }
    if (last >= 0) this.ticks.show(first, last + 1);
    else this.ticks.showAll();
  }
}
