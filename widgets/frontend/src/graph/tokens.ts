// Paint tokens on the edges: where data wait at a step, and how they move during play.

import { stage as sizes } from "../../../shared/panels.json";
import { grouped } from "../core/text.ts";
import type { Firings } from "../model/firings.ts";
import type { Theme } from "../core/theme.ts";
import type { GraphModel } from "../model/graph.ts";
import type { GraphView } from "./painter.ts";

const RADIUS = 4;
/** Edges at one box from which on counts lie at their other ends. */
const MANY = 8;

export function paintTokens(
  context: CanvasRenderingContext2D,
  view: GraphView,
  theme: Theme,
  firings: Firings,
  step: number,
  phase: number,
): void {
  const { data } = view;
  const above = -view.top / view.scale - data.pitch;
  const under = (view.height - view.top) / view.scale + data.pitch;
  const radius = RADIUS / Math.min(1, Math.max(0.5, view.scale));
  context.fillStyle = theme.accent;
  context.strokeStyle = theme.paper;
  context.lineWidth = 1.2;
  for (let edge = 0; edge < data.source.length; edge++) {
    const [source, target] = [data.source[edge], data.target[edge]];
    if (source >= data.nodes || target >= data.nodes) continue;
    const first = data.layer[source] * data.pitch;
    const last = data.layer[target] * data.pitch;
    if (Math.max(first, last) < above || Math.min(first, last) > under) continue;
    // Of a block, what leaves it is given by its last node, and what enters it taken by its first.
    const giver = data.members[source].at(-1) ?? -1;
    const [taker] = data.members[target];
    const isMoving = phase > 0 && firings.phase(giver, step) === "runs";
    const part = isMoving ? phase : firings.waiting(giver, taker, step) ? 1 : -1;
    if (part < 0) continue;
    const [x, y] = pointOn(data, edge, part);
    context.beginPath();
    context.arc(x, y - (isMoving ? 0 : radius + 5), radius, 0, 2 * Math.PI);
    context.fill();
    context.stroke();
  }
}

/** Writes on each edge how much waits there, at a stage of the scheduling algorithm. */
export function paintWaiting(
  context: CanvasRenderingContext2D,
  { data, scale }: GraphView,
  theme: Theme,
  tokens: ReadonlyMap<number, number>,
): void {
  const size = Math.max(sizes.token, sizes.least / scale);
  const high = Math.min(size + 4, data.pitch - data.height - 1);
  context.font = `600 ${size}px ${theme.font}`;
  context.textBaseline = "middle";
  context.textAlign = "center";
  const leaving = countEnds(data.source, data.x.length);
  const joining = countEnds(data.target, data.x.length);
  for (const [edge, count] of tokens) {
    if (count === 0 || edge >= data.source.length) continue;
    const [source, target] = [data.source[edge], data.target[edge]];
    let [x, y] = pointOn(data, edge, 0.5);
    if (data.back[edge]) y = betweenLayers(data, y);
    else if (Math.max(leaving[source], joining[target]) > MANY) {
      const isTarget = leaving[source] > joining[target];
      [x, y] = corner(data, isTarget ? target : source, isTarget);
    }
    const text = grouped(count);
    const wide = Math.max(high, context.measureText(text).width + size * 0.8);
    context.fillStyle = theme.accent;
    context.strokeStyle = theme.paper;
    context.lineWidth = 1.5;
    context.beginPath();
    context.roundRect(x - wide / 2, y - high / 2, wide, high, high / 2);
    context.fill();
    context.stroke();
    context.fillStyle = theme.paper;
    context.fillText(text, x, y + size * 0.05);
  }
  context.textAlign = "start";
}

/** How many ends of edges each box has. */
function countEnds(ends: ArrayLike<number>, boxes: number): Int32Array {
  const found = new Int32Array(boxes);
  for (let edge = 0; edge < ends.length; edge++) found[ends[edge]]++;
  return found;
}

/** The corner of a box at the end at which the edge is alone, where many meet at the other. */
function corner(data: GraphModel, box: number, isTarget: boolean): [number, number] {
  const top = data.layer[box] * data.pitch;
  return [data.x[box] - data.boxWidth[box] / 2, isTarget ? top : top + data.height];
}

/** The height between two layers that is the nearest: what runs past boxes covers none there. */
function betweenLayers({ pitch, height }: GraphModel, y: number): number {
  const gap = pitch - height;
  return Math.max(1, Math.round((y + gap / 2) / pitch)) * pitch - gap / 2;
}

/** A point of an edge: 0 is where it leaves its source, 1 where it enters its target. */
export function pointOn(data: GraphModel, edge: number, part: number): [number, number] {
  const from = data.routeStart[edge];
  const to = data.routeStart[edge + 1];
  const first = data.layer[data.source[edge]];
  const bottom = first * data.pitch + data.height;
  const end = data.layer[data.target[edge]] * data.pitch;
  const y = bottom + (end - bottom) * part;
  if (data.back[edge] || to - from < 2) {
    // Up along the side: across, up and back again.
    const side = data.route[from + 1] ?? data.route[from];
    const [a, b] = [data.route[from], data.route[to - 1]];
    const x =
      part < 0.2
        ? a + (side - a) * (part / 0.2)
        : part > 0.8
          ? b + (side - b) * ((1 - part) / 0.2)
          : side;
    return [x, y];
  }
  const gap = data.pitch - data.height;
  const layer = Math.min(
    to - from - 2,
    Math.max(0, Math.floor((y - first * data.pitch) / data.pitch)),
  );
  const before = data.route[from + layer];
  const after = data.route[Math.min(to - 1, from + layer + 1)];
  const start = (first + layer + 1) * data.pitch - gap;
  const along = Math.min(1, Math.max(0, (y - start) / gap));
  return [before + (after - before) * along * along * (3 - 2 * along), y];
}
