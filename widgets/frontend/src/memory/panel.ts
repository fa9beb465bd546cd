// The memory panel: a rectangle per buffer, ticks across, bytes upwards.

import { memory } from "../../../shared/panels.json";
import { Axis } from "../core/axis.ts";
import {
  button,
  CanvasPanel,
  choice,
  type Hit,
  type Host,
  type Point,
} from "../core/canvasPanel.ts";
import type { Pose } from "../core/glide.ts";
import { Raster } from "../core/raster.ts";
import { NONE } from "../core/search.ts";
import type { Change, Filter } from "../core/store.ts";
import { sizeText } from "../core/text.ts";
import { FILTERS, litBuffers, peakTick } from "./filter.ts";
import { BOTTOM, LEFT, RIGHT, STRIP, TOP } from "./frame.ts";
import { bufferAt, spread, stateAt, type MemoryModel, type Stretch } from "./model.ts";
import { morph, type Moving } from "./morph.ts";
import { MemoryPainter } from "./painter.ts";
import { withWeights } from "./weights.ts";
import { advise, describeBuffer } from "./words.ts";

const MOVE = 700;

export class MemoryPanel extends CanvasPanel {
  ticks!: Axis;
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
    this.wholeAxes();
    this.take(plan);
    if (before) this.move(before, plan);
  }

  get data(): MemoryModel {
    return this.moving.data;
  }

  /** Width of the state at the step, beside the map. */
  get strip(): number {
    return this.tick >= 0 ? STRIP : 0;
  }

  get plotWidth(): number {
    return Math.max(1, this.width - LEFT - RIGHT - this.strip);
  }

  get plotHeight(): number {
    return Math.max(1, this.height - TOP - BOTTOM);
  }

  /** The tick of the step that is looked at; -1 for none. */
  get tick(): number {
    return this.store.clock.tickAt(this.store.state.step);
  }

  get peakTick(): number {
    return peakTick(this.plan);
  }

  /** The axes that show everything there is. */
  private wholeAxes(): void {
    const { peak, lowerBound, other, region, ticks, reached } = this.dressed(this.plan);
    const beside = region ? region.base + region.size : 0;
    const highest = Math.max(1, peak, lowerBound, other?.peak ?? 0, beside);
    this.ticks ??= new Axis(0, Math.max(1, ticks, other?.ticks ?? 0, reached.at(-1) ?? 1), 2);
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
      this.wholeAxes();
      this.take(this.isOther && this.plan.other ? this.plan.other : this.plan);
    }
    if (change.filter !== undefined) this.filters.value = change.filter;
    if (change.timeRange !== undefined && origin !== this) this.followSteps(change.timeRange);
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

  /** Shows the ticks that are executed in the given steps. */
  private followSteps(range: [number, number] | null): void {
    if (!range) {
      this.ticks.showAll();
      return;
    }
    if (this.store.clock.unit !== "step") {
      this.ticks.show(range[0], range[1]);
      return;
    }
    const { tickStep } = this.plan;
    let first = Infinity;
    let last = -1;
    for (let tick = 0; tick < tickStep.length; tick++) {
      if (tickStep[tick] < range[0] - 1 || tickStep[tick] >= range[1]) continue;
      first = Math.min(first, tick);
      last = Math.max(last, tick);
    }
    if (last >= 0) this.ticks.show(first, last + 1);
  }

  private publishRange(moved: boolean): boolean {
    if (!moved) return false;
    const { tickStep } = this.plan;
    const { start, stop, isWhole } = this.ticks;
    const isStep = this.store.clock.unit === "step";
    if (isWhole) this.store.set({ timeRange: null }, this);
    else if (!isStep) this.store.set({ timeRange: [start, stop] }, this);
    else if (tickStep.length > 0) {
      const [first, last] = spread(tickStep, Math.floor(start), Math.ceil(stop));
      if (last >= first) this.store.set({ timeRange: [first, last + 1] }, this);
    }
    return true;
  }

  protected sized(): void {}

  protected override get pose(): Pose {
    const { ticks, bytes } = this;
    return [ticks.start, ticks.stop, bytes.start, bytes.stop];
  }

  protected override set pose(pose: Pose) {
    Object.assign(this.ticks, { start: pose[0], stop: pose[1] });
    Object.assign(this.bytes, { start: pose[2], stop: pose[3] });
  }

  fit(): void {
    this.bytes.showAll();
    this.publishRange(this.ticks.showAll());
  }

  protected pan(dx: number, dy: number): boolean {
    const across = this.publishRange(this.ticks.pan(dx, this.plotWidth));
    return this.bytes.pan(-dy, this.plotHeight) || across;
  }

  protected zoom(point: Point, factor: number, across: boolean): boolean {
    const x = Math.min(Math.max(0, point.x - LEFT), this.plotWidth);
    if (across) return this.publishRange(this.ticks.zoom(x, this.plotWidth, factor));
    const y = this.plotHeight - Math.min(Math.max(0, point.y - TOP), this.plotHeight);
    return this.bytes.zoom(y, this.plotHeight, factor);
  }

  x(tick: number): number {
    return LEFT + this.ticks.toPixel(tick, this.plotWidth);
  }

  y(address: number): number {
    return TOP + this.plotHeight - this.bytes.toPixel(address, this.plotHeight);
  }

  // --- the step -------------------------------------------------------------------------------

  private isOnAxis(point: Point): boolean {
    return point.y > TOP + this.plotHeight && point.x >= LEFT && point.x < LEFT + this.plotWidth;
  }

  private setStep(point: Point): boolean {
    const step = this.store.clock.stepOf(this.ticks.fromPixel(point.x - LEFT, this.plotWidth));
    if (step === null) return false;
    this.store.goTo(step, this);
    return true;
  }

  protected override act(point: Point): boolean {
    return this.isOnAxis(point) && this.setStep(point);
  }

  protected override scrubs(point: Point): boolean {
    return this.isOnAxis(point);
  }

  protected override scrub(point: Point): void {
    this.setStep(point);
  }

  /** What lies where at the step. */
  state(): Stretch[] {
    return this.tick < 0 ? [] : stateAt(this.data, this.tick);
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
    const { ticks, bytes } = this;
    const isIn = (buffer: number) => upper[buffer] > ticks.start && lower[buffer] < ticks.stop;
    const buffer = own.find(isIn) ?? own[0];
    this.publishRange(ticks.reveal(lower[buffer], upper[buffer]));
    bytes.reveal(offset[buffer], offset[buffer] + size[buffer]);
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
    const left = Math.max(LEFT, this.x(lower[buffer]));
    const right = Math.min(LEFT + this.plotWidth, this.x(upper[buffer]));
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
    if (point.x < LEFT || point.y > TOP + this.plotHeight) return null;
    const address = this.bytes.fromPixel(TOP + this.plotHeight - point.y, this.plotHeight);
    if (point.x >= LEFT + this.plotWidth) return this.hitStrip(address);
    const tick = this.ticks.fromPixel(point.x - LEFT, this.plotWidth);
    const reach = (2 * this.bytes.span) / this.plotHeight;
    const found = bufferAt(this.data, tick, address, reach);
    return found === NONE ? null : this.describe(found);
  }

  private hitStrip(address: number): Hit | null {
    const found = this.state().filter(({ start, stop }) => address >= start && address < stop);
    const stretch = found[found.length - 1];
    if (!stretch) return null;
    if (stretch.buffer >= 0) return this.describe(stretch.buffer);
    const { start, stop } = stretch;
    const lines = [`free at tick ${this.tick}`, `${sizeText(stop - start)}, from address ${start}`];
    return { node: NONE, lines };
  }

  private describe(buffer: number): Hit {
    const { kinds } = this.model.meta;
    const unit = this.store.clock.unit === "cycle" ? "cycles" : "ticks";
    const lines = describeBuffer(this.data, buffer, kinds, unit);
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
