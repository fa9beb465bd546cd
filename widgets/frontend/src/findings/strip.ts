// The strip of findings: what the plan says, in two to four cards, and what can be done about it.

import { button, element, type Host } from "../panel/canvasPanel.ts";
import type { Change } from "../model/store.ts";
import { elide, grouped, sizeText } from "../core/text.ts";
import { together, withTerms } from "../panel/terms.ts";
import { goToWay } from "../model/stripes.ts";
import { splitNodes, type CardData } from "../model/cards.ts";
import { compareLayouts } from "./layouts.ts";

/** Cards that are shown; a button shows the others. */
const MOST = 4;
/** Share of a bar from which on a part says what it is. */
const LABELLED = 0.16;
/** What a headline begins with where something becomes less; its price stands behind it. */
const GAIN = /^−[^,]*/;

export class FindingsStrip {
  readonly element = element("section", { class: "anb-findings", "aria-label": "Findings" });
  private readonly pop = element("div", {
    class: "anb-pop",
    role: "region",
    "aria-label": "More about a finding",
    tabindex: "-1",
    hidden: "",
  });
  private cards: readonly CardData[];
  private isWhole = false;
  /** What the search box says while nodes of a card are lit. */
  private lit = "";

  constructor(private readonly host: Host) {
    this.cards = host.store.model.meta.findings ?? [];
    this.element.hidden = this.cards.length === 0;
    this.element.addEventListener("keydown", (event) => {
      if (event.key !== "Escape" || this.pop.hidden) return;
      this.pop.hidden = true;
      event.stopPropagation();
    });
    this.redraw();
  }

  /** A search of one's own ends what a card lit; another way to tile has its own cards. */
  changed({ query, way }: Change): void {
    const { stripes } = this.host.store.model;
    if (way !== undefined && stripes) {
      this.cards = stripes.ways[stripes.shown(this.host.store)].cards;
      this.pop.hidden = true;
      this.redraw();
    }
    if (query === undefined || !this.lit || query === this.lit) return;
    this.lit = "";
    this.host.store.set({ found: null }, this);
  }

  redraw(): void {
    const shown = this.isWhole ? this.cards : this.cards.slice(0, MOST);
    const made = shown.map((card) => this.card(card));
    const more = this.cards.length - shown.length;
    if (more > 0) {
      const show = () => {
        this.isWhole = true;
        this.redraw();
      };
      made
        .at(-1)
        ?.querySelector(".anb-acts")
        ?.append(labelled(`show ${more} more ${more === 1 ? "finding" : "findings"}`, show));
    }
    this.element.replaceChildren(...made, this.pop);
  }

  private card(card: CardData): HTMLElement {
    const known = new Set<string>();
    const { tick } = card;
    const figure = tick === undefined ? element("strong") : element("button", { type: "button" });
    figure.className = "anb-figure";
    figure.append(...together(card.figure));
    const line = element("p", { class: "anb-line" }, figure, " ");
    const headline = card.headline ?? "";
    const gain = GAIN.exec(headline)?.[0] ?? "";
    if (gain) line.append(element("b", {}, gain));
    line.append(...this.text(headline.slice(gain.length), card, known));
    const rest = element("p", { class: "anb-rest" }, ...this.text(card.text ?? "", card, known));
    rest.append(...this.reason(card));
    const made = element("article", { class: "anb-card", "data-kind": card.kind });
    made.dataset.edge = card.edge;
    made.append(element("h3", {}, ...withTermsOfTitle(card.title)), line);
    if (card.bar) made.append(this.bar(card.bar, card.total ?? 0));
    made.append(rest, this.actions(card));
    if (tick !== undefined) {
      figure.title = `Go to ${this.host.store.clocks[0].unit} ${grouped(tick)}`;
      made.addEventListener("click", (event) => {
        const on = event.target instanceof Element ? event.target.closest("button") : null;
        if (!on || on === figure) this.lookAt(tick);
      });
    }
    return made;
  }

  /** A text with its terms underlined and its nodes as links. */
  private text(text: string, card: CardData, known: Set<string>): (Node | string)[] {
    return splitNodes(text, card.nodes).flatMap((part) =>
      typeof part === "string" ? withTerms(part, known) : [this.link(part)],
    );
  }

