// Search by name and type: which nodes a query finds, and in which order.

import type { Model } from "./model.ts";

/** Finds nodes whose name or type holds every word of the query, whatever the case. */
export function findNodes(model: Model, query: string): Uint8Array | null {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return null;
  return Uint8Array.from({ length: model.count }, (_, node) => {
    const text = `${model.name[node]} ${model.type[node]}`.toLowerCase();
    return words.every((word) => text.includes(word)) ? 1 : 0;
  });
}

/** Lists the nodes that were found: the whole name first, then the whole type, then names and
 *  types that begin with the query, then the others; within each, in the order of the graph. */
export function byCloseness(model: Model, query: string, found: Uint8Array): number[] {
  const sought = query.trim().toLowerCase();
  const tiers: number[][] = [[], [], [], [], []];
  found.forEach((hit, node) => hit && tiers[tierOf(model, sought, node)].push(node));
  return tiers.flat();
}

function tierOf({ name, names, type }: Model, sought: string, node: number): number {
  const called = [name[node], names.leaf(name[node])].map((text) => text.toLowerCase());
  const kind = type[node].toLowerCase();
  if (called.includes(sought)) return 0;
  if (kind === sought) return 1;
  if (called.some((text) => text.startsWith(sought))) return 2;
  return kind.startsWith(sought) ? 3 : 4;
}

/** One mark per node, for the nodes listed. */
export function marked(nodes: readonly number[], count: number): Uint8Array {
  const marks = new Uint8Array(count);
  for (const node of nodes) marks[node] = 1;
  return marks;
}
