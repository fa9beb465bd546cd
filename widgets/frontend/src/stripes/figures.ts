// The figures of the panels of stripes as tables: all ways, and what each stripe needs.

import { element, type Host } from "../panel/canvasPanel.ts";
import { DomPanel } from "../panel/domPanel.ts";
import { NONE } from "../model/search.ts";
import type { Change } from "../model/store.ts";
import { withTerms } from "../panel/terms.ts";
import { countText, elide, sizeText } from "../core/text.ts";
import {
  countOf,
  goToStripe,
  goToWay,
  rangeText,
  sizesText,
  type Cell,
  type StripesModel,
} from "../model/stripes.ts";

export class FiguresPanel extends DomPanel {
  constructor(
    host: Host,
    private readonly model: StripesModel,
  ) {
    super(host, "figures", "In figures");
    this.hint.textContent = model.isGrid
      ? "what was planned; own values of those with halo: rows × columns"
      : "what was planned; own rows + halo rows: range";
    this.redraw();
  }

  override changed({ way, stripe }: Change): void {
    if (way !== undefined || stripe !== undefined) this.redraw();
  }

  override neighbour(_node: number, dx: number, dy: number): number {
    const { model, host } = this;
    const now = model.stripe(host.store, model.shown(host.store));
    const { columns } = model.ways[model.shown(host.store)];
    goToStripe(model, host.store, now + dx + dy * columns, this);
    return NONE;
  }

  override redraw(): void {
    const focused = this.body.contains(document.activeElement)
      ? document.activeElement?.getAttribute("data-go")
      : null;
    this.body.replaceChildren(
      around("Table of the ways to tile", this.ways()),
      around(`Table of what each ${this.model.noun} needs`, this.needs()),
    );
    if (focused) this.body.querySelector<HTMLElement>(`[data-go="${focused}"]`)?.focus();
  }

  private ways(): HTMLElement {
    const { model, host } = this;
    const shown = model.shown(host.store);
    const whole = model.whole?.peak ?? 0;
    const rows = model.ways.map((way, at) => {
      const go = link(way.label, `w${at}`, () => goToWay(model, host.store, at, this));
      const isPlanned = way.peak >= 0;
      const cells = [
        way.count === 1 ? "none" : way.kept ? "kept" : "recomputed",
        isPlanned ? sizeText(way.peak) : "not known",
        isPlanned && whole ? `${((100 * way.peak) / whole).toFixed(0)} %` : "",
        countText(way.macs),
        `+${way.more}`,
      ];
      return row(go, cells, at === shown);
    });
    return table([`${model.noun}s`, "halos", "peak", "of the whole", "MACs", "more"], rows);
  }

  private needs(): HTMLElement {
    const { model, host } = this;
    const way = model.shown(host.store);
    const picked = model.stripe(host.store, way);
    const [hidden, before] = model.meta.hidden;
    const titles = model.maps.map(({ label }) => elide(label, 24));
    const rows = model.cells(way).map((own, stripe) => {
      const go = link(String(stripe + 1), `s${stripe}`, () =>
        goToStripe(model, host.store, stripe, this),
      );
      const cells = own.map((cell) => inWords(cell, model.isGrid));
      if (hidden) cells.splice(before, 0, "…");
      return row(go, cells, stripe === picked);
    });
    if (hidden) titles.splice(before, 0, `${countOf(hidden, "maps")} more`);
    return table([model.noun, ...titles], rows);
  }
}

/** Rows of a map: own, halo and range, "8 + 6: 21–34"; of a grid, "8×8 of 12×10: 6–17 × 0–9". */
function inWords(cell: Cell | null, isGrid: boolean): string {
  if (!cell) return "nothing";
  const own = cell.ownStop - cell.own;
  const rows = rangeText(cell.first, cell.stop);
  if (isGrid) return `${sizesText(cell)}: ${rows} × ${rangeText(cell.left, cell.right)}`;
  return `${own} + ${cell.stop - cell.first - own}: ${rows}`;
}

function link(label: string, key: string, go: () => void): HTMLElement {
  const made = element("button", { type: "button", class: "anb-link", "data-go": key }, label);
  made.addEventListener("click", go);
  return made;
}

function row(go: HTMLElement, cells: readonly string[], isPicked: boolean): HTMLElement {
  const made = element("tr", {}, element("th", { scope: "row" }, go));
  made.append(...cells.map((text) => element("td", {}, text)));
  made.classList.toggle("anb-picked", isPicked);
  if (isPicked) made.setAttribute("aria-current", "true");
  return made;
}

function table(titles: readonly string[], rows: HTMLElement[]): HTMLElement {
  const heads = titles.map((title, at) =>
    element("th", { scope: "col" }, ...(at ? [title] : withTerms(title))),
  );
  return element(
    "table",
    { class: "anb-held" },
    element("thead", {}, element("tr", {}, ...heads)),
    element("tbody", {}, ...rows),
  );
}

function around(label: string, inner: HTMLElement): HTMLElement {
  const more = { class: "anb-scroller", tabindex: "0", role: "region", "aria-label": label };
  return element("div", more, inner);
}
