// A schedule as the panel reads it: rows, their bars and the loops, of steps, cycles or a measured run.

import { ColumnGroup, type Columns, type Meta, type Numbers } from "./payload.ts";
import { sortBars } from "./bars.ts";
import { Machine } from "./machine.ts";
import { framesOf, type Frame } from "./frames.ts";
import { Listing, type Listed } from "./listing.ts";
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
  listed: Listed | null;
  /** What is known of the firings of a schedule without its bars. */
  listing?: Listing | null;
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
  const listing = meta.folded
    ? null
    : new Listing(
        { row: bars.get("row"), early: bars.get("early"), slack: bars.get("slack") },
        rows.get("node"),
        producer,
      );
  return {
    steps: meta.steps,
    unit: "step",
    name: meta.name,
    type: meta.type,
    node: rows.get("node"),
    producer,
    listed: listing,
    listing,
    nest,
    frames: nest ? framesOf(columns, nest) : [],
  };
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
    listed: flat,
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
    listed: flat,
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
