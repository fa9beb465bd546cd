// Fold a schedule: which stretches of steps are shown, and which a break or a chip stands for. The
// frames of the loops come from widgets/scene/frames.py; widgets/still/svg/folding.py lays them out
// by the same rules.

import { folded as sizes } from "../../../shared/panels.json";
import { clamp } from "../core/axis.ts";
import { ColumnGroup, type Columns } from "./payload.ts";
import { grouped } from "../core/text.ts";
import { layOut, type Span, type TimeMap } from "../core/timeMap.ts";
import type { Nest } from "./nest.ts";

/** The stretch of steps in which one turn of a loop is drawn. */
export interface Frame {
  loop: number;
  start: number;
  period: number;
  count: number;
  parent: number;
  /** Turns of the loop before the first one of the frame. */
  skipped: number;
  /** First execution of each row in the first turn of the loop. */
  first: Map<number, number>;
}

/** What the user opened: turns of frames, and stretches that would be chips. */
export interface Opened {
  turns: ReadonlyMap<number, { count: number; from: number }>;
  stretches: ReadonlySet<string>;
}

/** A turn that is shown of a frame. */
export interface Turn {
  frame: number;
  turn: number;
}

/** A title over a stretch of steps: of a turn, or of what lies before, between or behind. */
export interface Band {
  id: string;
  depth: number;
  t0: number;
  t1: number;
  title: string;
  detail: string;
  turn: Turn | null;
}

/** A span of the ruler, with the turns that it lies in, from the outside in. */
export interface Piece extends Span {
  id: string;
  path: readonly Turn[];
  title: string;
  detail: string;
  depth: number;
}

export interface Folding {
  pieces: Piece[];
  bands: Band[];
  depth: number;
  map: TimeMap;
}

export function framesOf(columns: Columns, nest: Nest): Frame[] {
  const own = new ColumnGroup(columns, "frame");
  const loop = own.find("loop");
  if (!loop) return [];
  const [start, period, count] = [own.get("start"), own.get("period"), own.get("count")];
  const [parent, skipped] = [own.get("parent"), own.get("skipped")];
  return Array.from(loop, (number, index) => {
    const first = new Map<number, number>();
    for (let leaf = nest.loops[number].start; leaf < nest.loops[number].stop; leaf++) {
      const row = nest.row[leaf];
      first.set(row, Math.min(nest.execution[leaf], first.get(row) ?? Infinity));
    }
    return {
      loop: number,
      start: start[index],
      period: period[index],
      count: count[index],
      parent: parent[index],
      skipped: skipped[index],
      first,
    };
  });
}

/** "steps 17–24", both ends included. */
export const stepsText = (t0: number, t1: number) =>
  t1 - t0 === 1 ? `step ${grouped(t0)}` : `steps ${grouped(t0)}–${grouped(t1 - 1)}`;

const many = (count: number, word: string) => `${grouped(count)} ${word}${count === 1 ? "" : "s"}`;

export const everyText = ({ count, period }: Frame) =>
  `×${grouped(count)}, every ${period === 1 ? "step" : many(period, "step")}`;

/**
 * The frames at one level. One that is not longer than a single turn of another is left out: it is
 * drawn where the stretch that it lies in is opened.
 */
export function mainFrames(frames: readonly Frame[], parent: number): number[] {
  const own = [...frames.keys()].filter((index) => frames[index].parent === parent);
  const longest = Math.max(...own.map((index) => frames[index].period));
  return own.filter((index) => frames[index].count * frames[index].period > longest);
}

/** "17 + 47×8 + 8 = 401": the parts of the schedule, or of a turn of a frame. */
export function equation(frames: readonly Frame[], parent: number, steps: number): string {
  const within = frames[parent];
  const parts: string[] = [];
  let at = within?.start ?? 0;
  const end = within ? within.start + within.period : steps;
  for (const index of mainFrames(frames, parent)) {
    const { start, period, count } = frames[index];
    if (start > at) parts.push(grouped(start - at));
    parts.push(`${grouped(count)}×${grouped(period)}`);
    at = start + count * period;
  }
  if (end > at) parts.push(grouped(end - at));
  const whole = grouped(within?.period ?? steps);
  return within ? `${whole} = ${parts.join(" + ")}` : `${parts.join(" + ")} = ${whole}`;
}

