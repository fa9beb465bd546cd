// The memory plan: a rectangle per buffer, live range in ticks across, address in bytes upwards.

import { Axis } from "./axis.ts";
import { bufferAt } from "./hit.ts";
import { peakTick, stateAt, type MemoryModel, type Stretch } from "./memoryModel.ts";
import { BOTTOM, LEFT, MemoryPainter, RIGHT, STRIP, TOP } from "./memoryPainter.ts";
import { morph, type Moving } from "./morph.ts";
import { button, CanvasPanel, choice, type Hit, type Host, type Point } from "./panel.ts";
import { Raster } from "./raster.ts";
import { NONE, type Change, type Filter } from "./store.ts";
import { sizeText } from "./text.ts";

const FILTERS: [Filter, string][] = [
  ["all", "all buffers"],
  ["step", "alive at the step"],
  ["peak", "alive at the peak"],
  ["largest", "the 10 largest"],
];
const LARGEST = 10;
const MOVE = 700;

export class MemoryPanel extends CanvasPanel {
  ticks!: Axis;
  bytes!: Axis;
  /** What is drawn: the plan, the one that it is compared with, or something in between. */
  moving: Moving;
  readonly raster = new Raster();
  private peakAt = 0;
  private isOther = false;
  private animation = 0;
  private readonly namesButton: HTMLButtonElement;
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
    if (plan.other) this.tools.append(this.comparison());
    this.tools.append(this.filters, this.namesButton);
    this.tools.append(button("fit", "Show the whole memory", () => (this.fit(), this.redraw())));
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
    return this.peakAt;
  }

  /** Takes over a plan; what is shown of it stays, unless that was everything. */
  private take(plan: MemoryModel): void {
    const { upper, size } = plan;
    const highest = Math.max(1, plan.peak, plan.lowerBound, plan.other?.peak ?? 0);
    const last = Math.max(1, plan.ticks, plan.other?.ticks ?? 0, ...extremes(upper));
    const isNew = !this.ticks;
    if (isNew) {
      this.ticks = new Axis(0, last, 2);
      this.bytes = new Axis(0, highest * 1.08, 16);
    }
    this.peakAt = size.length && plan.ticks <= 1e6 ? peakTick(plan) : 0;
    this.moving = still(plan);
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
    const between = morph(from, to);
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
    if (change.filter !== undefined) this.filters.value = change.filter;
    if (change.timeRange !== undefined && origin !== this) this.followSteps(change.timeRange);
    super.changed(change, origin);
  }

  /** Which rectangles stand out; null when all do. */
  lit(): Uint8Array | null {
    const { filter } = this.store.state;
    const { lower, upper, size } = this.data;
    if (filter === "all" || (filter === "step" && this.tick < 0)) return null;
    if (filter === "largest") {
      const order = Array.from(size.keys()).sort((a, b) => size[b] - size[a] || a - b);
      const marks = new Uint8Array(size.length);
      for (const buffer of order.slice(0, LARGEST)) marks[buffer] = 1;
      return marks;
    }
    const at = filter === "peak" ? this.peakAt : this.tick;
    return Uint8Array.from(size, (_, buffer) => +(lower[buffer] <= at && at < upper[buffer]));
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
    const { lower, upper, offset, size } = this.plan;
    const own = this.buffersOf(node);
    if (own.length === 0) return;
    const { ticks, bytes } = this;
    const isSeen = own.some((buffer) => upper[buffer] > ticks.start && lower[buffer] < ticks.stop);
    if (!isSeen) this.publishRange(ticks.reveal(lower[own[0]], upper[own[0]]));
    bytes.reveal(offset[own[0]], offset[own[0]] + size[own[0]]);
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
    const [buffer] = this.buffersOf(node);
    if (buffer === undefined) return null;
    const { lower, upper, offset, size } = this.plan;
    const left = Math.max(LEFT, this.x(lower[buffer]));
    const right = Math.min(LEFT + this.plotWidth, this.x(upper[buffer]));
    if (right <= left) return null;
    const y = this.y(offset[buffer] + size[buffer] / 2);
    // A rectangle drawn later may lie over the middle of a wrapped or shared one: look for a free x.
    for (const part of [0.5, 0.15, 0.85, 0.3, 0.7]) {
      const point = { x: left + (right - left) * part, y };
      if (this.hit(point)?.node === node) return point;
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
    const { lower, upper, offset, size, node, names, kind, spaces } = this.data;
    const space = spaces.find(({ base, size }) => {
      return offset[buffer] >= base && offset[buffer] < base + size;
    });
    const base = space?.base ?? 0;
    const from = Math.round(offset[buffer] - base);
    const unit = this.store.clock.unit === "cycle" ? "cycles" : "ticks";
    return {
      node: node[buffer],
      lines: [
        names[buffer],
        `${this.model.meta.kinds[kind[buffer]]}, ${sizeText(size[buffer])} (${size[buffer]} bytes)`,
        `addresses ${from} to ${from + size[buffer]}${space ? ` of ${space.name}` : ""}`,
        `live in ${unit} ${lower[buffer]} to ${upper[buffer]}`,
      ],
    };
  }

  protected paint(context: CanvasRenderingContext2D): number {
    this.hint.textContent = this.advice();
    return new MemoryPainter(context, this, this.host).paint();
  }

  private advice(): string {
    const { other } = this.plan;
    if (other) {
      const more = this.plan.peak - other.peak;
      const part = other.peak ? ` (${more > 0 ? "+" : "−"}${percent(more / other.peak)})` : "";
      return `peak ${sizeText(other.peak)} → ${sizeText(this.plan.peak)}${part}`;
    }
    if (this.tick >= 0) {
      const live = liveBytesAt(this.state());
      return `at tick ${this.tick}: ${sizeText(live)} in use`;
    }
    const names = ["activations", "weights", "inputs"];
    const isIn = names.map((_, kind) => this.plan.kind.includes(kind));
    const out = [2, 1].filter((kind) => !isIn[kind]).map((kind) => names[kind]);
    return out.length && !this.plan.spaces.length ? `without ${out.join(" and ")}` : "";
  }
}

const percent = (part: number): string => `${Math.abs(100 * part).toFixed(1)} %`;

function still(data: MemoryModel): Moving {
  return { data, alpha: new Float32Array(data.size.length).fill(1), isMoving: false };
}

/** Bytes of what lies at a tick; addresses that several share count once. */
function liveBytesAt(state: Stretch[]): number {
  let total = 0;
  let reached = 0;
  for (const { buffer, start, stop } of state) {
    if (buffer < 0 || stop <= reached) continue;
    total += stop - Math.max(start, reached);
    reached = stop;
  }
  return total;
}

/** The least and the greatest of some values. */
function spread(values: ArrayLike<number>, from: number, to: number): [number, number] {
  let least = Infinity;
  let most = -Infinity;
  for (let index = Math.max(0, from); index < Math.min(values.length, to); index++) {
    least = Math.min(least, values[index]);
    most = Math.max(most, values[index]);
  }
  return [least, most];
}

const extremes = (values: ArrayLike<number>): number[] => {
  const [, most] = spread(values, 0, values.length);
  return [Number.isFinite(most) ? most : 1];
};
