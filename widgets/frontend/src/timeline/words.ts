// Describe a schedule in words: a bar, a repeated section, the marks.

import { countText } from "../core/text.ts";
import type { Bars } from "./bars.ts";
import type { Marks } from "./marks.ts";
import type { TimelineModel } from "./model.ts";
import type { Fold } from "./nest.ts";

/** What is described: a schedule, and how it is shown. */
interface Described {
  readonly data: TimelineModel;
  readonly bars: Bars;
  readonly isFolded: boolean;
}

/** Says when a bar of a row is, and what slack it has. */
export function describeBar({ data, bars, isFolded }: Described, row: number, bar: number) {
  const executions = bars.start[row + 1] - bars.start[row];
  const first = bars.stepOf(bar);
  const lines: string[] = [];
  if (executions > 1 && !isFolded) {
    lines.push(`execution ${bar - bars.start[row] + 1} of ${executions}`);
  }
  const spare = bars.slack[bar];
  lines.push(
    spare === 0
      ? `${data.unit} ${first}, no slack: on the critical path`
      : `${data.unit}s ${first} to ${first + spare}, slack ${spare}`,
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

export function describeFold(fold: Fold): string[] {
  const times = `repeated ${countText(fold.repeat)} times`;
  return [times, fold.isOpen ? "click to close" : "click to open"];
}

/** What the marks of a schedule mean, beside its title. */
export function legend(
  data: TimelineModel,
  bars: Bars,
  has: Record<"folds" | "milestones", boolean>,
  marks: Marks | null,
): string {
  const words: string[] = [];
  if (data.unit === "µs") words.push("when each ran");
  if (!bars.length) words.push("■ no slack  ▬ from early to late");
  if (has.milestones && !bars.length) words.push("◆ milestone: cannot move");
  if (has.folds) words.push("×N is repeated: click to open");
  if (marks?.spans.length) words.push(`marked: ${marks.label}`);
  return words.join(" · ");
}
