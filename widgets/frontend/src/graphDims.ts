// What flows along the edges of the graph: dims, written once per node, just below it.

import type { GraphModel } from "./model.ts";
import { fitText } from "./text.ts";
import type { Theme } from "./theme.ts";

/** What is painted, in units of the drawing. */
interface Seen {
  readonly above: number;
  readonly under: number;
}

/** From the lower side of a box to the middle of the text: below the ring around what is picked. */
const BELOW = 13;
const ASIDE = 6;
/** How far the text keeps from edges that leave to its side. */
const AWAY = 26;

/** How far an edge must turn, so that text would lie on it. */
const TURNS = 6;

/** Writes the dims beside the edges that leave each box, at the side to which none of them turns. */
export function paintDims(
  context: CanvasRenderingContext2D,
  view: { readonly data: GraphModel },
  theme: Theme,
  { above, under }: Seen,
  alphaOf: (box: number) => number,
): void {
  const { data } = view;
  const measure = (text: string) => context.measureText(text).width;
  const turns = turnsOf(data);
  context.font = `10px ${theme.font}`;
  context.textBaseline = "middle";
  const done = new Set<string>();
  for (let edge = 0; edge < data.source.length; edge++) {
    const source = data.source[edge];
    const y = data.layer[source] * data.pitch + data.height + BELOW;
    const key = `${source} ${data.labels[edge]}`;
    if (source >= data.nodes || y < above || y > under || done.has(key)) continue;
    done.add(key);
    const text = data.labels[edge];
    if (!text || text !== fitText(text, data.boxWidth[source] / 2 + 20, measure)) continue;
    const wide = measure(text);
    const [left, right] = [turns[source] & 1, turns[source] & 2];
    const x = data.x[source] + (right && !left ? -ASIDE - wide : right ? AWAY : ASIDE);
    context.globalAlpha = 0.8;
    context.fillStyle = theme.paper;
    context.fillRect(x - 2, y - 6, wide + 4, 12);
    context.globalAlpha = alphaOf(source) < 1 ? 0.4 : 1;
    context.fillStyle = theme.muted;
    context.fillText(text, x, y);
  }
  context.globalAlpha = 1;
}

/** To which sides edges turn that leave a box: 1 for left, 2 for right, 3 for both. */
function turnsOf({ source, routeStart, route, nodes }: GraphModel): Uint8Array {
  const found = new Uint8Array(nodes);
  for (let edge = 0; edge < source.length; edge++) {
    if (source[edge] >= nodes || routeStart[edge + 1] - routeStart[edge] < 2) continue;
    const more = route[routeStart[edge] + 1] - route[routeStart[edge]];
    if (Math.abs(more) > TURNS) found[source[edge]] |= more < 0 ? 1 : 2;
  }
  return found;
}
