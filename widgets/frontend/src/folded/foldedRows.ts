// The firings of a piece of the ruler, as they are drawn there.

import { isOfLoop, turnsAway, type Frame, type Piece } from "../model/frames.ts";
import type { Drawn } from "./foldedPainter.ts";
import type { Nest } from "../model/nest.ts";

/** Lists what is seen in a piece; rows that are not shown are left out. */
export function drawnIn(
  nest: Nest,
  frames: readonly Frame[],
  piece: Piece,
  shown: ReadonlyMap<number, unknown>,
): Drawn[] {
  const { t0, t1, path } = piece;
  const found = nest
    .seen(t0, t1)
    .filter(({ row }) => shown.has(row))
    .map((seen) => ({
      ...seen,
      away: turnsAway(nest, frames, path, seen.row, seen.execution),
      isGuest: path.length === 0 && isOfLoop(nest, frames, seen.row, seen.execution),
      run: 1,
      overlaps: false,
    }))
    .sort((a, b) => a.row - b.row || a.early - b.early);
  joinRuns(nest, found, t0);
  markOverlaps(found);
  return found;
}

/** Makes one bar of the firings of a run that are all in the piece. */
function joinRuns(nest: Nest, items: Drawn[], t0: number): void {
  for (let first = 0; first < items.length; first++) {
    const { leaf, early, row } = items[first];
    const count = nest.runOf(leaf);
    if (count < 2 || early < t0) continue;
    let last = first;
    while (items[last + 1]?.leaf === leaf && items[last + 1].early === items[last].early + 1)
      last++;
    if (last - first + 1 !== count || items[last].row !== row) continue;
    for (let each = first + 1; each <= last; each++) items[each].run = 0;
    items[first] = { ...items[first], run: count, late: items[last].late };
    first = last;
  }
}

/** Marks windows that begin before another of their row has ended. */
function markOverlaps(items: Drawn[]): void {
  let reached = -1;
  items.forEach((item, index) => {
    const before = items[index - 1];
    if (before?.row !== item.row) reached = -1;
    if (item.run && item.early <= reached && before && item.late > item.early) {
      item.overlaps = true;
      if (before.late > before.early) before.overlaps = true;
    }
    reached = Math.max(reached, item.late);
  });
}
