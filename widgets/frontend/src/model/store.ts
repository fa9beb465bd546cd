// State shared by all panels. It can be rebuilt from the traits.

import type { Axis } from "../core/axis.ts";
import { clocksOf, stepOf, tickOf, type Clock, type Unit } from "./clock.ts";
import { byCloseness, findNodes, marked } from "./find.ts";
import type { Model } from "./model.ts";
import { NONE } from "./search.ts";
import { TimeWindow } from "./window.ts";

/** What the colours of a mapping stand for. */
export type Hue = "type" | "work" | "block";

export interface State {
  selected: number;
  /** Nodes that are marked, in the order in which they were; the selected one need not be. */
  picked: readonly number[];
  /** Whether each pick is a mark, because a question asks for several. */
  many: boolean;
  hovered: number;
  query: string;
  /** What the kernel found for a graph query; null where it has nothing to say. */
  found: Found | null;
  /** What time is counted in. */
  clock: Unit;
  /** Units of the clock that are shown, half-open; null shows all. */
  timeRange: [number, number] | null;
  /** Units of the clock that are marked on the ruler, half-open; null for none. */
  brush: [number, number] | null;
  /** The firing that is looked at, by its place in the executed order; null for none. */
  tick: number | null;
  /** The step that is looked at: that of the tick, where there is one; null for none. */
  step: number | null;
  /** Whether units of the clock follow each other by themselves. */
  playing: boolean;
  /** What some nodes are to a stage of the scheduling algorithm. */
  marks: ReadonlyMap<number, string> | null;
  /** What waits on each edge at that stage; null where nothing is known of it. */
  tokens: ReadonlyMap<number, number> | null;
  /** How many ticks the stage has reached: later firings are not drawn; null draws all. */
  reached: number | null;
  /** Whether operators share rows; null decides by how many there are. */
  layout: "lanes" | "rows" | null;
  producers: boolean;
  /** Whether firings that cannot be put off are marked. */
  milestones: boolean;
  names: boolean;
  /** Whether weights are drawn beside the memory plan. */
  weights: boolean;
  /** What the colours of the graph stand for. */
  colours: Colours;
  /** What the colours of a mapping stand for. */
  hue: Hue;
  /** Which buffers are drawn in full; the others fade. */
  filter: Filter;
  /** The way to tile that is looked at, and its stripe; -1 for those shown at first. */
  way: number;
  stripe: number;
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
  "layout",
  "producers",
  "milestones",
  "names",
  "weights",
  "colours",
  "hue",
  "filter",
] as const;

export type Choices = Pick<State, (typeof CHOICES)[number]>;
export type Change = Partial<State>;
type Listener = (change: Change, origin: unknown) => void;

export class Store {
  readonly state: State = {
    selected: NONE,
    picked: [],
    many: false,
    hovered: NONE,
    query: "",
    found: null,
    clock: "tick",
    timeRange: null,
    brush: null,
    tick: null,
    step: null,
    playing: false,
    marks: null,
    tokens: null,
    reached: null,
    layout: null,
    producers: false,
    milestones: false,
    names: true,
    weights: false,
    colours: "type",
    hue: "type",
    filter: "all",
    way: NONE,
    stripe: NONE,
  };
  /** One per node: whether the query finds it; null when it finds none, or there is no query. */
  matches: Uint8Array | null = null;
  matchCount = 0;
  /** The nodes that the query finds, the closest first. */
  ranked: readonly number[] = [];
  /** Whether there is a query, found or in vain. */
  isSearching = false;
  private marked: ReadonlySet<number> = new Set();
  private readonly listeners = new Set<Listener>();

  /** All clocks that there are data for. */
  readonly clocks: readonly Clock[];
  private counted: Clock;
  window: TimeWindow;

  constructor(readonly model: Model) {
    this.clocks = clocksOf(model);
    this.counted = this.clocks[0];
    this.state.clock = this.counted.unit;
    this.window = this.makeWindow();
  }

