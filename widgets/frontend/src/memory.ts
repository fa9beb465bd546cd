// The memory plan: a rectangle per buffer, live range in ticks across, address in bytes upwards.

import { Axis } from "./axis.ts";
import { bufferAt } from "./hit.ts";
import type { MemoryModel } from "./model.ts";
import { button, CanvasPanel, type Hit, type Host, type Point } from "./panel.ts";
import { NONE, type Change } from "./store.ts";
import { BOTTOM, LEFT, MemoryPainter, RIGHT, TOP } from "./memoryPainter.ts";
import { sizeText } from "./text.ts";

export class MemoryPanel extends CanvasPanel {
  readonly data: MemoryModel;
  readonly ticks: Axis;
  readonly bytes: Axis;
  private readonly order: number[];
  private readonly namesButton: HTMLButtonElement;

  constructor(host: Host, data: MemoryModel) {
    super(
      host,
      "memory",
      "Memory",
      "Arrow keys move the selection, plus and minus zoom, zero shows everything.",
    );
    this.data = data;
    const { lower, upper } = data;
    let last = data.ticks;
    for (const tick of upper) last = Math.max(last, tick);
    this.ticks = new Axis(0, Math.max(1, last), 2);
    this.bytes = new Axis(0, Math.max(1, data.peak, data.lowerBound) * 1.08, 16);
    this.order = Array.from(lower.keys()).sort((a, b) => lower[a] - lower[b] || a - b);
    const { store } = this;
    this.namesButton = button(
      "names",
      "Write the names of the buffers",
      () => store.set({ names: !store.state.names }),
      true,
    );
    this.tools.append(this.namesButton);
    this.tools.append(button("fit", "Show the whole memory", () => (this.fit(), this.redraw())));
  }

  get plotWidth(): number {
    return Math.max(1, this.width - LEFT - RIGHT);
  }

  get plotHeight(): number {
    return Math.max(1, this.height - TOP - BOTTOM);
  }

  override changed(change: Change, origin: unknown): void {
    if (change.names !== undefined) {
      this.namesButton.setAttribute("aria-pressed", String(change.names));
    }
    if (change.timeRange !== undefined && origin !== this) this.followSteps(change.timeRange);
    super.changed(change, origin);
  }

  /** Shows the ticks that are executed in the given steps. */
  private followSteps(range: [number, number] | null): void {
    const { tickStep } = this.data;
    if (!range) {
      this.ticks.showAll();
      return;
    }
    let first = Infinity;
    let last = -1;
    for (let tick = 0; tick < tickStep.length; tick++) {
      if (tickStep[tick] < range[0] - 1 || tickStep[tick] >= range[1]) continue;
      first = Math.min(first, tick);
      last = tick;
    }
    if (last >= 0) this.ticks.show(first, last + 1);
  }

  private publishRange(moved: boolean): boolean {
    const { tickStep } = this.data;
    if (!moved || tickStep.length === 0) return moved;
    if (this.ticks.isWhole) {
      this.store.set({ timeRange: null }, this);
      return moved;
    }
    let first = Infinity;
    let last = -1;
    const stop = Math.min(tickStep.length, Math.ceil(this.ticks.stop));
    for (let tick = Math.floor(this.ticks.start); tick < stop; tick++) {
      first = Math.min(first, tickStep[tick]);
      last = Math.max(last, tickStep[tick]);
    }
    if (last >= 0) this.store.set({ timeRange: [first, last + 1] }, this);
    return moved;
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

  private bufferOf(node: number): number {
    return this.order.find((buffer) => this.data.node[buffer] === node) ?? NONE;
  }

  reveal(node: number): void {
    const { lower, upper, offset, size } = this.data;
    const own = this.order.filter((buffer) => this.data.node[buffer] === node);
    if (own.length === 0) return;
    const { ticks, bytes } = this;
    const isSeen = own.some((buffer) => upper[buffer] > ticks.start && lower[buffer] < ticks.stop);
    if (!isSeen) this.publishRange(ticks.reveal(lower[own[0]], upper[own[0]]));
    bytes.reveal(offset[own[0]], offset[own[0]] + size[own[0]]);
  }

  neighbour(node: number, dx: number, dy: number): number {
    const { order, data } = this;
    if (order.length === 0) return NONE;
    const nodes = order
      .map((buffer) => data.node[buffer])
      .filter((n, i, all) => all.indexOf(n) === i);
    const place = nodes.indexOf(node);
    const next = place < 0 ? 0 : place + (dx || -dy);
    return nodes[Math.min(Math.max(0, next), nodes.length - 1)];
  }

  locate(node: number): Point | null {
    const buffer = this.bufferOf(node);
    if (buffer < 0) return null;
    const { lower, upper, offset, size } = this.data;
    const left = Math.max(LEFT, this.x(lower[buffer]));
    const right = Math.min(this.width - RIGHT, this.x(upper[buffer]));
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
    const { lower, upper, offset, size, node, names, kind } = this.data;
    if (point.x < LEFT || point.y > TOP + this.plotHeight) return null;
    const tick = this.ticks.fromPixel(point.x - LEFT, this.plotWidth);
    const address = this.bytes.fromPixel(TOP + this.plotHeight - point.y, this.plotHeight);
    const reach = (2 * this.bytes.span) / this.plotHeight;
    const found = bufferAt(this.data, tick, address, reach);
    if (found === NONE) return null;
    return {
      node: node[found],
      lines: [
        names[found],
        `${this.model.meta.kinds[kind[found]]}, ${sizeText(size[found])} (${size[found]} bytes)`,
        `addresses ${offset[found]} to ${offset[found] + size[found]}`,
        `live in ticks ${lower[found]} to ${upper[found]}`,
      ],
    };
  }

  protected paint(context: CanvasRenderingContext2D): number {
    const names = ["activations", "weights", "inputs"];
    const isIn = names.map((_, kind) => this.data.kind.includes(kind));
    const out = [2, 1].filter((kind) => !isIn[kind]).map((kind) => names[kind]);
    this.hint.textContent = out.length ? `without ${out.join(" and ")}` : "";
    return new MemoryPainter(context, this, this.host).paint();
  }
}
