// The algorithm panel: the scheduling algorithm stage by stage, forwards and backwards.

import type { StageData } from "../model/payload.ts";
import { button, element, type Host } from "../panel/canvasPanel.ts";
import { DomPanel } from "../panel/domPanel.ts";
import type { Change } from "../model/store.ts";
import { elide } from "../core/text.ts";
import { stage as sizes } from "../../../shared/panels.json";

/** What nodes are to a stage, in words. */
export const ROLES: Readonly<Record<string, string>> = {
  asked: "checked",
  prior: "goes first",
  gives: "gives data",
  runs: "runs",
  still: "has data left",
  next: "next",
};

export class AlgorithmPanel extends DomPanel {
  private at = 0;
  /** How many firings there were after each stage, without those of weights. */
  private readonly ran: number[];
  private readonly slider = element("input", { type: "range", min: "0", "aria-label": "Stage" });
  private readonly place = element("output", { class: "anb-place" });
  private readonly list = element("ol", { class: "anb-stages", "aria-live": "polite" });

  constructor(
    host: Host,
    private readonly stages: readonly StageData[],
  ) {
    super(host, "algorithm", "Scheduling algorithm");
    let ran = 0;
    this.ran = stages.map(([, , , nodes]) => (ran += nodes.filter(isRun).length));
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

  /** Whether the firings have ticks: there is a schedule that grows with the stages. */
  private get isTimed(): boolean {
    const { model, clocks } = this.host.store;
    return model.timeline !== null && clocks[0].unit === "tick";
  }

  /** The first stage of the next round, or of the one before. */
  private roundStart(by: 1 | -1): number {
    const [round] = this.stages[this.at];
    const isFirst = this.stages.findIndex((stage) => stage[0] === round) === this.at;
    const wanted = by > 0 ? round + 1 : isFirst ? round - 1 : round;
    const found = this.stages.findIndex((stage) => stage[0] === wanted);
    return found < 0 ? (by > 0 ? this.stages.length - 1 : 0) : found;
  }

  /** Goes to a stage, and with it to its last firing; or to a tick in it. */
  private go(stage: number, tick: number | null = null): void {
    this.at = Math.min(Math.max(0, stage), this.stages.length - 1);
    const [round, title, , nodes] = this.stages[this.at];
    const last = this.stages[this.stages.length - 1][0];
    this.slider.value = String(this.at);
    this.place.textContent = `round ${round} of ${last}`;
    this.slider.setAttribute("aria-valuetext", `round ${round}: ${title}`);
    this.section.dataset.stage = String(this.at);
    const change: Change = { marks: new Map(nodes), tokens: this.tokens() };
    if (this.isTimed) {
      const reached = tick === null ? this.ran[this.at] : tick + 1;
      change.reached = reached;
      if (tick === null) change.tick = reached > 0 ? reached - 1 : null;
    }
    this.host.store.set(change, this);
    this.show();
  }

  /** What waits on each edge after the stage. */
  private tokens(): Map<number, number> {
    const found = new Map<number, number>();
    for (const [, , , , waiting] of this.stages.slice(0, this.at + 1)) {
      for (const [edge, count] of waiting) found.set(edge, count);
    }
    return found;
  }

  /** Writes the stages of the round, up to the one that is reached. */
  private show(): void {
    const [round] = this.stages[this.at];
    const first = this.stages.findIndex((stage) => stage[0] === round);
    const items = this.stages.slice(first, this.at + 1).map((stage, index) => {
      const [, title, lines, nodes] = stage;
      const sentence = element("strong", {}, elide(title, sizes.longest));
      const item = element("li", {}, sentence, this.chips(nodes));
      for (const line of lines) item.append(element("p", {}, elide(line, sizes.longest)));
      if (first + index === this.at) item.setAttribute("aria-current", "step");
      return item;
    });
    this.list.replaceChildren(...items);
    // To the end, but never past the sentence.
    const { scrollHeight } = this.list;
    const sentence = items.at(-1)?.offsetTop ?? scrollHeight;
    this.list.scrollTop = Math.min(scrollHeight, sentence - this.list.offsetTop);
  }

  private chips(nodes: [number, string][]): HTMLElement {
    const { model } = this.host.store;
    const made = element("span", { class: "anb-chips" });
    for (const [node, role] of nodes) {
      const name = model.names.short(model.name[node], 30);
      const title = `${ROLES[role] ?? role}: ${elide(model.name[node], 200)}`;
      const chip = button(name, title, () => this.pick(node));
      chip.dataset.role = role;
      made.append(chip);
    }
    return made;
  }

  changed({ selected, tick }: Change, origin: unknown): void {
    if (selected !== undefined) this.section.dataset.selected = String(selected);
    if (tick === undefined || tick === null || origin === this || !this.isTimed) return;
    const stage = this.ran.findIndex((count) => count > tick);
    if (stage >= 0) this.go(stage, tick);
  }

  override neighbour(node: number, dx: number, dy: number): number {
    this.go(this.at + (dx || dy));
    return node;
  }
}

const isRun = ([, role]: [node: number, role: string]) => role === "runs";
