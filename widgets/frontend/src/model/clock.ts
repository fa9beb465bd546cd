// A clock: the units of time that all panels share, and the tick of the executed order at each.

import type { Bars } from "./bars.ts";
import type { Listed } from "./listing.ts";
import { niceTicks } from "../core/axis.ts";
import type { Model } from "./model.ts";
import { orderOf, type Order } from "./order.ts";
import { lowerBound, NONE } from "./search.ts";
import { grouped } from "../core/text.ts";

/** Ticks of the executed order, steps of the schedule, cycles of a machine, or its microseconds,
 *  which are cycles with other labels. */
export type Unit = "tick" | "step" | "cycle" | "µs";

export class Clock {
  readonly begin: number;
  readonly end: number;
  /** The end of the axis: buffers may live on after the last unit. */
  readonly extent: number;
  /** Where something begins, if most units are like those before them. */
  private readonly stops: number[] | null = null;
  /** Whether ticks have a place on the axis of this clock. */
  readonly isAligned: boolean;
  /** Where each tick begins, and the last one ends, in steps; made when it is asked for. */
  private known: Float64Array | null = null;

  constructor(
    readonly unit: Unit,
    /** The bars of the schedule in steps, or those of a machine. */
    private readonly own: Listed | null,
    readonly order: Order,
    end: number,
    reach = 0,
    /** Cycles of the machine in a microsecond; 0 where that is not known. */
    readonly perMicrosecond = 0,
  ) {
    // A machine may wait before its first step.
    this.begin = this.isMachine ? 0 : (own?.begin ?? 0);
    this.end = end;
    this.extent = Math.max(end, reach);
    if (this.isMachine && own) {
      this.stops = [...new Set(own.bars.early)].sort((a, b) => a - b);
    }
    const { isByStep, step, ticks } = order;
    this.isAligned = unit !== "step" || (isByStep && ticks > 0 && step.length === ticks);
  }

  /** The bars of the schedule in this unit, or those of a machine. */
  get bars(): Bars | null {
    return this.own?.bars ?? (this.unit === "tick" ? this.order.ticked : null);
  }

  get hasBars(): boolean {
    return this.own !== null || (this.unit === "tick" && this.order.isListed);
  }

  /** Where each tick begins, and the last one ends; null where ticks are the units. */
  private get starts(): Float64Array | null {
    if (this.unit !== "step" || !this.isAligned) return null;
    return (this.known ??= startsOf(this.order, this.end));
  }

  /** Whether it counts the cycles of a machine: a line, and not cells. */
  get isMachine(): boolean {
    return this.unit === "cycle" || this.unit === "µs";
  }

  /** How much a number of units is in what is written: cycles may be written as microseconds. */
  written(time: number): string {
    if (this.unit !== "µs") return grouped(time);
    return microseconds(time / this.perMicrosecond);
  }

  /** Units to mark on an axis, at most `most` of them: round numbers of what is written. */
  marks({ start, stop }: { start: number; stop: number }, most: number): number[] {
    if (this.unit !== "µs") return niceTicks(start, stop, most);
    const scale = this.perMicrosecond;
    return niceTicks(start / scale, stop / scale, most, false).map((mark) => mark * scale);
  }

  get count(): number {
    return Math.max(0, this.end - this.begin);
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
  if (order.ticks > 0) made.push(new Clock("tick", null, order, order.ticks, reach));
  if (timeline) made.push(new Clock("step", timeline.listed, order, timeline.steps));
  if (made.length > 0) return made;
  const bars = devices?.listed ?? null;
  const end = bars?.end ?? memory?.ticks ?? 0;
  if (!bars) return [new Clock("tick", bars, order, end, reach)];
  const perMicrosecond = (devices?.machine?.hertz ?? 0) / 1e6;
  const units: Unit[] = perMicrosecond > 0 ? ["cycle", "µs"] : ["cycle"];
  return units.map((unit) => new Clock(unit, bars, order, end, reach, perMicrosecond));
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

/** Writes a time with as many decimals as tell it from its neighbours. */
function microseconds(time: number): string {
  if (time >= 1e4) return grouped(Math.round(time));
  return String(+time.toFixed(time >= 100 ? 1 : time >= 1 ? 2 : 4));
}

/** Divides each step among its ticks, in an order that runs step after step. */
function startsOf({ step, ticks }: Order, steps: number): Float64Array {
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
