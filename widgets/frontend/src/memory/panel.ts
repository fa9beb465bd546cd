// The memory panel: a rectangle per buffer, ticks across, bytes upwards.

import { memory } from "../../../shared/panels.json";
import { Axis } from "../core/axis.ts";
import { gutterOf, plotOf } from "../core/column.ts";
import {
  button,
  CanvasPanel,
  choice,
  type Hit,
  type Host,
  type Point,
} from "../panel/canvasPanel.ts";
import type { Pose } from "../core/glide.ts";
import { Raster } from "../core/raster.ts";
import { NONE } from "../model/search.ts";
import type { Change, Filter } from "../model/store.ts";
import { FILTERS, litBuffers } from "./filter.ts";
import { FOOT, TOP } from "./frame.ts";
import { bufferAt, stateAt, type MemoryModel } from "../model/memory.ts";
import { morph, type Moving } from "./morph.ts";
import { MemoryPainter } from "./painter.ts";
import { peakTick } from "./usage.ts";
import { withWeights } from "./weights.ts";
import { advise, describeBuffer } from "./words.ts";

const MOVE = 700;
/** Pixels around the line of the peak that can be clicked. */
const REACH = 6;

export class MemoryPanel extends CanvasPanel {
  bytes!: Axis;
  /** What is drawn: the plan, the one that it is compared with, or something in between. */
  moving: Moving;
  readonly raster = new Raster();
  /** What the filter left when it was asked last. */
  private known: {
    data: MemoryModel;
    filter: Filter;
    tick: number;
    lit: Uint8Array | null;
  } | null = null;
  private isOther = false;
  private animation = 0;
  private readonly namesButton: HTMLButtonElement;
  private readonly weightsButton: HTMLButtonElement;
  private readonly filters: HTMLSelectElement;

  constructor(
    host: Host,
    readonly plan: MemoryModel,
    before: MemoryModel | null = null,
  ) {
    super(
      host,
      "memory",
      "Memory",
      "Arrow keys move the selection, comma and period the step, plus and minus zoom, zero shows " +
        "everything.",
    );
    const { store } = this;
    this.moving = still(plan);
    this.filters = choice("Which buffers to show", FILTERS, (value) =>
      store.set({ filter: value as Filter }),
    );
    this.namesButton = button(
      "names",
      "Write the names of the buffers",
      () => store.set({ names: !store.state.names }),
      true,
    );
    this.weightsButton = button(
      "weights",
      "Show weights in a region of their own",
      () => store.set({ weights: !store.state.weights }),
      false,
    );
    this.weightsButton.hidden = plan.weights === null;
    if (plan.other) this.tools.append(this.comparison());
    this.tools.append(this.filters, this.weightsButton, this.namesButton);
    this.tools.append(button("fit", "Show the whole memory", () => (this.fit(), this.redraw())));
    this.wholeAxis();
    this.take(plan);
    if (before) this.move(before, plan);
  }

  get data(): MemoryModel {
    return this.moving.data;
  }

  /** Where the plot begins. */
  get left(): number {
    return gutterOf(this.width);
  }

  get plotWidth(): number {
    return plotOf(this.width);
  }

  get plotHeight(): number {
    return Math.max(1, this.height - TOP - FOOT);
  }

  /** The tick that is looked at; -1 for none. */
  get tick(): number {
    return this.store.state.tick ?? NONE;
  }

  get shownTicks(): [start: number, stop: number] {
    return this.store.window.shownTicks;
  }

  get peakTick(): number {
    return peakTick(this.plan);
  }

  /** The axis that shows all addresses. */
  private wholeAxis(): void {
    const { peak, lowerBound, budget, other, region } = this.dressed(this.plan);
    const beside = region ? region.base + region.size : 0;
    const highest = Math.max(1, peak, lowerBound, budget, other?.peak ?? 0, beside);
    this.bytes = new Axis(0, highest * memory.headroom, 16);
  }

  /** A plan with the weights beside it, where they are asked for. */
  private dressed(plan: MemoryModel): MemoryModel {
    return this.store.state.weights ? withWeights(plan, this.model.name) : plan;
  }

