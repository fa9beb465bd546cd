// Bars as columns sorted by row, with levels of detail for a million of them.

import type { Numbers } from "./payload.ts";
import { grouped, lowerBound, NONE, type Groups } from "./search.ts";
import { close, Levels, type Counts } from "./levels.ts";

const LARGEST = 2 ** 31 - 1;

/** Bars sorted by row, then as they came; `start[row]` to `start[row + 1]` are those of a row. */
export class Bars {
  /** Levels of detail of all rows: bars without slack, other bars, their tails. */
  private levels: { full: Levels; begin: Levels; tail: Levels } | null = null;

  private owned: Groups | null = null;

  readonly early: Counts;
  readonly slack: Counts;
  /** Length of each bar; null where all are one step long. */
  readonly length: Counts | null;
  /** The step of each bar where `early` is not that, for what is folded moves. */
  readonly step: Counts | null;
  /** The node of each bar, where a row has bars of several. */
  readonly node: Counts | null;
  /** Index into the works for each bar, where nodes are computed together. */
  private readonly work: Counts | null;

  constructor(
    readonly start: Uint32Array,
    columns: Record<"early" | "slack", Counts> &
      Record<"length" | "step" | "node" | "work", Counts | null>,
    /** The most that a bar of a row takes, with its slack. */
    readonly reach: Float64Array,
    /** Where the bars of operators begin and end, without those of weights. */
    readonly begin: number,
    readonly end: number,
    /** Nodes that are computed together. */
    private readonly works: readonly number[][] = [],
    /** The place of each bar as they came. */
    readonly places: Uint32Array = new Uint32Array(0),
  ) {
    this.early = columns.early;
    this.slack = columns.slack;
    this.length = columns.length;
    this.step = columns.step;
    this.node = columns.node;
    this.work = columns.work;
  }

  get count(): number {
    return this.early.length;
  }

  /** Itself: these bars are sorted. */
  get bars(): Bars {
    return this;
  }

  lengthOf(bar: number): number {
    return this.length ? this.length[bar] : 1;
  }

  /** The end of a bar, slack included; half-open. */
  stopOf(bar: number): number {
    return this.early[bar] + this.lengthOf(bar) + this.slack[bar];
  }

  stepOf(bar: number): number {
    return this.step ? this.step[bar] : this.early[bar];
  }

  /** The row of a bar. */
  rowOf(bar: number): number {
    return lowerBound(this.start, bar + 1, 0, this.start.length) - 1;
  }

  /** The same bars at other times, one unit long and without slack; those before 0 are not seen. */
  at(early: Counts, end: number): Bars {
    const columns = { length: null, step: null, node: this.node, work: this.work };
    const slack = new Int32Array(early.length);
    const reach = new Float64Array(this.start.length - 1).fill(1);
    return new Bars(this.start, { early, slack, ...columns }, reach, 0, end, this.works);
  }

  /** The same bars; those that are not shown lie behind the end, where nothing is drawn. */
  only(isShown: (bar: number) => boolean): Bars {
    const { slack, length, step, node, work, end } = this;
    const early = this.early.map((at, bar) => (isShown(bar) ? at : Math.max(at, end) + 1));
    const columns = { early, slack, length, step, node, work };
    return new Bars(this.start, columns, this.reach, this.begin, end, this.works, this.places);
  }

  /** The nodes that a bar computes, where bars have nodes; the one that colours it comes first. */
  nodesOf(bar: number): number[] {
    if (!this.node) return [];
    const main = this.node[bar];
    const others = this.work ? this.works[this.work[bar]] : [];
    return [main, ...others.filter((node) => node !== main)];
  }

  /** The bars of a node in a row, where bars have nodes: they lie in [first, last) of `list`. */
  ofNode(node: number, row: number): { list: Uint32Array; first: number; last: number } {
    const { start, found: list } = (this.owned ??= this.listed());
    const [from, to] = [start[node] ?? 0, start[node + 1] ?? 0];
    const first = lowerBound(list, this.start[row], from, to);
    return { list, first, last: lowerBound(list, this.start[row + 1], first, to) };
  }

  /** The bars of each node. */
  private listed(): Groups {
    const node = this.node ?? new Int32Array(0);
    if (!this.work) return grouped(node, largest(node) + 1);
    const [owner, bars]: [number[], number[]] = [[], []];
    for (let bar = 0; bar < node.length; bar++) {
      for (const one of this.nodesOf(bar)) {
        owner.push(one);
        bars.push(bar);
      }
    }
    const all = Int32Array.from(owner);
    const { start, found } = grouped(all, largest(all) + 1);
    return { start, found: found.map((at) => bars[at]) };
  }

  /** Whether a bar computes a node, alone or with others. */
  isOf(bar: number, node: number): boolean {
    if (!this.node) return false;
    if (this.node[bar] === node) return true;
    return this.work !== null && this.works[this.work[bar]].includes(node);
  }

