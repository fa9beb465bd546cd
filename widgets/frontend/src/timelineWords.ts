// What is said of a schedule: of a bar or a repeated section under the pointer, and of the marks.

import type { Bars } from "./bars.ts";
import type { TimelineModel } from "./model.ts";
import type { Fold } from "./nest.ts";
import { countText } from "./text.ts";

/** Says when a bar of a row is, and what slack it has. */
export function describeBar(
  data: TimelineModel,
  bars: Bars,
  row: number,
  bar: number,
  isFolded: boolean,
): string[] {
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

/** Says how long a bar takes, where bars are as long as what they stand for. */
export function describeRun(bars: Bars, bar: number, unit: string, from: string): string[] {
  const first = bars.stepOf(bar);
  const length = bars.lengthOf(bar);
  return [`${unit}s${from} ${first} to ${first + length}`, `takes ${length} ${unit}s`];
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
) {
  if (bars.length) return data.unit === "µs" ? "when each ran" : "";
  const words = ["■ no slack  ▬ from early to late"];
  if (has.milestones) words.push("◆ milestone: cannot move");
  if (has.folds) words.push("×N is repeated: click to open");
  return words.join(" · ");
}
