// What is known of a machine beside its bars: names, idle times, colours, and the phases of works.

import { ColumnGroup, type Columns, type MachineMeta, type Numbers } from "./payload.ts";
import type { Model } from "./model.ts";
import { groups } from "./search.ts";
import type { Bars } from "./bars.ts";

/** What a bar is. */
export const WORK = 0;

/** The family, and the source, of what has the grey of parameters. */
export const GREY = -1;

/** The family that gives something its colour; its source is a node, or one of none. */
export function familyOf({ family, meta }: Model, source: number): number {
  if (source === GREY) return GREY;
  return family[source] ?? meta.families.findIndex(([name]) => name === "layout");
}

/** What happens to a work, from the first cycle at which its inputs are loaded. */
export const PHASES = ["load", "wait", "compute", "store"] as const;

export interface Phase {
  kind: (typeof PHASES)[number];
  start: number;
  length: number;
}

export class Machine {
  readonly labels: readonly string[];
  readonly busy: readonly string[];
  readonly idle: readonly [row: number, start: number, stop: number][];
  readonly hertz: number;
  /** Columns in the order of the bars. */
  readonly move: ArrayLike<number> | null;
  readonly source: ArrayLike<number> | null;
  /** 1 for every second of the works that follow each other in one colour. */
  private shades: Uint8Array | null = null;
  private shadedFor: readonly number[] | null = null;
  private readonly phase: Record<"kind" | "start" | "length", Numbers> | null;
  private readonly ofNode: (node: number) => number[];

  constructor(
    meta: MachineMeta,
    columns: Columns,
    private readonly bars: Bars,
  ) {
    this.labels = meta.labels?.length ? meta.labels : meta.name;
    this.busy = meta.busy ?? [];
    this.idle = meta.idle ?? [];
    this.hertz = meta.hertz ?? 0;
    const own = new ColumnGroup(columns, "devices");
    this.move = placed(own.find("move"), bars);
    this.source = placed(own.find("source"), bars);
    const phase = new ColumnGroup(columns, "phase");
    const node = phase.find("node");
    this.phase = node
      ? { kind: phase.get("kind"), start: phase.get("start"), length: phase.get("length") }
      : null;
    let most = -1;
    for (let at = 0; node && at < node.length; at++) most = Math.max(most, node[at]);
    this.ofNode = node ? groups(node, most + 1) : () => [];
  }

  /** The shade of a bar, 0 or 1: it tells a bar from one of its colour right before it. */
  shadeOf(bar: number, model: Model): number {
    const { bars, source } = this;
    if (!source) return 0;
    if (this.shadedFor !== model.family) {
      this.shadedFor = model.family;
      this.shades = new Uint8Array(source.length);
      for (let at = 1; at < source.length; at++) {
        const isNext =
          bars.early[at] === bars.stopOf(at - 1) && bars.rowOf(at) === bars.rowOf(at - 1);
        const isSame = familyOf(model, source[at]) === familyOf(model, source[at - 1]);
        this.shades[at] = isNext && isSame ? 1 - this.shades[at - 1] : 0;
      }
    }
    return this.shades![bar];
  }

  /** The phases of a node, in their order. */
  phasesOf(node: number): Phase[] {
    const { phase } = this;
    if (!phase) return [];
    return this.ofNode(node).map((at) => ({
      kind: PHASES[phase.kind[at]],
      start: phase.start[at],
      length: phase.length[at],
    }));
  }
}

/** Puts what came with bars into the order of the bars. */
function placed(values: Numbers | undefined, { places }: Bars): Int32Array | null {
  if (!values) return null;
  const made = new Int32Array(values.length);
  for (let at = 0; at < values.length; at++) made[places[at] ?? at] = values[at];
  return made;
}
