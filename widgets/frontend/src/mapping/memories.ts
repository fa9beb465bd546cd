// The memories of a machine: a plot for each, one under another, below the ruler of the column.

import { mapping } from "../../../shared/panels.json";
import { clamp } from "../core/axis.ts";
import { button, CanvasPanel, type Hit, type Host, type Point } from "../panel/canvasPanel.ts";
import { gutterOf, plotOf } from "../core/column.ts";
import type { Pose } from "../core/glide.ts";
import { NONE } from "../model/search.ts";
import { bufferAt, type MemoryModel, type Space } from "../model/memory.ts";
import { describeBuffer } from "../memory/words.ts";
import { memoriesHeight, shares } from "./layout.ts";
import { SpacePainter } from "./spacePainter.ts";

/** Memories that are seen without scrolling. */
const SEEN = 10;

/** A memory and where it stands; `base` is the pixel of its first byte, `up` the pixels of a byte. */
export interface Plot {
  space: Space;
  place: number;
  y: number;
  high: number;
  base: number;
  up: number;
}

export class MemoriesPanel extends CanvasPanel {
  scroll = 0;
  plots: Plot[] = [];
  private whole = 0;

  constructor(
    host: Host,
    readonly data: MemoryModel,
  ) {
    super(
      host,
      "memory",
      "Memories",
      "Arrow keys move the selection, comma and period the cycle, plus and minus zoom, zero shows " +
        "everything.",
    );
    this.tools.append(button("fit", "Show all cycles", () => (this.fit(), this.redraw())));
    const seen = Math.min(SEEN, data.spaces.length);
    const stage = memoriesHeight(seen, data.spaces.length ? mapping.page.memories : 120);
    this.section.classList.add("anb-fixed");
    this.section.style.setProperty("--anb-stage", `${stage}px`);
  }

  get left(): number {
    return gutterOf(this.width);
  }

  get plotWidth(): number {
    return plotOf(this.width);
  }

  /** Where a cycle begins, in pixels of the canvas. */
  x(cycle: number): number {
    return this.left + this.store.window.tickToPixel(cycle, this.plotWidth);
  }

  protected sized(): void {
    const { spaces } = this.data;
    const { head, memory } = mapping;
    let y = 0;
    this.plots = shares(
      spaces.map(({ size }) => size),
      this.height,
    ).map((high, place) => {
      const space = spaces[place];
      const base = y + head + high - memory.foot;
      const up = (high - memory.top - memory.foot) / space.scale;
      const plot = { space, place, y, high, base, up };
      y += head + high;
      return plot;
    });
    this.whole = y;
    this.clampScroll();
  }

  private clampScroll(): boolean {
    const before = this.scroll;
    this.scroll = clamp(this.scroll, 0, this.whole - this.height);
    return before !== this.scroll;
  }

  override get pose(): Pose {
    return [this.scroll];
  }

  override set pose([scroll]: Pose) {
    this.scroll = scroll;
  }

  fit(): void {
    this.scroll = 0;
    this.store.moveWindow((axis) => axis.showAll(), this);
  }

  protected override scrolls(): boolean {
    return this.whole > this.height + 1;
  }

  protected pan(dx: number, dy: number): boolean {
    const across = this.store.moveWindow((axis) => axis.pan(dx, this.plotWidth), this);
    const before = this.scroll;
    this.scroll -= dy;
    this.clampScroll();
    return across || before !== this.scroll;
  }

  protected zoom(point: Point, factor: number): boolean {
    const x = clamp(point.x - this.left, 0, this.plotWidth);
    return this.store.moveWindow((axis) => axis.zoom(x, this.plotWidth, factor), this);
  }

  // --- buffers --------------------------------------------------------------------------------

  /** The memory that an address of the plan lies in. */
  private plotOf(address: number): Plot | undefined {
    return this.plots.findLast(({ space }) => space.base <= address);
  }

  /** Left, top, right and bottom of a buffer; null where it has no place. */
  box(buffer: number): [left: number, top: number, right: number, bottom: number] | null {
    const { lower, upper, offset, size } = this.data;
    const plot = this.plotOf(offset[buffer]);
    if (!plot) return null;
    const [left, right] = [this.x(lower[buffer]), this.x(upper[buffer])];
    const from = offset[buffer] - plot.space.base;
    const top = plot.base - (from + size[buffer]) * plot.up;
    return [left, top, Math.max(left + 1, right), Math.max(top + 1, plot.base - from * plot.up)];
  }

  private buffersOf(node: number): number[] {
    if (node === NONE) return [];
    const { lower } = this.data;
    return this.model.buffers(node).sort((a, b) => lower[a] - lower[b] || a - b);
  }

  reveal(node: number): void {
    const own = this.buffersOf(node);
    if (own.length === 0 || this.locate(node)) return;
    const { lower, upper } = this.data;
    this.store.moveWindow((axis) => axis.reveal(lower[own[0]], upper[own[0]]), this);
    const box = this.box(own[0]);
    if (!box || (box[1] >= this.scroll && box[3] <= this.scroll + this.height)) return;
    this.scroll = (box[1] + box[3] - this.height) / 2;
    this.clampScroll();
  }

  neighbour(node: number, dx: number, dy: number): number {
    const { order, node: owner } = this.data;
    const nodes = [...new Set(Array.from(order, (buffer) => owner[buffer]))];
    if (nodes.length === 0) return NONE;
    const place = nodes.indexOf(node);
    return nodes[clamp(place < 0 ? 0 : place + (dx || -dy), 0, nodes.length - 1)];
  }

  locate(node: number): Point | null {
    const end = this.left + this.plotWidth;
    for (const buffer of this.buffersOf(node)) {
      const box = this.box(buffer);
      if (!box || box[2] <= this.left || box[0] >= end) continue;
      const x = (Math.max(this.left, box[0]) + Math.min(end, box[2])) / 2;
      const y = (box[1] + box[3]) / 2 - this.scroll;
      if (y >= 0 && y <= this.height && this.hit({ x, y })?.node === node) return { x, y };
    }
    return null;
  }

  protected hit(point: Point): Hit | null {
    const { left, plotWidth, data } = this;
    if (point.x < left || point.x > left + plotWidth) return null;
    const at = point.y + this.scroll;
    const plot = this.plots.find(
      ({ y, high }) => at >= y + mapping.head && at < y + mapping.head + high,
    );
    if (!plot) return null;
    const address = plot.space.base + Math.max(0, (plot.base - at) / plot.up);
    const cycle = this.store.window.tickFromPixel(point.x - left, plotWidth);
    const found = bufferAt(data, cycle, address, 2 / plot.up);
    if (found === NONE || this.plotOf(data.offset[found]) !== plot) return null;
    const lines = describeBuffer(data, found, this.model.meta.kinds, "cycle");
    return { node: data.node[found], lines };
  }

  protected override nothing(): string {
    return this.data.size.length ? "" : "Nothing is kept in memory.";
  }

  protected paint(context: CanvasRenderingContext2D): number {
    this.tell(this.data.spaces.length ? "hatched: copies, in the colour of the original" : "");
    return new SpacePainter(context, this, this.host).paint();
  }
}
