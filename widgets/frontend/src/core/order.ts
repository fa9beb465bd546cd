// The executed order: which firing runs at each tick, and the first step at which it could run.

import type { Bars } from "../timeline/bars.ts";
import type { TimelineModel } from "../timeline/model.ts";
import type { Model } from "./model.ts";
import type { Numbers } from "./payload.ts";
import { NONE } from "./search.ts";

export class Order {
  /** The bar of each tick in the schedule; empty where there is none, or it is of another graph. */
  readonly bar: Int32Array;
  /** The early step of each tick; empty as `bar` is. */
  readonly step: Float64Array;
  private made: Bars | null = null;
  /** Whether the steps are executed one after the other. */
  readonly isByStep: boolean;

  constructor(
    /** The node of each tick. */
    readonly node: Numbers,
    bar: Int32Array | null,
    private readonly bars: Bars | null,
  ) {
    this.bar = bar ?? new Int32Array(0);
    const { length } = this.bar;
    this.step = new Float64Array(length);
    let isByStep = true;
    for (let tick = 0, before = -Infinity; bars && tick < length; tick++) {
      const step = bars.early[this.bar[tick]];
      this.step[tick] = step;
      if (step < before) isByStep = false;
      before = step;
    }
    this.isByStep = isByStep;
  }

  get ticks(): number {
    return this.node.length;
  }

  /** Whether the firings of a schedule are known. */
  get isListed(): boolean {
    return this.bars !== null && this.bar.length > 0;
  }

  /** Bars one tick long, at the tick at which each runs; those that never do lie before all. */
  get ticked(): Bars | null {
    return (this.made ??= this.tickedBars());
  }

  private tickedBars(): Bars | null {
    const { bars, bar } = this;
    if (!bars || bar.length === 0) return null;
    const early = new Int32Array(bars.count).fill(NONE);
    for (let tick = 0; tick < bar.length; tick++) early[bar[tick]] = tick;
    return bars.at(early, bar.length);
  }
}

/** The order of the memory plan or, without a plan, that of the schedule. */
export function orderOf({ timeline, memory }: Model): Order {
  // A plan counts executions; the memories of a machine count its cycles.
  const planned = memory && memory.spaces.length === 0 ? memory.tickNode : null;
  const bars = timeline?.flat ?? null;
  if (!timeline || !bars) return new Order(planned ?? new Uint8Array(0), null, null);
  if (planned?.length) return new Order(planned, matched(planned, timeline, bars), bars);
  const own = timeline.order;
  return new Order(nodesOf(own, timeline, bars), own, bars);
}

/** The node of each of some bars. */
function nodesOf(order: Int32Array, { node }: TimelineModel, { start, count }: Bars): Int32Array {
  const ofBar = new Int32Array(count);
  for (let row = 0; row + 1 < start.length; row++) {
    ofBar.fill(node[row], start[row], start[row + 1]);
  }
  const found = new Int32Array(order.length);
  for (let tick = 0; tick < order.length; tick++) found[tick] = ofBar[order[tick]];
  return found;
}

/** The bar of each tick of a plan; null where it is not an order of the schedule. */
function matched(ticks: Numbers, timeline: TimelineModel, bars: Bars): Int32Array | null {
  const rows = new Map<number, number>();
  timeline.name.forEach((_, row) => {
    const node = timeline.node[row];
    if (!timeline.producer[row] && !rows.has(node)) rows.set(node, row);
  });
  const next = bars.start.slice();
  const found = new Int32Array(ticks.length);
  for (let tick = 0; tick < ticks.length; tick++) {
    const row = rows.get(ticks[tick]);
    if (row === undefined || next[row] >= bars.start[row + 1]) return null;
    found[tick] = next[row]++;
  }
  return ticks.length === timeline.order.length ? found : null;
}
