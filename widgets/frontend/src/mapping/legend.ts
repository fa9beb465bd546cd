// What colours and stripes of a mapping stand for, below its memories.

import { element } from "../core/canvasPanel.ts";
import type { Model } from "../core/model.ts";
import type { Theme } from "../core/theme.ts";
import { GREY, WORK } from "./machine.ts";

type Entry = readonly [kind: string, label: string, colour?: string];

/** Lists what occurs: families of works, the input of the graph, copies, parameters, idle times. */
function entries({ devices, meta, type }: Model, { families }: Theme): Entry[] {
  const { move, family, idle } = devices?.machine ?? {};
  if (!move || !family) return [];
  const [works, others] = [new Set<number>(), new Set<number>()];
  for (let bar = 0; bar < move.length; bar++)
    (move[bar] === WORK ? works : others).add(family[bar]);
  // Tiles have colours of their own, which stand for no type.
  const isTyped = new Set(type).size > 1 || works.size === 1;
  const found: Entry[] = [];
  if (isTyped) {
    for (const each of works) found.push(["work", meta.families[each]?.[0] ?? "", families[each]]);
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

export function fillLegend(legend: HTMLElement, model: Model, theme: Theme): void {
  const made = entries(model, theme).map(([kind, label, colour]) => {
    const sample = element("i", { "data-kind": kind });
    if (colour) sample.style.setProperty("--anb-own", colour);
    return element("span", {}, sample, label);
  });
  legend.replaceChildren(...made);
  legend.hidden = made.length === 0;
}
