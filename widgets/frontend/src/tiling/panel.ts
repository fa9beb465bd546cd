// The tiling panel: feature maps, and what each tile computes and needs of them.

import type { TilesModel } from "../model/model.ts";
import { tiling } from "../../../shared/panels.json";
import { CanvasPanel, type Hit, type Host, type Point } from "../panel/canvasPanel.ts";
import type { Pose } from "../core/glide.ts";
import type { Numbers } from "../model/payload.ts";
import { NONE } from "../model/search.ts";
import { PALE } from "../core/theme.ts";
import { MachineBrush } from "../mapping/brush.ts";
import { rangeText } from "../model/stripes.ts";

const { gap: GAP, leastGap: LEAST_GAP, leastWide: LEAST_WIDE } = tiling;
const { top: TOP, side: SIDE, bottom: BOTTOM } = tiling;

/** How much of its colour has the band of what is read. */
const BAND = 0.16;

interface Frame {
  x: number;
  y: number;
  wide: number;
  high: number;
}

export class TilingPanel extends CanvasPanel {
  private zoomed = 1;
  private shift = 0;

  constructor(
    host: Host,
    readonly data: TilesModel,
  ) {
    super(host, "tiling", "Tiles", "Arrow keys go from tile to tile, plus and minus zoom.");
    this.hint.textContent = "pick a tile to see what it needs of each map";
  }

  /** What was moved into view before there was a width may stand anywhere. */
  protected sized(): void {
    this.clampShift();
  }

  /** What is free between maps: less where they all have room then. */
  private get gap(): number {
    const count = this.data.maps.length;
    const free = (this.width - 2 * SIDE - LEAST_WIDE * count) / Math.max(1, count - 1);
    return Math.min(GAP, Math.max(LEAST_GAP, free));
  }

  private get mapWidth(): number {
    const count = this.data.maps.length;
    const room = (this.width - 2 * SIDE - this.gap * (count - 1)) / count;
    return Math.max(LEAST_WIDE, Math.min(room, this.height - TOP - BOTTOM)) * this.zoomed;
  }

  /** Where a map is drawn; all are as high as each other, so that stripes can be followed. */
  private frameOf(map: number): Frame {
    const high = Math.max(20, this.height - TOP - BOTTOM);
    const [, height, width] = this.data.maps[map];
    const most = this.mapWidth;
    const wide = Math.max(14, Math.min(most, (high * width) / Math.max(1, height)));
    const start = SIDE + Math.max(0, (this.width - this.whole) / 2) + this.shift;
    return { x: start + map * (most + this.gap) + (most - wide) / 2, y: TOP, wide, high };
  }

  private get whole(): number {
    const count = this.data.maps.length;
    return this.mapWidth * count + this.gap * (count - 1) + 2 * SIDE;
  }

  private box(at: number): [x: number, y: number, wide: number, high: number] {
    const { data } = this;
    const frame = this.frameOf(data.map[at]);
    const [, height, width] = data.maps[data.map[at]];
    const across = frame.wide / Math.max(1, width);
    const down = frame.high / Math.max(1, height);
    return [
      frame.x + data.left[at] * across,
      frame.y + data.top[at] * down,
      (data.right[at] - data.left[at]) * across,
      (data.bottom[at] - data.top[at]) * down,
    ];
  }

  private clampShift(): void {
    const least = Math.min(0, this.width - this.whole);
    this.shift = Math.min(0, Math.max(least, this.shift));
  }

  protected pan(dx: number): boolean {
    const before = this.shift;
    this.shift += dx;
    this.clampShift();
    return before !== this.shift;
  }

  protected zoom(point: Point, factor: number): boolean {
    const before = this.zoomed;
    this.zoomed = Math.min(6, Math.max(1, before / factor));
    this.shift = point.x - ((point.x - this.shift) / before) * this.zoomed;
    this.clampShift();
    return before !== this.zoomed;
  }

