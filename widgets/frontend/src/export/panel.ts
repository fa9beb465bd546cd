// The export panel: the schedule beside the C code, memory, and the written files.

import type { CodeRow, ExportedData } from "../model/payload.ts";
import { element, type Host } from "../panel/canvasPanel.ts";
import { DomPanel } from "../panel/domPanel.ts";
import { Firings } from "../model/firings.ts";
import { NONE } from "../model/search.ts";
import type { Change } from "../model/store.ts";
import { elide } from "../core/text.ts";
import css from "./style.css";

const INDENT = 14;
const LONGEST = 400;

export class ExportPanel extends DomPanel {
  private readonly byNode = new Map<number, HTMLElement[]>();
  private readonly code = element("div", { class: "anb-code" });
  private readonly firings: Firings;

  constructor(host: Host, data: ExportedData) {
    super(host, "export", "Export");
    this.firings = new Firings(host.store);
    this.hint.textContent = `${data.function}, ${data.rows.length} rows`;
    this.code.tabIndex = 0;
    this.code.setAttribute("role", "list");
    this.code.setAttribute("aria-label", "The schedule beside the forward function");
    this.code.append(...data.rows.map((row) => this.codeRow(row)));
    const side = element("div", { class: "anb-export-side" }, this.memory(data));
    if (data.files.length) side.append(this.files(data));
    this.body.append(element("style", {}, css), this.code, side);
    for (const [event, field] of [
      ["click", "selected"],
      ["pointerover", "hovered"],
    ] as const)
      this.body.addEventListener(event, (news) => this.point(field, nodeOf(news)));
    this.body.addEventListener("pointerleave", () => this.point("hovered", NONE));
  }

  private codeRow([number, depth, node, name, type, code]: CodeRow): HTMLElement {
    const label = element("span", { class: "anb-code-node" }, elide(name, LONGEST));
    label.style.paddingLeft = `${depth * INDENT}px`;
    label.title = type ? `${name} (${type})` : name;
    const parts = [element("span", { class: "anb-number" }, number), label];
    return this.row(node, ...parts, element("pre", {}, elide(code, 4 * LONGEST)));
  }

  private memory({ memory }: ExportedData): HTMLElement {
    const rows = memory.map(([what, symbol, bytes, kind]) => {
      const cells = [what, bytes.toLocaleString("en"), kind].map((text) =>
        element("td", {}, elide(text, LONGEST)),
      );
      cells[0].title = symbol;
      return element("tr", {}, ...cells);
    });
    const heads = ["memory", "bytes", "where"].map((text) => element("th", {}, text));
    return element("table", {}, element("tr", {}, ...heads), ...rows);
  }

  private files({ files }: ExportedData): HTMLElement {
    const rows = files.map(([depth, name, bytes, node]) => {
      const label = element("span", { class: "anb-code-node" }, elide(name, LONGEST));
      label.style.paddingLeft = `${depth * INDENT}px`;
      return this.row(
        node,
        label,
        element("span", { class: "anb-number" }, bytes.toLocaleString("en")),
      );
    });
    const title = `${files.filter(([, name]) => !name.endsWith("/")).length} files`;
    return element(
      "div",
      { class: "anb-files", role: "list", "aria-label": title, tabindex: "0" },
      ...rows,
    );
  }

  private row(node: number, ...parts: HTMLElement[]): HTMLElement {
    const made = element("div", { class: "anb-stmt", role: "listitem" }, ...parts);
    if (node === NONE) return made;
    made.dataset.node = String(node);
    this.byNode.set(node, [...(this.byNode.get(node) ?? []), made]);
    return made;
  }

  /** Points at a node, and at the unit of the clock at which it is run first. */
  private point(field: "selected" | "hovered", node: number): void {
    if (node === NONE && field === "selected") return;
    const { store } = this.host;
    store.set({ [field]: node }, this);
    const first = field === "selected" ? this.firings.first(node) : null;
    if (first !== null) store.goTo(first, this);
  }

  changed(change: Change, origin: unknown): void {
    const { state, now } = this.host.store;
    const { selected, hovered } = state;
    if (change.selected !== undefined) this.mark("aria-current", selected);
    if (change.hovered !== undefined) this.mark("data-hovered", hovered);
    if (change.tick !== undefined || change.step !== undefined) {
      const runs = now === null ? [] : this.firings.at(now).runs;
      this.mark("data-runs", ...runs);
      if (origin !== this && change.selected === undefined) this.show(runs[0] ?? NONE);
    }
    if (change.selected !== undefined && origin !== this) this.show(selected);
  }

  private mark(attribute: string, ...nodes: number[]): void {
    for (const each of this.body.querySelectorAll(`[${attribute}]`))
      each.removeAttribute(attribute);
    for (const node of nodes)
      for (const each of this.byNode.get(node) ?? []) each.setAttribute(attribute, "true");
  }

  /** Scrolls to the line of a node; the page around stays where it is. */
  private show(node: number): void {
    const line = this.byNode.get(node)?.[0];
    if (!line || line.parentElement !== this.code) return;
    const top = line.offsetTop - this.code.offsetTop;
    const { scrollTop, clientHeight } = this.code;
    if (top < scrollTop || top + line.offsetHeight > scrollTop + clientHeight)
      this.code.scrollTop = top - clientHeight / 3;
  }

  override reveal(node: number): void {
    this.show(node);
  }
}

function nodeOf(event: Event): number {
  const row = event.target instanceof Element ? event.target.closest("[data-node]") : null;
  return row instanceof HTMLElement ? Number(row.dataset.node) : NONE;
}
