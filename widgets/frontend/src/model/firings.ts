// Phase of each node at a unit of the clock: done, running or waiting.

import type { Bars } from "./bars.ts";
import { lowerBound, NONE } from "./search.ts";
import type { Store } from "./store.ts";

export type Phase = "waits" | "runs" | "may run" | "between" | "done";

export class Firings {
  /** The row of each node; NONE where it has none. */
  private readonly rowOf: Int32Array;

  constructor(private readonly store: Store) {
    const { timeline, count } = store.model;
    this.rowOf = new Int32Array(count).fill(NONE);
    if (!timeline) return;
    for (let row = timeline.name.length - 1; row >= 0; row--) {
      if (!timeline.producer[row]) this.rowOf[timeline.node[row]] = row;
    }
  }

  /** The bars of the schedule, in the unit of the clock. */
  private get bars(): Bars | null {
    const { clock, model } = this.store;
    return model.timeline && clock.bars;
  }

  get isKnown(): boolean {
    const { clock, model } = this.store;
    return model.timeline !== null && clock.hasBars;
  }

  total(node: number): number {
    const row = this.rowOf[node] ?? NONE;
    return row < 0 || !this.bars ? 0 : this.bars.start[row + 1] - this.bars.start[row];
  }

  /** The time at which a node runs first; null where it never does. */
  first(node: number): number | null {
    return this.total(node) > 0 && this.bars
      ? this.bars.early[this.bars.start[this.rowOf[node]]]
      : null;
  }

  /** How often a node has begun before a time. */
  before(node: number, time: number): number {
    const row = this.rowOf[node] ?? NONE;
    if (row < 0 || !this.bars) return 0;
    const { start, early } = this.bars;
    return lowerBound(early, time, start[row], start[row + 1]) - start[row];
  }

  /** What a node does at a time. */
  phase(node: number, time: number): Phase {
    const row = this.rowOf[node] ?? NONE;
    if (row < 0 || !this.bars) return "waits";
    const { start, early } = this.bars;
    const next = start[row] + this.before(node, time);
    if (next < start[row + 1] && early[next] === time) return "runs";
    if (next > start[row] && this.bars.stopOf(next - 1) > time) return "may run";
    if (next === start[row + 1]) return "done";
    return next === start[row] ? "waits" : "between";
  }

  /** Nodes that run at a time, or are executed at a tick where there is no schedule. */
  running(time: number): number[] {
    if (this.bars) return this.at(time).runs;
    const { node } = this.store.clock.order;
    return time < node.length ? [node[time]] : [];
  }

  /** Nodes that run at a time, and those that may be put off until it. */
  at(time: number): { runs: number[]; mayRun: number[] } {
    const runs: number[] = [];
    const mayRun: number[] = [];
    for (let node = 0; node < this.rowOf.length; node++) {
      if (this.rowOf[node] < 0) continue;
      const phase = this.phase(node, time);
      if (phase === "runs") runs.push(node);
      else if (phase === "may run") mayRun.push(node);
    }
    return { runs, mayRun };
  }

  /** The part of what a node gives and another takes, that lies between them at a time. */
  waiting(source: number, target: number, time: number): boolean {
    const [gives, takes] = [this.total(source), this.total(target)];
    if (!gives || !takes) return false;
    return this.before(source, time) / gives > this.before(target, time) / takes;
  }
}
