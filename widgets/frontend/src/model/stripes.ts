// A chain in stripes, as the data bring it: maps, and for each way to tile its figures and memory.

import type { CardData } from "./cards.ts";
import { ColumnGroup, type Columns, type Numbers } from "./payload.ts";
import { clamp } from "../core/axis.ts";
import { NONE } from "./search.ts";
import type { Store } from "./store.ts";

export interface StripesMeta {
  maps: [
    name: string,
    label: string,
    rows: number,
    family: number,
    follows: boolean,
    columns: number,
  ][];
  unit: string;
  /** What is counted along the second cut axis of a grid; empty for stripes. */
  across: string;
  ways: [
    count: number,
    kept: boolean,
    peak: number,
    bound: number,
    macs: number,
    extra: number,
    more: string,
    begin: number,
    end: number,
    cards: CardData[],
    label: string,
    columns: number,
  ][];
  chosen: number;
  hidden: [count: number, before: number];
  note: string;
}

export interface StripeMap {
  name: string;
  label: string;
  rows: number;
  family: number;
  /** Whether its operator reads the map before it. */
  follows: boolean;
  /** 1 for stripes. */
  columns: number;
}

/** What becomes of halos, as the planner of tilings calls it. */
export type Halo = "recompute" | "cache";

/** A number of stripes, with halos recomputed or kept; a peak of -1 is not known. */
export interface Way {
  count: number;
  kept: boolean;
  peak: number;
  bound: number;
  macs: number;
  extra: number;
  /** The share of more MACs, in words. */
  more: string;
  begin: number;
  end: number;
  cards: CardData[];
  /** Its number of stripes, or the two numbers of its grid. */
  label: string;
  /** Tiles along the second axis. */
  columns: number;
}

/** The rows and columns of a map that a part needs, half-open, and those that are its own. */
export interface Cell {
  own: number;
  ownStop: number;
  first: number;
  stop: number;
  ownLeft: number;
  ownRight: number;
  left: number;
  right: number;
}
const CELL = [
  "own",
  "ownStop",
  "first",
  "stop",
  "ownLeft",
  "ownRight",
  "left",
  "right",
] as const satisfies readonly (keyof Cell)[];

/** A rectangle of memory; kinds are those of `widgets/scene/tiles/stripe_parts.py`. */
export interface ArenaBox {
  lower: number;
  upper: number;
  offset: number;
  size: number;
  map: number;
  stripe: number;
  kind: number;
  /** Of the operator, -1 for none. */
  family: number;
}

export interface Run {
  tick: number;
  stripe: number;
}

export class StripesModel {
  readonly maps: StripeMap[];
  readonly ways: Way[];
  readonly counts: number[];
  private readonly columns: Columns;
  private readonly rows: Record<"cell" | "arena" | "run", [from: number, to: number][]>;

  constructor(
    readonly meta: StripesMeta,
    columns: Columns,
  ) {
    this.columns = columns;
    this.maps = meta.maps.map(([name, label, rows, family, follows, columns]) => ({
      name,
      label,
      rows,
      family,
      follows,
      columns,
    }));
    this.ways = meta.ways.map(
      ([count, kept, peak, bound, macs, extra, more, begin, end, cards, label, columns]) => ({
        count,
        kept,
        peak,
        bound,
        macs,
        extra,
        more,
        begin,
        end,
        cards,
        label,
        columns,
      }),
    );
    this.counts = [...new Set(this.ways.map(({ count }) => count))].sort((a, b) => a - b);
    this.rows = {
      cell: ranges(new ColumnGroup(columns, "cell").get("way"), this.ways.length),
      arena: ranges(new ColumnGroup(columns, "arena").get("way"), this.ways.length),
      run: ranges(new ColumnGroup(columns, "run").get("way"), this.ways.length),
    };
  }

  get isGrid(): boolean {
    return this.meta.across !== "";
  }

  /** What a part is called. */
  get noun(): string {
    return this.isGrid ? "tile" : "stripe";
  }

  /** The way that is looked at. */
  shown({ state }: Store): number {
    return this.ways[state.way] ? state.way : this.meta.chosen;
  }

  /** The way with a number of stripes, with halos treated like this if that was planned. */
  find(count: number, kept: boolean): number {
    const exact = this.ways.findIndex((way) => way.count === count && way.kept === kept);
    return exact >= 0 ? exact : this.ways.findIndex((way) => way.count === count);
  }

  /** Whether there is a way with exactly these; one stripe has no halos. */
  has(count: number, kept: boolean): boolean {
    return this.ways.some((way) => way.count === count && (way.kept === kept || count === 1));
  }

  /** The whole, where it is known. */
  get whole(): Way | null {
    return this.ways.find(({ count, peak }) => count === 1 && peak >= 0) ?? null;
  }

