// The algorithm panel: the scheduling algorithm stage by stage, forwards and backwards.

import { button, element, type Host } from "../core/canvasPanel.ts";
import { DomPanel } from "../core/domPanel.ts";
import type { Change } from "../core/store.ts";
import { elide } from "../core/text.ts";

/** A decision: the round, what is done, why, and the nodes it is about. */
export type StageData = [
  round: number,
  title: string,
  lines: string[],
  nodes: [node: number, role: string][],
];

const LONGEST = 600;

export class AlgorithmPanel extends DomPanel {
  private at = 0;
  private readonly slider = element("input", { type: "range", min: "0", "aria-label": "Stage" });
  private readonly place = element("output", { class: "anb-place" });
  private readonly list = element("ol", { class: "anb-stages", "aria-live": "polite" });

  constructor(
    host: Host,
    private readonly stages: readonly StageData[],
  ) {
    super(host, "algorithm", "Scheduling algorithm");
    this.slider.max = String(stages.length - 1);
    this.slider.value = "0";
    this.slider.addEventListener("input", () => this.go(Number(this.slider.value)));
    const bar = element(
      "div",
      { class: "anb-steps", role: "group", "aria-label": "Go through the stages" },
      button("|◀", "To the first stage", () => this.go(0)),
      button("◁◁", "A round back", () => this.go(this.roundStart(-1))),
      button("◁", "A stage back", () => this.go(this.at - 1)),
      button("▷", "On to the next stage", () => this.go(this.at + 1)),
      button("▷▷", "On to the next round", () => this.go(this.roundStart(1))),
      this.slider,
      this.place,
    );
    this.list.tabIndex = 0;
    this.body.append(bar, this.list);
    this.go(0);
  }

  /** The first stage of the next round, or of the one before. */
  private roundStart(by: 1 | -1): number {
    const [round] = this.stages[this.at];
    const isFirst = this.stages.findIndex((stage) => stage[0] === round) === this.at;
    const wanted = by > 0 ? round + 1 : isFirst ? round - 1 : round;
    const found = this.stages.findIndex((stage) => stage[0] === wanted);
    return found < 0 ? (by > 0 ? this.stages.length - 1 : 0) : found;
  }

  private go(stage: number): void {
    this.at = Math.min(Math.max(0, stage), this.stages.length - 1);
    const [round, title, , nodes] = this.stages[this.at];
    const last = this.stages[this.stages.length - 1][0];
    this.slider.value = String(this.at);
    this.place.textContent = `round ${round} of ${last}`;
    this.slider.setAttribute("aria-valuetext", `round ${round}: ${title}`);
    this.section.dataset.stage = String(this.at);
    this.host.store.set({ marks: new Map(nodes) }, this);
    this.show();
  }

  /** Writes the stages of the round, up to the one that is reached. */
  private show(): void {
    const [round] = this.stages[this.at];
    const first = this.stages.findIndex((stage) => stage[0] === round);
    const items = this.stages.slice(first, this.at + 1).map((stage, index) => {
      const [, title, lines, nodes] = stage;
      const item = element("li", {}, element("strong", {}, title), this.chips(nodes));
      for (const line of lines) item.append(element("p", {}, elide(line, LONGEST)));
      if (first + index === this.at) item.setAttribute("aria-current", "step");
      return item;
    });
    this.list.replaceChildren(...items);
    this.list.scrollTop = this.list.scrollHeight;
  }

  private chips(nodes: [number, string][]): HTMLElement {
    const { model } = this.host.store;
    const made = element("span", { class: "anb-chips" });
    for (const [node, role] of nodes) {
      const name = model.names.short(model.name[node], 30);
      const chip = button(name, `${role}: ${elide(model.name[node], 200)}`, () => this.pick(node));
      chip.dataset.role = role;
      made.append(chip);
    }
    return made;
  }

  changed(change: Change): void {
    if (change.selected !== undefined) this.section.dataset.selected = String(change.selected);
  }

  override neighbour(node: number, dx: number, dy: number): number {
    this.go(this.at + (dx || dy));
    return node;
  }
}
