// A schedule as the panel reads it: rows, their bars and the loops, of steps, cycles or a measured run.

import { column, type Columns, type Meta, type Numbers } from "../core/payload.ts";
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

export function devicesModel(meta: NonNullable<Meta["devices"]>, columns: Columns): TimelineModel {
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

export function measuredModel(
  meta: NonNullable<Meta["timeline"]>,
  columns: Columns,
): TimelineModel {
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
