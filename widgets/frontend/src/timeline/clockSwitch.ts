// The switch between clocks: ticks, steps.

import { button, element } from "../panel/canvasPanel.ts";
import type { Unit } from "../model/clock.ts";
import type { Store } from "../model/store.ts";

const MEANING: Record<Unit, string> = {
  tick: "Count the firings in the order that runs",
  step: "Count what can run at once: early and late steps",
  cycle: "Count the cycles of the machine",
  µs: "Write the cycles as microseconds",
};

export class ClockSwitch {
  readonly element = element("div", { class: "anb-switch", role: "group", "aria-label": "Clock" });
  private readonly buttons = new Map<Unit, HTMLButtonElement>();

  constructor(private readonly store: Store) {
    for (const { unit } of store.clocks) {
      const own = button(unit, MEANING[unit], () => store.setClock(unit), false);
      this.buttons.set(unit, own);
      this.element.append(own);
    }
    this.element.hidden = store.clocks.length < 2;
    this.show();
  }

  show(): void {
    const { unit } = this.store.clock;
    for (const [name, own] of this.buttons) own.setAttribute("aria-pressed", String(name === unit));
  }
}
