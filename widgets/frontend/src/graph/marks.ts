// Paint what a node is to a stage of the scheduling algorithm: a frame, and a word beside the box.

import { graph } from "../../../shared/panels.json";
import type { Theme } from "../core/theme.ts";
import { ROLES } from "../timeline/algorithm.ts";
import { isCompact } from "./compact.ts";
import type { GraphView } from "./painter.ts";

type Box = readonly [x: number, y: number, wide: number, high: number];

/** Frames a box; the word stands above its corner or, where boxes are low, to its right. */
export function paintMark(
  context: CanvasRenderingContext2D,
  { data, scale }: GraphView,
  theme: Theme,
  role: string,
  box: number,
  [x, y, wide, high]: Box,
): void {
  const colour = role === "runs" || role === "gives" ? theme.warn : theme.accent;
  const unit = 1 / Math.min(1, scale);
  context.strokeStyle = colour;
  context.lineWidth = 2.5 * unit;
  context.setLineDash(role === "still" || role === "next" ? [5 * unit, 3 * unit] : []);
  context.beginPath();
  context.roundRect(x - 4, y - 4, wide + 8, high + 8, 9);
  context.stroke();
  context.setLineDash([]);
  // Where no name is written, words would cover the boxes beside it; the stage lists them.
  if (scale < graph.legible) return;
  context.font = `600 ${11 * unit}px ${theme.font}`;
  const text = ROLES[role] ?? role;
  const room = context.measureText(text).width + 10 * unit;
  const tall = 15 * unit;
  const isLow = isCompact(data);
  const left = isLow ? x + wide + 6 : x + wide - room + 4;
  const isNear = (at: number, place: number) =>
    data.layer[place] === data.layer[box] &&
    at > x + wide &&
    at - data.boxWidth[place] / 2 < left + room;
  if (isLow && data.x.some(isNear)) return;
  const top = isLow ? y + (high - tall) / 2 : y - 4 - tall;
  context.fillStyle = colour;
  context.beginPath();
  context.roundRect(left, top, room, tall, 4 * unit);
  context.fill();
  context.fillStyle = theme.paper;
  context.textBaseline = "middle";
  context.fillText(text, left + 5 * unit, top + tall / 2 + 0.5 * unit);
}
