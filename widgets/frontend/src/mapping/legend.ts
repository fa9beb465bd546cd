// What colours stand for, beside the playhead; and stripes of a mapping, below its memories.

import { element } from "../panel/canvasPanel.ts";
import type { Model } from "../model/model.ts";
import type { Theme } from "../core/theme.ts";
import { isTyped } from "./hues.ts";
import type { Hue } from "../model/store.ts";
import { familyOf, GREY, WORK } from "../model/machine.ts";

/** More blocks are not listed. */
const BLOCKS = 8;

type Entry = readonly [kind: string, label: string, colour?: string];

/** Lists what occurs: families of works, the input of the graph, copies, parameters, idle times. */
function entries(model: Model, { families }: Theme, hue: Hue): Entry[] {
  const { devices, meta, parts } = model;
  const { move, source, idle } = devices?.machine ?? {};
  const [works, others] = [new Set<number>(), new Set<number>()];
  const listed = (all: Set<number>): Entry[] =>
    [...all].map((each) => ["work", meta.families[each]?.[0] ?? "", families[each]]);
  if (!move || !source) return isTyped(model) ? listed(new Set(model.family)) : [];
  for (let bar = 0; bar < move.length; bar++)
    (move[bar] === WORK ? works : others).add(familyOf(model, source[bar]));
  const found: Entry[] = [];
  if (hue === "block" && parts.count <= BLOCKS)
    for (let block = 0; block < parts.count; block++) {
      const [first] = parts.members[block];
      found.push(["work", parts.title(block), families[model.family[first]]]);
    }
  if (hue === "type" && isTyped(model)) {
    found.push(...listed(works));
    const given = [...others].find((each) => each !== GREY && !works.has(each));
    if (given !== undefined) found.push(["work", "input of the graph", families[given]]);
  }
  const [first] = works;
  const isMoved = [...others].some((each) => each !== GREY);
  if (isMoved) found.push(["moved", "moved, or a copy that was moved here", families[first]]);
  if (others.has(GREY)) found.push(["grey", "parameters"]);
  if (idle?.length) found.push(["idle", "idle"]);
  return [...found, ["picked", "picked"]];
}

export function fillLegend(legend: HTMLElement, model: Model, theme: Theme, hue: Hue): void {
  const made = entries(model, theme, hue).map(([kind, label, colour]) => {
    const sample = element("i", { "data-kind": kind });
    if (colour) sample.style.setProperty("--anb-own", colour);
    return element("span", {}, sample, label);
  });
  legend.replaceChildren(...made);
  legend.hidden = made.length === 0;
}
