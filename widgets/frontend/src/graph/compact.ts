// A graph drawn with low boxes that hold names alone, so that many layers are seen at once.

import { stage as sizes } from "../../../shared/panels.json";
import type { GraphModel } from "./model.ts";

/** Whether boxes are too low for more than a name. */
export const isCompact = (data: GraphModel): boolean => data.height <= sizes.height;

/** The same graph with lower boxes, closer together. */
export function compacted(graph: GraphModel): GraphModel {
  const { height, pitch } = sizes;
  let layers = 1;
  for (const layer of graph.layer) layers = Math.max(layers, layer + 1);
  // Boxes stand further apart than this: wider ones still do not touch each other.
  const boxWidth = Float64Array.from(graph.boxWidth, (wide) => wide + sizes.wider);
  const width = graph.width + sizes.wider;
  const x = Float64Array.from(graph.x, (middle) => middle + sizes.wider / 2);
  const route = Float64Array.from(graph.route, (middle) => middle + sizes.wider / 2);
  const depth = (layers - 1) * pitch + height;
  return { ...graph, height, pitch, boxWidth, width, x, route, depth };
}