  /** It is asked for at each tick of a picture. */
  get clock(): Clock {
    const { clock } = this.state;
    if (this.counted.unit !== clock)
      this.counted = this.clocks.find(({ unit }) => unit === clock) ?? this.clocks[0];
    return this.counted;
  }

  /** The unit of the clock that is looked at: a tick, a step, a cycle; null for none. */
  get now(): number | null {
    return this.clock.unit === "step" ? this.state.step : this.state.tick;
  }

  /** Looks at a unit of the clock, or at the first or last where there is none. */
  goTo(time: number, origin: unknown = null): void {
    const now = this.clock.inside(time);
    this.set(this.clock.unit === "step" ? { step: now } : { tick: now }, origin);
  }

  /** Looks at a tick, or the first or last, in any clock. */
  goToTick(tick: number, origin: unknown = null): void {
    this.set({ tick: this.clocks[0].inside(tick) }, origin);
  }

  /** Looks at a step, or the first or last, in any clock. */
  goToStep(step: number, origin: unknown = null): void {
    const clock = this.clocks.find(({ unit }) => unit === "step") ?? this.clocks[0];
    this.set({ step: clock.inside(step) }, origin);
  }

  /** Moves the window; returns whether that changed what is shown. */
  moveWindow(move: (axis: Axis) => boolean, origin: unknown = null): boolean {
    if (!move(this.window.axis)) return false;
    this.set({ timeRange: this.window.range }, origin);
    return true;
  }

  /** Counts in another unit; the firing that is looked at stays where it is on the screen. */
  setClock(unit: Unit, origin: unknown = null): void {
    const { order, unit: before } = this.clock;
    if (unit === before || !this.clocks.some((clock) => clock.unit === unit)) return;
    if (this.clock.isMachine) {
      this.set({ clock: unit }, origin); // the same cycles with other labels
      return;
    }
    const { axis, range } = this.window;
    const { now } = this;
    const other = (time: number) =>
      (unit === "step" ? stepOf(order, time) : tickOf(order, time)) ?? time;
    const part = now === null ? 0.5 : axis.toPixel(now + 0.5, 1);
    const next = now === null ? null : other(now);
    let timeRange: [number, number] | null = null;
    if (range) {
      const [first, stop] = this.window.units;
      const span = Math.max(1, other(stop - 1) + 1 - other(first));
      const middle = next === null ? other((first + stop) >> 1) : next + 0.5;
      timeRange = [middle - part * span, middle + (1 - part) * span];
    }
    this.set({ clock: unit, timeRange }, origin);
    this.set({ timeRange: this.window.range }, origin);
  }

  private makeWindow(): TimeWindow {
    const { producers, timeRange } = this.state;
    const { clock } = this;
    const made = new TimeWindow(clock, producers && clock.unit === "step" ? 0 : clock.begin);
    made.show(timeRange);
    return made;
  }

  subscribe(listener: Listener): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  /** Sets what differs and notifies all listeners; `origin` is the caller. */
  set(change: Change, origin: unknown = null): void {
    const real: Record<string, unknown> = {};
    for (const [key, value] of Object.entries(this.together(change))) {
      if (!same(this.state[key as keyof State], value)) real[key] = value;
    }
    if (Object.keys(real).length === 0) return;
    Object.assign(this.state, real);
    if ("picked" in real) this.marked = new Set(this.state.picked);
    if ("tick" in real || "step" in real) this.reveal(real);
    if ("clock" in real || "producers" in real) this.window = this.makeWindow();
    else if ("timeRange" in real) this.window.show(this.state.timeRange);
    if ("query" in real || "found" in real) this.search();
    for (const listener of this.listeners) listener(real as Change, origin);
  }

  /** Moves the window as little as needed for what is looked at to be seen. */
  private reveal(change: Record<string, unknown>): void {
    const { now } = this;
    if (now === null || "clock" in change || "timeRange" in change) return;
    if (!this.window.axis.reveal(now, now + 1)) return;
    change.timeRange = this.state.timeRange = this.window.range;
  }

