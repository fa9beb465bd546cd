// Describe a schedule in words: a bar, a repeated section, the marks.

import { rangeText } from "../core/range.ts";
import { grouped } from "../core/text.ts";
import type { Bars } from "./bars.ts";
import type { Marks } from "./marks.ts";
import type { TimelineModel } from "./model.ts";
import type { Drawn } from "../folded/foldedPainter.ts";
import { mainFrames, stepsText, turnsAway } from "./frames.ts";

/** What is described: a schedule, and how it is shown. */
interface Described {
  readonly data: TimelineModel;
  readonly bars: Bars;
}

/** Says when a bar of a row is, and what slack it has. */
export function describeBar({ data, bars }: Described, row: number, bar: number) {
  const executions = bars.start[row + 1] - bars.start[row];
  const first = bars.stepOf(bar);
  const lines: string[] = [];
  if (executions > 1) {
    lines.push(`execution ${bar - bars.start[row] + 1} of ${executions}`);
  }
  const spare = bars.slack[bar];
  lines.push(
    spare === 0
      ? `${data.unit} ${first}, no slack: on the critical path`
      : `can run at ${rangeText(data.unit, first, first + spare + 1)}, slack ${spare}`,
  );
  return lines;
}

/** Says whose a bar is and how long it takes, where bars are as long as what they stand for. */
export function describeRun(
  { data, bars }: Described,
  bar: number,
  row: string[],
  names: string[],
): string[] {
  const [main, ...others] = bars.nodesOf(bar).map((node) => names[node]);
  const together = others.length ? [`together with ${others.join(", ")}`] : [];
  const own = bars.node ? [main, ...together, `on ${row[0]}`] : row;
  const from = data.unit === "µs" ? " measured" : "";
  const first = bars.stepOf(bar);
  const length = bars.lengthOf(bar);
  const when = `${data.unit}s${from} ${first} to ${first + length}`;
  return [...own, when, `takes ${length} ${data.unit}s`];
}

/** Says when a firing of a folded schedule can run, and of which turn it is. */
export function describeFolded({ early, late, away, execution }: Drawn): string[] {
  const when =
    late === early
      ? `step ${grouped(early)}, no slack: on the critical path`
      : `${stepsText(early, late + 1)}, slack ${grouped(late - early)}`;
  const turns = Math.abs(away) === 1 ? "1 turn" : `${grouped(Math.abs(away))} turns`;
  const whose = away ? [`belongs to ${turns} ${away > 0 ? "later" : "before"}`] : [];
  return [`${when} · execution ${grouped(execution)}`, ...whose];
}

/** Sums a folded schedule up: firings, steps, and how loops follow each other. */
export function foldedSubtitle({ nest, frames, producer, steps }: TimelineModel): string {
  if (!nest) return "";
  let firings = 0;
  nest.times.forEach((times, leaf) => {
    if (!producer[nest.row[leaf]]) firings += times;
  });
  const words = `${grouped(firings)} firings in ${grouped(steps)} steps`;
  const main = mainFrames(frames, -1);
  if (main.length === 0) return words;
  if (main.length > 1) return `${words} · ${main.length} loops, one after the other`;
  const [index] = main;
  if (mainFrames(frames, index).length) return `${words} · loops inside each other`;
  const { start, period } = frames[index];
  const path = [{ frame: index, turn: 1 }];
  const turns = new Set(
    nest
      .seen(start, start + period)
      .filter(({ row }) => !producer[row])
      .map(({ row, execution }) => turnsAway(nest, frames, path, row, execution)),
  );
  const every = period === 1 ? "step" : `${grouped(period)} steps`;
  const share = turns.size > 1 ? ` and firings of ${turns.size} turns share a frame` : "";
  return `${words} · one turn starts every ${every}${share}`;
}

/** What the marks of a schedule mean, beside its title. */
export function legend(
  data: TimelineModel,
  bars: Bars,
  hasMilestones: boolean,
  marks: Marks | null,
): string {
  const words: string[] = [];
  if (data.unit === "µs") words.push("when each ran");
  if (!bars.length) words.push("■ no slack  ▬ from early to late");
  if (hasMilestones && !bars.length) words.push("◆ milestone: cannot move");
  if (marks?.spans.length) words.push(`marked: ${marks.label}`);
  return words.join(" · ");
}
