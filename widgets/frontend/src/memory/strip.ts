// Paint the memory at a step as a strip beside the map: buffers and free bytes.

import type { Store } from "../core/store.ts";
import type { Theme } from "../core/theme.ts";
import { LEFT, STRIP, TOP, type MemoryView } from "./frame.ts";

const GAP = 8;

export function paintStrip(
  context: CanvasRenderingContext2D,
  view: MemoryView,
  store: Store,
  theme: Theme,
): void {
  const x = LEFT + view.plotWidth + GAP;
  const wide = STRIP - GAP;
  const { selected, hovered } = store.state;
  context.save();
  context.beginPath();
  context.rect(x - 2, TOP, wide + 4, view.plotHeight);
  context.clip();
  for (const { buffer, start, stop } of view.state()) {
    const top = view.y(stop);
    const high = Math.max(1, view.y(start) - top);
    if (buffer < 0) {
      hatch(context, theme.muted, x, top, wide, high);
      continue;
    }
    const node = view.data.node[buffer];
    context.fillStyle = theme.families[store.model.family[node]];
    context.fillRect(x, top, wide, high);
    const isChosen = node === selected || node === hovered;
    context.strokeStyle = isChosen ? theme.ink : theme.paper;
    context.lineWidth = isChosen ? 2.5 : 1;
    context.strokeRect(x + 0.5, top + 0.5, wide - 1, Math.max(1, high - 1));
  }
  context.strokeStyle = theme.muted;
  context.lineWidth = 1;
  context.strokeRect(
    x - 0.5,
    view.y(view.data.peak) + 0.5,
    wide + 1,
    view.y(0) - view.y(view.data.peak),
  );
  context.restore();
}

/** Stripes for what is free. */
function hatch(
  context: CanvasRenderingContext2D,
  colour: string,
  x: number,
  y: number,
  wide: number,
  high: number,
): void {
  context.save();
  context.beginPath();
  context.rect(x, y, wide, high);
  context.clip();
  context.strokeStyle = colour;
  context.globalAlpha = 0.4;
  context.lineWidth = 1;
  context.beginPath();
  for (let shift = -high - wide; shift < wide; shift += 6) {
    context.moveTo(x + shift, y + high);
    context.lineTo(x + shift + high, y);
  }
  context.stroke();
  context.restore();
}
