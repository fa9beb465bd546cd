// Add weights to a plan of activations, in a region above it.

import { orderOf, WEIGHTS, type MemoryModel } from "../model/memory.ts";

/** Of the peak, how far above it the region of the weights begins. */
const GAP = 0.12;

/** Adds a rectangle for the weights of each node, which live as long as the program does. */
export function withWeights(plan: MemoryModel, nodes: readonly string[]): MemoryModel {
  const { weights } = plan;
  if (!weights) return plan;
  const owners = Array.from(weights.keys()).filter((node) => weights[node] > 0);
  const base = Math.round(Math.max(plan.peak, plan.lowerBound) * (1 + GAP));
  let stop = base;
  const offsets = owners.map((node) => (stop += weights[node]) - weights[node]);
  const more = (values: ArrayLike<number>, own: number[]) =>
    Float64Array.from([...Array.from(values), ...own]);
  const same = (value: number) => owners.map(() => value);
  const lower = more(plan.lower, same(0));
  const upper = more(plan.upper, same(Math.max(1, plan.ticks)));
  const [order, reached] = orderOf(lower, upper);
  const sizes = owners.map((node) => weights[node]);
  return {
    ...plan,
    names: [...plan.names, ...owners.map((node) => `${nodes[node]} weights`)],
    node: more(plan.node, owners),
    kind: more(plan.kind, same(WEIGHTS)),
    lower,
    upper,
    offset: more(plan.offset, offsets),
    size: more(plan.size, sizes),
    whole: more(plan.whole, sizes),
    order,
    reached,
    region: { name: "weights, read only:", base, size: stop - base },
  };
}
