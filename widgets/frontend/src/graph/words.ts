// Say what a box of the graph stands for.

import type { Model } from "../model/model.ts";
import { elide } from "../core/text.ts";
import type { GraphModel } from "../model/graph.ts";

/** The lines of the tooltip of a box. */
export function linesOf(graph: GraphModel, box: number, model: Model): string[] {
  const { members, name, type, stacks } = graph;
  const [node, ...others] = members[box];
  const own = [name[box], type[box]];
  if (stacks?.has(box)) return [...own, "outside of the window; a click shows them"];
  if (others.length) return [...own, "double click or Enter to open"];
  if (node === undefined) return own;
  return name[box] === model.name[node]
    ? describe(node, model)
    : [...own, ...describe(node, model)];
}

function describe(node: number, { name, type, meta }: Model): string[] {
  const details = meta.nodes.details[node].slice(0, 6);
  return [
    name[node],
    type[node],
    ...details.map(([label, text]) => `${label}: ${elide(text, 60)}`),
  ];
}
