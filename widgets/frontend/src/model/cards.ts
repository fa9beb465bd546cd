// Findings as the data bring them: a card each, in the words of widgets/scene/findings.py.

/** A layout to compare with: rectangles of ticks, bytes and a node. */
export interface LayoutData {
  ticks: number;
  bytes: number;
  boxes: Box[];
}

export type Box = [lower: number, upper: number, offset: number, size: number, node: number];

export interface CardData {
  kind: string;
  title: string;
  /** Colour of its edge: peak, dim, good or warn. */
  edge: string;
  figure: string;
  headline?: string;
  text?: string;
  /** The nodes that `{0}`, `{1}`, … stand for in headline and text. */
  nodes?: number[];
  bar?: [node: number, bytes: number][];
  total?: number;
  tick?: number;
  why?: string;
  where?: number[];
  python?: string;
  layout?: LayoutData;
  /** A button that shows another way to tile: its label, and the index of the way. */
  act?: [label: string, way: number];
}

/** Splits a text where nodes stand in it. */
export function splitNodes(text: string, nodes: readonly number[] = []): (string | number)[] {
  return text
    .split(/\{(\d+)\}/)
    .map((part, index) => (index % 2 ? (nodes[Number(part)] ?? "?") : part))
    .filter((part) => part !== "");
}
