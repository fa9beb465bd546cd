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

/** The blocks that overlap any other, or lie in both memories: the fast one ends at a byte. */
export function overlapping(blocks: Block[], offsets: Offsets, fast = 0): Set<string> {
  const crosses = ({ name, size }: Block) => offsets[name] < fast && offsets[name] + size > fast;
  const found = new Set(blocks.filter(crosses).map((block) => block.name));
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

/** Bytes of the blocks that do not lie in the fast memory. */
export function slowBytes(blocks: Block[], offsets: Offsets, fast: number): number {
  return blocks.reduce((sum, { name, size }) => sum + (offsets[name] < fast ? 0 : size), 0);
}

/** Bytes of the smallest move: all sizes are multiples of it, so no layout needs a smaller one. */
export function unitOf(blocks: Block[], fast = 0): number {
  const common = (a: number, b: number): number => (b ? common(b, a % b) : a);
  return blocks.reduce((found, block) => common(found, block.size), fast) || 1;
}

/** Where a block begins: in whole units, not below byte 0 and not above the board. */
export function clamp(block: Block, offset: number, height: number, unit = 1): number {
  return Math.max(0, Math.min(Math.round(offset / unit) * unit, height - block.size));
}

/** Bytes that the board shows: all blocks on top of each other fit, so that any start is legal. */
export function boardHeight(blocks: Block[], fast = 0): number {
  return blocks.reduce((sum, block) => sum + block.size, fast);
}

/** What is said about the layout, for eyes and screen readers; a best of 0 is not told. */
export function verdict(blocks: Block[], offsets: Offsets, best: number, fast = 0): string {
  const bad = overlapping(blocks, offsets, fast);
  const names = [...bad].join(", ");
  if (bad.size)
    return fast ? `${names}: on another block, or in both memories.` : `${names} overlap.`;
  if (fast) {
    const slow = slowBytes(blocks, offsets, fast);
    return `${slow} bytes lie in the slow memory${slow > best ? "." : ": no fewer are possible. Solved!"}`;
  }
  const found = peak(blocks, offsets);
  if (!best) return `Peak ${found} bytes.`;
  if (found <= best) return `Peak ${found} bytes: it cannot be lower. Solved!`;
  return `Peak ${found} bytes; ${best} are possible. Score ${Math.round((100 * best) / found)} %.`;
}
