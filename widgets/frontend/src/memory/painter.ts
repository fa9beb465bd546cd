// Paint the memory plan: grid, rectangles, holes, the playhead.

import { axis, memory } from "../../../shared/panels.json";
import { byteTicks } from "../core/axis.ts";
import type { Host } from "../panel/canvasPanel.ts";
import type { Model } from "../model/model.ts";
import { NONE } from "../model/search.ts";
import type { Store } from "../model/store.ts";
import { sizeText } from "../core/text.ts";
import { PALE, type Theme } from "../core/theme.ts";
import { TOP, type MemoryView } from "./frame.ts";
import { MemoryLabels } from "./labels.ts";
import { coveredFrom, goesOn, livingIn, stateAt, WEIGHTS } from "../model/memory.ts";
import { paintPixels } from "./pixels.ts";

/** More rectangles than this are drawn as pixels, and without names. */
const MANY = 1500;

/** Blocks of fewer pixels than this have no frame of their own. */
const LEAST_FRAMED = 4;

/** How much of its colour the cell of the playhead has. */
const PLAYHEAD = 0.12;
const ALIVE = 2;

export class MemoryPainter {
  private readonly theme: Theme;
  private readonly store: Store;
  private readonly model: Model;
  private readonly lit: Uint8Array | null;
  private readonly labels: MemoryLabels;
  /** Where each rectangle ends on screen: where one that is written over it begins. */
  private ends = new Map<number, number>();

  constructor(
    private readonly context: CanvasRenderingContext2D,
    private readonly view: MemoryView,
    host: Host,
  ) {
    this.lit = view.lit();
    this.theme = host.theme;
    this.store = host.store;
    this.model = host.store.model;
    this.labels = new MemoryLabels(context, view, this.model, this.theme);
  }

  /** Paints everything; returns the number of rectangles drawn. */
  paint(): number {
    const { context, theme } = this;
    this.paintGrid();
    context.save();
    context.beginPath();
    context.rect(this.view.left, 0, this.view.plotWidth, TOP + this.view.plotHeight);
    context.clip();
    this.paintHoles();
    this.paintTick();
    const drawn = this.paintBuffers();
    this.labels.paintRegion();
    this.labels.paintLimits();
    context.restore();
    context.strokeStyle = theme.muted;
    context.lineWidth = 1;
    context.beginPath();
    context.moveTo(this.view.left - 0.5, TOP);
    context.lineTo(this.view.left - 0.5, TOP + this.view.plotHeight + 0.5);
    context.lineTo(this.view.left + this.view.plotWidth, TOP + this.view.plotHeight + 0.5);
    context.stroke();
    return drawn;
  }

  private paintGrid(): void {
    const { context, theme } = this;
    const { bytes } = this.view;
    context.font = `11px ${theme.font}`;
    context.fillStyle = theme.muted;
    context.strokeStyle = theme.line;
    context.globalAlpha = 0.6;
    context.lineWidth = 1;
    const rows = byteTicks(bytes.start, bytes.stop, this.view.plotHeight / axis.bytes);
    context.beginPath();
    for (const address of rows) {
      const y = Math.round(this.view.y(address)) + 0.5;
      context.moveTo(this.view.left, y);
      context.lineTo(this.view.left + this.view.plotWidth, y);
    }
    context.stroke();
    context.globalAlpha = 1;
    context.textBaseline = "middle";
    context.textAlign = "right";
    for (const address of rows)
      context.fillText(sizeText(address), this.view.left - 8, this.view.y(address));
    context.textAlign = "start";
  }

  /** Hatches the holes at the tick that is looked at: bytes below the highest in use. */
  private paintHoles(): void {
    const { context, view, theme } = this;
    const { tick } = view;
    if (tick < 0 || view.moving.isMoving) return;
    const [x, right] = [view.x(tick), view.x(tick + 1)];
    const state = stateAt(view.data, tick);
    state.forEach(({ buffer, start, stop }, place) => {
      if (buffer >= 0 || place === state.length - 1) return;
      const y = view.y(stop);
      hatch(context, theme.muted, x, y, right - x, view.y(start) - y);
    });
  }

  /** Tints the cell of the tick that is looked at. */
  private paintTick(): void {
    const { context, view, theme } = this;
    if (view.tick < 0) return;
    const x = view.x(view.tick);
    context.fillStyle = theme.peak;
    context.globalAlpha = PLAYHEAD;
    context.fillRect(x, 0, Math.max(1.5, view.x(view.tick + 1) - x), TOP + view.plotHeight);
    context.globalAlpha = 1;
  }

  private alphaOf(buffer: number): number {
    const faded = this.lit && !this.lit[buffer] ? PALE : 1;
    const match = this.store.isMatch(this.view.data.node[buffer]) ? 1 : PALE;
    return Math.min(faded, match) * this.view.moving.alpha[buffer];
  }