/** Folds a schedule for a width: opens what was opened, and closes to chips what finds no room. */
export function fold(
  frames: readonly Frame[],
  steps: number,
  opened: Opened,
  x0: number,
  x1: number,
): Folding {
  const closed = new Set<string>();
  for (;;) {
    const { pieces, bands } = new Folder(frames, steps, opened, closed, x1 - x0);
    const map = layOut(pieces, x0, x1);
    const tight = tightest(pieces, map, opened, x1 - x0);
    if (tight && !closed.has(tight)) closed.add(tight);
    else return { pieces, bands, depth: 1 + Math.max(...bands.map(({ depth }) => depth)), map };
  }
}

/** What to close to a chip where steps are too narrow: the longest stretch, else an inner frame. */
function tightest(pieces: Piece[], map: TimeMap, opened: Opened, width: number): string | null {
  const shown = pieces.filter((piece) => piece.kind === "shown");
  if (shown.length < 2 || shown.every(({ t0 }) => map.unit(t0) >= sizes.step)) return null;
  const chip = chipWidth(width);
  const isStretch = ({ id }: Piece) => !id.startsWith("f");
  const large = shown.filter(
    (piece) =>
      !opened.stretches.has(piece.id) &&
      (isStretch(piece) || piece.depth > 0) &&
      (piece.t1 - piece.t0) * map.unit(piece.t0) > chip,
  );
  large.sort((a, b) => +isStretch(b) - +isStretch(a) || b.t1 - b.t0 - (a.t1 - a.t0));
  return large[0]?.id ?? null;
}

const chipWidth = (width: number) =>
  clamp(width * sizes.chip.share, sizes.chip.least, sizes.chip.most);
const breakWidth = (width: number) =>
  clamp(width * sizes.break.share, sizes.break.least, sizes.break.most);

/** Lists the pieces of a folded schedule. */
class Folder {
  readonly pieces: Piece[] = [];
  readonly bands: Band[] = [];

  constructor(
    private readonly frames: readonly Frame[],
    steps: number,
    private readonly opened: Opened,
    private readonly closed: ReadonlySet<string>,
    private readonly width: number,
  ) {
    this.level(-1, 0, steps, 0, [], 0);
  }

  /** Lists what is in [t0, t1): frames, and what lies before, between and behind them. */
  private level(
    parent: number,
    t0: number,
    t1: number,
    shift: number,
    path: readonly Turn[],
    depth: number,
  ): void {
    const main = mainFrames(this.frames, parent);
    const others = [...this.frames.keys()].filter(
      (index) => this.frames[index].parent === parent && !main.includes(index),
    );
    let at = t0;
    const until = (name: string, end: number) => {
      const inner = others.filter((index) => {
        const start = this.frames[index].start + shift;
        return start >= at && start < end;
      });
      this.stretch(name, at, end, inner, shift, path, depth);
    };
    main.forEach((index, place) => {
      const frame = this.frames[index];
      until(place ? "between" : path.length ? "before" : "prologue", frame.start + shift);
      this.frame(index, shift, path, depth);
      at = frame.start + shift + frame.count * frame.period;
    });
    until(main.length ? (path.length ? "behind" : "epilogue") : "steps", t1);
  }

  /** Lists a stretch between frames, and the small frames in it. */
  private stretch(
    name: string,
    t0: number,
    t1: number,
    inner: readonly number[],
    shift: number,
    path: readonly Turn[],
    depth: number,
  ): void {
    if (t1 <= t0) return;
    const isOuter = path.length === 0;
    const id = `${name} ${t0}`;
    const length = many(t1 - t0, "step");
    const title = isOuter ? `${name}: ${length}` : `${length} ${name}`;
    const detail = stepsText(t0, t1);
    const piece = { path, title: isOuter ? name : title, detail, depth };
    // What has loops of its own is opened on demand.
    if (this.closed.has(id) || (inner.length && !this.opened.stretches.has(id))) {
      this.chip({ ...piece, id, t0, t1 });
      return;
    }
    if (name !== "steps") this.bands.push({ id, depth, t0, t1, title, detail, turn: null });
    let at = t0;
    const until = (end: number) => {
      if (end <= at) return;
      const own = { ...piece, id: inner.length ? `${id} ${at}` : id, t0: at, t1: end };
      if (this.closed.has(own.id)) this.chip({ ...own, detail: stepsText(at, end) });
      else this.pieces.push({ ...own, kind: "shown" });
    };
    for (const index of inner) {
      const { start, count, period } = this.frames[index];
      until(start + shift);
      this.frame(index, shift, path, depth + 1);
      at = start + shift + count * period;
    }
    until(t1);
  }

