// The controls of the playhead: buttons, and words about what runs there.

import { button, element, type Host } from "../panel/canvasPanel.ts";
import type { Firings } from "../model/firings.ts";
import type { Player } from "../panel/player.ts";
import type { Change } from "../model/store.ts";
import { together } from "../panel/terms.ts";
import { elide, grouped, sizeText } from "../core/text.ts";
import { bytesInUse } from "../memory/usage.ts";

const MOST_NAMED = 6;

export class Transport {
  readonly element: HTMLElement;
  private readonly place = element("output", { class: "anb-place" });
  private readonly text = element("span", { class: "anb-running", "aria-live": "polite" });
  private readonly playButton: HTMLButtonElement;

  constructor(
    private readonly host: Host,
    player: Player,
    private readonly firings: Firings,
  ) {
    const { store } = host;
    this.playButton = button("▶", "Play (space)", () => player.toggle(), false);
    this.element = element(
      "div",
      { class: "anb-transport", role: "group", "aria-label": "Go through time" },
      button("|◀", "To the first", () => store.goTo(store.clock.begin)),
      button("◁", "Back (comma)", () => player.by(-1)),
      this.playButton,
      button("▷", "On (period)", () => player.by(1)),
      button("▶|", "To the last", () => store.goTo(store.clock.end - 1)),
      this.place,
      this.text,
    );
    this.show();
  }

  changed(change: Change): void {
    const { tick, step, clock, playing, timeRange } = change;
    if ([tick, step, clock, playing, timeRange].some((each) => each !== undefined)) this.show();
  }

  private show(): void {
    const { state, now } = this.host.store;
    const { playing } = state;
    this.playButton.textContent = playing ? "❚❚" : "▶";
    this.playButton.setAttribute("aria-pressed", String(playing));
    this.text.setAttribute("aria-live", playing ? "off" : "polite");
    this.place.replaceChildren(...together(this.where()));
    this.text.textContent = now === null ? "" : this.sentence(now);
    this.text.title = this.text.textContent;
  }

  /** "tick 14 of 155 · step 15 · window 0–35 · 5.74 MiB in use" */
  private where(): string {
    const { clock, now, state, window, model } = this.host.store;
    const { unit, order } = clock;
    const parts = [
      now === null
        ? `no ${unit} picked`
        : `${unit} ${clock.written(now)} of ${clock.written(clock.end)}`,
    ];
    const other = unit === "tick" ? "step" : "tick";
    const there = state[other];
    if (!clock.isMachine && there !== null && order.step.length) {
      parts.push(`${other} ${grouped(there)}`);
    }
    if (state.timeRange) {
      const [first, stop] = window.units;
      parts.push(`window ${clock.written(first)}–${clock.written(stop - 1)}`);
    }
    const { memory } = model;
    if (memory && state.tick !== null && !memory.spaces.length) {
      const bytes = bytesInUse(memory)[state.tick] ?? 0;
      parts.push(`${sizeText(bytes)} in use`);
    }
    return parts.join(" · ");
  }

  private sentence(step: number): string {
    const { model } = this.host.store;
    if (this.host.store.clock.isMachine) return this.busy(step);
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
    const bars = devices?.listed?.bars;
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
