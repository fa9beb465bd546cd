// Blocks of memory on a board of ticks and bytes: what overlaps, and how high they reach.

export interface Block {
  name: string;
  /** Half-open range of ticks. */
  lower: number;
  upper: number;
  /** Bytes. */
  size: number;
}

export type Offsets = Record<string, number>;

/** Whether two blocks hold the same byte at the same tick. */
export function overlap(one: Block, other: Block, offsets: Offsets): boolean {
  const [a, b] = [offsets[one.name], offsets[other.name]];
  return (
    Math.max(one.lower, other.lower) < Math.min(one.upper, other.upper) &&
    Math.max(a, b) < Math.min(a + one.size, b + other.size)
  );
}

/** The blocks that overlap any other. */
export function overlapping(blocks: Block[], offsets: Offsets): Set<string> {
  const found = new Set<string>();
  blocks.forEach((one, index) => {
    for (const other of blocks.slice(index + 1)) {
      if (overlap(one, other, offsets)) found.add(one.name).add(other.name);
    }
  });
  return found;
}

export function peak(blocks: Block[], offsets: Offsets): number {
  return Math.max(0, ...blocks.map((block) => offsets[block.name] + block.size));
}

/** Bytes of the smallest move: all sizes are multiples of it, so no layout needs a smaller one. */
export function unitOf(blocks: Block[]): number {
  const common = (a: number, b: number): number => (b ? common(b, a % b) : a);
  return blocks.reduce((found, block) => common(found, block.size), 0) || 1;
}

/** Where a block begins: in whole units, not below byte 0 and not above the board. */
export function clamp(block: Block, offset: number, height: number, unit = 1): number {
  return Math.max(0, Math.min(Math.round(offset / unit) * unit, height - block.size));
}

/** Bytes that the board shows: all blocks on top of each other fit, so that any start is legal. */
export function boardHeight(blocks: Block[]): number {
  return blocks.reduce((sum, block) => sum + block.size, 0);
}

/** What is said about the layout, for eyes and screen readers; a best of 0 is not told. */
export function verdict(blocks: Block[], offsets: Offsets, best: number): string {
  const bad = overlapping(blocks, offsets);
  if (bad.size) return `${[...bad].join(", ")} overlap.`;
  const found = peak(blocks, offsets);
  if (!best) return `Peak ${found} bytes.`;
  if (found <= best) return `Peak ${found} bytes: it cannot be lower. Solved!`;
  return `Peak ${found} bytes; ${best} are possible. Score ${Math.round((100 * best) / found)} %.`;
}
