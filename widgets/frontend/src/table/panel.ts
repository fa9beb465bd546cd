// The nodes as a table, which mirrors the views for screen readers.

import { adds, button, element, type Host } from "../panel/canvasPanel.ts";
import { markScroll } from "../panel/domPanel.ts";
import type { Model } from "../model/model.ts";
import { NONE } from "../model/search.ts";
import type { Change, Store } from "../model/store.ts";
import { countText, elide, sizeText, thousands } from "../core/text.ts";
import { sentencesOf } from "../panel/terms.ts";
import { litNodes } from "../memory/filter.ts";
import { Facts } from "./facts.ts";

const ROW = 26;
const AHEAD = 6;
const FONT = 13;

interface ColumnSpec {
  title: string;
  text: (node: number) => string;
  key: (node: number) => number | string;
  numeric: boolean;
  /** How much of the largest number each one is, for a bar. */
  part?: (node: number) => number;
}

/** Pixels that a column needs: numbers are as wide as their title, which can be sorted by. */
function leastWidth({ title, numeric, part }: ColumnSpec, index: number): number {
  if (part) return 118;
  return numeric
    ? Math.max(62, 22 + 6 * title.length)
    : index === 0
      ? title === "work"
        ? 168
        : 132
      : 80;
}

/** The columns that there is something to write into. */
function columnsOf(model: Model): ColumnSpec[] {
  const { name, type, meta, timeline, memory } = model;
  const { parameters, macs } = meta.nodes;
  const facts = new Facts(model);
  const number = (
    title: string,
    value: (node: number) => number | null,
    write: (value: number) => string,
  ) => ({
    title,
    numeric: true,
    key: (node: number) => value(node) ?? Infinity,
    text: (node: number) => {
      const found = value(node) ?? Infinity;
      return Number.isFinite(found) ? write(found) : "–";
    },
  });
  const isWork = isMapping(model);
  const title = isWork ? "work" : "node";
  const text = (node: number) => (isWork ? model.names.path(name[node]) : name[node]);
  const columns: ColumnSpec[] = [{ title, numeric: false, key: (node) => name[node], text }];
  if (isMapping(model)) {
    const { cycles } = facts;
    const most = cycles.reduce((largest, each) => Math.max(largest, each), 1);
    const column = number("cycles", (node) => cycles[node], thousands);
    columns.push({ ...column, part: (node) => cycles[node] / most });
  }
  if (type.some((each) => each !== "?")) {
    columns.push({
      title: "type",
      numeric: false,
      key: (node) => type[node],
      text: (node) => type[node],
    });
  }
  if (parameters.some((count) => count > 0))
    columns.push(number("parameters", (node) => parameters[node], countText));
  if (macs.some((count) => count !== null))
    columns.push(number("MACs", (node) => macs[node], countText));
  if (timeline) {
    const { fired } = facts;
    columns.push(number("first step", (node) => fired(node).early, String));
    columns.push(number("slack", (node) => fired(node).slack, String));
    columns.push(number("firings", (node) => fired(node).firings, String));
  }
  if (memory) columns.push(number("max buffer", (node) => facts.bytes(node), sizeText));
  return columns;
}

/** Whether the nodes are the works of a mapping. */
const isMapping = ({ devices, graph, tiles }: Model) => devices !== null && !graph && !tiles;

export class TablePanel {
  readonly section: HTMLElement;
  readonly name = "table";
  readonly grid: HTMLElement;
  private readonly model: Model;
  private readonly store: Store;
  private readonly columns: ColumnSpec[];
  private readonly body: HTMLElement;
  private readonly scroller = element("div", { class: "anb-scroller" });
  private readonly count = element("span", { class: "anb-hint" });
  private readonly heads: HTMLElement[];
  /** Measures text; nothing is drawn with it. */
  private pen: CanvasRenderingContext2D | null = null;
  private shown: number[] = [];
  private sortedBy = NONE;
  private descending = false;
  private readonly observer: ResizeObserver;

