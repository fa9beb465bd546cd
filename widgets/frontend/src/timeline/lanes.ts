// Lanes: many operators in a few rows. At ticks there is one lane, for one operator runs at a time;
// at steps there are as many lanes as windows from early to late are open at once.

import type { Order } from "../model/order.ts";
import type { Numbers } from "../model/payload.ts";
import { NONE } from "../model/search.ts";
import type { Store } from "../model/store.ts";
import { Bars, sortBars } from "../model/bars.ts";
import type { Counts } from "../model/levels.ts";
import type { Listing } from "../model/listing.ts";
import type { TimelineModel } from "../model/timeline.ts";

/** All operators in one lane, each at its tick. */
export function tickLane(order: Order): TimelineModel {
  const count = order.ticks;
  const early = new Int32Array(count);
  for (let tick = 0; tick < count; tick++) early[tick] = tick;
  const columns = { early, slack: new Int32Array(count), node: asCounts(order.node) };
  const [length, step, work] = [null, null, null];
  const bars = new Bars(
    Uint32Array.of(0, count),
    { ...columns, length, step, work },
    Float64Array.of(1),
    0,
    count,
  );
  return lanesOf(["operator"], bars);
}

const asCounts = (values: Numbers): Counts =>
  values instanceof Int32Array ? values : new Int32Array(values);

/** Windows from early to late step, packed into lanes; what follows another stays in its lane. */
export function stepLanes(store: Store, data: Listing): TimelineModel {
  const lanes = packed(store, data);
  const { order, node, bars: flat } = data;
  const sorted = order
    .map((_, at) => at)
    .sort((a, b) => flat.early[order[a]] - flat.early[order[b]]);
  const column = (of: (at: number) => number) => Int32Array.from(sorted, of);
  const count = lanes.reduce((most, lane) => Math.max(most, lane + 1), 0);
  const bars = sortBars(count, {
    row: column((at) => lanes[at]),
    early: column((at) => flat.early[order[at]]),
    slack: column((at) => flat.slack[order[at]]),
    node: column((at) => node[at]),
  });
  return lanesOf(
    Array.from({ length: count }, (_, lane) => `lane ${lane + 1}`),
    bars,
  );
}

/** The lane of each firing in the order of the schedule. */
function packed(store: Store, data: Listing): Int32Array {
  const { order, bars: flat } = data;
  const givers = giversOf(store);
  const places = order
    .map((_, at) => at)
    .sort(
      (a, b) =>
        flat.early[order[a]] - flat.early[order[b]] ||
        flat.stopOf(order[a]) - flat.stopOf(order[b]) ||
        a - b,
    );
  const ends: number[] = [];
  const lanes = new Int32Array(order.length);
  const laneOf = new Map<number, number>();
  for (const at of places) {
    const bar = order[at];
    const node = data.node[at];
    const from = flat.early[bar];
    const isFree = (lane: number | undefined) => lane !== undefined && ends[lane] <= from;
    const own = (givers.get(node) ?? []).map((giver) => laneOf.get(giver)).find(isFree);
    let lane = own ?? ends.findIndex((end) => end <= from);
    if (lane < 0) lane = ends.length;
    ends[lane] = flat.stopOf(bar);
    lanes[at] = lane;
    laneOf.set(node, lane);
  }
  return lanes;
}

/** What each node waits for. */
export function giversOf({ model }: Store): Map<number, number[]> {
  const found = new Map<number, number[]>();
  const { graph } = model;
  if (!graph) return found;
  for (let edge = 0; edge < graph.source.length; edge++) {
    const [source, target] = [graph.source[edge], graph.target[edge]];
    if (graph.back[edge]) continue;
    found.set(target, [...(found.get(target) ?? []), source]);
  }
  return found;
}

function lanesOf(name: string[], flat: Bars): TimelineModel {
  return {
    steps: flat.end,
    unit: "step",
    name,
    type: name.map(() => ""),
    node: new Int32Array(name.length).fill(NONE),
    producer: new Uint8Array(name.length),
    listed: flat,
    nest: null,
    frames: [],
  };
}

/** Where a firing could stand in the order that runs, everything else staying. */
export interface Room {
  first: number;
  last: number;
  /** The tick of what it waits for last, and of what waits for it first; NONE for none. */
  after: number;
  before: number;
}

/** The room of a node that fires once, among nodes that fire once; null where that is not known. */
export function roomOf(store: Store, node: number): Room | null {
  const { graph } = store.model;
  const { order } = store.clock;
  const ticks = new Map<number, number>();
  for (let tick = 0; tick < order.ticks; tick++) {
    if (ticks.has(order.node[tick])) return null;
    ticks.set(order.node[tick], tick);
  }
  if (!graph || !ticks.has(node)) return null;
  let [after, before] = [NONE, order.ticks];
  for (let edge = 0; edge < graph.source.length; edge++) {
    if (graph.back[edge]) continue;
    const [source, target] = [graph.source[edge], graph.target[edge]];
    if (target === node) after = Math.max(after, ticks.get(source) ?? NONE);
    if (source === node) before = Math.min(before, ticks.get(target) ?? order.ticks);
  }
  const end = before === order.ticks ? NONE : before;
  return { first: after + 1, last: before - 1, after, before: end };
}
