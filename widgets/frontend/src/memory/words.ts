// Describe a memory plan in words: a buffer, a step, two plans.

import { pythonText, rangeText } from "../core/range.ts";
import { grouped, sizeText } from "../core/text.ts";
import { takerOf, WEIGHTS, type MemoryModel, type Stretch } from "../model/memory.ts";
import { NONE } from "../model/search.ts";

const KINDS = ["activations", "weights", "inputs"];

/** Says what a rectangle is, line by line. */
export function describeBuffer(
  plan: MemoryModel,
  buffer: number,
  kinds: readonly string[],
  unit: string,
): string[] {
  const { lower, upper, offset, size, whole, names, kind, spaces, region } = plan;
  const space = [...spaces, ...(region ? [region] : [])].find(
    ({ base, size }) => offset[buffer] >= base && offset[buffer] < base + size,
  );
  const taker = takerOf(plan, buffer);
  const when =
    taker === NONE
      ? pythonText(unit, lower[buffer], upper[buffer])
      : `${rangeText(unit, lower[buffer], lower[taker])}, then under ${names[taker]}`;
  const isBeside = space !== undefined && space === region && plan.weights !== null;
  const from = Math.round(offset[buffer] - (space && space !== region ? space.base : 0));
  const name = space && space !== region ? ` of ${space.name}` : "";
  const place = `bytes ${grouped(from)}–${grouped(from + size[buffer] - 1)}${name}`;
  const isPart = size[buffer] !== whole[buffer];
  return [
    names[buffer],
    `${kinds[kind[buffer]]}, ${sizeText(whole[buffer])} (${whole[buffer]} bytes)`,
    isBeside ? "not in the plan" : isPart ? `a part of it: ${place}` : place,
    `alive in ${when}`,
  ];
}

/** The line beside the title: two plans compared, what is in use at a tick, or what is left out. */
export function advise(
  plan: MemoryModel,
  tick: number,
  hasWeights: boolean,
  state: () => Stretch[],
): string {
  const { other } = plan;
  if (other) {
    const more = plan.peak - other.peak;
    if (!more) return `peak ${sizeText(plan.peak)} in both`;
    const part = other.peak ? ` (${more > 0 ? "+" : "−"}${percent(more / other.peak)})` : "";
    return `peak ${sizeText(other.peak)} → ${sizeText(plan.peak)}${part}`;
  }
  if (tick >= 0) return `at tick ${tick}: ${sizeText(liveBytesAt(state()))} in use`;
  const isIn = KINDS.map((_, kind) => plan.kind.includes(kind) || (kind === WEIGHTS && hasWeights));
  const out = [2, 1].filter((kind) => !isIn[kind]).map((kind) => KINDS[kind]);
  return out.length && !plan.spaces.length ? `without ${out.join(" and ")}` : "";
}

const percent = (part: number): string => `${Math.abs(100 * part).toFixed(1)} %`;

/** Bytes of what lies at a tick; addresses that several share count once. */
function liveBytesAt(state: Stretch[]): number {
  let total = 0;
  let reached = 0;
  for (const { buffer, start, stop } of state) {
    if (buffer < 0 || stop <= reached) continue;
    total += stop - Math.max(start, reached);
    reached = stop;
  }
  return total;
}