  private paintBuffers(): number {
    const { view, store, model, theme } = this;
    const { node } = view.data;
    const { selected, picked, hovered } = store.state;
    const drawn = this.seen();
    const isMany = drawn.length > MANY;
    if (isMany) paintPixels(this.context, view, drawn, this.lit, { model, theme, store });
    else {
      const { lower, upper, offset, size } = view.data;
      this.ends = coveredFrom(lower, upper, offset, size, drawn, true);
      for (const buffer of drawn) this.paintBuffer(buffer);
      this.paintAlive(drawn);
    }
    if (store.state.names && !isMany) {
      this.labels.paintNames(drawn, (buffer) => this.alphaOf(buffer));
    }
    if (selected === NONE && hovered === NONE && !picked.length) return drawn.length;
    let last = NONE;
    for (const buffer of drawn) {
      if (buffer <= last || !store.isChosen(node[buffer])) continue;
      last = this.paintOutline(buffer);
    }
    return drawn.length;
  }

  private seen(): Uint32Array {
    const { offset, size } = this.view.data;
    const { bytes } = this.view;
    const found = livingIn(this.view.data, ...this.view.shownTicks);
    if (bytes.isWhole) return found;
    return found.filter(
      (buffer) => offset[buffer] < bytes.stop && offset[buffer] + size[buffer] > bytes.start,
    );
  }

  /** The rectangle of a buffer in pixels, at least `least` wide and high; null when not seen. */
  private box(
    buffer: number,
    least: number,
    last = buffer,
  ): [x: number, y: number, wide: number, high: number] | null {
    const { lower, upper, offset, size } = this.view.data;
    const x = Math.max(this.view.left - 2, this.view.x(lower[buffer]));
    const end = this.view.x(this.ends.get(buffer) ?? upper[buffer]);
    const right = Math.min(this.view.left + this.view.plotWidth + 2, end);
    const y = Math.max(-2, this.view.y(offset[last] + size[last]));
    const bottom = Math.min(this.view.height + 2, this.view.y(offset[buffer]));
    if (right < this.view.left || x > this.view.width || bottom < 0 || y > this.view.height)
      return null;
    return [x, y, Math.max(least, right - x), Math.max(least, bottom - y)];
  }

  private paintBuffer(buffer: number): boolean {
    const { context, theme } = this;
    const { kind } = this.view.data;
    const box = this.box(buffer, 1);
    if (!box) return false;
    const [x, y, wide, high] = box;
    const node = this.view.data.node[buffer];
    context.globalAlpha = this.alphaOf(buffer);
    context.fillStyle = theme.families[this.model.family[node]];
    context.fillRect(x, y, wide, high);
    if (kind[buffer] === WEIGHTS && wide > 4 && high > 4)
      hatch(context, theme.paper, x, y, wide, high);
    if (wide > 3 && high > 3) {
      context.strokeStyle = theme.paper;
      context.lineWidth = 1;
      context.strokeRect(x + 0.5, y + 0.5, wide - 1, high - 1);
    }
    context.globalAlpha = 1;
    return true;
  }

  /** Outlines what is alive at the tick that is looked at. */
  private paintAlive(drawn: Uint32Array): void {
    const { context, theme, view } = this;
    const { lower, upper } = view.data;
    if (view.tick < 0 || view.moving.isMoving) return;
    context.strokeStyle = theme.ink;
    context.lineWidth = ALIVE;
    for (const buffer of drawn) {
      const end = this.ends.get(buffer) ?? upper[buffer];
      if (lower[buffer] > view.tick || end <= view.tick) continue;
      const box = this.box(buffer, 2);
      if (box) context.strokeRect(...box);
    }
  }

  /**
   * Marks a buffer over all others, and leaves what is seen of them as it is. Blocks thinner than
   * their frames would be have one around all of them. Returns the last rectangle that is marked.
   */
  private paintOutline(buffer: number): number {
    const { context, theme } = this;
    const { data } = this.view;
    const isThin = this.view.y(0) - this.view.y(data.size[buffer]) < LEAST_FRAMED;
    let last = buffer;
    while (isThin && goesOn(data, last + 1) && data.offset[last + 1] > data.offset[last]) last++;
    const box = this.box(buffer, 3, last);
    if (!box) return last;
    const node = this.view.data.node[buffer];
    context.strokeStyle = theme.ink;
    const wide = this.store.isPicked(node) ? 2.5 : 1.5;
    const [x, y, across, high] = box;
    // Around what is small, so that its colour can still be seen.
    const out = Math.min(across, high) < 8 ? wide / 2 : 0;
    context.lineWidth = wide;
    context.strokeRect(x - out, y - out, across + 2 * out, high + 2 * out);
    return last;
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
  context.globalAlpha *= memory.hatch.alpha;
  context.lineWidth = 1;
  context.beginPath();
  for (let shift = -high; shift < wide; shift += memory.hatch.apart) {
    context.moveTo(x + shift, y + high);
    context.lineTo(x + shift + high, y);
  }
  context.stroke();
  context.restore();
}
