// The step controls: buttons, a slider, and words about what runs at the step.

import { button, element, type Host } from "../core/canvasPanel.ts";
import type { Firings } from "../core/firings.ts";
import type { Player } from "../core/player.ts";
import type { Change } from "../core/store.ts";
import { elide } from "../core/text.ts";

const MOST_NAMED = 6;

export class Transport {
  readonly element: HTMLElement;
  readonly slider = element("input", { type: "range", "aria-label": "Step", step: "1" });
  private readonly place = element("output", { class: "anb-place" });
  private readonly text = element("span", { class: "anb-running", "aria-live": "polite" });
  private readonly playButton: HTMLButtonElement;

  constructor(
    private readonly host: Host,
    player: Player,
    private readonly firings: Firings,
  ) {
    const { store } = host;
    const { clock } = store;
    this.slider.min = String(clock.begin);
    this.slider.max = String(Math.max(clock.begin, clock.end - 1));
    this.slider.value = this.slider.min;
    this.slider.addEventListener("input", () => store.goTo(Number(this.slider.value), this));
    this.playButton = button("▶", "Play (space)", () => player.toggle(), false);
    this.element = element(
      "div",
      { class: "anb-transport", role: "group", "aria-label": `Go through the ${clock.unit}s` },
      button("|◀", "To the first", () => store.goTo(clock.begin)),
      button("◁", "Back (comma)", () => player.by(-1)),
      this.playButton,
      button("▷", "On (period)", () => player.by(1)),
      this.slider,
      this.place,
      this.text,
    );
    this.show();
  }

  changed(change: Change): void {
    if (change.step === undefined && change.playing === undefined) return;
    this.show();
  }

  private show(): void {
    const { clock, state } = this.host.store;
    const { step, playing } = state;
    this.playButton.textContent = playing ? "❚❚" : "▶";
    this.playButton.setAttribute("aria-pressed", String(playing));
    this.text.setAttribute("aria-live", playing ? "off" : "polite");
    if (step !== null) this.slider.value = String(step);
    const last = Math.max(clock.begin, clock.end - 1);
    this.place.textContent = step === null ? `${clock.unit} –` : `${clock.unit} ${step} of ${last}`;
    this.slider.setAttribute("aria-valuetext", this.place.textContent);
    this.text.textContent = step === null ? "" : this.sentence(step);
    this.text.title = this.text.textContent;
  }

  private sentence(step: number): string {
    const { model } = this.host.store;
    if (this.host.store.clock.unit === "cycle") return this.busy(step);
    if (!this.firings.isKnown) {
      const tick = model.memory?.tickNode[step];
      return tick === undefined ? "" : `runs ${elide(model.name[tick], 60)}`;
    }
    const names = (nodes: number[]) => {
      const shown = nodes
        .slice(0, MOST_NAMED)
        .map((node) => model.names.short(model.name[node], 28));
      const more = nodes.length - shown.length;
      return shown.join(", ") + (more > 0 ? ` and ${more} more` : "");
    };
    const { runs, mayRun } = this.firings.at(step);
    const parallel = runs.length > 1 ? ` ${runs.length} in parallel:` : "";
    const first = runs.length ? `runs${parallel} ${names(runs)}` : "nothing begins";
    return mayRun.length ? `${first} · may still run: ${names(mayRun)}` : first;
  }

  /** What each element and link does at a cycle. */
  private busy(cycle: number): string {
    const { model } = this.host.store;
    const { devices } = model;
    const bars = devices?.flat;
    if (!devices || !bars) return "";
    const found: string[] = [];
    for (let row = 0; row < devices.name.length; row++) {
      for (let bar = bars.start[row]; bar < bars.start[row + 1]; bar++) {
        if (bars.early[bar] > cycle || bars.stopOf(bar) <= cycle) continue;
        const names = bars.nodesOf(bar).map((node) => model.name[node]);
        found.push(`${devices.name[row]}: ${names.join(" + ")}`);
      }
    }
    return found.length ? found.join(" · ") : "all wait";
  }
}
