// The firings of a schedule as they came. What a view shows first is counted in one go; they are
// sorted by row when a row is looked at.

import type { Numbers } from "./payload.ts";
import { sortBars, type Bars } from "./bars.ts";

/** Bars that are listed one by one: what they span, and the bars once they are needed. */
export interface Listed {
  /** Where the bars of operators begin and end, without those of weights. */
  readonly begin: number;
  readonly end: number;
  readonly bars: Bars;
}

/** What is known of all firings of a row. */
export interface Fired {
  /** The first step at which it fires; infinite where it never does, as its slack is then. */
  early: number;
  /** The least slack of all its firings. */
  slack: number;
  firings: number;
}

export class Listing implements Listed {
  readonly begin: number;
  readonly end: number;
  /** The node, and the early step, of each firing of an operator, in the order of the schedule. */
  readonly node: Int32Array;
  readonly step: Float64Array;
  /** Whether steps follow each other in that order. */
  readonly isByStep: boolean;
  /** How many of these firings have no slack. */
  readonly critical: number;
  private readonly early: Float64Array;
  private readonly slack: Float64Array;
  private readonly firings: Uint32Array;
  private sorted: Bars | null = null;
  private ordered: Int32Array | null = null;

  constructor(
    private readonly columns: Record<"row" | "early" | "slack", Numbers>,
    nodes: Numbers,
    private readonly producer: Numbers,
  ) {
    const { row, early, slack } = columns;
    const rows = producer.length;
    const first = new Float64Array(rows).fill(Infinity);
    const least = new Float64Array(rows).fill(Infinity);
    const firings = new Uint32Array(rows);
    const node = new Int32Array(row.length);
    const step = new Float64Array(row.length);
    let [count, critical, before] = [0, 0, -Infinity];
    let [begin, end, isByStep] = [Infinity, 0, true];
    for (let bar = 0; bar < row.length; bar++) {
      const own = row[bar];
      const at = early[bar];
      const wait = slack[bar];
      firings[own]++;
      if (at < first[own]) first[own] = at;
      if (wait < least[own]) least[own] = wait;
      if (producer[own]) continue;
      node[count] = nodes[own];
      step[count++] = at;
      if (wait === 0) critical++;
      if (at < before) isByStep = false;
      before = at;
      if (at < begin) begin = at;
      if (at + wait >= end) end = at + wait + 1;
    }
    this.node = node.subarray(0, count);
    this.step = step.subarray(0, count);
    [this.isByStep, this.critical] = [isByStep, critical];
    [this.begin, this.end] = [Math.min(begin, end), end];
    [this.early, this.slack, this.firings] = [first, least, firings];
  }

  /** What all firings of a row have in common. */
  fired(row: number): Fired {
    return { early: this.early[row], slack: this.slack[row], firings: this.firings[row] };
  }

  /** All bars, sorted by row. */
  get bars(): Bars {
    return (this.sorted ??= sortBars(this.producer.length, this.columns, this.producer));
  }

  /** Bars of operators, in the order of the schedule. */
  get order(): Int32Array {
    return (this.ordered ??= this.placed());
  }

  private placed(): Int32Array {
    const { places } = this.bars;
    const { row } = this.columns;
    const found = new Int32Array(this.node.length);
    let count = 0;
    for (let bar = 0; bar < places.length; bar++) {
      if (!this.producer[row[bar]]) found[count++] = places[bar];
    }
    return found;
  }
}
