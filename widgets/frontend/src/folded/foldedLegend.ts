// The legend of a folded schedule: how each kind of mark reads.

import { folded as sizes } from "../../../shared/panels.json";
import type { Theme } from "../core/theme.ts";
import type { Drawn, FoldedView } from "./foldedPainter.ts";

/** Says below the rows how each kind of mark reads; those that have room. */
export function paintLegend(
  context: CanvasRenderingContext2D,
  view: FoldedView,
  theme: Theme,
): void {
  const kinds = new Set(view.drawn.flatMap((items) => items.flatMap(kindsOf)));
  const y = view.bottom + sizes.legend / 2 + 2;
  let x = view.gutter;
  context.textAlign = "start";
  context.textBaseline = "middle";
  context.font = `11px ${theme.font}`;
  context.lineWidth = sizes.line;
  for (const [kind, text] of Object.entries(sizes.marks)) {
    const end = x + 40 + context.measureText(text).width;
    if (!kinds.has(kind) || end > view.width - sizes.right) continue;
    sample(context, theme, kind, x, y);
    context.fillStyle = theme.muted;
    context.fillText(text, x + 32, y + 0.5);
    x = end + 14;
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
  context.fillText("+2", x + 13, y + 0.5);
  context.textAlign = "start";
}
function kindsOf({ away, isGuest, early, late }: Drawn): string[] {
  const kinds = [isGuest ? "guest" : "box"];
  if (late > early) kinds.push("slack", ...(away || isGuest ? ["dashed"] : []));
  return away && !isGuest ? [...kinds, "away"] : kinds;
}
