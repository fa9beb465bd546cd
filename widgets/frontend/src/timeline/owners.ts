// Paint names and frames of bars in rows that several nodes share.

import { rows as sizes } from "../../../shared/panels.json";
import type { Model } from "../model/model.ts";
import { lowerBound, NONE } from "../model/search.ts";
import type { Store } from "../model/store.ts";
import { measuring } from "../core/text.ts";
import type { Theme } from "../core/theme.ts";
import type { TimelineView } from "./painter.ts";
import { eachOf } from "./rows.ts";

const LEAST_ROW = 14;
/** Names stand upright in higher rows than this, if their bars are narrower. */
const UPRIGHT = sizes.tall;
/** How much of its row a bar fills. */
const FILLED = sizes.filled;
const LEAST_ROOM = sizes.named;
/** Bars narrower than this, and so close to each other, have one frame: theirs would hide them. */
const NARROW = 8;

/** Writes the names of bars that have room for them, and frames those of the chosen nodes. */
export function paintOwners(
  context: CanvasRenderingContext2D,
  view: TimelineView,
  store: Store,
  theme: Theme,
  [first, last]: [number, number],
): void {
  const { selected, picked, hovered } = store.state;
  if (view.rowHeight >= LEAST_ROW) paintNames(context, view, store, theme, [first, last]);
  context.strokeStyle = theme.ink;
  for (const [node, line] of [
    [hovered, 1.5],
    [selected, store.isPicked(selected) ? 2.5 : 1.5],
    ...picked.map((each) => [each, 2.5]),
  ]) {
    if (node === NONE) continue;
    context.lineWidth = line;
    for (let place = first; place < last; place++) paintFrames(context, view, place, node);
  }
  context.lineWidth = 1;
}

/** Goes through the bars of a row that are seen, from left to right, in pixels of the plot. */
function eachSeen(
  { bars, axis, plotWidth, rows }: TimelineView,
  place: number,
  call: (bar: number, left: number, end: number) => void,
): void {
  const { start, early } = bars;
  const row = rows[place];
  let bar = lowerBound(early, axis.start - bars.reach[row], start[row], start[row + 1]);
  for (; bar < start[row + 1] && early[bar] < axis.stop; bar++) {
    const left = Math.max(0, axis.toPixel(early[bar], plotWidth));
    const end = Math.min(plotWidth, axis.toPixel(early[bar] + bars.lengthOf(bar), plotWidth));
    if (end > 0) call(bar, left, end);
  }
}

function paintFrames(
  context: CanvasRenderingContext2D,
  view: TimelineView,
  place: number,
  node: number,
): void {
  const { axis, bars, gutter, plotWidth, rowHeight, rows } = view;
  const high = Math.max(4, rowHeight * (rowHeight > UPRIGHT ? FILLED : 0.84));
  const y = view.top + place * rowHeight - view.scroll + (rowHeight - high) / 2;
  let run = { left: 0, end: 0 };
  const frame = () => {
    if (run.end)
      context.strokeRect(gutter + run.left - 1, y, Math.max(3, run.end - run.left + 1), high);
  };
  eachOf(bars, axis, node, rows[place], (bar) => {
    const left = Math.max(0, axis.toPixel(bars.early[bar], plotWidth));
    const end = Math.min(plotWidth, axis.toPixel(bars.early[bar] + bars.lengthOf(bar), plotWidth));
    if (end <= 0) return;
    const isNarrow = end - left < NARROW || run.end - run.left < NARROW;
    if (run.end && isNarrow && left - run.end < NARROW) run.end = end;
    else {
      frame();
      run = { left, end };
    }
  });
  frame();
}

function paintNames(
  context: CanvasRenderingContext2D,
  view: TimelineView,
  store: Store,
  theme: Theme,
  [first, last]: [number, number],
): void {
  const { model } = store;
  const { axis, bars, gutter, plotWidth, rowHeight, rows } = view;
  const measure = measuring(context);
  const least = rowHeight > UPRIGHT ? Math.min(LEAST_ROW, LEAST_ROOM + 8) : LEAST_ROOM + 8;
  context.font = `11px ${theme.font}`;
  context.textBaseline = "middle";
  context.textAlign = "center";
  for (let place = first; place < last; place++) {
    if (bars.reach[rows[place]] * (plotWidth / axis.span) < least) continue;
    const middle = view.top + (place + 0.5) * rowHeight - view.scroll;
    eachSeen(view, place, (bar, left, end) => {
      const room = end - left - 8;
      const isUpright = rowHeight > UPRIGHT && end - left < UPRIGHT;
      if (isUpright ? end - left < LEAST_ROW : room < LEAST_ROOM) return;
      const nodes = bars.nodesOf(bar);
      const family = model.family[nodes[0]];
      const across = isUpright ? rowHeight * FILLED - 2 : room;
      const text = ownersText(nodes, model, across, measure, rowHeight > UPRIGHT);
      const isMatch = nodes.some((each) => store.isMatch(each));
      context.fillStyle = isMatch ? theme.inks[family] : theme.ink;
      const x = gutter + left + room / 2 + 4;
      if (isUpright) upright(context, text, x, middle);
      else context.fillText(text, x, middle + 0.5);
    });
  }
  context.textAlign = "start";
}

/** Whose a bar is: all that are computed together, or the first and how many more. */
export function ownersText(
  nodes: number[],
  { name, names }: Pick<Model, "name" | "names">,
  room: number,
  measure: (text: string) => number,
  /** Whether the block is said elsewhere. */
  inBlock = false,
): string {
  if (inBlock && nodes.length === 1) return names.fit(name[nodes[0]], room, measure, true);
  const whole = nodes.map((node) => name[node]).join(" + ");
  if (nodes.length === 1) {
    const work = whole.split(", tile ")[0]; // a narrow box says the work alone
    return names.fit(whole, room, measure) || names.fit(work, room, measure);
  }
  if (measure(whole) <= room) return whole;
  const more = ` +${nodes.length - 1}`;
  const first = names.fit(name[nodes[0]], room - measure(more), measure);
  return first && first + more;
}

/** Writes text from the bottom to the top, around a point. */
function upright(context: CanvasRenderingContext2D, text: string, x: number, y: number): void {
  context.save();
  context.translate(x, y);
  context.rotate(-Math.PI / 2);
  context.fillText(text, 0, 0.5);
  context.restore();
}
