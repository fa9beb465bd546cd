// The phases of a work as one bar: load, wait, compute, store.

import { element } from "../panel/canvasPanel.ts";
import { thousands } from "../core/text.ts";
import type { Phase } from "../model/machine.ts";

const VERBS: Record<Phase["kind"], string> = {
  load: "loads",
  wait: "waits",
  compute: "computes",
  store: "stores",
};

/** Share of the bar from which on a phase has its name in it. */
const NAMED = 0.34;

/** Draws phases beside each other, as long as they take, in the colour of the work. */
export function phaseBar(phases: readonly Phase[], colour: string, ink: string): HTMLElement[] {
  const total = phases.reduce((sum, { length }) => sum + length, 0);
  if (total === 0) return [];
  const said = phases.map(({ kind, length }) => `${VERBS[kind]} ${thousands(length)}`);
  const bar = element("div", {
    class: "anb-phases",
    role: "img",
    "aria-label": `${said.join(", ")} cycles`,
  });
  bar.style.setProperty("--anb-own", colour);
  bar.style.setProperty("--anb-own-ink", ink);
  phases.forEach(({ kind, length }, place) => {
    const part = element("span", { "data-phase": kind, title: `${said[place]} cycles` });
    part.style.flexGrow = String(length);
    if (length / total >= NAMED) part.append(element("b", {}, said[place]));
    bar.append(part);
  });
  const title = element("h4", {}, "from data ready to done, cycles");
  return [title, bar, element("p", { class: "anb-phase-words" }, said.join(" · "))];
}