  /** Draws a plan as it is. */
  private take(plan: MemoryModel): void {
    this.moving = still(this.dressed(plan));
  }

  // --- before and after -----------------------------------------------------------------------

  private comparison(): HTMLButtonElement {
    const { other } = this.plan;
    const made = button(
      this.plan.label ? `${other?.label ?? "before"} → ${this.plan.label}` : "before / after",
      "Move between both plans",
      () => {
        if (!other) return;
        this.isOther = !this.isOther;
        made.setAttribute("aria-pressed", String(this.isOther));
        if (this.isOther) this.move(this.plan, other);
        else this.move(other, this.plan);
      },
      false,
    );
    return made;
  }

  /** Lets rectangles move from one plan to another. */
  private move(from: MemoryModel, to: MemoryModel): void {
    cancelAnimationFrame(this.animation);
    if (matchMedia("(prefers-reduced-motion: reduce)").matches) {
      this.take(to);
      this.redraw();
      return;
    }
    const isSame = from.weights?.length === to.weights?.length;
    const between = morph(isSame ? this.dressed(from) : from, this.dressed(to));
    const began = performance.now();
    const frame = (now: number) => {
      const part = (now - began) / MOVE;
      if (part >= 1) this.take(to);
      else {
        this.moving = between(part);
        this.animation = requestAnimationFrame(frame);
      }
      this.redraw();
    };
    this.moving = between(0);
    this.animation = requestAnimationFrame(frame);
  }

  override destroy(): void {
    cancelAnimationFrame(this.animation);
    super.destroy();
  }

  // --- what is shown --------------------------------------------------------------------------

  override changed(change: Change, origin: unknown): void {
    if (change.names !== undefined) {
      this.namesButton.setAttribute("aria-pressed", String(change.names));
    }
    if (change.weights !== undefined) {
      this.weightsButton.setAttribute("aria-pressed", String(change.weights));
      cancelAnimationFrame(this.animation);
      this.wholeAxis();
      this.take(this.isOther && this.plan.other ? this.plan.other : this.plan);
    }
    if (change.filter !== undefined) this.filters.value = change.filter;
    super.changed(change, origin);
  }

  /** Which rectangles stand out; null when all do. */
  lit(): Uint8Array | null {
    const { filter } = this.store.state;
    const { data, tick } = this;
    const { known } = this;
    if (known?.data === data && known.filter === filter && known.tick === tick) return known.lit;
    const lit = litBuffers(data, filter, tick);
    this.known = { data, filter, tick, lit };
    return lit;
  }

  protected sized(): void {}

  override get pose(): Pose {
    return [this.bytes.start, this.bytes.stop];
  }

  override set pose([start, stop]: Pose) {
    Object.assign(this.bytes, { start, stop });
  }

  fit(): void {
    this.bytes.showAll();
    this.store.moveWindow((axis) => axis.showAll(), this);
  }

  protected pan(dx: number, dy: number): boolean {
    const across = this.store.moveWindow((axis) => axis.pan(dx, this.plotWidth), this);
    return this.bytes.pan(-dy, this.plotHeight) || across;
  }

  protected zoom(point: Point, factor: number, across: boolean): boolean {
    const x = Math.min(Math.max(0, point.x - this.left), this.plotWidth);
    if (across) return this.store.moveWindow((axis) => axis.zoom(x, this.plotWidth, factor), this);
    const y = this.plotHeight - Math.min(Math.max(0, point.y - TOP), this.plotHeight);
    return this.bytes.zoom(y, this.plotHeight, factor);
  }

  x(tick: number): number {
    return this.left + this.store.window.tickToPixel(tick, this.plotWidth);
  }

  y(address: number): number {
    return TOP + this.plotHeight - this.bytes.toPixel(address, this.plotHeight);
  }

