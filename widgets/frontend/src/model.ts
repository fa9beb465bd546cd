// The scene as the panels read it: columns by name, and the indices that make lookups instant.

import { sortBars, type Bars } from "./bars.ts";
import { nestOf, type Nest } from "./nest.ts";
import { decodeColumns, type GraphMeta, type Meta, type Numbers, type Payload } from "./payload.ts";
import { orderOf, regionOf, type MemoryModel } from "./memoryModel.ts";
import type { TilesModel } from "./tiling.ts";
import { Names } from "./names.ts";

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
  routeStart: Uint32Array;
  route: Numbers;
  parents: number[][];
  children: number[][];
}

export interface TimelineModel {
  steps: number;
  /** What is counted along the axis: steps, microseconds, cycles. */
  unit: string;
  name: string[];
  type: string[];
  node: Numbers;
  producer: Numbers;
  /** All bars; none where they are too many, and loops are shown once. */
  flat: Bars | null;
  nest: Nest | null;
}

export interface Model {
  /** Rectangles of the memory plan by node. */
  buffers: (node: number) => number[];
  meta: Meta;
  count: number;
  name: string[];
  /** Makes names short. */
  names: Names;
  type: string[];
  family: number[];
  graph: GraphModel | null;
  blocks: GraphModel | null;
  inside: GraphModel | null;
  timeline: TimelineModel | null;
  /** What each element and link of a machine does, and when. */
  devices: TimelineModel | null;
  /** When each row of the timeline ran in fact. */
  measured: TimelineModel | null;
  tiles: TilesModel | null;
  memory: MemoryModel | null;
}

type Columns = Map<string, Numbers>;

function column(columns: Columns, name: string): Numbers {
  const found = columns.get(name);
  if (!found) throw new Error(`the data has no column ${name}`);
  return found;
}

export function decode(payload: Payload): Model {
  const { meta } = payload;
  if (meta.version !== 2) throw new Error(`unknown version ${meta.version} of the data`);
  const columns = decodeColumns(meta.columns, payload.bytes);
  const problems = repair(columns);
  const { name, type, family } = meta.nodes;
  const memory = meta.memory && memoryModel(meta.memory, columns);
  return {
    meta: problems.length ? { ...meta, notes: [...meta.notes, ...problems] } : meta,
    buffers: memory ? groups(memory.node, name.length) : () => [],
    count: name.length,
    name,
    names: new Names(name),
    type,
    family,
    graph: drawingOf(meta.graph, meta, columns, ""),
    inside: drawingOf(meta.inside, meta, columns, "inside."),
    blocks: meta.blocks && blocksOf(meta.blocks, columns, name.length),
    timeline: meta.timeline && timelineModel(meta.timeline, columns),
    devices: meta.devices && devicesModel(meta.devices, columns),
    measured: meta.measured && meta.timeline ? measuredModel(meta.timeline, columns) : null,
    tiles: meta.tiles && tilesModel(meta.tiles, columns),
    memory,
  };
}

/** The graph as it is, or with its meta-operators opened: `prefix` is that of its columns. */
function drawingOf(
  graph: GraphMeta | null | undefined,
  { nodes: { name, type } }: Meta,
  columns: Columns,
  prefix: string,
): GraphModel | null {
  if (!graph) return null;
  const owner = columns.get(`${prefix}box.node`);
  const members = Array.from({ length: graph.nodes }, (_, box) => [owner ? owner[box] : box]);
  const made = members.map((nodes) => nodes.filter((node) => node >= 0));
  const [names, types] = [graph.name ?? name, graph.type ?? type];
  return graphModel(graph, columns, prefix, names, types, made, name.length);
}

function blocksOf(meta: NonNullable<Meta["blocks"]>, columns: Columns, count: number): GraphModel {
  const member = column(columns, "block.member");
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
  const own = (column_: string) => column(columns, prefix + column_);
  const source = own("edge.source");
  const target = own("edge.target");
  const points = own("edge.points");
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
    layer: own("box.layer"),
    x: own("box.x"),
    boxWidth: own("box.width"),
    source,
    target,
    back: own("edge.back"),
    routeStart,
    route: own("route.x"),
    parents,
    children,
  };
}

function timelineModel(meta: NonNullable<Meta["timeline"]>, columns: Columns): TimelineModel {
  const producer = column(columns, "row.producer");
  return {
    steps: meta.steps,
    unit: "step",
    name: meta.name,
    type: meta.type,
    node: column(columns, "row.node"),
    producer,
    flat: meta.abridged ? null : barsOf(meta.name.length, columns, "bar", producer),
    nest: columns.has("loop.count") ? nestOf((name) => column(columns, name)) : null,
  };
}

