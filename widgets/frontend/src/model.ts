// The scene as the panels read it: columns by name, and the indices that make lookups instant.

import { decodeColumns, type Meta, type Numbers, type Payload } from "./payload.ts";
import { commonPrefix } from "./text.ts";

export interface GraphModel {
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

/** Bars sorted by row, then as they came; `start[row]` to `start[row + 1]` are those of a row. */
export interface Bars {
  start: Uint32Array;
  early: Numbers;
  slack: Numbers;
  maxSlack: Float64Array;
  begin: number;
  end: number;
}

export interface TimelineModel {
  steps: number;
  name: string[];
  type: string[];
  node: Numbers;
  producer: Numbers;
  flat: Bars;
  folded: Bars;
  folds: { repeat: number; begin: number; end: number; lane: number }[];
  lanes: number;
}

export interface MemoryModel {
  peak: number;
  lowerBound: number;
  ticks: number;
  names: string[];
  node: Numbers;
  kind: Numbers;
  lower: Numbers;
  upper: Numbers;
  /** Tick from which a buffer drawn later covers a part of it: its name is written before. */
  covered: Float64Array;
  offset: Numbers;
  size: Numbers;
  tickNode: Numbers;
  tickStep: Numbers;
}

export interface Model {
  meta: Meta;
  count: number;
  name: string[];
  /** What all names begin with. */
  shared: string;
  type: string[];
  family: number[];
  graph: GraphModel | null;
  timeline: TimelineModel | null;
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
  if (meta.version !== 1) throw new Error(`unknown version ${meta.version} of the data`);
  const columns = decodeColumns(meta.columns, payload.bytes);
  const { name, type, family } = meta.nodes;
  return {
    meta,
    count: name.length,
    name,
    shared: commonPrefix(name),
    type,
    family,
    graph: meta.graph && graphModel(meta.graph, columns, name.length),
    timeline: meta.timeline && timelineModel(meta.timeline, columns),
    memory: meta.memory && memoryModel(meta.memory, columns),
  };
}

function graphModel(meta: NonNullable<Meta["graph"]>, columns: Columns, count: number): GraphModel {
  const source = column(columns, "edge.source");
  const target = column(columns, "edge.target");
  const points = column(columns, "edge.points");
  const routeStart = new Uint32Array(points.length + 1);
  const parents: number[][] = Array.from({ length: count }, () => []);
  const children: number[][] = Array.from({ length: count }, () => []);
  for (let edge = 0; edge < points.length; edge++) {
    routeStart[edge + 1] = routeStart[edge] + points[edge];
    if (source[edge] < meta.nodes && target[edge] < meta.nodes) {
      children[source[edge]].push(target[edge]);
      parents[target[edge]].push(source[edge]);
    }
  }
  return {
    nodes: meta.nodes,
    height: meta.height,
    pitch: meta.pitch,
    width: meta.size[0],
    depth: meta.size[1],
    terminals: meta.terminals,
    labels: meta.labels,
    layer: column(columns, "box.layer"),
    x: column(columns, "box.x"),
    boxWidth: column(columns, "box.width"),
    source,
    target,
    back: column(columns, "edge.back"),
    routeStart,
    route: column(columns, "route.x"),
    parents,
    children,
  };
}

/** Sorts bars by row with a counting sort; those of a row come by their early
 * step. `begin` to `end` are the steps of operators, without those of weights. */
export function sortBars(
  rows: number,
  row: Numbers,
  early: Numbers,
  slack: Numbers,
  producer?: Numbers,
): Bars {
  const start = new Uint32Array(rows + 1);
  for (const index of row) start[index + 1]++;
  for (let index = 0; index < rows; index++) start[index + 1] += start[index];
  const next = start.slice();
  const sortedEarly = new Int32Array(row.length);
  const sortedSlack = new Uint32Array(row.length);
  const maxSlack = new Float64Array(rows);
  let begin = Infinity;
  let end = 0;
  for (let bar = 0; bar < row.length; bar++) {
    const place = next[row[bar]]++;
    sortedEarly[place] = early[bar];
    sortedSlack[place] = slack[bar];
    if (slack[bar] > maxSlack[row[bar]]) maxSlack[row[bar]] = slack[bar];
    if (producer?.[row[bar]]) continue;
    if (early[bar] < begin) begin = early[bar];
    if (early[bar] + slack[bar] + 1 > end) end = early[bar] + slack[bar] + 1;
  }
  if (begin > end) begin = end;
  return { start, early: sortedEarly, slack: sortedSlack, maxSlack, begin, end };
}

/** Puts spans that overlap on different lanes, first come first served. */
export function assignLanes(spans: { begin: number; end: number }[]): number[] {
  const ends: number[] = [];
  return spans.map(({ begin, end }) => {
    let lane = ends.findIndex((last) => last <= begin);
    if (lane < 0) lane = ends.length;
    ends[lane] = end;
    return lane;
  });
}

function timelineModel(meta: NonNullable<Meta["timeline"]>, columns: Columns): TimelineModel {
  const rows = meta.name.length;
  const producer = column(columns, "row.producer");
  const bars = (prefix: string) =>
    sortBars(
      rows,
      column(columns, `${prefix}.row`),
      column(columns, `${prefix}.early`),
      column(columns, `${prefix}.slack`),
      producer,
    );
  const foldRow = column(columns, "fold.row");
  const foldEarly = column(columns, "fold.early");
  const spans = meta.folds.map(([repeat, first, stop]) => {
    let begin = Infinity;
    let end = -Infinity;
    for (let bar = first; bar < stop; bar++) {
      if (producer[foldRow[bar]]) continue;
      begin = Math.min(begin, foldEarly[bar]);
      end = Math.max(end, foldEarly[bar] + 1);
    }
    return { repeat, begin, end };
  });
  const shown = spans.filter((span) => span.begin < span.end && span.repeat > 1);
  const lanes = assignLanes(shown);
  return {
    steps: meta.steps,
    name: meta.name,
    type: meta.type,
    node: column(columns, "row.node"),
    producer,
    flat: bars("bar"),
    folded: bars("fold"),
    folds: shown.map((span, index) => ({ ...span, lane: lanes[index] })),
    lanes: Math.max(0, ...lanes.map((lane) => lane + 1)),
  };
}

/** When each rectangle is first covered by one that is drawn later, as operators in place do. */
export function coveredFrom(
  lower: Numbers,
  upper: Numbers,
  offset: Numbers,
  size: Numbers,
): Float64Array {
  const covered = Float64Array.from(upper);
  const order = Array.from(lower.keys()).sort((a, b) => lower[a] - lower[b] || a - b);
  order.forEach((buffer, place) => {
    for (let next = place + 1; next < order.length; next++) {
      const other = order[next];
      if (lower[other] >= covered[buffer]) break;
      const apart =
        offset[other] >= offset[buffer] + size[buffer] ||
        offset[buffer] >= offset[other] + size[other];
      if (other > buffer && !apart) covered[buffer] = lower[other];
    }
  });
  return covered;
}

function memoryModel(meta: NonNullable<Meta["memory"]>, columns: Columns): MemoryModel {
  const lower = column(columns, "buffer.lower");
  const upper = column(columns, "buffer.upper");
  const offset = column(columns, "buffer.offset");
  const size = column(columns, "buffer.size");
  return {
    peak: meta.peak,
    lowerBound: meta.lowerBound,
    ticks: meta.ticks,
    names: meta.names,
    node: column(columns, "buffer.node"),
    kind: column(columns, "buffer.kind"),
    lower,
    upper,
    covered: coveredFrom(lower, upper, offset, size),
    offset,
    size,
    tickNode: column(columns, "tick.node"),
    tickStep: column(columns, "tick.step"),
  };
}
