// Whose bars they are, where a row has bars of several nodes: names, and a frame around the chosen.

import type { Model } from "./model.ts";
import { lowerBound } from "./search.ts";
import { NONE, type Store } from "./store.ts";
import { textOn, thinned, type Theme } from "./theme.ts";
import type { TimelineView } from "./timelinePainter.ts";

/** How much of a colour is seen in bars of links. */
export const FAINT = 0.65;

const LEAST_ROW = 14;
const LEAST_ROOM = 24;

/** Writes the names of bars that have room for them, and frames those of the chosen nodes. */
export function paintOwners(
  context: CanvasRenderingContext2D,
  view: TimelineView,
  store: Store,
  theme: Theme,
  [first, last]: [number, number],
): void {
  const { bars, axis, plotWidth, gutter, rowHeight } = view;
  const { model } = store;
  const { selected, hovered } = store.state;
  const { start, early, node: nodes } = bars;
  const isPicked = selected !== NONE || hovered !== NONE;
  if (!nodes || (rowHeight < LEAST_ROW && !isPicked)) return;
  const paper = theme.dark ? "#14171c" : "#ffffff";
  const faint = theme.families.map((colour) => textOn(thinned(colour, paper, FAINT)));
  const measure = (text: string) => context.measureText(text).width;
  context.font = `11px ${theme.font}`;
  context.textBaseline = "middle";
  context.textAlign = "center";
  for (let place = first; place < last; place++) {
    const row = view.rows[place];
    const top = view.top + place * rowHeight - view.scroll;
    let bar = lowerBound(early, axis.start - bars.reach[row], start[row], start[row + 1]);
    for (; bar < start[row + 1] && early[bar] < axis.stop; bar++) {
      const node = nodes[bar];
      const isSelected = selected !== NONE && bars.isOf(bar, selected);
      const isChosen = isSelected || (hovered !== NONE && bars.isOf(bar, hovered));
      const left = Math.max(0, axis.toPixel(early[bar], plotWidth));
      const end = Math.min(plotWidth, axis.toPixel(early[bar] + bars.lengthOf(bar), plotWidth));
      if (isChosen && end > 0) {
        context.strokeStyle = theme.ink;
        context.lineWidth = isSelected ? 2.5 : 1.5;
        const high = Math.max(4, rowHeight * 0.84);
        const y = top + (rowHeight - high) / 2;
        context.strokeRect(gutter + left - 1, y, Math.max(3, end - left + 1), high);
      }
      const room = end - left - 8;
      if (room < LEAST_ROOM || rowHeight < LEAST_ROW) continue;
      const family = model.family[node];
      const text = ownersText(bars.nodesOf(bar), model, room, measure);
      context.fillStyle = view.data.type[row] === "link" ? faint[family] : theme.inks[family];
      context.fillText(text, gutter + left + room / 2 + 4, top + rowHeight / 2 + 0.5);
    }
  }
  context.textAlign = "start";
  context.lineWidth = 1;
}

/** Whose a bar is: all that are computed together, or the first and how many more. */
export function ownersText(
  nodes: number[],
  { name, names }: Pick<Model, "name" | "names">,
  room: number,
  measure: (text: string) => number,
): string {
  const whole = nodes.map((node) => name[node]).join(" + ");
  if (nodes.length === 1) return names.fit(whole, room, measure);
  if (measure(whole) <= room) return whole;
  const more = ` +${nodes.length - 1}`;
  const first = names.fit(name[nodes[0]], room - measure(more), measure);
  return first && first + more;
}
