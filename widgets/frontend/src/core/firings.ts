// Phase of each node at a step: done, running or waiting.

import type { Model } from "./model.ts";
import { lowerBound, NONE } from "./search.ts";

export type Phase = "waits" | "runs" | "may run" | "between" | "done";

export class Firings {
  /** The row of each node; NONE where it has none. */
  private readonly rowOf: Int32Array;
  private readonly bars;
  /** The node that is executed at each tick of a memory plan. */
  private readonly ticks: ArrayLike<number>;

  constructor(model: Model) {
    const { timeline, count } = model;
    this.ticks = (!timeline && model.memory?.tickNode) || [];
    this.rowOf = new Int32Array(count).fill(NONE);
    this.bars = timeline?.flat ?? null;
    if (!timeline) return;
    for (let row = timeline.name.length - 1; row >= 0; row--) {
      if (!timeline.producer[row]) this.rowOf[timeline.node[row]] = row;
    }
  }

  get isKnown(): boolean {
    return this.bars !== null;
  }

  total(node: number): number {
    const row = this.rowOf[node] ?? NONE;
    return row < 0 || !this.bars ? 0 : this.bars.start[row + 1] - this.bars.start[row];
  }

  /** The step at which a node runs first; null where it never does. */
  first(node: number): number | null {
    return this.total(node) > 0 && this.bars
      ? this.bars.early[this.bars.start[this.rowOf[node]]]
      : null;
  }

  /** How often a node has begun before a step. */
  before(node: number, step: number): number {
    const row = this.rowOf[node] ?? NONE;
    if (row < 0 || !this.bars) return 0;
    const { start, early } = this.bars;
    return lowerBound(early, step, start[row], start[row + 1]) - start[row];
  }

  /** What a node does at a step. */
  phase(node: number, step: number): Phase {
    const row = this.rowOf[node] ?? NONE;
    if (row < 0 || !this.bars) return "waits";
    const { start, early } = this.bars;
    const next = start[row] + this.before(node, step);
    if (next < start[row + 1] && early[next] === step) return "runs";
    if (next > start[row] && this.bars.stopOf(next - 1) > step) return "may run";
    if (next === start[row + 1]) return "done";
    return next === start[row] ? "waits" : "between";
  }

  /** Nodes that run at a step, or are executed at a tick where there is no schedule. */
  running(step: number): number[] {
    if (this.bars) return this.at(step).runs;
    return step < this.ticks.length ? [this.ticks[step]] : [];
  }

  /** Nodes that run at a step, and those that may be put off until it. */
  at(step: number): { runs: number[]; mayRun: number[] } {
    const runs: number[] = [];
    const mayRun: number[] = [];
    for (let node = 0; node < this.rowOf.length; node++) {
      if (this.rowOf[node] < 0) continue;
      const phase = this.phase(node, step);
      if (phase === "runs") runs.push(node);
      else if (phase === "may run") mayRun.push(node);
    }
    return { runs, mayRun };
  }

  /** The part of what a node gives and another takes, that lies between them at a step. */
  waiting(source: number, target: number, step: number): boolean {
    const [gives, takes] = [this.total(source), this.total(target)];
    if (!gives || !takes) return false;
    return this.before(source, step) / gives > this.before(target, step) / takes;
  }
}
