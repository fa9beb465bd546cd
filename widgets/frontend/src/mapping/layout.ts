// Where rows and memories of a machine stand, in pixels.

import { mapping } from "../../../shared/panels.json";
import type { TimelineModel } from "../model/timeline.ts";

export interface MachineRow {
  row: number;
  y: number;
  high: number;
}

export interface MachineLayout {
  heads: { kind: string; y: number }[];
  rows: MachineRow[];
  height: number;
}

/** Elements, then links, each group below its heading. */
export function layRows({ name, type }: TimelineModel): MachineLayout {
  const made: MachineLayout = { heads: [], rows: [], height: 0 };
  let last = "";
  for (let row = 0; row < name.length; row++) {
    const kind = type[row];
    if (kind !== last) {
      made.heads.push({ kind, y: made.height });
      made.height += mapping.head;
      last = kind;
    }
    const high = rowHeight(type, kind);
    made.rows.push({ row, y: made.height, high });
    made.height += high;
  }
  return made;
}

/** The height of a row: less where there are many. */
function rowHeight(types: readonly string[], kind: string): number {
  const count = types.filter((type) => type === kind).length;
  if (kind === "link")
    return count <= mapping.link.few[0] ? mapping.link.few[1] : mapping.link.many;
  const { few, some, many } = mapping.element;
  return count <= few[0] ? few[1] : count <= some[0] ? some[1] : many;
}

/** Top and height of the bars of a row. */
export function barBox({ y, high }: MachineRow): [top: number, size: number] {
  const size = Math.round(high * mapping.bar);
  return [y + Math.floor((high - size) / 2), size];
}

/** First and last pixel of a bar: there is paper between it and the next one. */
export function spanOf(left: number, right: number): [first: number, last: number] {
  const wide = right - left;
  const paper = wide >= 2 * mapping.paper ? mapping.paper : wide >= 2 ? 1 : 0;
  const first = Math.round(left);
  return [first, Math.max(first + 1, Math.round(right) - paper)];
}

/** Divides a height among memories by their bytes in use, but for a least height of each. */
export function shares(peaks: readonly number[], height: number): number[] {
  const { least } = mapping.memory;
  const free = height - peaks.length * mapping.head;
  const held = new Set<number>();
  for (;;) {
    const rest = [...peaks.keys()].filter((place) => !held.has(place));
    const total = rest.reduce((sum, place) => sum + peaks[place], 0);
    const unit = Math.max(0, free - least * held.size) / Math.max(1, total);
    const low = rest.filter((place) => peaks[place] * unit < least);
    if (low.length === 0)
      return peaks.map((peak, place) => (held.has(place) ? least : peak * unit));
    for (const place of low) held.add(place);
  }
}

/** The height of all memories: as much as wanted, or what each needs at least. */
export function memoriesHeight(count: number, wanted: number): number {
  return Math.max(wanted, count * (mapping.head + mapping.memory.least));
}