  constructor(private readonly host: Host) {
    this.store = host.store;
    this.model = host.store.model;
    this.columns = columnsOf(this.model);
    const title = isMapping(this.model) ? "Works by cycles" : "Nodes";
    this.heads = this.columns.map(({ title, numeric }, index) =>
      element(
        "div",
        { role: "columnheader", class: numeric ? "anb-number" : "", "aria-sort": "none" },
        sorter(title, () => this.sortBy(index)),
      ),
    );
    const head = element("div", { role: "row", class: "anb-row anb-titles" }, ...this.heads);
    this.body = element("div", { role: "rowgroup", class: "anb-body" });
    this.grid = element(
      "div",
      {
        role: "grid",
        tabindex: "0",
        class: "anb-grid",
        "aria-label": title,
        "aria-colcount": String(this.columns.length),
      },
      element("div", { role: "rowgroup", class: "anb-sticky" }, head),
      this.body,
    );
    this.grid.style.setProperty("--anb-columns", this.template());
    this.grid.style.setProperty(
      "--anb-least",
      `${this.columns.map(leastWidth).reduce((sum, width) => sum + width, 0)}px`,
    );
    this.scroller.append(this.grid);
    this.scroller.addEventListener("scroll", () => this.paint());
    markScroll(this.scroller);
    this.section = element(
      "section",
      { class: "anb-panel anb-table", "data-panel": "table", "aria-label": title },
      element("div", { class: "anb-head" }, element("h3", {}, title), this.count),
      this.scroller,
    );
    this.body.addEventListener("click", (event) => {
      const node = rowOf(event);
      if (node === NONE) return;
      if (adds(event, this.store)) this.store.mark(node, this);
      else this.store.set({ selected: node, picked: [] }, this);
    });
    this.body.addEventListener("pointerover", (event) => {
      this.store.set({ hovered: rowOf(event) }, this);
    });
    this.body.addEventListener("pointerleave", () => this.store.set({ hovered: NONE }, this));
    this.observer = new ResizeObserver(() => this.paint());
    this.observer.observe(this.scroller);
    if (isMapping(this.model)) this.sortBy(1);
    else this.arrange();
  }

  private template(): string {
    return this.columns
      .map((column, index) => {
        const share = index === 0 ? 2.4 : column.numeric ? 1 : 1.2;
        return `minmax(${leastWidth(column, index)}px, ${share}fr)`;
      })
      .join(" ");
  }

  changed(change: Change, origin: unknown): void {
    const isStep = change.tick !== undefined && this.store.state.filter === "step";
    const isOther = [change.query, change.found, change.filter].some((each) => each !== undefined);
    if (isOther || isStep) this.arrange();
    if (change.selected !== undefined) {
      if (origin !== this && change.selected !== NONE) this.reveal(change.selected);
    }
    const { selected, picked, hovered } = change;
    const isPainted = [selected, picked, hovered].some((each) => each !== undefined);
    if (isOther || isStep || isPainted) this.paint();
  }

  redraw(): void {
    this.paint();
  }

  destroy(): void {
    this.observer.disconnect();
  }

  fit(): void {
    this.scroller.scrollTop = 0;
  }

  zoomCentre(): void {}

  enter(): boolean {
    return false;
  }

  locate(): null {
    return null;
  }

  reveal(node: number): void {
    const place = this.shown.indexOf(node);
    if (place < 0) return;
    const room = this.scroller.clientHeight - ROW;
    const top = place * ROW;
    const { scrollTop } = this.scroller;
    if (top < scrollTop || top + ROW > scrollTop + room) {
      this.scroller.scrollTop = top - room / 2;
    }
  }

  neighbour(node: number, dx: number, dy: number): number {
    if (this.shown.length === 0) return NONE;
    const place = this.shown.indexOf(node);
    const next = place < 0 ? 0 : place + (dy || dx);
    const found = this.shown[Math.min(Math.max(0, next), this.shown.length - 1)];
    this.reveal(found);
    return found;
  }

  private sortBy(column: number): void {
    // Of numbers the large ones are looked for first.
    const { numeric } = this.columns[column];
    this.descending = this.sortedBy === column ? !this.descending : numeric;
    this.sortedBy = column;
    this.heads.forEach((head, index) => {
      const order = this.descending ? "descending" : "ascending";
      head.setAttribute("aria-sort", index === column ? order : "none");
    });
    this.arrange();
    this.paint();
  }

