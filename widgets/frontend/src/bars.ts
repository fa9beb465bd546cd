// Bars of a timeline as columns, sorted by row, and what makes a million of them quick to draw.

import { close, Levels, type Counts } from "./levels.ts";
import type { Numbers } from "./payload.ts";

const LARGEST = 2 ** 31 - 1;

/** Bars sorted by row, then as they came; `start[row]` to `start[row + 1]` are those of a row. */
export class Bars {
  /** What is drawn of all rows, coarser and coarser: bars without slack, others, their tails. */
  private levels: { full: Levels; begin: Levels; tail: Levels } | null = null;

  constructor(
    readonly start: Uint32Array,
    readonly early: Counts,
    /** How long each bar is; 1 where it is one step. */
    readonly length: Counts | null,
    readonly slack: Counts,
    /** The most that a bar of a row takes, with its slack. */
    readonly reach: Float64Array,
    /** Where the bars of operators begin and end, without those of weights. */
    readonly begin: number,
    readonly end: number,
    /** The step of each bar where `early` is not that, for what is folded moves. */
    readonly step: Counts | null = null,
    /** The node of each bar, where a row has bars of several. */
    readonly node: Counts | null = null,
  ) {}

  get count(): number {
    return this.early.length;
  }

  lengthOf(bar: number): number {
    return this.length ? this.length[bar] : 1;
  }

  /** The value behind the last at which a bar may be. */
  stopOf(bar: number): number {
    return this.early[bar] + this.lengthOf(bar) + this.slack[bar];
  }

  stepOf(bar: number): number {
    return this.step ? this.step[bar] : this.early[bar];
  }

  drawn(): { full: Levels; begin: Levels; tail: Levels } {
    this.levels ??= {
      full: this.pick((bar) => this.slack[bar] === 0, false),
      begin: this.pick((bar) => this.slack[bar] > 0, false),
      tail: this.pick((bar) => this.slack[bar] > 0, true),
    };
    return this.levels;
  }

  private pick(wanted: (bar: number) => boolean, toEnd: boolean): Levels {
    const { start, early } = this;
    let total = 0;
    for (let bar = 0; bar < early.length; bar++) if (wanted(bar)) total++;
    const most = early.length ? this.end + 1 : 0;
    const from = counts(total, most);
    const to = counts(total, most);
    const rows = new Uint32Array(start.length);
    let count = 0;
    for (let row = 0; row + 1 < start.length; row++) {
      let last = -Infinity;
      for (let bar = start[row]; bar < start[row + 1]; bar++) {
        if (!wanted(bar)) continue;
        last = Math.max(last, toEnd ? this.stopOf(bar) : early[bar] + this.lengthOf(bar));
        from[count] = early[bar];
        to[count++] = last;
      }
      rows[row + 1] = count;
    }
    const finest = { start: rows, from, to };
    return new Levels(toEnd ? close(finest, 0) : finest);
  }
}

export function counts(size: number, most: number): Counts {
  return most > LARGEST ? new Float64Array(size) : new Int32Array(size);
}

function largest(values: Numbers): number {
  let most = 0;
  for (const value of values) if (value > most) most = value;
  return most;
}

export interface Columns {
  row: Numbers;
  early: Numbers;
  slack: Numbers;
  length?: Numbers;
  step?: Numbers;
  node?: Numbers;
}

/** Sorts bars by row with a counting sort; those of a row come by their early step. */
export function sortBars(rows: number, columns: Columns, producer?: Numbers): Bars {
  const { row, early, slack } = columns;
  const start = new Uint32Array(rows + 1);
  for (const index of row) start[index + 1]++;
  for (let index = 0; index < rows; index++) start[index + 1] += start[index];
  const next = start.slice();
  const most = largest(early) + largest(slack) + (columns.length ? largest(columns.length) : 1);
  const sorted = (values?: Numbers) => (values ? counts(row.length, most) : null);
  const made = {
    early: counts(row.length, most),
    slack: counts(row.length, most),
    length: sorted(columns.length),
    step: columns.step ? counts(row.length, largest(columns.step)) : null,
    node: sorted(columns.node),
  };
  const reach = new Float64Array(rows);
  let begin = Infinity;
  let end = 0;
  for (let bar = 0; bar < row.length; bar++) {
    const own = row[bar];
    const place = next[own]++;
    made.early[place] = early[bar];
    made.slack[place] = slack[bar];
    if (made.length && columns.length) made.length[place] = columns.length[bar];
    if (made.step && columns.step) made.step[place] = columns.step[bar];
    if (made.node && columns.node) made.node[place] = columns.node[bar];
    const taken = (columns.length ? columns.length[bar] : 1) + slack[bar];
    if (taken > reach[own]) reach[own] = taken;
    if (producer?.[own]) continue;
    if (early[bar] < begin) begin = early[bar];
    if (early[bar] + taken > end) end = early[bar] + taken;
  }
  if (begin > end) begin = end;
  const { length, step, node } = made;
  return new Bars(start, made.early, length, made.slack, reach, begin, end, step, node);
}
