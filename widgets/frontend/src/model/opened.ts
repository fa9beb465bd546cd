// Draw a graph with some of its blocks open: what is inside takes the place of the block's box.

import { ColumnGroup, type Columns, type Numbers } from "./payload.ts";
import { NONE } from "./search.ts";
import type { GraphModel } from "./graph.ts";

/** What is inside all blocks, block after block; edges are between boxes of one block. */
export interface Contents {
  node: Numbers;
  layer: Numbers;
  x: Numbers;
  width: Numbers;
  /** Width of each block's contents. */
  wide: Numbers;
  source: Numbers;
  target: Numbers;
  back: Numbers;
  routeStart: Uint32Array;
  route: Numbers;
}

/** The frame around an open block, in layers of the drawing. */
export interface Frame {
  box: number;
  title: string;
  first: number;
  last: number;
  x: number;
  width: number;
}

export function contentsOf(columns: Columns): Contents | null {
  const boxes = new ColumnGroup(columns, "content");
  if (!boxes.find("node")?.length) return null;
  const edges = new ColumnGroup(columns, "contentEdge");
  const points = edges.get("points");
  const routeStart = new Uint32Array(points.length + 1);
  points.forEach((count, edge) => (routeStart[edge + 1] = routeStart[edge] + count));
  return {
    node: boxes.get("node"),
    layer: boxes.get("layer"),
    x: boxes.get("x"),
    width: boxes.get("width"),
    wide: boxes.get("wide"),
    source: edges.get("source"),
    target: edges.get("target"),
    back: edges.get("back"),
    routeStart,
    route: new ColumnGroup(columns, "contentRoute").get("x"),
  };
}

/** The open block whose title is at a point of the drawing. */
export function frameAt(graph: GraphModel, x: number, y: number): Frame | null {
  const found = graph.frames?.find((frame) => {
    const top = frame.first * graph.pitch - TITLE;
    return x >= frame.x && x <= frame.x + frame.width && y >= top && y <= top + TITLE;
  });
  return found ?? null;
}

/** Height of the title of an open block, above its first box. */
export const TITLE = 19;

/** Room between a frame and the boxes in it, in pixels. */
const MARGIN = 16;

/**
 * Opens blocks in a drawing of blocks. Layers below an open block move down by the layers inside;
 * what is beside it in its layer moves apart.
 */
export class Opening {
  private readonly firstContent: Map<number, number>;
  private readonly contentCount: Map<number, number>;
  private readonly blockNumber: Map<number, number>;

  constructor(
    private readonly closed: GraphModel,
    private readonly whole: GraphModel,
    private readonly contents: Contents,
  ) {
    this.firstContent = new Map();
    this.contentCount = new Map();
    this.blockNumber = new Map();
    contents.node.forEach((node, at) => {
      const box = closed.boxOf[node];
      if (!this.firstContent.has(box)) {
        this.blockNumber.set(box, this.firstContent.size);
        this.firstContent.set(box, at);
      }
      this.contentCount.set(box, (this.contentCount.get(box) ?? 0) + 1);
    });
  }

  /** Whether a box of the closed drawing is a block that can be opened. */
  isBlock(box: number): boolean {
    return this.firstContent.has(box);
  }

  draw(open: ReadonlySet<number>): GraphModel {
    if (open.size === 0) return { ...this.closed, frames: [] };
    return new Composition(this.closed, this.whole, this.contents, open, {
      first: (box) => this.firstContent.get(box) ?? 0,
      count: (box) => this.contentCount.get(box) ?? 0,
      number: (box) => this.blockNumber.get(box) ?? 0,
    }).result();
  }
}

interface Places {
  first: (box: number) => number;
  count: (box: number) => number;
  number: (box: number) => number;
}

class Composition {
  /** For each layer of the closed drawing, where it begins now; one more for the end. */
  private readonly layerStart: number[];
  private readonly inLayer: number[][];
  private readonly name: string[] = [];
  private readonly type: string[] = [];
  private readonly members: number[][] = [];
  private readonly layer: number[] = [];
  private readonly x: number[] = [];
  private readonly boxWidth: number[] = [];
  private readonly labels: string[] = [];
  private readonly edges: { source: number; target: number; back: number; route: number[] }[] = [];
  private readonly frames: Frame[] = [];
  /** The new box of each closed box, or of the first box inside it. */
  private readonly boxOf: number[] = [];
  private readonly boxOfNode = new Map<number, number>();

