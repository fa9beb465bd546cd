// The drawing of blocks: which of them are open, and which lie in a stack away from the window.

import { NONE } from "../model/search.ts";
import type { Store } from "../model/store.ts";
import { peakTick } from "../memory/usage.ts";
import type { GraphModel } from "../model/graph.ts";
import { Opening } from "../model/opened.ts";
import { stacked } from "./stacks.ts";

export class BlockDrawing {
  private readonly opening: Opening | null;
  /** The boxes of blocks that are open. */
  private readonly open = new Set<number>();
  /** First nodes of blocks that were taken out of their stack. */
  private readonly apart = new Set<number>();

  constructor(
    private readonly store: Store,
    /** All blocks closed. */
    readonly closed: GraphModel,
    whole: GraphModel,
  ) {
    const { contents } = store.model;
    this.opening = contents && new Opening(closed, whole, contents);
  }

  isBlock(box: number): boolean {
    return this.opening?.isBlock(box) ?? false;
  }

  /** Whether nothing is open. */
  get isClosed(): boolean {
    return this.open.size === 0;
  }

  /** The box of the block in which memory is fullest; NONE where that is not known. */
  get busiest(): number {
    const { memory } = this.store.model;
    const box = memory ? this.closed.boxOf[memory.tickNode[peakTick(memory)]] : NONE;
    return this.isBlock(box ?? NONE) ? box : NONE;
  }

  /** Opens a block, or closes it. */
  toggle(box: number): void {
    if (!this.open.delete(box)) this.open.add(box);
  }

  /** Shows the blocks of a stack side by side. */
  unstack(nodes: readonly number[]): void {
    for (const node of nodes) this.apart.add(node);
  }

  /** Closes all blocks, and stacks those away from the window. */
  close(): void {
    this.open.clear();
    this.apart.clear();
  }

  draw(): GraphModel {
    const drawn = this.opening?.draw(this.open) ?? this.closed;
    const seen = this.seen();
    if (!seen) return drawn;
    const { parts } = this.store.model;
    const blockOf = (box: number) => parts.of(drawn.members[box][0]);
    const isAway = (box: number) => {
      const nodes = drawn.members[box];
      if (nodes.length < 2 || parts.kind(blockOf(box)) === "") return false;
      return !this.apart.has(nodes[0]) && nodes.every((node) => !seen.has(node));
    };
    return stacked(drawn, isAway, (first, last) =>
      [first, last].map((box) => parts.label(blockOf(box))).join(" … "),
    );
  }

  /** The nodes that run in the window; null where it shows all, or none of them. */
  private seen(): Set<number> | null {
    const { window, clock } = this.store;
    const { order } = clock;
    if (!window.range || clock.isMachine || order.ticks === 0) return null;
    const [start, stop] = window.shownTicks;
    const nodes = order.node.slice(Math.floor(start + 1e-9), Math.ceil(stop - 1e-9));
    return nodes.length ? new Set(nodes) : null;
  }
}
