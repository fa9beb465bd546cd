// The header: name, figures, search, theme, and a line about the selection.

import { element, type Host } from "../panel/canvasPanel.ts";
import { NONE } from "../model/search.ts";
import type { Change, Store } from "../model/store.ts";
import { withTerms } from "../panel/terms.ts";
import { elide } from "../core/text.ts";

/** Figures that the findings say. */
const SAID = ["constants", "without slack", "memory peak", "lower bound", "peak / bound"];
/** Characters from which on a note that begins with "what: " tells the rest when asked. */
const LONG = 160;

export class Header {
  readonly element: HTMLElement;
  readonly search = element("input", {
    type: "search",
    placeholder: "Search name or type",
    title: "Enter goes to the next one, Shift + Enter back, Escape ends the search",
    "aria-label": "Search nodes by name or type",
    spellcheck: "false",
    autocomplete: "off",
  });
  readonly figures = element("dl", { class: "anb-figures" });
  readonly found = element("span", { class: "anb-found", role: "status" });
  private readonly hint = element("pre", { class: "anb-wrong", role: "log", hidden: "" });
  /** What is said about the model. */
  readonly notes: readonly HTMLElement[];
  private readonly store: Store;
  /** What had the focus before the search. */
  private before: HTMLElement | null = null;

  constructor(host: Host, actions: HTMLElement[]) {
    this.store = host.store;
    const { meta } = this.store.model;
    const { figures } = this;
    // Of a loop alone, its card says other things.
    const said = meta.findings?.some(({ kind }) => kind !== "loop") ? SAID : [];
    for (const [label, text] of meta.figures) {
      if (said.includes(label)) continue;
      figures.append(
        element("div", {}, element("dt", {}, ...withTerms(label)), element("dd", {}, text)),
      );
    }
    const { omitted } = this.store.model.names;
    if (omitted) figures.append(without(omitted));
    this.search.addEventListener("input", () => this.store.set({ query: this.search.value }, this));
    const title = element("h2", { title: elide(meta.title, 300) }, elide(meta.title, 120));
    const find = element(
      "div",
      { class: "anb-search" },
      this.search,
      this.found,
      element("kbd", { title: "Press / to search, Enter for the next one, Escape to end" }, "/"),
    );
    this.element = element(
      "div",
      { class: "anb-header" },
      title,
      figures,
      element("div", { class: "anb-actions" }, find, ...actions),
    );
    this.element.append(this.hint);
    this.notes = meta.notes.map((note) => this.note(note));
  }

  /** Says something that the reader should know; of a long list, only what it is at first. */
  note(text: string): HTMLElement {
    const shown = elide(text, 400);
    const [what] = shown.split(": ", 1);
    const isList = shown.length > LONG && what.length < LONG;
    const made = isList
      ? element("details", {}, element("summary", {}, what), shown.slice(what.length + 2))
      : element("p", { role: "note" }, shown);
    made.classList.add("anb-note");
    this.element.append(made);
    return made;
  }

  /** Begins a search, and notes where to go back to. */
  enter(): void {
    const { activeElement } = document;
    this.before = activeElement instanceof HTMLElement ? activeElement : null;
    this.search.focus();
    this.search.select();
  }

  /** Ends a search: nothing is searched for, and the focus is where it was before, or `else_`. */
  leave(otherwise: HTMLElement | null): void {
    this.store.set({ query: "" });
    const isThere = this.before?.isConnected && this.before !== document.body;
    const next = isThere ? this.before : otherwise;
    // Straight to what comes next: a notebook takes a focus that is nowhere for itself.
    if (next) next.focus({ preventScroll: true });
    else this.search.blur();
    this.before = null;
  }

  changed(change: Change, origin: unknown): void {
    const { query: typed, selected: picked, found: answer } = change;
    if (typed === undefined && picked === undefined && answer === undefined) return;
    const { query, selected, found } = this.store.state;
    if (origin !== this) this.search.value = query;
    const { matches, matchCount, isSearching } = this.store;
    const place =
      matches && selected !== NONE && matches[selected] ? this.store.placeOf(selected) : 0;
    const words =
      found?.text ??
      (matchCount === 0 ? "no match" : matchCount === 1 ? "1 match" : `${matchCount} matches`);
    this.found.textContent = !isSearching ? "" : place ? `${place} of ${matchCount}` : words;
    this.hint.textContent = found?.hint ?? "";
    this.hint.hidden = !found?.hint;
    this.found.classList.toggle("anb-none", isSearching && matchCount === 0);
  }
}

/** What is left out of all names where there is little room. */
function without(omitted: string): HTMLElement {
  const label = element("dt", {}, "left out of names");
  const made = element(
    "div",
    { class: "anb-without" },
    label,
    element("dd", {}, elide(omitted, 60)),
  );
  made.title = elide(omitted, 300);
  return made;
}