  private chip(piece: Omit<Piece, "kind">): void {
    const width = chipWidth(this.width);
    this.pieces.push({ ...piece, kind: "chip", width, gap: sizes.chip.gap });
  }

  private frame(index: number, shift: number, path: readonly Turn[], depth: number): void {
    const frame = this.frames[index];
    const begin = frame.start + shift;
    const end = begin + frame.count * frame.period;
    const id = `f${index} ${begin}`;
    const at = (turn: number) => begin + (turn - 1) * frame.period;
    if (depth >= sizes.levels || this.closed.has(id)) {
      const [title, detail] = [everyText(frame), stepsText(begin, end)];
      this.chip({ id, t0: begin, t1: end, path, title, detail, depth });
      return;
    }
    const open = this.opened.turns.get(index);
    const from = Math.min(open?.from ?? 1, frame.count);
    const last = Math.min(frame.count, from + (open?.count ?? 1) - 1);
    const show = (turn: number) => this.turn(index, turn, at(turn), shift, path, depth);
    const leaveOut = (t0: number, t1: number) => this.leaveOut(frame, t0, t1, path, depth);
    leaveOut(at(1), at(from));
    for (let turn = from; turn <= last; turn++) show(turn);
    const ends = open !== undefined && last < frame.count;
    leaveOut(at(last + 1), ends ? at(frame.count) : end);
    if (ends) show(frame.count);
  }

  private leaveOut(
    { period }: Frame,
    t0: number,
    t1: number,
    path: readonly Turn[],
    depth: number,
  ): void {
    if (t1 <= t0) return;
    const title = many((t1 - t0) / period, "more turn");
    const rest = { path, title, detail: stepsText(t0, t1), depth };
    const width = breakWidth(this.width);
    this.pieces.push({ kind: "break", id: `break ${t0}`, t0, t1, width, ...rest });
  }

  private turn(
    index: number,
    turn: number,
    t0: number,
    shift: number,
    outer: readonly Turn[],
    depth: number,
  ): void {
    const frame = this.frames[index];
    const t1 = t0 + frame.period;
    const path = [...outer, { frame: index, turn }];
    const isOpen = this.opened.turns.has(index);
    const place = `turn ${grouped(turn)} of ${grouped(frame.count)}`;
    const [title, detail] = isOpen
      ? [place, stepsText(t0, t1)]
      : [everyText(frame), `${place}: ${stepsText(t0, t1)}`];
    const id = `f${index} ${frame.start + shift}`;
    this.bands.push({ id, depth, t0, t1, title, detail, turn: { frame: index, turn } });
    if (mainFrames(this.frames, index).length) {
      this.level(index, t0, t1, shift + (turn - 1) * frame.period, path, depth + 1);
      return;
    }
    const isLong = frame.period > sizes.dense.steps && !isOpen;
    const least = isLong ? this.width * sizes.dense.share : sizes.least;
    this.pieces.push({ kind: "shown", id, t0, t1, path, title, detail, depth, least });
  }
}

/** How many turns later the turn of a firing is than the one it is drawn in; 0 for its own. */
export function turnsAway(
  nest: Nest,
  frames: readonly Frame[],
  path: readonly Turn[],
  row: number,
  execution: number,
): number {
  let away = 0;
  let moved = 0;
  for (const { frame: index, turn } of path) {
    const frame = frames[index];
    const growth = nest.loops[frame.loop].growth.get(row)?.[0] ?? 0;
    if (!growth) break;
    const copy = turn - 1 + frame.skipped;
    away = Math.floor((execution - moved - (frame.first.get(row) ?? 0)) / growth) - copy;
    moved += copy * growth;
  }
  return away;
}

/** Whether a firing belongs to a loop that has a frame. */
export function isOfLoop(
  nest: Nest,
  frames: readonly Frame[],
  row: number,
  execution: number,
): boolean {
  return mainFrames(frames, -1).some((index) => {
    const { loop, first } = frames[index];
    const growth = nest.loops[loop].growth.get(row)?.[0] ?? 0;
    const begin = first.get(row) ?? 0;
    return growth > 0 && execution >= begin && execution < begin + growth * nest.loops[loop].count;
  });
}