  fit(): void {
    this.zoomed = 1;
    this.shift = 0;
  }

  override get pose(): Pose {
    return [this.zoomed, this.shift];
  }

  override set pose([zoomed, shift]: Pose) {
    Object.assign(this, { zoomed, shift });
  }

  reveal(node: number): void {
    const at = this.locate(node, true);
    if (!at || (at.x >= 0 && at.x <= this.width)) return;
    this.shift += this.width / 2 - at.x;
    this.clampShift();
  }

  neighbour(node: number, dx: number, dy: number): number {
    const last = this.model.count - 1;
    return node === NONE ? 0 : Math.min(Math.max(0, node + (dx || dy)), last);
  }

  locate(node: number, evenOutside = false): Point | null {
    const { tile, map, halo } = this.data;
    const last = this.data.maps.length - 1;
    const at = tile.findIndex((each, at) => each === node && map[at] === last && halo[at] === 0);
    if (at < 0) return null;
    const [x, y, wide, high] = this.box(at);
    const middle = x + wide / 2;
    const isOutside = middle < 0 || middle > this.width;
    return isOutside && !evenOutside ? null : { x: middle, y: y + high / 2 };
  }

  protected hit(point: Point): Hit | null {
    const { data } = this;
    let best = NONE;
    let nearest = Infinity;
    for (let at = 0; at < data.tile.length; at++) {
      const [x, y, wide, high] = this.box(at);
      if (point.x < x || point.x > x + wide || point.y < y || point.y > y + high) continue;
      // Where halos overlap it is the tile whose middle is closest.
      const distance = Math.hypot(point.x - x - wide / 2, point.y - y - high / 2);
      if (distance < nearest) [best, nearest] = [at, distance];
    }
    if (best === NONE) return null;
    const node = data.tile[best];
    const [name] = data.maps[data.map[best]];
    const range = (from: Numbers, to: Numbers) => rangeText(from[best], to[best]);
    return {
      node,
      lines: [
        this.model.name[node],
        data.map[best] === 0 ? `reads of the ${name}` : `computes of ${name}`,
        `${data.down} ${range(data.top, data.bottom)}, ${data.across} ${range(data.left, data.right)}`,
      ],
    };
  }

  protected paint(context: CanvasRenderingContext2D): number {
    const { theme } = this.host;
    const { data } = this;
    const { selected, hovered } = this.store.state;
    const chosen = selected === NONE ? hovered : selected;
    this.paintFrames(context);
    this.paintFan(context, chosen);
    let drawn = 0;
    for (let at = 0; at < data.tile.length; at++) {
      const node = data.tile[at];
      const isOwn = node === chosen;
      if (data.halo[at] === 1 || isOwn) continue;
      const [x, y, wide, high] = this.box(at);
      const colour = theme.families[this.model.family[node]];
      const faded = !this.store.isMatch(node) || chosen !== NONE;
      context.fillStyle = colour;
      context.globalAlpha = faded ? PALE * tiling.fill : tiling.fill;
      context.fillRect(x, y, wide, high);
      context.globalAlpha = faded ? PALE : 1;
      context.strokeStyle = colour;
      context.lineWidth = 1;
      if (wide > 3 && high > 3) context.strokeRect(x + 0.5, y + 0.5, wide - 1, high - 1);
      drawn++;
    }
    context.globalAlpha = 1;
    return drawn + this.paintChosen(context, chosen);
  }

