// Describe a folded schedule in words: a firing, and the whole.

import { grouped } from "../core/text.ts";
import { mainFrames, stepsText, turnsAway } from "../model/frames.ts";
import type { TimelineModel } from "../model/timeline.ts";
import type { Drawn } from "./foldedPainter.ts";

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
