// Describe a schedule in words: a bar, a repeated section, the marks.

import { rangeText } from "../core/range.ts";
import type { Bars } from "../model/bars.ts";
import type { Marks } from "./marks.ts";
import type { TimelineModel } from "../model/timeline.ts";

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