function devicesModel(meta: NonNullable<Meta["devices"]>, columns: Columns): TimelineModel {
  const { name, type, end } = meta;
  return {
    steps: end,
    unit: "cycle",
    name,
    type,
    node: new Int32Array(name.length).fill(-1),
    producer: new Uint8Array(name.length),
    flat: barsOf(name.length, columns, "devices", undefined, meta.works),
    nest: null,
  };
}

function measuredModel(meta: NonNullable<Meta["timeline"]>, columns: Columns): TimelineModel {
  const flat = barsOf(meta.name.length, columns, "measured");
  return {
    steps: flat.end,
    unit: "µs",
    name: meta.name,
    type: meta.type,
    node: column(columns, "row.node"),
    producer: column(columns, "row.producer"),
    flat,
    nest: null,
  };
}

function tilesModel(meta: NonNullable<Meta["tiles"]>, columns: Columns): TilesModel {
  const own = (name: string) => column(columns, `tile.${name}`);
  return {
    ...meta,
    tile: own("tile"),
    map: own("map"),
    halo: own("halo"),
    top: own("top"),
    bottom: own("bottom"),
    left: own("left"),
    right: own("right"),
  };
}

function barsOf(
  rows: number,
  columns: Columns,
  prefix: string,
  producer?: Numbers,
  works?: number[][],
): Bars {
  const values = {
    row: column(columns, `${prefix}.row`),
    early: column(columns, `${prefix}.early`),
    slack:
      columns.get(`${prefix}.slack`) ?? new Uint8Array(column(columns, `${prefix}.row`).length),
    length: columns.get(`${prefix}.length`),
    node: columns.get(`${prefix}.node`),
    work: columns.get(`${prefix}.work`),
  };
  return sortBars(rows, values, producer, works);
}

function memoryModel(
  meta: NonNullable<Meta["memory"]>,
  columns: Columns,
  prefix = "buffer",
): MemoryModel {
  const own = (name: string) => column(columns, `${prefix}.${name}`);
  const [order, reached] = orderOf(own("lower"), own("upper"));
  const plan: MemoryModel = {
    order,
    reached,
    label: meta.label ?? "",
    peak: meta.peak,
    lowerBound: meta.lowerBound,
    ticks: meta.ticks,
    names: meta.names,
    spaces: (meta.spaces ?? []).map(([name, base, size]) => ({ name, base, size })),
    node: own("node"),
    kind: own("kind"),
    lower: own("lower"),
    upper: own("upper"),
    offset: own("offset"),
    size: own("size"),
    whole: columns.get(`${prefix}.whole`) ?? own("size"),
    tickNode: column(columns, "tick.node"),
    tickStep: column(columns, "tick.step"),
    other: meta.other ? memoryModel(meta.other, columns, "other") : null,
    weights: columns.get("weight.size") ?? null,
    region: null,
  };
  return plan.spaces.length ? plan : { ...plan, region: regionOf(plan) };
}

/** Lists what belongs to each node; made when it is asked for first. */
export function groups(node: Numbers, count: number): (node: number) => number[] {
  let known: { start: Uint32Array; found: Uint32Array } | null = null;
  return (each) => {
    const { start, found } = (known ??= grouped(node, count));
    return Array.from(found.subarray(start[each], start[each + 1]));
  };
}

function grouped(node: Numbers, count: number): { start: Uint32Array; found: Uint32Array } {
  const start = new Uint32Array(count + 1);
  for (let item = 0; item < node.length; item++) start[node[item] + 1]++;
  for (let each = 0; each < count; each++) start[each + 1] += start[each];
  const next = start.slice();
  const found = new Uint32Array(node.length);
  for (let item = 0; item < node.length; item++) found[next[node[item]]++] = item;
  return { start, found };
}

/** Puts 0 where a column has what is not a number, and says so: nothing else could be drawn. */
function repair(columns: Columns): string[] {
  const problems: string[] = [];
  for (const [name, values] of columns) {
    if (!(values instanceof Float32Array || values instanceof Float64Array)) continue;
    let wrong = 0;
    for (let at = 0; at < values.length; at++) {
      if (Number.isFinite(values[at])) continue;
      values[at] = 0;
      wrong++;
    }
    if (wrong) problems.push(`${name}: ${wrong} not a number, drawn as 0`);
  }
  return problems;
}
