// Base class of panels made of HTML elements: a frame, without zooming and panning.

import { element, type Host, type Point } from "./canvasPanel.ts";
import { NONE } from "../model/search.ts";
import type { Change } from "../model/store.ts";

export abstract class DomPanel {
  readonly section: HTMLElement;
  protected readonly tools = element("div", { class: "anb-tools" });
  protected readonly hint = element("span", { class: "anb-hint" });
  protected readonly body: HTMLElement;

  constructor(
    protected readonly host: Host,
    readonly name: string,
    title: string,
  ) {
    this.body = element("div", { class: `anb-body-${name}` });
    const head = element(
      "div",
      { class: "anb-head" },
      element("h3", {}, title),
      this.hint,
      this.tools,
    );
    this.section = element(
      "section",
      { class: "anb-panel", "data-panel": name, "aria-label": title },
      head,
      this.body,
    );
  }

  abstract changed(change: Change, origin: unknown): void;

  redraw(): void {}

  destroy(): void {}

  fit(): void {}

  zoomCentre(_factor: number): void {}

  reveal(_node: number): void {}

  locate(_node: number): Point | null {
    return null;
  }

  neighbour(node: number, _dx: number, _dy: number): number {
    return node;
  }

  enter(): boolean {
    return false;
  }

  protected pick(node: number): void {
    if (node !== NONE) this.host.store.set({ selected: node, picked: [] }, this);
  }
}

/** Pales the right end of what goes on there: that it scrolls is seen on no telephone otherwise. */
export function markScroll(scroller: HTMLElement): void {
  const mark = () => {
    const { scrollWidth, clientWidth, scrollLeft } = scroller;
    scroller.classList.toggle("anb-on", scrollWidth - clientWidth - scrollLeft > 2);
  };
  scroller.addEventListener("scroll", mark, { passive: true });
  new ResizeObserver(mark).observe(scroller);
}
