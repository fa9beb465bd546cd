// The executed order: which firing runs at each tick, and the first step at which it could run.

import type { Bars } from "./bars.ts";
import type { Listing } from "./listing.ts";
import type { TimelineModel } from "./timeline.ts";
import type { Model } from "./model.ts";
import type { Numbers } from "./payload.ts";
import { NONE } from "./search.ts";

/** What is known of the firings that are executed. */
interface Executed {
  readonly bars: Bars;
  /** The bar, and the early step, of each tick. */
  readonly order: Int32Array;
  readonly step: Float64Array;
  readonly isByStep: boolean;
}

export class Order {
  /** The early step of each tick; empty where there is no schedule, or it is of another graph. */
  readonly step: Float64Array;
  private made: Bars | null = null;
  /** Whether the steps are executed one after the other. */
  readonly isByStep: boolean;

  constructor(
    /** The node of each tick. */
    readonly node: Numbers,
    private readonly executed: Executed | null,
  ) {
    this.step = executed?.step ?? new Float64Array(0);
    this.isByStep = executed?.isByStep ?? true;
  }

  get ticks(): number {
    return this.node.length;
  }

  /** Whether the firings of a schedule are known. */
  get isListed(): boolean {
    return this.step.length > 0;
  }

  /** The bar of each tick in the schedule; empty as `step` is. */
  get bar(): Int32Array {
    return this.executed?.order ?? new Int32Array(0);
  }

  /** Bars one tick long, at the tick at which each runs; those that never do lie before all. */
  get ticked(): Bars | null {
    return (this.made ??= this.tickedBars());
  }

  private tickedBars(): Bars | null {
    const { executed, bar } = this;
    if (!executed || bar.length === 0) return null;
    const early = new Int32Array(executed.bars.count).fill(NONE);
    for (let tick = 0; tick < bar.length; tick++) early[bar[tick]] = tick;
    return executed.bars.at(early, bar.length);
  }
}

/** The order of the memory plan or, without a plan, that of the schedule. */
export function orderOf({ timeline, memory }: Model): Order {
  // A plan counts executions; the memories of a machine count its cycles.
  const planned = memory && memory.spaces.length === 0 ? memory.tickNode : null;
  const listing = timeline?.listing;
  if (!timeline || !listing) return new Order(planned ?? new Uint8Array(0), null);
  if (!planned?.length) return new Order(listing.node, listing);
  return new Order(planned, matched(planned, timeline, listing));
}

/** The firings in the order of a plan; null where it is not an order of the schedule. */
function matched(ticks: Numbers, timeline: TimelineModel, listing: Listing): Executed | null {
  if (ticks.length !== listing.node.length) return null;
  const rows = new Map<number, number>();
  timeline.name.forEach((_, row) => {
    const node = timeline.node[row];
    if (!timeline.producer[row] && !rows.has(node)) rows.set(node, row);
  });
  const { bars } = listing;
  const next = bars.start.slice();
  const order = new Int32Array(ticks.length);
  const step = new Float64Array(ticks.length);
  let isByStep = true;
  for (let tick = 0; tick < ticks.length; tick++) {
    const row = rows.get(ticks[tick]);
    if (row === undefined || next[row] >= bars.start[row + 1]) return null;
    order[tick] = next[row]++;
    step[tick] = bars.early[order[tick]];
    if (tick && step[tick] < step[tick - 1]) isByStep = false;
  }
  return { bars, order, step, isByStep };
}
