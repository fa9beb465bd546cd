// How the memory plan is painted: grid, rectangles with their names, peak and lower bound.

import { byteTicks, niceTicks, type Axis } from "./axis.ts";
import type { MemoryModel, Model } from "./model.ts";
import type { Host } from "./panel.ts";
import type { Store } from "./store.ts";
import { fitText, sizeText } from "./text.ts";
import type { Theme } from "./theme.ts";

export const LEFT = 66;
export const TOP = 10;
export const RIGHT = 10;
export const BOTTOM = 26;

/** What is seen: ticks across, bytes upwards, and where they are in pixels. */
export interface MemoryView {
  readonly data: MemoryModel;
  readonly ticks: Axis;
  readonly bytes: Axis;
  readonly plotWidth: number;
  readonly plotHeight: number;
  readonly width: number;
  readonly height: number;
  x(tick: number): number;
  y(address: number): number;
}

export class MemoryPainter {
  private readonly theme: Theme;
  private readonly store: Store;
  private readonly model: Model;

  constructor(
    private readonly context: CanvasRenderingContext2D,
    private readonly view: MemoryView,
    host: Host,
  ) {
    this.theme = host.theme;
    this.store = host.store;
    this.model = host.store.model;
  }

  /** Paints everything; gives how many rectangles were drawn. */
  paint(): number {
    const { context, theme } = this;
    this.paintGrid();
    context.save();
    context.beginPath();
    context.rect(LEFT, 0, this.view.plotWidth, TOP + this.view.plotHeight);
    context.clip();
    const drawn = this.paintBuffers();
    this.paintLimits();
    context.restore();
    context.strokeStyle = theme.muted;
    context.lineWidth = 1;
    context.beginPath();
    context.moveTo(LEFT - 0.5, TOP);
    context.lineTo(LEFT - 0.5, TOP + this.view.plotHeight + 0.5);
    context.lineTo(this.view.width - RIGHT, TOP + this.view.plotHeight + 0.5);
    context.stroke();
    return drawn;
  }

  private paintGrid(): void {
    const { context, theme } = this;
    const { bytes, ticks } = this.view;
    context.font = `11px ${theme.font}`;
    context.fillStyle = theme.muted;
    context.strokeStyle = theme.line;
    context.globalAlpha = 0.6;
    context.lineWidth = 1;
    const rows = byteTicks(bytes.start, bytes.stop, this.view.plotHeight / 34);
    const columns = niceTicks(ticks.start, ticks.stop, this.view.plotWidth / 64);
    context.beginPath();
    for (const address of rows) {
      const y = Math.round(this.view.y(address)) + 0.5;
      context.moveTo(LEFT, y);
      context.lineTo(this.view.width - RIGHT, y);
    }
    context.stroke();
    context.globalAlpha = 1;
    context.textBaseline = "middle";
    context.textAlign = "right";
    for (const address of rows) context.fillText(sizeText(address), LEFT - 8, this.view.y(address));
    context.textAlign = "center";
    for (const tick of columns) {
      const x = this.view.x(tick);
      if (x < this.view.width - RIGHT - 40) {
        context.fillText(String(tick), x, TOP + this.view.plotHeight + BOTTOM / 2 + 1);
      }
    }
    context.textAlign = "right";
    context.fillText("tick", this.view.width - RIGHT, TOP + this.view.plotHeight + BOTTOM / 2 + 1);
    context.textAlign = "start";
  }

  private paintBuffers(): number {
    const { node } = this.view.data;
    const { selected, hovered } = this.store.state;
    const drawn: number[] = [];
    for (let buffer = 0; buffer < node.length; buffer++) {
      if (this.paintBuffer(buffer)) drawn.push(buffer);
    }
    if (this.store.state.names) for (const buffer of drawn) this.paintName(buffer);
    for (const buffer of drawn) {
      if (node[buffer] === hovered || node[buffer] === selected) this.paintOutline(buffer);
    }
    return drawn.length;
  }

  /** The rectangle of a buffer in pixels, at least `least` wide and high; null when not seen. */
  private box(buffer: number, least: number): [number, number, number, number] | null {
    const { lower, upper, offset, size } = this.view.data;
    const x = Math.max(LEFT - 2, this.view.x(lower[buffer]));
    const right = Math.min(this.view.width + 2, this.view.x(upper[buffer]));
    const y = Math.max(-2, this.view.y(offset[buffer] + size[buffer]));
    const bottom = Math.min(this.view.height + 2, this.view.y(offset[buffer]));
    if (right < LEFT || x > this.view.width || bottom < 0 || y > this.view.height) return null;
    return [x, y, Math.max(least, right - x), Math.max(least, bottom - y)];
  }

