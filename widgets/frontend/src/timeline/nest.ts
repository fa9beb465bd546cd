// The loop nest of a schedule: loops are shown once, with their count, until they are opened. A
// loop of many copies opens into some of fewer, so that what is shown stays small.

import { ColumnGroup, type Columns, type Numbers } from "../core/payload.ts";
import { sortBars, type Bars } from "./bars.ts";

/** How many bars one click may bring, and into how many parts a loop of more is divided. */
const MOST_NEW = 1500;
const PARTS = 8;

interface Loop {
  count: number;
  start: number;
  stop: number;
  children: number[];
  /** Growth of early and late step from one copy to the next, by row. */
  shifts: Map<number, [early: number, late: number]>;
  period: number;
}

export interface Nest {
  row: Numbers;
  early: Numbers;
  slack: Numbers;
  loops: Loop[];
  outer: number[];
}

/** A repeated section that is shown once, or one that was opened; `id` opens and closes it. */
export interface Fold {
  id: string;
  repeat: number;
  isOpen: boolean;
  begin: number;
  end: number;
  lane: number;
}

export interface Unfolded {
  bars: Bars;
  folds: Fold[];
  lanes: number;
}

export function nestOf(columns: Columns): Nest {
  const [leaf, loop, shift] = [
    new ColumnGroup(columns, "nest"),
    new ColumnGroup(columns, "loop"),
    new ColumnGroup(columns, "shift"),
  ];
  const [count, start, stop] = [loop.get("count"), loop.get("start"), loop.get("stop")];
  const [parent, shifts] = [loop.get("parent"), loop.get("shifts")];
  const [row, early, late] = [shift.get("row"), shift.get("early"), shift.get("late")];
  const loops: Loop[] = [];
  const outer: number[] = [];
  let next = 0;
  for (let index = 0; index < count.length; index++) {
    const moved = new Map<number, [number, number]>();
    let period = 0;
    for (const last = next + shifts[index]; next < last; next++) {
      moved.set(row[next], [early[next], late[next]]);
      period = Math.max(period, early[next]);
    }
    loops.push({
      count: count[index],
      start: start[index],
      stop: stop[index],
      children: [],
      shifts: moved,
      period,
    });
    (parent[index] < 0 ? outer : loops[parent[index]].children).push(index);
  }
  const own = { row: leaf.get("row"), early: leaf.get("early"), slack: leaf.get("slack") };
  return { ...own, loops, outer };
}

type Offsets = Map<number, [early: number, late: number]>;

/** Lists the bars of a nest in which some loops are open. */
export class Unfolding {
  private readonly row: number[] = [];
  private readonly early: number[] = [];
  private readonly slack: number[] = [];
  private readonly step: number[] = [];
  private readonly folds: (Fold & { first: number; last: number })[] = [];
  private removed = 0;

  constructor(
    private readonly nest: Nest,
    private readonly open: ReadonlySet<string>,
    private readonly producer: Numbers,
  ) {
    this.list(0, nest.row.length, nest.outer, new Map(), "");
  }

  result(rows: number): Unfolded {
    const { row, early, slack, step } = this;
    const columns = { row, early, slack, step } as unknown as Record<"row", Numbers>;
    const bars = sortBars(rows, { early, slack, step, ...columns } as never, this.producer);
    for (const fold of this.folds) {
      fold.begin = Infinity;
      fold.end = -Infinity;
      for (let bar = fold.first; bar < fold.last; bar++) {
        if (this.producer[row[bar]]) continue;
        fold.begin = Math.min(fold.begin, early[bar]);
        fold.end = Math.max(fold.end, early[bar] + 1);
      }
    }
    const folds = this.folds.filter((fold) => fold.begin < fold.end);
    const lanes = assignLanes(folds);
    folds.forEach((fold, index) => (fold.lane = lanes[index]));
    return { bars, folds, lanes: Math.max(0, ...lanes.map((lane) => lane + 1)) };
  }

  private list(start: number, stop: number, loops: number[], offsets: Offsets, id: string): void {
    let leaf = start;
    for (const number of loops) {
      const loop = this.nest.loops[number];
      this.leaves(leaf, loop.start, offsets);
      this.loop(number, 0, loop.count, offsets, `${id}/${number}`);
      leaf = loop.stop;
    }
    this.leaves(leaf, stop, offsets);
  }

  private leaves(start: number, stop: number, offsets: Offsets): void {
    const { nest } = this;
    for (let leaf = start; leaf < stop; leaf++) {
      const row = nest.row[leaf];
      const [moved, movedLate] = offsets.get(row) ?? [0, 0];
      const early = nest.early[leaf] + moved;
      const late = nest.early[leaf] + nest.slack[leaf] + movedLate;
      this.row.push(row);
      this.early.push(early - this.removed);
      this.slack.push(Math.max(0, late - early));
      this.step.push(early);
    }
  }

  /** Lists copies `first` to `first + copies` of a loop: one, all of them, or parts. */
  private loop(number: number, first: number, copies: number, offsets: Offsets, id: string): void {
    const loop = this.nest.loops[number];
    const size = loop.stop - loop.start;
    const isOpen = this.open.has(id);
    const begin = this.row.length;
    const place = this.folds.length;
    if (copies > 1) {
      this.folds.push({
        id,
        repeat: copies,
        isOpen,
        begin: 0,
        end: 0,
        lane: 0,
        first: begin,
        last: 0,
      });
    }
    if (!isOpen || copies === 1) {
      this.copy(loop, first, offsets, id);
      this.removed += (copies - 1) * loop.period;
    } else if (copies * size <= MOST_NEW || copies <= PARTS) {
      for (let copy = 0; copy < copies; copy++) {
        this.copy(loop, first + copy, offsets, `${id}.${first + copy}`);
      }
    } else {
      for (let part = 0; part < PARTS; part++) {
        const from = Math.floor((copies * part) / PARTS);
        const to = Math.floor((copies * (part + 1)) / PARTS);
        const own = `${id}[${first + from}+${to - from}]`;
        this.loop(number, first + from, to - from, offsets, own);
      }
    }
    if (copies > 1) this.folds[place].last = this.row.length;
  }

  private copy(loop: Loop, copy: number, offsets: Offsets, id: string): void {
    const inside: Offsets = new Map(offsets);
    for (const [row, [early, late]] of loop.shifts) {
      const [more, moreLate] = offsets.get(row) ?? [0, 0];
      inside.set(row, [more + copy * early, moreLate + copy * late]);
    }
    this.list(loop.start, loop.stop, loop.children, inside, id);
  }
}

/** The shortest of the sections that are at a step, or within `reach` of it. */
export function innermost(folds: Fold[], at: number, reach = 0): Fold | null {
  const near = folds.filter(({ begin, end }) => at >= begin - reach && at < end + reach);
  return near.sort((a, b) => a.end - a.begin - (b.end - b.begin))[0] ?? null;
}

/** Puts spans that overlap on different lanes, first come first served. */
export function assignLanes(spans: { begin: number; end: number }[]): number[] {
  const ends: number[] = [];
  return spans.map(({ begin, end }) => {
    let lane = ends.findIndex((last) => last <= begin);
    if (lane < 0) lane = ends.length;
    ends[lane] = end;
    return lane;
  });
}

/** How often each leaf of a nest is executed. */
export function timesOf({ row, loops }: Nest): Float64Array {
  const times = new Float64Array(row.length).fill(1);
  for (const { start, stop, count } of loops) {
    for (let leaf = start; leaf < stop; leaf++) times[leaf] *= count;
  }
  return times;
}
