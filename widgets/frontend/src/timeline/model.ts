// A schedule as the panel reads it: rows, their bars and the loops, of steps, cycles or a measured run.

import { ColumnGroup, type Columns, type Meta, type Numbers } from "../core/payload.ts";
import { sortBars, type Bars } from "./bars.ts";
import { nestOf, type Nest } from "./nest.ts";

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

export function timelineModel(
  meta: NonNullable<Meta["timeline"]>,
  columns: Columns,
): TimelineModel {
  const rows = new ColumnGroup(columns, "row");
  const producer = rows.get("producer");
  const bars = new ColumnGroup(columns, "bar");
  const read = (name: "row" | "early" | "slack") => bars.get(name);
  return {
    steps: meta.steps,
    unit: "step",
    name: meta.name,
    type: meta.type,
    node: rows.get("node"),
    producer,
    flat: meta.abridged
      ? null
      : sortBars(
          meta.name.length,
          { row: read("row"), early: read("early"), slack: read("slack") },
          producer,
        ),
    nest: new ColumnGroup(columns, "loop").find("count") ? nestOf(columns) : null,
  };
}

export function devicesModel(meta: NonNullable<Meta["devices"]>, columns: Columns): TimelineModel {
  const { name, type, end } = meta;
  const bars = new ColumnGroup(columns, "devices");
  const [node, work] = [bars.find("node"), bars.find("work")];
  return {
    steps: end,
    unit: "cycle",
    name,
    type,
    node: new Int32Array(name.length).fill(-1),
    producer: new Uint8Array(name.length),
    flat: sortBars(name.length, { ...withoutSlack(bars), node, work }, undefined, meta.works),
    nest: null,
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
    nest: null,
  };
}

/** Bars that cannot be put off. */
function withoutSlack(bars: ColumnGroup<"devices" | "measured">) {
  const row = bars.get("row");
  const [early, length] = [bars.get("early"), bars.get("length")];
  return { row, early, length, slack: new Uint8Array(row.length) };
}
