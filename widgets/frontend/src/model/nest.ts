// The loop nest of a schedule, and the firings of a stretch of steps in it. A stretch is answered
// from the arithmetic of the loops: a billion turns cost as much as ten. widgets/scene/nest.py
// answers the same in Python.

import { ColumnGroup, type Columns, type Numbers } from "./payload.ts";

/** Most firings of a leaf that began before a stretch: the first to end and the last are listed. */
const MOST_TAILS = 32;

type Growth = readonly [execution: number, early: number, late: number];

export interface Loop {
  count: number;
  start: number;
  stop: number;
  parent: number;
  /** Growth from one copy to the next, by row. */
  growth: Map<number, Growth>;
}

/** A firing that is seen in a stretch of steps, with its true steps. */
export interface Seen {
  leaf: number;
  row: number;
  execution: number;
  early: number;
  late: number;
}

/** A loop around a leaf, and how far the loops inside it can move the leaf. */
interface Level {
  count: number;
  growth: Growth;
  early: number;
  late: number;
}

export class Nest {
  readonly loops: Loop[];
  readonly row: Numbers;
  readonly execution: Numbers;
  readonly early: Numbers;
  readonly slack: Numbers;
  private readonly levels: Level[][];

  constructor(columns: Columns) {
    const leaf = new ColumnGroup(columns, "nest");
    this.row = leaf.get("row");
    this.execution = leaf.get("execution");
    this.early = leaf.get("early");
    this.slack = leaf.get("slack");
    this.loops = loopsOf(columns);
    this.levels = Array.from(this.row, () => []);
    // The innermost come last: going backwards, each knows what those inside it do.
    for (const { start, stop, count, growth } of this.loops.toReversed()) {
      for (let leaf = start; leaf < stop; leaf++) {
        const [inner] = this.levels[leaf];
        const early = inner ? inner.early + (inner.count - 1) * inner.growth[1] : 0;
        const late = inner ? inner.late + (inner.count - 1) * inner.growth[2] : 0;
        const own = growth.get(this.row[leaf]) ?? [0, 0, 0];
        this.levels[leaf].unshift({ count, growth: own, early, late });
      }
    }
  }

  /** Copies of the innermost loop, where it repeats nothing but this leaf at every step; else 0. */
  runOf(leaf: number): number {
    const inner = this.levels[leaf].at(-1);
    const isAlone = this.loops.some(({ start, stop }) => start === leaf && stop === leaf + 1);
    return inner && isAlone && inner.growth[1] === 1 ? inner.count : 0;
  }

  /** How often each leaf is executed. */
  get times(): number[] {
    return this.levels.map((levels) => levels.reduce((times, { count }) => times * count, 1));
  }

  /** The firings whose window reaches into [begin, end); those of a leaf by their steps. */
  seen(begin: number, end: number): Seen[] {
    const found: Seen[] = [];
    for (let leaf = 0; leaf < this.row.length; leaf++) {
      const early = this.early[leaf];
      const at: Growth = [this.execution[leaf], early, early + this.slack[leaf]];
      this.copies(leaf, 0, at, begin, end, found);
    }
    return found;
  }

  private copies(
    leaf: number,
    depth: number,
    [execution, early, late]: Growth,
    begin: number,
    end: number,
    found: Seen[],
  ): void {
    const level = this.levels[leaf][depth];
    if (!level) {
      if (early < end && late >= begin)
        found.push({ leaf, row: this.row[leaf], execution, early, late });
      return;
    }
    const [moreExecutions, moreEarly, moreLate] = level.growth;
    let [low, high] = [0, level.count - 1];
    if (moreEarly > 0) high = Math.min(high, Math.floor((end - 1 - early) / moreEarly));
    if (moreLate > 0) low = Math.max(low, Math.ceil((begin - late - level.late) / moreLate));
    const inside = Math.ceil((begin - early - level.early) / moreEarly);
    const first = moreEarly > 0 ? Math.max(low, Math.min(high, inside)) : high;
    const few = first - low > 2 * MOST_TAILS;
    for (let copy = low; copy <= high; copy++) {
      if (few && copy === low + MOST_TAILS) copy = first - MOST_TAILS;
      const moved: Growth = [
        execution + copy * moreExecutions,
        early + copy * moreEarly,
        late + copy * moreLate,
      ];
      this.copies(leaf, depth + 1, moved, begin, end, found);
    }
  }
}

function loopsOf(columns: Columns): Loop[] {
  const loop = new ColumnGroup(columns, "loop");
  const shift = new ColumnGroup(columns, "shift");
  const count = loop.find("count");
  if (!count) return [];
  const [start, stop, parent] = [loop.get("start"), loop.get("stop"), loop.get("parent")];
  const [shifts, row] = [loop.get("shifts"), shift.get("row")];
  const [execution, early, late] = [shift.get("execution"), shift.get("early"), shift.get("late")];
  let next = 0;
  return Array.from(count, (copies, index) => {
    const growth = new Map<number, Growth>();
    for (const last = next + shifts[index]; next < last; next++) {
      growth.set(row[next], [execution[next], early[next], late[next]]);
    }
    return {
      count: copies,
      start: start[index],
      stop: stop[index],
      parent: parent[index],
      growth,
    };
  });
}
