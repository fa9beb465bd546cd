// Decode the scene: columns by name, and the indices for instant lookups.

import { version } from "../../../shared/wire.json";
import { Blocks } from "./blocks.ts";
import { Names } from "./names.ts";
import {
  ColumnGroup,
  decodeColumns,
  type Columns,
  type Meta,
  type Payload,
  type Numbers,
} from "./payload.ts";
import { groups } from "./search.ts";
import { blocksOf, drawingOf, type GraphModel } from "./graph.ts";
import { contentsOf, type Contents } from "./opened.ts";
import { memoryModel, type MemoryModel } from "./memory.ts";
import { StripesModel } from "./stripes.ts";
import { devicesModel, measuredModel, timelineModel, type TimelineModel } from "./timeline.ts";

/** Tiles of a layer: what each computes, and what it reads of each map. */
export interface TilesModel {
  maps: [name: string, height: number, width: number][];
  down: string;
  across: string;
  tile: Numbers;
  map: Numbers;
  halo: Numbers;
  top: Numbers;
  bottom: Numbers;
  left: Numbers;
  right: Numbers;
}

export interface Model {
  /** Rectangles of the memory plan by node. */
  buffers: (node: number) => number[];
  meta: Meta;
  count: number;
  name: string[];
  /** Makes names short. */
  names: Names;
  /** Operators that belong together. */
  parts: Blocks;
  type: string[];
  family: number[];
  graph: GraphModel | null;
  blocks: GraphModel | null;
  inside: GraphModel | null;
  /** What is inside blocks; null without blocks. */
  contents: Contents | null;
  timeline: TimelineModel | null;
  /** What each element and link of a machine does, and when. */
  devices: TimelineModel | null;
  /** When each row of the timeline ran in fact. */
  measured: TimelineModel | null;
  tiles: TilesModel | null;
  stripes: StripesModel | null;
  memory: MemoryModel | null;
}

export function decode(payload: Payload): Model {
  const { meta } = payload;
  if (meta.version !== version) throw new Error(`unknown version ${meta.version} of the data`);
  const columns = decodeColumns(meta.columns, payload.bytes);
  const problems = repair(columns);
  const { name, type, family } = meta.nodes;
  const parts = new Blocks(meta.labels, columns);
  const memory = meta.memory && memoryModel(meta.memory, columns);
  return {
    meta: problems.length ? { ...meta, notes: [...meta.notes, ...problems] } : meta,
    buffers: memory ? groups(memory.node, name.length) : () => [],
    count: name.length,
    name,
    names: new Names(name, meta.labels, parts, columns),
    parts,
    type,
    family,
    graph: drawingOf(meta.graph, meta, columns, ""),
    inside: drawingOf(meta.inside, meta, columns, "inside."),
    contents: contentsOf(columns),
    blocks: meta.blocks && blocksOf(meta.blocks, columns, name.length),
    timeline: meta.timeline && timelineModel(meta.timeline, columns),
    devices: meta.devices && devicesModel(meta.devices, columns),
    measured: meta.measured && meta.timeline ? measuredModel(meta.timeline, columns) : null,
    tiles: meta.tiles && tilesModel(meta.tiles, columns),
    stripes: meta.stripes ? new StripesModel(meta.stripes, columns) : null,
    memory,
  };
}

function tilesModel(meta: NonNullable<Meta["tiles"]>, columns: Columns): TilesModel {
  const own = new ColumnGroup(columns, "tile");
  return {
    ...meta,
    tile: own.get("tile"),
    map: own.get("map"),
    halo: own.get("halo"),
    top: own.get("top"),
    bottom: own.get("bottom"),
    left: own.get("left"),
    right: own.get("right"),
  };
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
