// The legend of a folded schedule: how each kind of mark reads.

import { folded as sizes } from "../../../shared/panels.json";
import type { Theme } from "../core/theme.ts";
import type { Drawn, FoldedView } from "./foldedPainter.ts";

/** Pixels from one line of the legend to the next. */
const LINE = 16;
/** Pixels left of a legend that does not fit beside the names. */
const EDGE = 10;

/** A kind of mark, and where it is explained. */
export interface Entry {
  kind: string;
  text: string;
  x: number;
  line: number;
}

/** What the legend says of the marks that are drawn: in one line beside the names, or in several. */
export function legendOf(
  drawn: FoldedView["drawn"],
  gutter: number,
  width: number,
  context: CanvasRenderingContext2D,
  theme: Theme,
): Entry[] {
  context.font = `11px ${theme.font}`;
  const kinds = new Set(drawn.flatMap((items) => items.flatMap(kindsOf)));
  const known = Object.entries(sizes.marks).filter(([kind]) => kinds.has(kind));
  const wide = (text: string) => 40 + context.measureText(text).width;
  const all = known.reduce((sum, [, text]) => sum + wide(text) + 14, gutter - 14);
  const start = all <= width - sizes.right ? gutter : EDGE;
  let [x, line] = [start, 0];
  return known.map(([kind, text]) => {
    if (x > start && x + wide(text) > width - EDGE) [x, line] = [start, line + 1];
    const entry = { kind, text, x, line };
    x += wide(text) + 14;
    return entry;
  });
}

/** The height of a legend. */
export const legendHeight = (entries: readonly Entry[]): number =>
  sizes.legend + LINE * (entries.at(-1)?.line ?? 0);

/** Says below the rows how each kind of mark reads. */
export function paintLegend(
  context: CanvasRenderingContext2D,
  view: FoldedView,
  theme: Theme,
): void {
  context.textAlign = "start";
  context.textBaseline = "middle";
  context.font = `11px ${theme.font}`;
  context.lineWidth = sizes.line;
  for (const { kind, text, x, line } of view.legend) {
    const y = view.bottom + sizes.legend / 2 + 2 + line * LINE;
    sample(context, theme, kind, x, y);
    context.fillStyle = theme.muted;
    context.fillText(text, x + 32, y + 0.5);
  }
}

function sample(
  context: CanvasRenderingContext2D,
  theme: Theme,
  kind: string,
  x: number,
  y: number,
): void {
  context.strokeStyle = context.fillStyle = theme.muted;
  context.setLineDash(kind === "dashed" || kind === "guest" ? [2.5, 2.5] : []);
  context.beginPath();
  if (kind === "slack" || kind === "dashed") {
    context.moveTo(x, y);
    context.lineTo(x + 26, y);
    context.stroke();
    if (kind === "slack") context.fillRect(x, y - 4, 10, 8);
  } else {
    context.roundRect(x + 4, y - 5, 18, 10, 2);
    if (kind === "guest") context.stroke();
    else context.fill();
  }
  context.setLineDash([]);
  if (kind !== "away") return;
  context.fillStyle = theme.paper;
  context.textAlign = "center";
  const { font } = context;
  context.font = `600 8px ${theme.font}`;
  context.fillText("+2", x + 13, y + 0.5);
  context.font = font;
  context.textAlign = "start";
}
function kindsOf({ away, isGuest, early, late }: Drawn): string[] {
  const kinds = [isGuest ? "guest" : "box"];
  if (late > early) kinds.push("slack", ...(away || isGuest ? ["dashed"] : []));
  return away && !isGuest ? [...kinds, "away"] : kinds;
}