  private link(node: number): HTMLElement {
    const { name, names } = this.host.store.model;
    if (node < 0) return element("span", {}, "an operator that is not shown");
    const pick = () => this.host.store.set({ selected: node }, this);
    const made = labelled(names.path(name[node]), pick);
    made.className = "anb-link";
    made.title = elide(name[node], 300);
    return made;
  }

  private bar(parts: [number, number][], total: number): HTMLElement {
    const { store, theme } = this.host;
    const bar = element("div", { class: "anb-bar", "aria-hidden": "true" });
    for (const [node, bytes] of parts) {
      const share = bytes / Math.max(1, total);
      const part = element("span");
      part.style.flexGrow = String(share);
      const family = store.model.family[node];
      part.style.background = theme.families[family] ?? theme.muted;
      part.style.color = theme.inks[family] ?? theme.paper;
      if (share >= LABELLED) part.textContent = `${sizeText(bytes)}, ${Math.round(100 * share)} %`;
      bar.append(part);
    }
    const used = parts.reduce((sum, [, bytes]) => sum + bytes, 0);
    bar.style.setProperty("--anb-used", `${Math.min(100, (100 * used) / Math.max(1, total))}%`);
    return bar;
  }

  private actions(card: CardData): HTMLElement {
    const row = element("div", { class: "anb-acts" });
    const { memory } = this.host.store.model;
    const { where, layout, python, act } = card;
    const { stripes } = this.host.store.model;
    if (act && stripes) {
      const [label, way] = act;
      const go = labelled(label, () => goToWay(stripes, this.host.store, way, this));
      go.classList.add("anb-do");
      row.append(go);
    }
    if (where?.length) row.append(labelled("show where", () => this.light(card, where)));
    if (layout && memory) {
      const compare = () => this.open(card, compareLayouts(this.host, memory, layout));
      row.append(labelled("compare", compare));
    }
    if (python) {
      const copy: HTMLButtonElement = labelled("copy Python", () => this.copy(card, python, copy));
      row.append(copy);
    }
    return row;
  }

  /** A link to why what a card says is so; buttons are for what can be done. */
  private reason(card: CardData): (Node | string)[] {
    const { why } = card;
    if (!why) return [];
    const known = card.kind === "change" ? "how found" : "why";
    const label = card.figure === "No" ? "why this is a proof" : known;
    const link = labelled(label, () => this.say(card, why));
    link.className = "anb-link";
    return card.text ? [" ", link] : [link];
  }

  private lookAt(tick: number): void {
    const { store } = this.host;
    store.goToTick(tick, this);
    const node = store.model.memory?.tickNode[tick];
    if (node !== undefined) store.set({ selected: node }, this);
  }

  private light(card: CardData, nodes: number[]): void {
    const known = nodes.filter((node) => node >= 0);
    const text = `${known.length} ${known.length === 1 ? "node" : "nodes"}`;
    this.lit = card.figure;
    const found = { nodes: known, text, hint: "" };
    this.host.store.set({ query: card.figure, found }, this);
  }

  private say(card: CardData, text: string): void {
    this.open(card, element("p", {}, ...withTerms(text)));
  }

  private copy(card: CardData, python: string, from: HTMLButtonElement): void {
    const shown = () => this.open(card, element("pre", { tabindex: "0" }, python));
    const { clipboard } = navigator;
    if (!clipboard) return shown(); // pages opened from a file may not write to it
    clipboard.writeText(python).then(() => {
      from.textContent = "copied";
    }, shown);
  }

  /** Opens what is said about a card below the strip; a second time closes it. */
  private open(card: CardData, content: HTMLElement): void {
    const key = `${card.title} ${card.figure} ${content.tagName}`;
    if (!this.pop.hidden && this.pop.dataset.of === key) {
      this.pop.hidden = true;
      return;
    }
    const close = button("×", "Close", () => (this.pop.hidden = true));
    this.pop.dataset.of = key;
    this.pop.replaceChildren(element("h4", {}, `${card.title} ${card.figure}`), close, content);
    this.pop.hidden = false;
    this.pop.focus({ preventScroll: true });
  }
}

/** A button whose label says all. */
function labelled(label: string, click: () => void): HTMLButtonElement {
  const made = element("button", { type: "button" }, label);
  made.addEventListener("click", click);
  return made;
}

function withTermsOfTitle(title: string): (Node | string)[] {
  return title === "PEAK" ? withTerms("peak") : [title];
}
