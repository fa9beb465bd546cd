// Level of detail: intervals whose gaps are too small to be seen are one interval. Made once, for
// gaps of 1, 2, 4, … units, so that a frame costs what its pixels do and not what the data do.

import { lowerBound } from "./search.ts";

/** Integers that a schedule counts: narrow where they allow it. */
export type Counts = Int32Array | Float64Array;

/** Intervals of all rows; those of a row lie from `start[row]` to `start[row + 1]`, sorted. */
export interface Intervals {
  start: Uint32Array;
  from: Counts;
  to: Counts;
}

const WIDEST = 2 ** 52;

export class Levels {
  private readonly levels: { gap: number; intervals: Intervals }[];

  constructor(finest: Intervals) {
    this.levels = [{ gap: 0, intervals: finest }];
    let last = finest;
    for (let gap = 1; gap < WIDEST && last.from.length > 2 * rowsOf(last); gap *= 2) {
      // A level is kept where it halves the last one: all together take less than twice the data.
      if (countClosed(last, gap) * 2 > last.from.length) continue;
      last = close(last, gap);
      this.levels.push({ gap, intervals: last });
    }
  }

  /** Intervals in which gaps of at most `gap` are closed, as far as that saves something. */
  at(gap: number): Intervals {
    let found = this.levels[0];
    for (const level of this.levels) if (level.gap <= gap) found = level;
    return found.intervals;
  }
}

const rowsOf = ({ start }: Intervals) => start.length - 1;

function countClosed({ start, from, to }: Intervals, gap: number): number {
  let count = 0;
  for (let row = 0; row + 1 < start.length; row++) {
    let end = -Infinity;
    for (let index = start[row]; index < start[row + 1]; index++) {
      if (from[index] - end > gap) count++;
      if (to[index] > end) end = to[index];
    }
  }
  return count;
}

/** Closes gaps of at most `gap`. */
export function close(intervals: Intervals, gap: number): Intervals {
  const { start, from, to } = intervals;
  const total = countClosed(intervals, gap);
  const like = (values: Counts, size: number): Counts =>
    values instanceof Int32Array ? new Int32Array(size) : new Float64Array(size);
  const kept = {
    start: new Uint32Array(start.length),
    from: like(from, total),
    to: like(to, total),
  };
  let count = 0;
  for (let row = 0; row + 1 < start.length; row++) {
    let end = -Infinity;
    for (let index = start[row]; index < start[row + 1]; index++) {
      if (from[index] - end > gap) kept.from[count++] = from[index];
      if (to[index] > end) end = to[index];
      kept.to[count - 1] = end;
    }
    kept.start[row + 1] = count;
  }
  return kept;
}

/** The first interval of a row that ends after a value, where no interval holds another. */
export function firstPast({ start, to }: Intervals, row: number, value: number): number {
  return lowerBound(to, value, start[row], start[row + 1]);
}