  /** The stripe that is looked at: the one that was picked, or one in the middle. */
  stripe({ state }: Store, way: number): number {
    const { count, columns } = this.ways[way];
    const middle = ((count / columns - 1) >> 1) * columns + ((columns - 1) >> 1);
    return state.stripe === NONE ? middle : clamp(state.stripe, 0, count - 1);
  }

  /** What each stripe needs of each map; null where it needs nothing. */
  cells(way: number): (Cell | null)[][] {
    const own = new ColumnGroup(this.columns, "cell");
    const [stripe, map] = [own.get("stripe"), own.get("map")];
    const edges = CELL.map((name) => [name, own.get(name)] as const);
    const found: (Cell | null)[][] = Array.from({ length: this.ways[way].count }, () =>
      this.maps.map(() => null),
    );
    for (let at = this.rows.cell[way][0]; at < this.rows.cell[way][1]; at++) {
      const row = found[stripe[at]];
      if (row)
        row[map[at]] = Object.fromEntries(
          edges.map(([name, each]) => [name, each[at]]),
        ) as unknown as Cell;
    }
    return found;
  }

  boxes(way: number): ArenaBox[] {
    const own = new ColumnGroup(this.columns, "arena");
    const names = ["lower", "upper", "offset", "size", "map", "stripe", "kind", "family"] as const;
    const read = names.map((name) => own.get(name));
    const [from, to] = this.rows.arena[way];
    return Array.from({ length: to - from }, (_, index) => {
      const [lower, upper, offset, size, map, stripe, kind, family] = read.map(
        (each) => each[from + index],
      );
      return { lower, upper, offset, size, map, stripe, kind, family };
    });
  }

  runs(way: number): Run[] {
    const own = new ColumnGroup(this.columns, "run");
    const [tick, stripe] = [own.get("tick"), own.get("stripe")];
    const [from, to] = this.rows.run[way];
    return Array.from({ length: to - from }, (_, index) => ({
      tick: tick[from + index],
      stripe: stripe[from + index],
    }));
  }
}

/** Where the rows of each way are; rows are sorted by it. */
function ranges(way: Numbers, count: number): [number, number][] {
  const found = Array.from({ length: count }, (): [number, number] => [0, 0]);
  for (let at = 0; at < way.length; at++) {
    const range = found[way[at]];
    if (!range) continue;
    if (range[1] === 0) range[0] = at;
    range[1] = at + 1;
  }
  return found;
}

/** Looks at another way; the stripe stays about where it was. */
export function goToWay(model: StripesModel, store: Store, way: number, origin: unknown): void {
  const before = model.shown(store);
  if (!model.ways[way] || way === before) return;
  const [old, next] = [model.ways[before].count, model.ways[way].count];
  const stripe =
    store.state.stripe === NONE
      ? NONE
      : Math.floor(((model.stripe(store, before) + 0.5) * next) / old);
  store.set({ way, stripe, selected: way === model.meta.chosen ? stripe : NONE }, origin);
}

/** Looks at the way that is asked for; null stands for the one that was asked for at first. */
export function goToAsked(
  model: StripesModel,
  store: Store,
  stripes: number | null | undefined,
  halo: Halo | null | undefined,
): void {
  const [now, first] = [model.shown(store), model.meta.chosen].map((way) => model.ways[way]);
  const count = stripes === undefined ? now.count : (stripes ?? first.count);
  const kept = halo === undefined ? now.kept : halo === null ? first.kept : halo === "cache";
  goToWay(model, store, model.find(count, kept), "outside");
}

/** Looks at a stripe; it is selected for all where it is one of those that were asked for. */
export function goToStripe(
  model: StripesModel,
  store: Store,
  stripe: number,
  origin: unknown,
): void {
  const way = model.shown(store);
  const next = clamp(stripe, 0, model.ways[way].count - 1);
  store.set({ stripe: next, ...(way === model.meta.chosen ? { selected: next } : {}) }, origin);
}

/** Rows in words, both ends included: "rows 21–34". */
export function rangeText(first: number, stop: number): string {
  return stop - first > 1 ? `${first}–${stop - 1}` : String(first);
}

/** Own values of a cell of a grid, and needed ones: "16×16 of 18×18". */
export function sizesText(cell: Cell): string {
  return [...new Set(sizesOf(cell))].join(" of ");
}

/** Own values and needed ones of a cell of a grid: "16×16", "18×18". */
export function sizesOf(cell: Cell): [own: string, all: string] {
  const { own, ownStop, first, stop, ownLeft, ownRight, left, right } = cell;
  return [`${ownStop - own}×${ownRight - ownLeft}`, `${stop - first}×${right - left}`];
}

/** A number of rows, or of columns, in words. */
export function countOf(count: number, unit: string): string {
  return `${count} ${count === 1 ? unit.replace(/s$/, "") : unit}`;
}