  /** Looks at the tick of the peak, if its line is clicked. */
  protected override act(point: Point): boolean {
    const isOnPeak = Math.abs(point.y - this.y(this.plan.peak)) < REACH;
    if (!isOnPeak || point.x < this.left || this.hit(point)) return false;
    this.store.goToTick(this.peakTick, this);
    return true;
  }

  // --- nodes ----------------------------------------------------------------------------------

  /** The rectangles of a node, by their first tick. */
  private buffersOf(node: number): number[] {
    const { lower } = this.plan;
    if (node === NONE) return [];
    return this.model.buffers(node).sort((a, b) => lower[a] - lower[b] || a - b);
  }

  reveal(node: number): void {
    if (this.locate(node)) return;
    const { lower, upper, offset, size } = this.plan;
    const own = this.buffersOf(node);
    if (own.length === 0) return;
    const [start, stop] = this.shownTicks;
    const buffer = own.find((each) => upper[each] > start && lower[each] < stop) ?? own[0];
    const { clock } = this.store.window;
    if (clock.isAligned) {
      const [from, to] = [clock.at(lower[buffer]), clock.at(upper[buffer])];
      this.store.moveWindow((axis) => axis.reveal(from, to), this);
    }
    this.bytes.reveal(offset[buffer], offset[buffer] + size[buffer]);
  }

  neighbour(node: number, dx: number, dy: number): number {
    const { order, node: owner } = this.plan;
    if (order.length === 0) return NONE;
    const nodes = [...new Set(Array.from(order, (buffer) => owner[buffer]))];
    const place = nodes.indexOf(node);
    const next = place < 0 ? 0 : place + (dx || -dy);
    return nodes[Math.min(Math.max(0, next), nodes.length - 1)];
  }

  locate(node: number): Point | null {
    for (const buffer of this.buffersOf(node)) {
      const found = this.placeOf(buffer);
      if (found) return found;
    }
    return null;
  }

  /** A point of what is seen of a rectangle; null when nothing is. */
  private placeOf(buffer: number): Point | null {
    const { lower, upper, offset, size, node } = this.plan;
    const left = Math.max(this.left, this.x(lower[buffer]));
    const right = Math.min(this.left + this.plotWidth, this.x(upper[buffer]));
    const above = Math.max(TOP, this.y(offset[buffer] + size[buffer]));
    const below = Math.min(TOP + this.plotHeight, this.y(offset[buffer]));
    if (right <= left || below < above) return null;
    const y = (above + below) / 2;
    // A rectangle drawn later may lie over the middle of a wrapped or shared one: look for a free x.
    for (const part of [0.5, 0.15, 0.85, 0.3, 0.7]) {
      const point = { x: left + (right - left) * part, y };
      if (this.hit(point)?.node === node[buffer]) return point;
    }
    return { x: (left + right) / 2, y };
  }

  protected hit(point: Point): Hit | null {
    const { left, plotWidth } = this;
    if (point.x < left || point.x > left + plotWidth) return null;
    if (point.y > TOP + this.plotHeight) return null;
    const address = this.bytes.fromPixel(TOP + this.plotHeight - point.y, this.plotHeight);
    const tick = this.store.window.tickFromPixel(point.x - left, plotWidth);
    const reach = (2 * this.bytes.span) / this.plotHeight;
    const found = bufferAt(this.data, tick, address, reach);
    return found === NONE ? null : this.describe(found);
  }

  private describe(buffer: number): Hit {
    const { kinds } = this.model.meta;
    const lines = describeBuffer(this.data, buffer, kinds, "tick");
    return { node: this.data.node[buffer], lines };
  }

  protected override nothing(): string {
    return this.data.size.length ? "" : "Nothing is kept in memory.";
  }

  protected paint(context: CanvasRenderingContext2D): number {
    const { plan, tick } = this;
    const hasWeights = this.store.state.weights && plan.weights !== null;
    this.tell(advise(plan, tick, hasWeights, () => stateAt(plan, tick)));
    return new MemoryPainter(context, this, this.host).paint();
  }
}

function still(data: MemoryModel): Moving {
  return { data, alpha: new Float32Array(data.size.length).fill(1), isMoving: false };
}