  constructor(
    private readonly closed: GraphModel,
    private readonly whole: GraphModel,
    private readonly contents: Contents,
    private readonly open: ReadonlySet<number>,
    private readonly places: Places,
  ) {
    const layers = Math.max(0, ...closed.layer) + 1;
    const high = new Array<number>(layers).fill(1);
    this.inLayer = Array.from({ length: layers }, () => []);
    for (const box of open) {
      high[closed.layer[box]] = Math.max(high[closed.layer[box]], this.layersIn(box));
      this.inLayer[closed.layer[box]].push(box);
    }
    this.layerStart = [0];
    for (const count of high) this.layerStart.push(this.layerStart.at(-1)! + count);
    this.placeBoxes();
    this.insideEdges();
    this.outsideEdges();
  }

  result(): GraphModel {
    const { closed } = this;
    const lefts = this.x.map((x, box) => x - this.boxWidth[box] / 2);
    const rights = this.x.map((x, box) => x + this.boxWidth[box] / 2);
    const bends = this.edges.flatMap((edge) => edge.route);
    const least = Math.min(0, ...lefts, ...bends, ...this.frames.map((frame) => frame.x));
    const most = Math.max(...rights, ...bends, ...this.frames.map(({ x, width }) => x + width));
    for (const frame of this.frames) frame.x -= least;
    const nodes = this.name.length;
    const boxOf = new Int32Array(closed.boxOf.length).fill(NONE);
    this.members.forEach((own, box) => own.forEach((node) => (boxOf[node] = box)));
    const routeStart = new Uint32Array(this.edges.length + 1);
    this.edges.forEach(({ route }, edge) => {
      routeStart[edge + 1] = routeStart[edge] + route.length;
    });
    const parents: number[][] = Array.from({ length: nodes }, () => []);
    const children: number[][] = Array.from({ length: nodes }, () => []);
    for (const { source, target } of this.edges) {
      if (source < nodes && target < nodes) {
        children[source].push(target);
        parents[target].push(source);
      }
    }
    return {
      ...closed,
      name: this.name,
      type: this.type,
      members: this.members,
      boxOf,
      nodes,
      width: most - least,
      depth: (this.layerStart.at(-1)! - 1) * closed.pitch + closed.height,
      labels: this.labels,
      layer: Uint32Array.from(this.layer),
      x: Float64Array.from(this.x, (x) => x - least),
      boxWidth: Float64Array.from(this.boxWidth),
      source: Uint32Array.from(this.edges, ({ source }) => source),
      target: Uint32Array.from(this.edges, ({ target }) => target),
      back: Uint8Array.from(this.edges, ({ back }) => back),
      routeStart,
      route: Float64Array.from(bends, (x) => x - least),
      parents,
      children,
      frames: this.frames,
    };
  }

  private layersIn(box: number): number {
    const first = this.places.first(box);
    let most = 0;
    for (let at = first; at < first + this.places.count(box); at++) {
      most = Math.max(most, this.contents.layer[at] + 1);
    }
    return most;
  }

  /** How wide the contents of a block are, with the frame. */
  private wide(box: number): number {
    return this.contents.wide[this.places.number(box)] + 2 * MARGIN;
  }

  /** Where a place of a closed layer is once the open blocks in this layer have their room. */
  private spread(layer: number, x: number): number {
    let moved = x;
    for (const box of this.inLayer[layer]) {
      const more = Math.max(0, this.wide(box) - this.closed.boxWidth[box]) / 2;
      moved += Math.sign(x - this.closed.x[box]) * more;
    }
    return moved;
  }

  private placeBoxes(): void {
    const { closed } = this;
    for (let box = 0; box < closed.x.length; box++) {
      if (box === closed.nodes) this.openBlocks();
      if (this.open.has(box)) continue;
      this.boxOf[box] = this.layer.length;
      if (box < closed.nodes) {
        this.name.push(closed.name[box]);
        this.type.push(closed.type[box]);
        this.members.push(closed.members[box]);
      }
      this.layer.push(this.layerStart[closed.layer[box]]);
      this.x.push(this.spread(closed.layer[box], closed.x[box]));
      this.boxWidth.push(closed.boxWidth[box]);
    }
    if (closed.x.length === closed.nodes) this.openBlocks();
  }

  private openBlocks(): void {
    const { closed, contents, places, whole } = this;
    for (const box of this.open) {
      const start = this.layerStart[closed.layer[box]];
      const width = this.wide(box);
      const left = this.spread(closed.layer[box], closed.x[box]) - width / 2;
      const first = places.first(box);
      this.boxOf[box] = this.layer.length;
      for (let at = first; at < first + places.count(box); at++) {
        const node = contents.node[at];
        this.boxOfNode.set(node, this.layer.length);
        this.name.push(whole.name[node]);
        this.type.push(whole.type[node]);
        this.members.push([node]);
        this.layer.push(start + contents.layer[at]);
        this.x.push(left + MARGIN + contents.x[at]);
        this.boxWidth.push(contents.width[at]);
      }
      const last = start + this.layersIn(box) - 1;
      this.frames.push({ box, title: closed.name[box], first: start, last, x: left, width });
    }
  }

