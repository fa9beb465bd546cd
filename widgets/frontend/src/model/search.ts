// Search in sorted columns, and group their rows.

import type { Numbers } from "./payload.ts";

/** The index of no item. */
export const NONE = -1;

/** First index in [from, to) whose value is at least `wanted`; values must not decrease. */
export function lowerBound(
  values: ArrayLike<number>,
  wanted: number,
  from: number,
  to: number,
): number {
  while (from < to) {
    const middle = (from + to) >>> 1;
    if (values[middle] < wanted) from = middle + 1;
    else to = middle;
  }
  return from;
}

/** The places of values from the least to the greatest; of equal ones the first comes first. */
export function sortedBy(values: ArrayLike<number>): Uint32Array {
  const order = new Uint32Array(values.length);
  let isSorted = true;
  for (let place = 0; place < order.length; place++) {
    order[place] = place;
    if (place && values[place - 1] > values[place]) isSorted = false;
  }
  return isSorted ? order : order.sort((a, b) => values[a] - values[b] || a - b);
}

/** Lists what belongs to each node; made when it is asked for first. */
export function groups(node: Numbers, count: number): (node: number) => number[] {
  let known: Groups | null = null;
  return (each) => {
    const { start, found } = (known ??= grouped(node, count));
    return Array.from(found.subarray(start[each], start[each + 1]));
  };
}

/** What belongs to each node, sorted: that of node `n` lies from `start[n]` to `start[n + 1]`. */
export interface Groups {
  start: Uint32Array;
  found: Uint32Array;
}

export function grouped(node: Numbers, count: number): Groups {
  const start = new Uint32Array(count + 1);
  for (let item = 0; item < node.length; item++) start[node[item] + 1]++;
  for (let each = 0; each < count; each++) start[each + 1] += start[each];
  const next = start.slice();
  const found = new Uint32Array(node.length);
  for (let item = 0; item < node.length; item++) found[next[node[item]]++] = item;
  return { start, found };
}