  private paintBuffer(buffer: number): boolean {
    const { context, theme } = this;
    const { kind } = this.view.data;
    const box = this.box(buffer, 1);
    if (!box) return false;
    const [x, y, wide, high] = box;
    const node = this.view.data.node[buffer];
    context.globalAlpha = this.store.isMatch(node) ? 1 : 0.15;
    context.fillStyle = theme.families[this.model.family[node]];
    context.fillRect(x, y, wide, high);
    if (kind[buffer] === 1 && wide > 4 && high > 4) hatch(context, theme.paper, x, y, wide, high);
    if (wide > 3 && high > 3) {
      context.strokeStyle = theme.paper;
      context.lineWidth = 1;
      context.strokeRect(x + 0.5, y + 0.5, wide - 1, high - 1);
    }
    context.globalAlpha = 1;
    return true;
  }

  /** Marks a buffer over all others, and leaves what is seen of them as it is. */
  private paintOutline(buffer: number): void {
    const { context, theme } = this;
    const box = this.box(buffer, 3);
    if (!box) return;
    const node = this.view.data.node[buffer];
    context.strokeStyle = theme.ink;
    context.lineWidth = node === this.store.state.selected ? 2.5 : 1.5;
    context.strokeRect(...box);
  }

  /** Writes the name where nothing drawn later lies over it. */
  private paintName(buffer: number): void {
    const { context, theme } = this;
    const { lower, covered, offset, size } = this.view.data;
    const x = this.view.x(lower[buffer]);
    const seen =
      Math.min(this.view.x(covered[buffer]), this.view.width - RIGHT) - Math.max(x, LEFT);
    const y = Math.max(-2, this.view.y(offset[buffer] + size[buffer]));
    const high = Math.min(this.view.height + 2, this.view.y(offset[buffer])) - y;
    context.globalAlpha = this.store.isMatch(this.view.data.node[buffer]) ? 1 : 0.15;
    context.font = `11px ${theme.font}`;
    context.fillStyle = theme.inks[this.model.family[this.view.data.node[buffer]]];
    context.textBaseline = "middle";
    const measure = (text: string) => context.measureText(text).width;
    const middle = Math.max(x, LEFT) + seen / 2;
    const isUpright = high >= 14 && seen >= 30;
    const room = (isUpright ? seen : high) - 8;
    const isRoomy = isUpright || (seen >= 13 && high >= 44);
    const text = isRoomy
      ? fitText(this.view.data.names[buffer], room, measure, this.model.shared)
      : "";
    if (text) this.write(text, middle, y + high / 2, isUpright);
    context.globalAlpha = 1;
  }

  private write(text: string, x: number, y: number, isUpright: boolean): void {
    const { context } = this;
    context.textAlign = "center";
    if (isUpright) context.fillText(text, x, y + 0.5);
    else {
      context.save();
      context.translate(x, y);
      context.rotate(-Math.PI / 2);
      context.fillText(text, 0, 0.5);
      context.restore();
    }
    context.textAlign = "start";
  }

  private paintLimits(): void {
    const { context, theme } = this;
    const { peak, lowerBound } = this.view.data;
    const one = peak === lowerBound;
    const limits: [number, string, number[], string, number][] = [
      [
        peak,
        one ? `peak = lower bound ${sizeText(peak)}` : `peak ${sizeText(peak)}`,
        [7, 4],
        theme.warn,
        -8,
      ],
    ];
    if (!one) {
      limits.push([lowerBound, `lower bound ${sizeText(lowerBound)}`, [2, 3], theme.ink, 9]);
    }
    context.font = `600 11px ${theme.font}`;
    context.textBaseline = "middle";
    for (const [address, text, dash, colour, shift] of limits) {
      const y = Math.round(this.view.y(address)) + 0.5;
      context.strokeStyle = colour;
      context.lineWidth = 1.5;
      context.setLineDash(dash);
      context.beginPath();
      context.moveTo(LEFT, y);
      context.lineTo(this.view.width - RIGHT, y);
      context.stroke();
      context.setLineDash([]);
      const wide = context.measureText(text).width;
      const x = this.view.width - RIGHT - wide - 10;
      context.fillStyle = theme.paper;
      context.globalAlpha = 0.85;
      context.fillRect(x - 4, y + shift - 7, wide + 8, 14);
      context.globalAlpha = 1;
      context.fillStyle = colour;
      context.fillText(text, x, y + shift + 0.5);
    }
  }
}

/** Stripes that tell weights from activations without colour. */
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
  context.globalAlpha *= 0.35;
  context.lineWidth = 1;
  context.beginPath();
  for (let shift = -high; shift < wide; shift += 7) {
    context.moveTo(x + shift, y + high);
    context.lineTo(x + shift + high, y);
  }
  context.stroke();
  context.restore();
}
