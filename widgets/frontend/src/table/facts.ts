// Facts about nodes that the table tells: when each fires, and what it keeps in memory. They are
// worked out when they are asked for: of a long list few lines are seen.

import type { Model } from "../model/model.ts";
import { groups } from "../model/search.ts";
import { WORK } from "../model/machine.ts";
import type { Fired } from "../model/listing.ts";
import type { TimelineModel } from "../model/timeline.ts";

export class Facts {
  readonly fired: (node: number) => Fired;
  private largest: Float64Array | null = null;
  private taken: Float64Array | null = null;

  constructor(private readonly model: Model) {
    const { timeline, count } = model;
    this.fired = timeline ? firedOf(timeline, count) : never;
  }

  /** Bytes of the largest buffer of a node. */
  bytes(node: number): number {
    return (this.largest ??= this.buffers())[node];
  }

  /** Cycles in which a machine computes each node. */
  get cycles(): Float64Array {
    return (this.taken ??= this.computed());
  }

  private computed(): Float64Array {
    const { count, devices } = this.model;
    const found = new Float64Array(count);
    const { listed, machine, type } = devices ?? {};
    const bars = listed?.bars;
    if (!bars?.node || !type) return found;
    for (let row = 0; row < type.length; row++) {
      if (type[row] === "link") continue;
      for (let bar = bars.start[row]; bar < bars.start[row + 1]; bar++) {
        if ((machine?.move?.[bar] ?? WORK) === WORK) found[bars.node[bar]] += bars.lengthOf(bar);
      }
    }
    return found;
  }

  private buffers(): Float64Array {
    const { count, memory } = this.model;
    const most = new Float64Array(count);
    if (!memory) return most;
    const { node, whole } = memory;
    for (let buffer = 0; buffer < node.length; buffer++) {
      if (whole[buffer] > most[node[buffer]]) most[node[buffer]] = whole[buffer];
    }
    return most;
  }
}

const never = (): Fired => ({ early: Infinity, slack: Infinity, firings: 0 });

function firedOf(timeline: TimelineModel, count: number): (node: number) => Fired {
  const rowsOf = groups(timeline.node, count);
  const { listing } = timeline;
  const ofRow = listing ? (row: number) => listing.fired(row) : leavesOfRow(timeline);
  const known = new Map<number, Fired>();
  return (node) => {
    let found = known.get(node);
    if (found) return found;
    found = never();
    for (const row of rowsOf(node)) {
      if (timeline.producer[row]) continue;
      const { early, slack, firings } = ofRow(row);
      found.early = Math.min(found.early, early);
      found.slack = Math.min(found.slack, slack);
      found.firings += firings;
    }
    known.set(node, found);
    return found;
  };
}

/** Of a schedule that is too long for its bars: from its loops. */
function leavesOfRow({ nest, name }: TimelineModel): (row: number) => Fired {
  const rows = name.map(never);
  if (nest) {
    nest.times.forEach((times, leaf) => {
      const found = rows[nest.row[leaf]];
      found.early = Math.min(found.early, nest.early[leaf]);
      found.slack = Math.min(found.slack, nest.slack[leaf]);
      found.firings += times;
    });
  }
  return (row) => rows[row];
}