  private insideEdges(): void {
    const { contents, whole } = this;
    const labels = new Map<string, string>();
    whole.labels.forEach((label, edge) => {
      if (this.boxOfNode.has(whole.source[edge])) {
        labels.set(`${whole.source[edge]} ${whole.target[edge]}`, label);
      }
    });
    for (let edge = 0; edge < contents.source.length; edge++) {
      const [from, to] = [
        contents.node[contents.source[edge]],
        contents.node[contents.target[edge]],
      ];
      const [source, target] = [this.boxOfNode.get(from), this.boxOfNode.get(to)];
      if (source === undefined || target === undefined) continue;
      const shift = this.x[source] - contents.x[contents.source[edge]];
      const route = Array.from(
        contents.route.slice(contents.routeStart[edge], contents.routeStart[edge + 1]),
        (x) => x + shift,
      );
      const label = labels.get(`${from} ${to}`) ?? "";
      this.add(source, target, contents.back[edge], route, label);
    }
  }

  /** Edges between boxes of the closed drawing; those of an open block end at boxes inside it. */
  private outsideEdges(): void {
    const { closed } = this;
    const inner = this.crossings();
    for (let edge = 0; edge < closed.source.length; edge++) {
      const [source, target] = [closed.source[edge], closed.target[edge]];
      const isOpen = this.open.has(source) || this.open.has(target);
      const pairs = (isOpen && inner.get(`${source} ${target}`)) || [
        [this.boxOf[source], this.boxOf[target]] as const,
      ];
      for (const [from, to] of pairs) {
        const route = closed.back[edge] ? this.around(edge, from, to) : this.down(edge, from, to);
        this.add(from, to, closed.back[edge], route, closed.labels[edge]);
      }
    }
  }

  /** For each edge of the closed drawing that touches an open block: the boxes at its real ends. */
  private crossings(): Map<string, (readonly [number, number])[]> {
    const { closed, whole } = this;
    const closedBox = (box: number) =>
      box < whole.nodes ? closed.boxOf[box] : box - whole.nodes + closed.nodes;
    const ownBox = (box: number) =>
      (box < whole.nodes ? this.boxOfNode.get(box) : undefined) ?? this.boxOf[closedBox(box)];
    const found = new Map<string, (readonly [number, number])[]>();
    const seen = new Set<string>();
    for (let edge = 0; edge < whole.source.length; edge++) {
      const [source, target] = [whole.source[edge], whole.target[edge]];
      const ends = [closedBox(source), closedBox(target)];
      if (ends[0] === ends[1] || !ends.some((box) => this.open.has(box))) continue;
      const pair = [ownBox(source), ownBox(target)] as const;
      if (seen.has(pair.join())) continue;
      seen.add(pair.join());
      const key = ends.join(" ");
      const pairs = found.get(key);
      if (pairs) pairs.push(pair);
      else found.set(key, [pair]);
    }
    return found;
  }

  /** The route of an edge that goes down: one place for each layer that it passes. */
  private down(edge: number, from: number, to: number): number[] {
    const { closed } = this;
    const first = closed.layer[closed.source[edge]];
    const start = closed.routeStart[edge];
    const [top, bottom] = [this.layer[from], this.layer[to]];
    const route = [this.x[from]];
    let at = first;
    for (let layer = top + 1; layer < bottom; layer++) {
      while (this.layerStart[at + 1] <= layer) at++;
      const bend = closed.route[start + at - first];
      const isOwn = at === first || at === closed.layer[closed.target[edge]];
      route.push(isOwn ? this.beside(at === first ? from : to) : this.spread(at, bend));
    }
    route.push(this.x[to]);
    return route;
  }

  /** Where an edge runs beside the other boxes of the block that its end is in. */
  private beside(box: number): number {
    const node = this.members[box]?.[0] ?? NONE;
    const frame = this.frames.find((each) => each.box === this.closed.boxOf[node]);
    return frame ? frame.x + MARGIN / 2 : this.x[box];
  }

  private around(edge: number, from: number, to: number): number[] {
    const side = this.closed.route[this.closed.routeStart[edge] + 1];
    return [this.x[from], side, this.x[to]];
  }

  private add(source: number, target: number, back: number, route: number[], label: string): void {
    this.edges.push({ source, target, back, route });
    this.labels.push(label);
  }
}
