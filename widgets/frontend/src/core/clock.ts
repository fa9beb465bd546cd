// Steps of the view, and the tick of the memory plan at each step.

import type { Model } from "./model.ts";
import { lowerBound, sortedBy } from "./search.ts";

export class Clock {
  /** Unit: steps of a schedule, ticks of a memory plan, cycles of a machine. */
  readonly unit: string;
  readonly begin: number;
  readonly end: number;
  /** Where something begins, if most steps are like those before them. */
  private readonly stops: number[] | null;
  private readonly tickStep: ArrayLike<number>;
  /** Ticks by their step. */
  private readonly order: Uint32Array;
  /** The step of each of them. */
  private readonly steps: Float64Array;

  constructor({ timeline, devices, memory }: Model) {
    // A plan counts executions; the memories of a machine count its cycles.
    const isPlan = memory !== null && memory.size.length > 0 && memory.spaces.length === 0;
    const counted = timeline ?? (isPlan ? null : devices);
    const bars = counted?.flat;
    this.unit = counted?.unit ?? "tick";
    this.begin = bars?.begin ?? 0;
    this.end = timeline ? timeline.steps : (bars?.end ?? memory?.ticks ?? 0);
    this.stops = !timeline && bars ? [...new Set(bars.early)].sort((a, b) => a - b) : null;
    this.tickStep = timeline ? (memory?.tickStep ?? []) : [];
    this.order = sortedBy(this.tickStep);
    this.steps = Float64Array.from(this.tickStep).sort();
  }

  get count(): number {
    return Math.max(0, this.end - this.begin);
  }

  inside(step: number): number {
    return Math.min(Math.max(step, this.begin), Math.max(this.begin, this.end - 1));
  }

  /** The next or previous step; null after the last. */
  next(step: number | null, by: 1 | -1): number | null {
    if (step === null) return by > 0 ? this.begin : this.end - 1;
    const { stops } = this;
    if (!stops) {
      const found = step + by;
      return found >= this.begin && found < this.end ? found : null;
    }
    const at = lowerBound(stops, by > 0 ? step + 1 : step, 0, stops.length) - (by > 0 ? 0 : 1);
    return stops[at] ?? null;
  }

  /** The last tick executed at a step or before it; -1 for none. */
  tickAt(step: number | null): number {
    if (step === null) return -1;
    if (this.order.length === 0) return this.unit === "step" ? -1 : step;
    const found = lowerBound(this.steps, step + 1, 0, this.steps.length) - 1;
    return this.order[Math.max(0, found)];
  }

  /** The step of a tick; null where it is not known. */
  stepOf(tick: number): number | null {
    if (this.unit !== "step") return Math.floor(tick);
    return this.tickStep[Math.floor(tick)] ?? null;
  }
}
