// Paint a graph from far away: thousands of boxes and edges as pixels.

import { pixelOf, type Raster } from "../core/raster.ts";
import type { Theme } from "../core/theme.ts";
import type { GraphModel } from "../model/graph.ts";
import type { GraphView } from "./painter.ts";

/** Edges between layers that are closer than this, in pixels, are not seen. */
const CLOSEST = 3;

export function paintTiny(
  context: CanvasRenderingContext2D,
  raster: Raster,
  view: GraphView,
  theme: Theme,
  colourOf: (node: number) => [colour: string, alpha: number],
): number {
  const ratio = context.getTransform().a || 1;
  raster.begin(view.width * ratio, view.height * ratio);
  const { data } = view;
  const scale = view.scale * ratio;
  const left = view.left * ratio;
  const top = view.top * ratio;
  paintEdges(raster, data, scale, left, top, pixelOf(theme.muted, 0.45));
  const pixels = new Map<string, number>();
  let drawn = 0;
  for (let box = 0; box < data.x.length; box++) {
    const y = Math.round(top + data.layer[box] * data.pitch * scale);
    const high = Math.max(1, Math.round(data.height * scale));
    if (y + high < 0 || y > raster.height) continue;
    const half = (data.boxWidth[box] * scale) / 2;
    const x = Math.round(left + data.x[box] * scale - half);
    const [colour, alpha] = box < data.nodes ? colourOf(box) : [theme.muted, 0.6];
    const key = colour + alpha;
    let pixel = pixels.get(key);
    if (pixel === undefined) pixels.set(key, (pixel = pixelOf(colour, alpha)));
    raster.fill(x, y, Math.max(x + 1, Math.round(x + 2 * half)), y + high, pixel);
    drawn++;
  }
  raster.show(context, 0, 0);
  return drawn;
}

function paintEdges(
  raster: Raster,
  data: GraphModel,
  scale: number,
  left: number,
  top: number,
  pixel: number,
): void {
  const x = (at: number) => left + data.route[at] * scale;
  for (let edge = 0; edge < data.source.length; edge++) {
    const from = data.routeStart[edge];
    const to = data.routeStart[edge + 1];
    const first = data.layer[data.source[edge]];
    const last = data.layer[data.target[edge]];
    const start = top + (first * data.pitch + data.height) * scale;
    const end = top + last * data.pitch * scale;
    if (Math.max(start, end) < 0 || Math.min(start, end) > raster.height) continue;
    if (Math.abs(end - start) < CLOSEST) continue;
    if (data.back[edge] || to - from !== last - first + 1) {
      raster.line(x(from), start, x(to - 1), end, pixel);
      continue;
    }
    let y = start;
    for (let point = from + 1; point < to; point++) {
      const next = top + (first + point - from) * data.pitch * scale;
      raster.line(x(point - 1), y, x(point), next, pixel);
      y = next;
    }
  }
}
