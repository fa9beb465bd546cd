// The help: a list of actions and their keys, and a list of words and what they mean.

import { button, element } from "../panel/canvasPanel.ts";
import { TERMS } from "../panel/terms.ts";

const KEYS: readonly (readonly [keys: string, what: string])[] = [
  ["Tab", "to the next panel or control"],
  ["← ↑ ↓ →", "pick the node beside; in the graph along its edges"],
  ["m", "mark the selected node, or take its mark away; so does a click with Ctrl, ⌘ or Shift"],
  ["Shift + arrows", "move what is drawn, as dragging does"],
  ["+  −", "zoom in or out of time, or of the graph"],
  ["]  [", "zoom in or out of rows or addresses"],
  ["0", "show everything; once more: readable rows"],
  ["Enter", "open or close a repeated section, block or meta-operator; check an answer"],
  [",  .", "a tick or step back, or on"],
  ["n  N", "to the next block, or the one before"],
  ["p", "to the peak"],
  ["c", "count ticks or steps"],
  ["l", "lanes or rows"],
  ["Space", "play the schedule, or pause; where a question is asked, mark the selected node"],
  ["/", "search; Enter and Shift + Enter go from match to match"],
  ["Escape", "leave the search, then the selection, then the step"],
  ["?", "show or hide this list"],
  ["wheel", "scrolls; with Ctrl or ⌘ it zooms, with Alt too across the other axis"],
  ["drag", "moves what is drawn; on an axis of time, the step"],
  ["double click", "shows everything, or opens what is under it"],
];

export class Help {
  readonly button = button("?", "Keys and words, and what they mean", () => this.toggle(), false);
  readonly element = element("div", {
    class: "anb-help",
    role: "region",
    "aria-label": "Keys and words, and what they mean",
    tabindex: "0",
    hidden: "",
  });

  /** Writes the lists; most readers never open them. */
  private fill(): void {
    const list = element("dl");
    for (const [keys, what] of KEYS) {
      list.append(element("dt", {}, element("kbd", {}, keys)), element("dd", {}, what));
    }
    const words = element("dl", { class: "anb-words" });
    for (const [term, sentence] of TERMS) {
      words.append(element("dt", { "data-word": term }, term), element("dd", {}, sentence));
    }
    this.element.append(list, element("h3", {}, "Words"), words);
  }

  /** Shows what a word means when it is clicked anywhere in an element. */
  explainIn(root: HTMLElement): void {
    root.addEventListener("click", (event) => {
      const on = event.target instanceof Element ? event.target.closest("[data-term]") : null;
      if (on instanceof HTMLElement) this.explain(on.dataset.term ?? "");
    });
  }

  private explain(term: string): void {
    if (!this.isShown) this.toggle();
    for (const word of this.element.querySelectorAll<HTMLElement>("[data-word]")) {
      const isIt = word.dataset.word === term;
      word.classList.toggle("anb-sought", isIt);
      if (isIt) word.scrollIntoView({ block: "nearest" });
    }
    this.element.focus({ preventScroll: true });
  }

  get isShown(): boolean {
    return !this.element.hidden;
  }

  toggle(): void {
    if (!this.element.firstChild) this.fill();
    this.element.hidden = this.isShown;
    this.button.setAttribute("aria-pressed", String(this.isShown));
  }
}
