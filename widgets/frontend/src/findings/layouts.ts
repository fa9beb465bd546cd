// Two layouts side by side, at one scale of bytes: as it is, and with a change.

import { element, type Host } from "../panel/canvasPanel.ts";
import { sizeText } from "../core/text.ts";
import type { MemoryModel } from "../model/memory.ts";
import type { Box, LayoutData } from "../model/cards.ts";

const [WIDTH, HEIGHT] = [300, 150];

/** Draws the layout on screen beside another one, and says what lies between them. */
export function compareLayouts(host: Host, memory: MemoryModel, other: LayoutData): HTMLElement {
  const own: LayoutData = { ticks: memory.ticks, bytes: memory.peak, boxes: boxesOf(memory) };
  const most = Math.max(own.bytes, other.bytes, 1);
  const row = element("div", { class: "anb-layouts" });
  for (const [label, layout] of [
    ["as it is", own],
    ["with the change", other],
  ] as const) {
    const words = `${label}: ${sizeText(layout.bytes)}, ${layout.ticks} ticks`;
    const canvas = element("canvas", { role: "img", "aria-label": words });
    row.append(element("figure", {}, canvas, element("figcaption", {}, words)));
    draw(host, canvas, layout, most);
  }
  const less = `${sizeText(Math.abs(own.bytes - other.bytes))} ${own.bytes > other.bytes ? "less" : "more"}`;
  return element(
    "div",
    {},
    row,
    element("p", {}, `${less}; bytes at one scale, ticks fill the width`),
  );
}

function boxesOf({ lower, upper, offset, size, node }: MemoryModel): Box[] {
  return Array.from(lower, (first, at) => [first, upper[at], offset[at], size[at], node[at]]);
}

function draw(host: Host, canvas: HTMLCanvasElement, layout: LayoutData, most: number): void {
  const ratio = window.devicePixelRatio || 1;
  canvas.width = WIDTH * ratio;
  canvas.height = HEIGHT * ratio;
  const pen = canvas.getContext("2d");
  if (!pen) return;
  const { families, muted, peak } = host.theme;
  const { family } = host.store.model;
  pen.scale(ratio, ratio);
  const x = (tick: number) => (WIDTH * Math.min(tick, layout.ticks)) / Math.max(1, layout.ticks);
  const y = (bytes: number) => HEIGHT - 1 - ((HEIGHT - 8) * bytes) / most;
  for (const [lower, upper, offset, size, node] of layout.boxes) {
    pen.fillStyle = families[family[node]] ?? muted;
    const wide = Math.max(0.5, x(upper) - x(lower) - 0.4);
    pen.fillRect(x(lower), y(offset + size), wide, Math.max(0.5, y(offset) - y(offset + size)));
  }
  pen.strokeStyle = peak;
  pen.setLineDash([4, 3]);
  pen.beginPath();
  pen.moveTo(0, y(layout.bytes));
  pen.lineTo(WIDTH, y(layout.bytes));
  pen.stroke();
}