  /** Chooses and orders the rows: those that query and filter leave, by the column asked for. */
  private arrange(): void {
    const { store, model } = this;
    const { filter, tick } = store.state;
    const lit = litNodes(model.memory, filter, tick ?? NONE, model.count);
    const all = store.matches ? store.ranked : [...model.name.keys()];
    this.shown = all.filter((node) => store.isMatch(node) && (lit === null || lit[node] === 1));
    if (this.sortedBy !== NONE) {
      const { key } = this.columns[this.sortedBy];
      const sign = this.descending ? -1 : 1;
      const keys = model.name.map((_, node) => key(node));
      this.shown.sort((a, b) => compareKeys(keys[a], keys[b], sign) || a - b);
    }
    this.count.textContent =
      store.matches || lit ? `${this.shown.length} of ${model.count}` : String(model.count);
    this.grid.setAttribute("aria-rowcount", String(this.shown.length + 1));
    this.body.style.height = `${this.shown.length * ROW}px`;
  }

  private paint(): void {
    const { scrollTop, clientHeight } = this.scroller;
    const first = Math.max(0, Math.floor(scrollTop / ROW) - AHEAD);
    const last = Math.min(this.shown.length, Math.ceil((scrollTop + clientHeight) / ROW) + AHEAD);
    const rows: HTMLElement[] = [];
    for (let place = first; place < last; place++) rows.push(this.row(place));
    this.body.replaceChildren(...rows);
    this.section.dataset.drawn = String(rows.length);
  }

  private row(place: number): HTMLElement {
    const node = this.shown[place];
    const { hovered } = this.store.state;
    const cells = this.columns.map(({ numeric, text, part }, index) => {
      const content = text(node);
      const cell = element(
        "div",
        { role: "gridcell", class: numeric ? "anb-number" : "" },
        index === 0 ? this.fitted(content) : content,
      );
      if (index === 0) {
        const dot = element("span", { class: "anb-dot" });
        dot.style.background = this.host.theme.families[this.model.family[node]];
        cell.prepend(dot);
        cell.title = elide(this.model.name[node], 400);
      }
      if (part) {
        const bar = element("i", { class: "anb-part" });
        bar.style.width = `${Math.round(52 * part(node))}px`;
        bar.style.background = this.host.theme.families[this.model.family[node]];
        cell.classList.add("anb-amount");
        cell.prepend(bar);
      }
      return cell;
    });
    const row = element(
      "div",
      { role: "row", class: "anb-row", "data-node": String(node) },
      ...cells,
    );
    row.setAttribute("aria-rowindex", String(place + 2));
    row.setAttribute("aria-selected", String(this.store.isPicked(node)));
    row.classList.toggle("anb-hovered", node === hovered);
    row.style.top = `${place * ROW}px`;
    return row;
  }

  /** Shortens a name to the width of its column, once that is known. */
  private fitted(name: string): string {
    const room = this.heads[0].clientWidth - 36;
    if (name.length * FONT <= room) return name; // no letter is wider than it is high
    const pen = (this.pen ??= element("canvas").getContext("2d"));
    if (!pen || room < 20) return elide(name, 200);
    pen.font = `${FONT}px ${this.host.theme.font}`;
    const measure = (text: string) => pen.measureText(text).width;
    return this.model.names.fit(name, room, measure);
  }
}

/** Compares by the sign of the order; what is unknown (infinite) comes last in any order. */
export function compareKeys(a: number | string, b: number | string, sign: number): number {
  if (a === b) return 0;
  if (a === Infinity || b === Infinity) return a === Infinity ? 1 : -1;
  return a < b ? -sign : sign;
}

function rowOf(event: Event): number {
  const row = event.target instanceof Element ? event.target.closest("[data-node]") : null;
  return row instanceof HTMLElement ? Number(row.dataset.node) : NONE;
}

/** The button that a column is sorted by; its tooltip says what the terms of its title mean. */
function sorter(title: string, sort: () => void): HTMLButtonElement {
  const made = button(title, `Sort by ${title}`, sort);
  made.title = [`Sort by ${title}`, ...sentencesOf(title)].join("\n");
  return made;
}
