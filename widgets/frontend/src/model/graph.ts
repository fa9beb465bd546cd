// The graph as the panel reads it: boxes in layers, the routes of edges, and the box under the pointer.

import { ColumnGroup, type Columns, type GraphMeta, type Meta, type Numbers } from "./payload.ts";
import type { Frame } from "./opened.ts";
import { NONE } from "./search.ts";

export interface GraphModel {
  /** What is written in each box. */
  name: string[];
  type: string[];
  /** The first box of each node of the scene; -1 where it has none. */
  boxOf: Int32Array;
  /** The nodes in each box. */
  members: number[][];
  nodes: number;
  height: number;
  pitch: number;
  width: number;
  depth: number;
  terminals: [label: string, dims: string, isInput: boolean][];
  labels: string[];
  layer: Numbers;
  x: Numbers;
  boxWidth: Numbers;
  source: Numbers;
  target: Numbers;
  back: Numbers;
  /** Bytes that each edge carries, -1 where they are not known. */
  bytes?: Numbers;
  routeStart: Uint32Array;
  route: Numbers;
  parents: number[][];
  children: number[][];
  /** Frames around blocks that are open. */
  frames?: Frame[];
  /** Boxes that stand for several blocks. */
  stacks?: ReadonlySet<number>;
}

/** The graph as it is, or with its meta-operators opened: `prefix` is that of its columns. */
export function drawingOf(
  graph: GraphMeta | null | undefined,
  { nodes: { name, type } }: Meta,
  columns: Columns,
  prefix: string,
): GraphModel | null {
  if (!graph) return null;
  const owner = new ColumnGroup(columns, "box", `${prefix}box`).find("node");
  const members = Array.from({ length: graph.nodes }, (_, box) => [owner ? owner[box] : box]);
  const made = members.map((nodes) => nodes.filter((node) => node >= 0));
  const [names, types] = [graph.name ?? name, graph.type ?? type];
  return graphModel(graph, columns, prefix, names, types, made, name.length);
}

export function blocksOf(
  meta: NonNullable<Meta["blocks"]>,
  columns: Columns,
  count: number,
): GraphModel {
  const member = new ColumnGroup(columns, "block").get("member");
  const members: number[][] = Array.from({ length: meta.nodes }, () => []);
  for (let node = 0; node < member.length; node++) members[member[node]]?.push(node);
  return graphModel(meta, columns, "block.", meta.name, meta.type, members, count);
}

function graphModel(
  meta: GraphMeta,
  columns: Columns,
  prefix: string,
  name: string[],
  type: string[],
  members: number[][],
  count: number,
): GraphModel {
  const boxes = new ColumnGroup(columns, "box", `${prefix}box`);
  const edges = new ColumnGroup(columns, "edge", `${prefix}edge`);
  const source = edges.get("source");
  const target = edges.get("target");
  const points = edges.get("points");
  const routeStart = new Uint32Array(points.length + 1);
  const parents: number[][] = Array.from({ length: meta.nodes }, () => []);
  const children: number[][] = Array.from({ length: meta.nodes }, () => []);
  for (let edge = 0; edge < points.length; edge++) {
    routeStart[edge + 1] = routeStart[edge] + points[edge];
    if (source[edge] < meta.nodes && target[edge] < meta.nodes) {
      children[source[edge]].push(target[edge]);
      parents[target[edge]].push(source[edge]);
    }
  }
  const boxOf = new Int32Array(count).fill(-1);
  for (let box = meta.nodes - 1; box >= 0; box--) {
    for (const node of members[box]) boxOf[node] = box;
  }
  return {
    name,
    type,
    boxOf,
    members,
    nodes: meta.nodes,
    height: meta.height,
    pitch: meta.pitch,
    width: meta.size[0],
    depth: meta.size[1],
    terminals: meta.terminals,
    labels: meta.labels,
    layer: boxes.get("layer"),
    x: boxes.get("x"),
    boxWidth: boxes.get("width"),
    source,
    target,
    back: edges.get("back"),
    bytes: edges.find("bytes"),
    routeStart,
    route: new ColumnGroup(columns, "route", `${prefix}route`).get("x"),
    parents,
    children,
  };
}

/** The node whose box holds a point of the drawing, give or take `reach` pixels. */
export function boxAt(graph: GraphModel, x: number, y: number, reach: number): number {
  for (let node = 0; node < graph.nodes; node++) {
    const top = graph.layer[node] * graph.pitch;
    if (y < top - reach || y > top + graph.height + reach) continue;
    if (Math.abs(x - graph.x[node]) <= graph.boxWidth[node] / 2 + reach) return node;
  }
  return NONE;
}

/** The box that an arrow key leads to: the closest one that an edge goes to, or the next beside it. */
export function nextBox(graph: GraphModel, box: number, dx: number, dy: number): number {
  const { x, layer, children, parents } = graph;
  if (dy) {
    const near = (dy > 0 ? children : parents)[box];
    if (near.length === 0) return box;
    const distance = (other: number) => Math.abs(x[other] - x[box]);
    return near.reduce((best, other) => (distance(other) < distance(best) ? other : best));
  }
  let best = box;
  for (let other = 0; other < graph.nodes; other++) {
    if (layer[other] !== layer[box]) continue;
    const step = (x[other] - x[box]) * dx;
    if (step > 0 && (best === box || step < (x[best] - x[box]) * dx)) best = other;
  }
  return best;
}