  /** A change with the step of its tick, or with the first tick of its step. */
  private together(change: Change): Change {
    const { tick, step } = change;
    const { order, unit } = this.clock;
    if (tick === undefined && step === undefined) return change;
    const known = order.step.length > 0;
    if (this.clock.isMachine || (unit === "tick" && !known)) {
      const now = tick ?? step ?? null;
      return { ...change, tick: now, step: this.clock.isMachine ? now : null };
    }
    if (tick !== undefined && tick !== null) return { ...change, step: stepOf(order, tick) };
    if (step === undefined || step === null) return { ...change, tick: null, step: null };
    const before = this.state.tick;
    if (before !== null && stepOf(order, before) === step) return { ...change, tick: before };
    return { ...change, tick: known ? tickOf(order, step) : null };
  }

  isMatch(node: number): boolean {
    return this.matches === null || this.matches[node] === 1;
  }

  /** How many of some nodes the search finds: "5 of 50 found"; empty where it finds none. */
  foundIn(nodes: readonly number[]): string {
    const found = this.matches === null ? 0 : nodes.filter((node) => this.isMatch(node)).length;
    return found ? `${found} of ${nodes.length} found` : "";
  }

  /** Whether a node is marked or, where none is, selected. */
  isPicked(node: number): boolean {
    const { picked, selected, many } = this.state;
    return picked.length || many ? this.marked.has(node) : node >= 0 && node === selected;
  }

  /** Whether a node is marked, selected or pointed at. */
  isChosen(node: number): boolean {
    const { selected, hovered } = this.state;
    return node >= 0 && (node === selected || node === hovered || this.isPicked(node));
  }

  /** The nodes that are marked, selected or pointed at. */
  get chosen(): number[] {
    const { selected, hovered, picked } = this.state;
    return [...new Set([...picked, selected, hovered])].filter((node) => node >= 0);
  }

  /** Marks a node, or takes its mark away; the node that was selected alone is marked with it. */
  mark(node: number, origin: unknown = null): void {
    if (node < 0) return;
    const { picked, selected } = this.state;
    const isFirst = picked.length === 0 && selected !== NONE && selected !== node;
    const before = isFirst ? [selected] : picked;
    const next = before.includes(node) ? before.filter((each) => each !== node) : [...before, node];
    this.set({ picked: next, selected: node }, origin);
  }

  /** What is looked for: the selected node, or else the closest that the query finds. */
  get focus(): number {
    const { selected } = this.state;
    return selected === NONE ? (this.ranked[0] ?? NONE) : selected;
  }

  /** Which match is the current one: the selected node if it is found, or else the closest. */
  get match(): number {
    const { matches, focus, ranked } = this;
    if (!matches) return NONE;
    return focus !== NONE && matches[focus] ? focus : (ranked[0] ?? NONE);
  }

  /** The match after the selected one, or before it for `step` -1; the first after the last. */
  nextMatch(step: 1 | -1): number {
    const { ranked } = this;
    if (ranked.length === 0) return NONE;
    const place = ranked.indexOf(this.state.selected);
    if (place < 0) return step > 0 ? ranked[0] : ranked[ranked.length - 1];
    return ranked[(place + step + ranked.length) % ranked.length];
  }

  /** Which of the matches a node is, counted from 1. */
  placeOf(node: number): number {
    return this.ranked.indexOf(node) + 1;
  }

  private search(): void {
    const { found: answer, query } = this.state;
    const isAnswered = answer !== null && query.trim() !== "";
    const found = isAnswered
      ? marked(answer.nodes, this.model.count)
      : findNodes(this.model, query);
    this.isSearching = found !== null;
    this.ranked = !found
      ? []
      : isAnswered
        ? [...found.keys()].filter((node) => found[node])
        : byCloseness(this.model, query, found);
    this.matchCount = this.ranked.length;
    this.matches = this.matchCount ? found : null;
  }
}

function same(before: unknown, after: unknown): boolean {
  if (Array.isArray(before) && Array.isArray(after)) {
    return before.length === after.length && before.every((value, i) => value === after[i]);
  }
  return before === after;
}
