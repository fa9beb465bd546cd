// A graph drawn with low boxes that hold names alone, so that many layers are seen at once.

import { stage as sizes } from "../../../shared/panels.json";
import type { GraphModel } from "../model/graph.ts";

/** Pixels of the letters of a name in a box of full height. */
const LETTERS = 12;
const WIDER = sizes.font / LETTERS;

/** Whether boxes are too low for more than a name. */
export const isCompact = (data: GraphModel): boolean => data.height <= sizes.height;

/** The same graph with lower boxes, closer together. */
export function compacted(graph: GraphModel): GraphModel {
  const { height, pitch } = sizes;
  let layers = 1;
  for (const layer of graph.layer) layers = Math.max(layers, layer + 1);
  // Everything is as much wider as the letters are larger.
  const wider = (values: ArrayLike<number>) => Float64Array.from(values, (each) => each * WIDER);
  const [boxWidth, x, route] = [graph.boxWidth, graph.x, graph.route].map(wider);
  const width = graph.width * WIDER;
  const depth = (layers - 1) * pitch + height;
  return { ...graph, height, pitch, boxWidth, width, x, route, depth };
}

/** Whether names are larger in low boxes, when both drawings are shown as a whole. */
export function isLarger(low: number, full: number): boolean {
  return low * sizes.font > full * LETTERS;
}
