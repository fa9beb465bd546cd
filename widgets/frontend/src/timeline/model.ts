// A schedule as the panel reads it: rows, their bars and the loops, of steps, cycles or a measured run.

import { ColumnGroup, type Columns, type Meta, type Numbers } from "../core/payload.ts";
import { sortBars, type Bars } from "./bars.ts";
import { Machine } from "../mapping/machine.ts";
import { framesOf, type Frame } from "./frames.ts";
import { Nest } from "./nest.ts";

export interface TimelineModel {
  steps: number;
  /** What is counted along the axis: steps, microseconds, cycles. */
  unit: string;
  name: string[];
  type: string[];
  node: Numbers;
  producer: Numbers;
  /** All bars; null where they are too many to be listed. */
  flat: Bars | null;
  /** Bars of operators, in the order of the schedule. */
  order: Int32Array;
  /** The loops; null where there are none. */
  nest: Nest | null;
  frames: Frame[];
  /** What is known of a machine. */
  machine?: Machine;
}

export function timelineModel(
  meta: NonNullable<Meta["timeline"]>,
  columns: Columns,
): TimelineModel {
  const rows = new ColumnGroup(columns, "row");
  const producer = rows.get("producer");
  const bars = new ColumnGroup(columns, "bar");
  const nest = new ColumnGroup(columns, "loop").find("count") ? new Nest(columns) : null;
  const row = meta.folded ? new Uint8Array(0) : bars.get("row");
  const flat = meta.folded
    ? null
    : sortBars(
        meta.name.length,
        { row, early: bars.get("early"), slack: bars.get("slack") },
        producer,
      );
  return {
    steps: meta.steps,
    unit: "step",
    name: meta.name,
    type: meta.type,
    node: rows.get("node"),
    producer,
    flat,
    order: flat ? orderOf(flat, row, producer) : new Int32Array(0),
    nest,
    frames: nest ? framesOf(columns, nest) : [],
  };
}

/** The bars of operators as they came: in the order of the schedule. */
function orderOf({ places }: Bars, row: Numbers, producer: Numbers): Int32Array {
  const found = new Int32Array(places);
  if (!producer.includes(1)) return found;
  let count = 0;
  for (let bar = 0; bar < places.length; bar++) {
    if (!producer[row[bar]]) found[count++] = places[bar];
  }
  return count < found.length ? found.slice(0, count) : found;
}

export function devicesModel(meta: NonNullable<Meta["devices"]>, columns: Columns): TimelineModel {
  const { name, type, end } = meta;
  const bars = new ColumnGroup(columns, "devices");
  const [node, work] = [bars.find("node"), bars.find("work")];
  const flat = sortBars(name.length, { ...withoutSlack(bars), node, work }, undefined, meta.works);
  return {
    machine: new Machine(meta, columns, flat),
    steps: end,
    unit: "cycle",
    name,
    type,
    node: new Int32Array(name.length).fill(-1),
    producer: new Uint8Array(name.length),
    flat,
    order: new Int32Array(0),
    nest: null,
    frames: [],
  };
}

export function measuredModel(
  meta: NonNullable<Meta["timeline"]>,
  columns: Columns,
): TimelineModel {
  const flat = sortBars(meta.name.length, withoutSlack(new ColumnGroup(columns, "measured")));
  const rows = new ColumnGroup(columns, "row");
  return {
    steps: flat.end,
    unit: "µs",
    name: meta.name,
    type: meta.type,
    node: rows.get("node"),
    producer: rows.get("producer"),
    flat,
    order: new Int32Array(0),
    nest: null,
    frames: [],
  };
}

/** Bars that cannot be put off. */
function withoutSlack(bars: ColumnGroup<"devices" | "measured">) {
  const row = bars.get("row");
  const [early, length] = [bars.get("early"), bars.get("length")];
  return { row, early, length, slack: new Uint8Array(row.length) };
}