  drawn(): { full: Levels; begin: Levels; tail: Levels } {
    this.levels ??= {
      full: this.pick(false, false),
      begin: this.pick(true, false),
      tail: this.pick(true, true),
    };
    return this.levels;
  }

  private pick(hasSlack: boolean, toEnd: boolean): Levels {
    const { start, early, slack } = this;
    let total = 0;
    for (let bar = 0; bar < early.length; bar++) if (slack[bar] > 0 === hasSlack) total++;
    const most = early.length ? this.end + 1 : 0;
    const from = counts(total, most);
    const to = counts(total, most);
    const rows = new Uint32Array(start.length);
    let count = 0;
    for (let row = 0; row + 1 < start.length; row++) {
      let last = -Infinity;
      for (let bar = start[row]; bar < start[row + 1]; bar++) {
        if (slack[bar] > 0 !== hasSlack) continue;
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

/** The values as one kind of array, so that all loops over them are compiled once. */
function plain(values: Numbers): Counts {
  if (!(values instanceof Uint8Array || values instanceof Uint16Array)) {
    if (largest(values) > LARGEST) return Float64Array.from(values);
  }
  return new Int32Array(values);
}

function largest(values: Numbers): number {
  if (values instanceof Uint8Array) return 2 ** 8;
  if (values instanceof Uint16Array) return 2 ** 16;
  let most = 0;
  for (let index = 0; index < values.length; index++) {
    if (values[index] > most) most = values[index];
  }
  return most;
}

export interface Columns {
  row: Numbers;
  early: Numbers;
  slack: Numbers;
  length?: Numbers;
  step?: Numbers;
  node?: Numbers;
  work?: Numbers;
}

/** Sorts bars by row with a counting sort; those of a row come by their early step. */
export function sortBars(
  rows: number,
  columns: Columns,
  producer?: Numbers,
  works: readonly number[][] = [],
): Bars {
  const row = plain(columns.row);
  const start = new Uint32Array(rows + 1);
  for (let bar = 0; bar < row.length; bar++) start[row[bar] + 1]++;
  for (let index = 0; index < rows; index++) start[index + 1] += start[index];
  const places = new Uint32Array(row.length);
  const next = start.slice();
  const [early, slack] = [plain(columns.early), plain(columns.slack)];
  const { length } = columns;
  const most = largest(columns.early) + largest(columns.slack) + (length ? largest(length) : 1);
  const [begins, waits] = [counts(row.length, most), counts(row.length, most)];
  for (let bar = 0; bar < row.length; bar++) {
    const place = next[row[bar]]++;
    places[bar] = place;
    begins[place] = early[bar];
    waits[place] = slack[bar];
  }
  const sorted = (values: Numbers | undefined, bound: number) =>
    values ? sort(plain(values), places, bound) : null;
  const made = {
    early: begins,
    slack: waits,
    length: sorted(length, most),
    step: columns.step ? sorted(columns.step, largest(columns.step)) : null,
    node: sorted(columns.node, most),
    work: sorted(columns.work, most),
  };
  const reach = new Float64Array(rows);
  let begin = Infinity;
  let end = 0;
  for (let own = 0; own < rows; own++) {
    let taken = 0;
    let stop = 0;
    for (let bar = start[own]; bar < start[own + 1]; bar++) {
      const lasts = (made.length ? made.length[bar] : 1) + made.slack[bar];
      if (lasts > taken) taken = lasts;
      if (made.early[bar] + lasts > stop) stop = made.early[bar] + lasts;
      if (made.early[bar] < begin && !producer?.[own]) begin = made.early[bar];
    }
    reach[own] = taken;
    if (stop > end && !producer?.[own]) end = stop;
  }
  if (begin > end) begin = end;
  return new Bars(start, made, reach, begin, end, works, places);
}

/** Puts each value at its place; `most` is the largest that is counted with them. */
function sort(values: Counts, places: Uint32Array, most: number): Counts {
  const made = counts(values.length, most);
  for (let bar = 0; bar < places.length; bar++) made[places[bar]] = values[bar];
  return made;
}

/** The bar of a row at a step, or the closest one within `reach` steps. */
export function barAt(bars: Bars, row: number, step: number, reach: number): number {
  const { start, early } = bars;
  const first = step - bars.reach[row] - reach;
  let best = NONE;
  let closest = Infinity;
  let bar = lowerBound(early, first, start[row], start[row + 1]);
  for (; bar < start[row + 1] && early[bar] <= step + reach; bar++) {
    const end = bars.stopOf(bar);
    const distance = step < early[bar] ? early[bar] - step : step >= end ? step - end : 0;
    if (distance <= reach && distance <= closest) {
      best = bar;
      closest = distance;
    }
  }
  return best;
}
