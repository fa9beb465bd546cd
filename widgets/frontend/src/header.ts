// The head of the view: name, figures, search, theme; and the line that says what is selected.

import { element, type Host } from "./panel.ts";
import type { Change, Store } from "./store.ts";
import { elide } from "./text.ts";

export class Header {
  readonly element: HTMLElement;
  readonly search = element("input", {
    type: "search",
    placeholder: "Search name or type",
    "aria-label": "Search nodes by name or type",
    spellcheck: "false",
    autocomplete: "off",
  });
  private readonly found = element("span", { class: "anb-found", role: "status" });
  private readonly store: Store;

  constructor(host: Host, actions: HTMLElement[]) {
    this.store = host.store;
    const { meta } = this.store.model;
    const figures = element("dl", { class: "anb-figures" });
    for (const [label, text] of meta.figures) {
      figures.append(element("div", {}, element("dt", {}, label), element("dd", {}, text)));
    }
    this.search.addEventListener("input", () => this.store.set({ query: this.search.value }, this));
    const title = element("h2", { title: elide(meta.title, 300) }, elide(meta.title, 120));
    const find = element(
      "div",
      { class: "anb-search" },
      this.search,
      this.found,
      element("kbd", { title: "Press / to search" }, "/"),
    );
    this.element = element(
      "header",
      { class: "anb-header" },
      title,
      figures,
      element("div", { class: "anb-actions" }, find, ...actions),
    );
    for (const note of meta.notes) {
      this.element.append(element("p", { class: "anb-note", role: "note" }, elide(note, 400)));
    }
  }

  changed(change: Change, origin: unknown): void {
    if (change.query === undefined) return;
    if (origin !== this) this.search.value = change.query;
    const { matches, matchCount } = this.store;
    this.found.textContent = matches ? `${matchCount} found` : "";
    this.found.classList.toggle("anb-none", matches !== null && matchCount === 0);
  }
}
