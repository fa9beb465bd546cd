// A clock: the units of time that all panels share, and the tick of the executed order at each.

import type { Bars } from "../timeline/bars.ts";
import type { Model } from "./model.ts";
import { orderOf, type Order } from "./order.ts";
import { lowerBound, NONE } from "./search.ts";

/** Ticks of the executed order, steps of the schedule, or cycles of a machine. */
export type Unit = "tick" | "step" | "cycle";

export class Clock {
  readonly begin: number;
  readonly end: number;
  /** The end of the axis: buffers may live on after the last unit. */
  readonly extent: number;
  /** Where something begins, if most units are like those before them. */
  private readonly stops: number[] | null = null;
  /** Where each tick begins, and the last one ends; null where ticks are the units. */
  private readonly starts: Float64Array | null;

  constructor(
    readonly unit: Unit,
    /** The bars of the schedule in this unit, or those of a machine. */
    readonly bars: Bars | null,
    readonly order: Order,
    end: number,
    reach = 0,
  ) {
    this.begin = bars?.begin ?? 0;
    this.end = end;
    this.extent = Math.max(end, reach);
    if (unit === "cycle" && bars) {
      this.stops = [...new Set(bars.early)].sort((a, b) => a - b);
    }
    this.starts = unit === "step" ? startsOf(order, end) : null;
  }

  get count(): number {
    return Math.max(0, this.end - this.begin);
  }

  /** Whether ticks have a place on the axis of this clock. */
  get isAligned(): boolean {
    return this.unit !== "step" || this.starts !== null;
  }

  inside(time: number): number {
    return Math.min(Math.max(time, this.begin), Math.max(this.begin, this.end - 1));
  }

  /** The next or previous unit; null after the last. */
  next(time: number | null, by: 1 | -1): number | null {
    if (time === null) return by > 0 ? this.begin : this.end - 1;
    const { stops } = this;
    if (!stops) {
      const found = time + by;
      return found >= this.begin && found < this.end ? found : null;
    }
    const at = lowerBound(stops, by > 0 ? time + 1 : time, 0, stops.length) - (by > 0 ? 0 : 1);
    return stops[at] ?? null;
  }

  /** Where a tick begins on the axis. */
  at(tick: number): number {
    const { starts } = this;
    if (!starts) return tick;
    const whole = Math.min(Math.max(0, Math.floor(tick)), starts.length - 1);
    const next = Math.min(whole + 1, starts.length - 1);
    return starts[whole] + (starts[next] - starts[whole]) * (tick - whole);
  }

  /** The tick at a place of the axis, with its fraction. */
  tickAt(time: number): number {
    const { starts } = this;
    if (!starts) return time;
    const last = starts.length - 1;
    const after = lowerBound(starts, time, 0, starts.length);
    if (after > last) return last;
    if (starts[after] === time || after === 0) return after;
    const from = starts[after - 1];
    return after - 1 + (time - from) / (starts[after] - from);
  }
}

/** All clocks that there are data for; the default one comes first. */
export function clocksOf(model: Model): Clock[] {
  const { timeline, memory, devices } = model;
  const order = orderOf(model);
  const reach = Math.max(memory?.reached.at(-1) ?? 0, memory?.other?.ticks ?? 0);
  const made: Clock[] = [];
  if (order.ticks > 0) made.push(new Clock("tick", order.ticked(), order, order.ticks, reach));
  if (timeline) made.push(new Clock("step", timeline.flat, order, timeline.steps));
  if (made.length > 0) return made;
  const bars = devices?.flat ?? null;
  return [new Clock(bars ? "cycle" : "tick", bars, order, bars?.end ?? memory?.ticks ?? 0, reach)];
}

/** The step of a tick; null where it is not known. */
export function stepOf(order: Order, tick: number): number | null {
  return order.step[Math.floor(tick)] ?? null;
}

/** The first tick of a step, or else the last one before it; NONE where no tick is known. */
export function tickOf(order: Order, step: number): number {
  let before = NONE;
  for (let tick = 0; tick < order.step.length; tick++) {
    if (order.step[tick] === step) return tick;
    if (order.step[tick] < step && (before === NONE || order.step[tick] >= order.step[before]))
      before = tick;
  }
  return before === NONE && order.step.length ? 0 : before;
}

/** Divides each step among its ticks; null where the order does not run step after step. */
function startsOf({ step, isByStep, ticks }: Order, steps: number): Float64Array | null {
  if (!isByStep || step.length !== ticks || ticks === 0) return null;
  const starts = new Float64Array(ticks + 1);
  for (let tick = 0; tick < ticks;) {
    let last = tick;
    while (last < ticks && step[last] === step[tick]) last++;
    for (let each = tick; each < last; each++) {
      starts[each] = step[tick] + (each - tick) / (last - tick);
    }
    tick = last;
  }
  starts[ticks] = Math.max(steps, step[ticks - 1] + 1);
  return starts;
}
