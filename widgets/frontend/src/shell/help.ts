// The help: a list of actions and their keys.

import { button, element } from "../core/canvasPanel.ts";

const KEYS: readonly (readonly [keys: string, what: string])[] = [
  ["Tab", "to the next panel or control"],
  ["← ↑ ↓ →", "pick the node beside; in the graph along its edges"],
  ["Shift + arrows", "move what is drawn, as dragging does"],
  ["+  −", "zoom in or out of time, or of the graph"],
  ["]  [", "zoom in or out of rows or addresses"],
  ["0", "show everything; once more: readable rows"],
  ["Enter", "open or close a repeated section, block or meta-operator"],
  [",  .", "a step back, a step on"],
  ["Space", "play the schedule, or pause"],
  ["/", "search; Enter and Shift + Enter go from match to match"],
  ["Escape", "leave the search, then the selection, then the step"],
  ["?", "show or hide this list"],
  ["wheel", "scrolls; with Ctrl or ⌘ it zooms, with Alt too across the other axis"],
  ["drag", "moves what is drawn; on an axis of time, the step"],
  ["double click", "shows everything, or opens what is under it"],
];

export class Help {
  readonly button = button("?", "Keys and what they do", () => this.toggle(), false);
  readonly element = element("div", {
    class: "anb-help",
    role: "region",
    "aria-label": "Keys and what they do",
    tabindex: "0",
    hidden: "",
  });

  constructor() {
    const list = element("dl");
    for (const [keys, what] of KEYS) {
      list.append(element("dt", {}, element("kbd", {}, keys)), element("dd", {}, what));
    }
    this.element.append(list);
  }

  get isShown(): boolean {
    return !this.element.hidden;
  }

  toggle(): void {
    this.element.hidden = this.isShown;
    this.button.setAttribute("aria-pressed", String(this.isShown));
  }
}
