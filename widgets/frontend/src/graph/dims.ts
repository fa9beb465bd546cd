// Paint the dims of edges, once per node, just below it.

import { graph } from "../../../shared/panels.json";
import { fitText, measuring } from "../core/text.ts";
import type { Theme } from "../core/theme.ts";
import type { GraphModel } from "../model/graph.ts";

/** What is painted, in units of the drawing. */
interface Seen {
  readonly above: number;
  readonly under: number;
}

/** From the lower side of a box to the middle of the text: below the ring around what is picked. */
const BELOW = 13;
const { aside: ASIDE, apart: APART, font: FONT, room: ROOM } = graph.dims;

/** How much of its way to the side an edge has gone where the text ends. */
const TURNED = graph.dims.turned;

/** What an edge or a text takes up across. */
type Span = readonly [number, number];

/** Writes the dims just below each box, where no edge runs and nothing is written. */
export function paintDims(
  context: CanvasRenderingContext2D,
  view: { readonly data: GraphModel },
  theme: Theme,
  { above, under }: Seen,
): void {
  const { data } = view;
  const measure = measuring(context);
  const taken = spansOf(data, above, under);
  context.font = `${FONT}px ${theme.font}`;
  context.textBaseline = "middle";
  const done = new Set<string>();
  for (let edge = 0; edge < data.source.length; edge++) {
    const source = data.source[edge];
    const y = data.layer[source] * data.pitch + data.height + BELOW;
    const key = `${source} ${data.labels[edge]}`;
    if (source >= data.nodes || y < above || y > under || done.has(key)) continue;
    done.add(key);
    const text = data.labels[edge];
    if (!text || text !== fitText(text, data.boxWidth[source] / 2 + ROOM, measure)) continue;
    const wide = measure(text);
    const spans = taken.get(data.layer[source]) ?? [];
    const x = placeBeside(data.x[source], data.boxWidth[source], wide, spans);
    spans.push([x, x + wide]);
    context.globalAlpha = 0.8;
    context.fillStyle = theme.paper;
    context.fillRect(x - 2, y - 6, wide + 4, 12);
    context.globalAlpha = 1;
    context.fillStyle = theme.muted;
    context.fillText(text, x, y);
  }
  context.globalAlpha = 1;
}

/** Finds a place to the right of the middle, else to the left, else past the edges of the box. */
export function placeBeside(middle: number, box: number, wide: number, spans: Span[]): number {
  let [low, high] = [middle, middle];
  for (const [start, end] of spans) {
    if (Math.abs(start - middle) >= box / 2) continue;
    low = Math.min(low, start, end);
    high = Math.max(high, start, end);
  }
  const places = [middle + ASIDE, middle - ASIDE - wide, high + ASIDE, low - ASIDE - wide];
  const isFree = (x: number) =>
    spans.every(
      ([start, end]) => Math.max(start, end) + APART < x || x + wide + APART < Math.min(start, end),
    );
  return places.find(isFree) ?? places[0];
}

/** What edges take up just below the boxes of each layer that is seen; there, they hardly turned. */
function spansOf(data: GraphModel, above: number, under: number): Map<number, Span[]> {
  const { source, target, back, layer, routeStart, route } = data;
  const taken = new Map<number, Span[]>();
  const take = (at: number, start: number, end: number) => {
    const y = at * data.pitch + data.height + BELOW;
    if (y < above || y > under) return;
    const spans = taken.get(at);
    if (spans) spans.push([start, start + TURNED * (end - start)]);
    else taken.set(at, [[start, start + TURNED * (end - start)]]);
  };
  for (let edge = 0; edge < source.length; edge++) {
    const from = routeStart[edge];
    const first = layer[source[edge]];
    if (back[edge]) {
      take(first, route[from], route[from + 1]);
      for (let at = layer[target[edge]]; at < first; at++) {
        take(at, route[from + 1], route[from + 1]);
      }
      continue;
    }
    for (let step = from + 1; step < routeStart[edge + 1]; step++) {
      take(first + step - from - 1, route[step - 1], route[step]);
    }
  }
  return taken;
}
