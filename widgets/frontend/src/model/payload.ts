// The wire format: one JSON value with the strings, one block of bytes with the columns. The names
// of the columns, and what each holds, are listed in widgets/shared/wire.json.

import type wire from "../../../shared/wire.json";
import type { CardData } from "./cards.ts";
import type { StripesMeta } from "./stripes.ts";

export type Numbers =
  Uint8Array | Uint16Array | Uint32Array | Int32Array | Float32Array | Float64Array;

/** Columns by name, as they were read. */
export type Columns = Map<string, Numbers>;

/** A row of the exported program beside the schedule. */
export type CodeRow = [
  number: string,
  depth: number,
  node: number,
  name: string,
  type: string,
  code: string,
];

/** The program of a graph: its code, its memory and its files. */
export interface ExportedData {
  function: string;
  rows: CodeRow[];
  memory: [what: string, symbol: string, bytes: number, kind: string][];
  files: [depth: number, name: string, bytes: number, node: number][];
}

/** Points and lines of a chart. */
export interface ChartData {
  title: string;
  x: string;
  y: string;
  points: [x: number, y: number, node: number][];
  lines: [label: string, line: [x: number, y: number][]][];
  log: boolean;
}

/** A decision: the round, the sentence, why, the nodes it is about, and what waits on edges now. */
export type StageData = [
  round: number,
  title: string,
  lines: string[],
  nodes: [node: number, role: string][],
  waiting: [edge: number, count: number][],
];

export interface ColumnEntry {
  name: string;
  dtype: string;
  offset: number;
  count: number;
}

export interface GraphMeta {
  nodes: number;
  height: number;
  pitch: number;
  size: [width: number, height: number];
  terminals: [label: string, dims: string, isInput: boolean][];
  labels: string[];
  /** Text of boxes that are not nodes. */
  name?: string[];
  type?: string[];
}

export interface MemoryMeta {
  peak: number;
  lowerBound: number;
  ticks: number;
  names: string[];
  /** The memories of a machine: `scale` bytes of each are drawn. */
  spaces?: [
    name: string,
    base: number,
    size: number,
    capacity: number,
    scale: number,
    text: string,
  ][];
  /** Another plan, to compare with; `label` is what it is called. */
  other?: MemoryMeta | null;
  label?: string;
  /** Bytes that the plan should not exceed. */
  budget?: number;
}

/** What a machine does; `works` are nodes that are computed together. */
export interface MachineMeta {
  end: number;
  name: string[];
  type: string[];
  works?: number[][];
  /** What is written of each row, and how busy it is. */
  labels?: string[];
  busy?: string[];
  /** Rows that wait, and the cycles in which they do, half-open. */
  idle?: [row: number, start: number, stop: number][];
  /** Cycles in a second; 0 where that is not known. */
  hertz?: number;
}

/** What most names begin and end with, and the blocks of the network. */
export interface LabelMeta {
  prefix: string;
  suffix: string;
  blocks: [label: string, kind: string][];
}

export interface Meta {
  version: number;
  title: string;
  /** Panels shown by default. */
  panels: string[];
  families: [name: string, light: string, dark: string][];
  kinds: string[];
  nodes: {
    name: string[];
    type: string[];
    family: number[];
    parameters: number[];
    macs: (number | null)[];
    details: [label: string, text: string][][];
    /** Device of each node; empty when all have the same. */
    device?: string[];
  };
  labels: LabelMeta;
  figures: [label: string, text: string][];
  notes: string[];
  /** What the values say, a card each. */
  findings?: CardData[];
  graph: null | GraphMeta;
  /** The graph with its repeated blocks collapsed. */
  blocks: null | (GraphMeta & { name: string[]; type: string[] });
  /** The graph with its meta-operators opened. */
  inside?: null | GraphMeta;
  timeline: null | {
    steps: number;
    name: string[];
    type: string[];
    /** Whether there are too many firings to list them, and loops are drawn once. */
    folded: boolean;
  };
  /** The scheduling algorithm, stage by stage. */
  algorithm: StageData[];
  devices: null | MachineMeta;
  /** Whether there is a run beside the schedule. */
  measured: boolean;
  /** The exported C program. */
  exported?: null | ExportedData;
  tiles: null | {
    maps: [name: string, height: number, width: number][];
    down: string;
    across: string;
  };
  /** A chain in stripes; missing in data without. */
  stripes?: null | StripesMeta;
  charts: ChartData[];
  memory: null | MemoryMeta;
  columns: ColumnEntry[];
}

export interface Payload {
  meta: Meta;
  bytes: DataView | ArrayBuffer | Uint8Array;
}

const VIEWS = {
  u1: Uint8Array,
  u2: Uint16Array,
  u4: Uint32Array,
  i4: Int32Array,
  f4: Float32Array,
  f8: Float64Array,
} as const;

function toBytes(data: Payload["bytes"]): Uint8Array {
  if (data instanceof ArrayBuffer) return new Uint8Array(data);
  return new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
}

/** Reads the columns; each gets memory of its own, so that its alignment does not matter. */
export function decodeColumns(entries: ColumnEntry[], data: Payload["bytes"]) {
  const bytes = toBytes(data);
  const columns = new Map<string, Numbers>();
  for (const { name, dtype, offset, count } of entries) {
    const View = VIEWS[dtype as keyof typeof VIEWS];
    if (!View) throw new Error(`column ${name}: unknown type ${dtype}`);
    const stop = offset + count * View.BYTES_PER_ELEMENT;
    if (stop > bytes.byteLength) {
      throw new Error(`column ${name} ends at ${stop}, the data at ${bytes.byteLength}`);
    }
    columns.set(name, new View(bytes.slice(offset, stop).buffer));
  }
  return columns;
}

type Format = typeof wire.columns;

/** The columns of one group of the wire format; only names that it declares can be asked for. */
export class ColumnGroup<Group extends keyof Format> {
  constructor(
    private readonly columns: Columns,
    group: Group,
    /** What the names of the columns begin with, where that is not the name of the group. */
    private readonly prefix: string = group,
  ) {}

  get(name: keyof Format[Group] & string): Numbers {
    const found = this.find(name);
    if (!found) throw new Error(`the data has no column ${this.prefix}.${name}`);
    return found;
  }

  find(name: keyof Format[Group] & string): Numbers | undefined {
    return this.columns.get(`${this.prefix}.${name}`);
  }
}
