// The whole graph in a narrow strip, with a frame around what the panel shows.

import { graph } from "../../../shared/panels.json";
import type { Theme } from "../core/theme.ts";
import type { GraphModel } from "../model/graph.ts";

/** How much longer than the panel the drawing must be for a strip to help. */
const { longer: LONGER, inset: INSET, least: LEAST, line: LINE, radius: RADIUS } = graph.strip;
export const STRIP = graph.strip.width;

interface Seen {
  readonly data: GraphModel;
  readonly scale: number;
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

export function hasMinimap({ data, scale, height, width }: Seen): boolean {
  return width > 6 * STRIP && data.depth * scale > LONGER * height;
}

/** Where the drawing begins in the panel so that the place in the strip is in the middle. */
export function topAt(seen: Seen, y: number): number {
  const share = (y - INSET) / (seen.height - 2 * INSET);
  return seen.height / 2 - share * seen.data.depth * seen.scale;
}

export function paintMinimap(
  context: CanvasRenderingContext2D,
  seen: Seen,
  theme: Theme,
  colourOf: (box: number) => [colour: string, alpha: number],
): void {
  const { data, width, height, scale } = seen;
  const left = width - STRIP;
  context.fillStyle = theme.paper;
  context.fillRect(left, 0, STRIP, height);
  context.fillStyle = theme.line;
  context.fillRect(left, 0, 1, height);
  const down = (height - 2 * INSET) / data.depth;
  const across = (STRIP - 2 * INSET) / Math.max(1, data.width);
  for (let box = 0; box < data.nodes; box++) {
    const [colour, alpha] = colourOf(box);
    context.fillStyle = colour;
    context.globalAlpha = alpha;
    const wide = Math.max(LEAST, data.boxWidth[box] * across);
    const x = left + INSET + data.x[box] * across - wide / 2;
    const y = INSET + data.layer[box] * data.pitch * down;
    context.fillRect(Math.max(left + 1, x), y, wide, Math.max(1, data.height * down));
  }
  context.globalAlpha = 1;
  const first = INSET + (-seen.top / scale) * down;
  const last = INSET + ((height - seen.top) / scale) * down;
  context.strokeStyle = theme.accent;
  context.lineWidth = LINE;
  context.beginPath();
  const top = Math.max(1, first);
  context.roundRect(left + 1, top, STRIP - 2, Math.min(height - 1, last) - top, RADIUS);
  context.stroke();
}
