// The window at the start: all, or what lies around the peak.

import { column } from "../../../shared/panels.json";
import type { Store } from "../model/store.ts";
import { peakTick } from "../memory/usage.ts";
import { blockRuns, ticksAround } from "../timeline/blockRow.ts";

/** The units that are shown first in a plot of a width; null for all of them. */
export function startOf(store: Store, width: number): [number, number] | null {
  const { clock, model, state } = store;
  // Cycles are a line, not cells: however many there are, a run of all of them can be read.
  if (clock.isMachine || !clock.isAligned) return null;
  if (clock.count * column.whole <= width) return null;
  const { memory } = model;
  const tick = state.tick ?? (memory && !memory.spaces.length ? peakTick(memory) : 0);
  const most = Math.floor(width / column.whole);
  const runs = blockRuns(model, clock.order);
  let [first, stop] = runs.length ? ticksAround(runs, tick) : [tick, tick + 1];
  if (stop - first > most || !runs.length) {
    const half = Math.floor(width / column.start / 2);
    [first, stop] = [tick - half, tick + half];
    if (first < 0) [first, stop] = [0, 2 * half];
  }
  return [clock.at(Math.max(0, first)), clock.at(stop)];
}
