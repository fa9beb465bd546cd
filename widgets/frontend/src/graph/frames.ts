// Paint the frames around open blocks, and their titles.

import { measuring } from "../core/text.ts";
import type { Theme } from "../core/theme.ts";
import { TITLE } from "../model/opened.ts";
import type { GraphView } from "./painter.ts";

export function paintFrames(
  context: CanvasRenderingContext2D,
  { data, scale }: GraphView,
  theme: Theme,
): void {
  const { pitch, height, frames } = data;
  for (const { first, last, x, width } of frames ?? []) {
    const top = first * pitch - TITLE;
    context.beginPath();
    context.roundRect(x, top, width, (last - first) * pitch + height + TITLE + 8, 8);
    context.fillStyle = theme.faint;
    context.fill();
    context.strokeStyle = theme.accent;
    context.lineWidth = 1.4 / Math.min(1, scale);
    context.stroke();
  }
}

/** Writes titles on paper, over the edges that lead into their frames. */
export function paintTitles(
  context: CanvasRenderingContext2D,
  { data }: GraphView,
  theme: Theme,
): void {
  context.font = `600 12px ${theme.font}`;
  context.textBaseline = "middle";
  const measure = measuring(context);
  for (const { first, x, width, title } of data.frames ?? []) {
    const top = first * data.pitch - TITLE;
    const ways = [title, title.slice(title.lastIndexOf(" ") + 1)].map((text) => `▾ ${text}`);
    const text = ways.find((each) => measure(each) <= width / 2 - 16) ?? "▾";
    context.fillStyle = theme.paper;
    context.fillRect(x + 6, top + 3, measure(text) + 4, TITLE - 5);
    context.fillStyle = theme.accent;
    context.fillText(text, x + 8, top + TITLE / 2 + 1);
  }
}