  /** The tile that is looked at: its own part solid, the halo hatched, both in numbers. */
  private paintChosen(context: CanvasRenderingContext2D, chosen: number): number {
    if (chosen === NONE) return 0;
    const { theme } = this.host;
    const { tile, map, halo, top, bottom, left, right, maps } = this.data;
    const brush = new MachineBrush(context, theme);
    const family = this.model.family[chosen];
    const mine = [...tile.keys()].filter((at) => tile[at] === chosen);
    const result = mine.find((at) => map[at] === maps.length - 1 && halo[at] === 0) ?? NONE;
    context.font = `600 11px ${theme.font}`;
    for (const place of new Set(mine.map((at) => map[at]))) {
      const own = mine.find((at) => map[at] === place && halo[at] === 0) ?? NONE;
      const all = mine.find((at) => map[at] === place && halo[at] === 1) ?? own;
      // What is computed again for the neighbours is halo, too: own is what is level with the result.
      const level = (from: Numbers, axis: 1 | 2, edge: "min" | "max") => {
        const scaled = (from[result] / maps[map[result]][axis]) * maps[place][axis];
        return all === own && result >= 0 ? Math[edge](from[all], Math.round(scaled)) : from[own];
      };
      const [up, down] = [level(top, 1, "max"), level(bottom, 1, "min")];
      const [start, stop] = [level(left, 2, "max"), level(right, 2, "min")];
      const [x, y, wide, high] = this.box(all);
      context.fillStyle = theme.paper;
      context.fillRect(x, y, wide, high);
      brush.moved(x, y, wide, high, family);
      const size = `${bottom[all] - top[all]}×${right[all] - left[all]}`;
      brush.onPaper(size, x + wide / 2, Math.min(y + high + 10, this.height - BOTTOM - 8));
      if (own < 0) continue;
      const across = wide / (right[all] - left[all] || 1);
      const along = high / (bottom[all] - top[all] || 1);
      const [ownX, ownY] = [x + (start - left[all]) * across, y + (up - top[all]) * along];
      const [ownWide, ownHigh] = [(stop - start) * across, (down - up) * along];
      context.fillStyle = brush.colour(family);
      context.fillRect(ownX, ownY, ownWide, ownHigh);
      context.fillStyle = brush.ink(family);
      const label = `${down - up}×${stop - start}`;
      if (brush.measure(label) < ownWide - 2 && ownHigh > 14)
        brush.centred(label, ownX + ownWide / 2, ownY + ownHigh / 2);
    }
    return mine.length;
  }

  private paintFrames(context: CanvasRenderingContext2D): void {
    const { theme } = this.host;
    const measure = (text: string) => context.measureText(text).width;
    context.textBaseline = "middle";
    context.textAlign = "center";
    this.data.maps.forEach(([name, height, width], map) => {
      const { x, y, wide, high } = this.frameOf(map);
      context.strokeStyle = theme.line;
      context.lineWidth = 1;
      context.strokeRect(x - 0.5, y - 0.5, wide + 1, high + 1);
      const room = this.mapWidth + this.gap - 8;
      context.font = `600 11px ${theme.font}`;
      context.fillStyle = theme.ink;
      context.fillText(this.model.names.fit(name, room, measure), x + wide / 2, TOP / 2);
      context.font = `11px ${theme.font}`;
      context.fillStyle = theme.muted;
      context.fillText(`${height}×${width}`, x + wide / 2, y + high + BOTTOM / 2);
    });
    context.textAlign = "start";
  }

  /** Bands from what the chosen tile gives back to what it needs: the halo grows. */
  private paintFan(context: CanvasRenderingContext2D, chosen: number): void {
    if (chosen === NONE) return;
    const { data } = this;
    const needed = new Map<number, [number, number, number, number]>();
    for (let at = 0; at < data.tile.length; at++) {
      if (data.tile[at] === chosen) needed.set(data.map[at], this.box(at));
    }
    context.fillStyle = this.host.theme.muted;
    context.globalAlpha = BAND;
    context.beginPath();
    for (let map = 1; map < data.maps.length; map++) {
      const [before, after] = [needed.get(map - 1), needed.get(map)];
      if (!before || !after) continue;
      context.moveTo(before[0] + before[2], before[1]);
      context.lineTo(after[0], after[1]);
      context.lineTo(after[0], after[1] + after[3]);
      context.lineTo(before[0] + before[2], before[1] + before[3]);
    }
    context.fill();
    context.globalAlpha = 1;
  }
}
