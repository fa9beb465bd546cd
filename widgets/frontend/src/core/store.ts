// State shared by all panels. It can be rebuilt from the traits.

import { Clock } from "./clock.ts";
import type { Model } from "./model.ts";
import { NONE } from "./search.ts";

export interface State {
  selected: number;
  hovered: number;
  query: string;
  /** What the kernel found for a graph query; null where it has nothing to say. */
  found: Found | null;
  /** Steps of the schedule that are shown, half-open; null shows all. */
  timeRange: [number, number] | null;
  /** The step that is looked at; null for none. */
  step: number | null;
  /** Whether steps follow each other by themselves. */
  playing: boolean;
  /** What some nodes are to a stage of the scheduling algorithm. */
  marks: ReadonlyMap<number, string> | null;
  producers: boolean;
  /** Whether firings that cannot be put off are marked. */
  milestones: boolean;
  names: boolean;
  /** Whether weights are drawn beside the memory plan. */
  weights: boolean;
  /** What the colours of the graph stand for. */
  colours: Colours;
  /** Which buffers are drawn in full; the others fade. */
  filter: Filter;
}

export type Colours = "type" | "device" | "slack" | "size";
/** A number is that of the largest ones. */
export type Filter = "all" | "step" | "peak" | "5" | "10" | "20" | "50";

export interface Found {
  nodes: readonly number[];
  /** How many there are, in a few words. */
  text: string;
  /** What is wrong with the query, with a mark under the place; empty when nothing is. */
  hint: string;
}

/** Choices of the user, which stay when the data change. */
export const CHOICES = [
  "producers",
  "milestones",
  "names",
  "weights",
  "colours",
  "filter",
] as const;

export type Choices = Pick<State, (typeof CHOICES)[number]>;
export type Change = Partial<State>;
type Listener = (change: Change, origin: unknown) => void;

export class Store {
  readonly state: State = {
    selected: NONE,
    hovered: NONE,
    query: "",
    found: null,
    timeRange: null,
    step: null,
    playing: false,
    marks: null,
    producers: false,
    milestones: false,
    names: true,
    weights: false,
    colours: "type",
    filter: "all",
  };
  /** One per node: whether the query finds it; null when it finds none, or there is no query. */
  matches: Uint8Array | null = null;
  matchCount = 0;
  /** Whether there is a query, found or in vain. */
  isSearching = false;
  private readonly listeners = new Set<Listener>();

  readonly clock: Clock;

  constructor(readonly model: Model) {
    this.clock = new Clock(model);
  }

  /** Looks at a step, or at the first or last where there is none. */
  goTo(step: number, origin: unknown = null): void {
    this.set({ step: this.clock.inside(step) }, origin);
  }

  subscribe(listener: Listener): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  /** Sets what differs and notifies all listeners; `origin` is the caller. */
  set(change: Change, origin: unknown = null): void {
    const real: Record<string, unknown> = {};
    for (const [key, value] of Object.entries(change)) {
      if (!same(this.state[key as keyof State], value)) real[key] = value;
    }
    if (Object.keys(real).length === 0) return;
    Object.assign(this.state, real);
    if ("query" in real || "found" in real) this.search();
    for (const listener of this.listeners) listener(real as Change, origin);
  }

  isMatch(node: number): boolean {
    return this.matches === null || this.matches[node] === 1;
  }

  /** What is looked for: the selected node, or else the first that the query finds. */
  get focus(): number {
    const { selected } = this.state;
    return selected === NONE ? (this.matches?.indexOf(1) ?? NONE) : selected;
  }

  /** Which match is the current one: the selected node if it is found, or else the first. */
  get match(): number {
    const { matches, focus } = this;
    if (!matches) return NONE;
    return focus !== NONE && matches[focus] ? focus : matches.indexOf(1);
  }

  /** The match after the selected one, or before it for `step` -1; the first after the last. */
  nextMatch(step: 1 | -1): number {
    const { matches, matchCount } = this;
    if (!matches || matchCount === 0) return NONE;
    let node = this.state.selected;
    if (node === NONE && step < 0) node = 0;
    do node = (node + step + matches.length) % matches.length;
    while (!matches[node]);
    return node;
  }

  /** Which of the matches a node is, counted from 1. */
  placeOf(node: number): number {
    let place = 0;
    for (let each = 0; each <= node; each++) place += this.matches?.[each] ?? 0;
    return place;
  }

  private search(): void {
    const { found: answer, query } = this.state;
    const found =
      answer && query.trim()
        ? marked(answer.nodes, this.model.count)
        : findNodes(this.model, query);
    this.isSearching = found !== null;
    this.matchCount = found ? found.reduce((sum, hit) => sum + hit, 0) : 0;
    this.matches = this.matchCount ? found : null;
  }
}

function same(before: unknown, after: unknown): boolean {
  if (Array.isArray(before) && Array.isArray(after)) {
    return before.length === after.length && before.every((value, i) => value === after[i]);
  }
  return before === after;
}

function marked(nodes: readonly number[], count: number): Uint8Array {
  const marks = new Uint8Array(count);
  for (const node of nodes) marks[node] = 1;
  return marks;
}

/** Finds nodes whose name or type holds every word of the query, whatever the case. */
export function findNodes(model: Model, query: string): Uint8Array | null {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return null;
  return Uint8Array.from({ length: model.count }, (_, node) => {
    const text = `${model.name[node]} ${model.type[node]}`.toLowerCase();
    return words.every((word) => text.includes(word)) ? 1 : 0;
  });
}
