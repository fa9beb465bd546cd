// The blocks of a network: operators that belong together, as Python found them.

import { ColumnGroup, type Columns, type LabelMeta } from "./payload.ts";
import { NONE } from "./search.ts";

export class Blocks {
  /** The nodes of each block, in order. */
  readonly members: number[][];
  private readonly block: ArrayLike<number>;

  constructor(
    private readonly meta: LabelMeta,
    columns: Columns,
  ) {
    this.block = new ColumnGroup(columns, "label").find("block") ?? [];
    this.members = meta.blocks.map(() => []);
    for (let node = 0; node < this.block.length; node++) this.members[this.block[node]]?.push(node);
  }

  get count(): number {
    return this.members.length;
  }

  /** The block of a node; NONE where it is in none. */
  of(node: number): number {
    return this.block[node] ?? NONE;
  }

  /** What tells a block from the others: "3", "stem"; empty for NONE. */
  label(block: number): string {
    return this.meta.blocks[block]?.[0] ?? "";
  }

  /** What the names of a block begin with, without its number; empty for stem and head. */
  kind(block: number): string {
    return this.meta.blocks[block]?.[1] ?? "";
  }

  /** Kind and label: "linearbottleneck 3". */
  title(block: number): string {
    const [label, kind] = [this.label(block), this.kind(block)];
    return label.includes(kind) ? label : `${kind} ${label}`;
  }

  /** The only kind that several blocks have; empty where there are several kinds. */
  get shape(): string {
    const kinds = new Set(this.meta.blocks.map(([, kind]) => kind).filter(Boolean));
    return kinds.size === 1 ? [...kinds][0] : "";
  }
}
