// "What stripe 4 of 8 needs": all maps of the chain level with each other, own rows and halo.

import { stripes as sizes } from "../../../shared/panels.json";
import { clamp } from "../core/axis.ts";
import { button, element, type Host } from "../core/canvasPanel.ts";
import { withTerms } from "../core/terms.ts";
import { shorter } from "../core/names.ts";
import { elide } from "../core/text.ts";
import { legend, StripePanel } from "./base.ts";
import {
  countOf,
  goToStripe,
  goToWay,
  rangeText,
  type Cell,
  type StripeMap,
  type StripesModel,
} from "./model.ts";
import { firstFitting, line, patch, rect, svg, text, widthOf } from "./svg.ts";

const { top: TOP, bottom: BOTTOM, left: LEFT, right: RIGHT, high: HIGH } = sizes.maps;
const { least: LEAST, most: MOST, break: BREAK } = sizes.map;
/** Of the width of a map, what is free between two, at least. */
const FREE = 0.6;
/** Height of a stripe whose number is written, and of rows that are counted inside. */
const NUMBER = 13;
const INSIDE = 15;
/** More pixels above the maps where names are upright. */
const UPRIGHT = 72;

interface Place {
  x: number;
  wide: number;
}

export class NeedsPanel extends StripePanel {
  /** Pixels above the maps: more where a name has room upright only. */
  private top = TOP;
  private readonly title: HTMLElement;
  private readonly words = legend();
  private readonly switches: HTMLButtonElement[];

  constructor(host: Host, model: StripesModel) {
    super(host, model, "needs", "What a stripe needs", {
      role: "slider",
      tabindex: "0",
      "aria-label": "Stripe",
      "aria-valuemin": "1",
      "aria-orientation": "vertical",
    });
    this.title = this.section.querySelector("h3")!;
    this.hint.textContent = "each map at its height; click another stripe";
    this.stage.addEventListener("click", (event) => this.clicked(event as MouseEvent));
    this.switches = [false, true].map((kept) =>
      button(kept ? "keep" : "recompute", `${kept ? "Keep" : "Recompute"} halos`, () =>
        goToWay(model, host.store, model.find(model.ways[this.way].count, kept), this),
      ),
    );
    const group = { class: "anb-switch", role: "group", "aria-label": "Halos" };
    this.tools.append(
      element("span", { class: "anb-hint" }, "halos"),
      element("div", group, ...this.switches),
    );
    this.body.append(this.words);
  }

  private clicked({ clientY }: MouseEvent): void {
    const { model, host } = this;
    const y = clientY - this.stage.getBoundingClientRect().top - this.top;
    const edges = this.edges(model.cells(this.way));
    const found = edges.findIndex(([, stop]) => y < stop * HIGH);
    if (y >= 0 && found >= 0) goToStripe(model, host.store, found, this);
  }

  /** Where each stripe begins and ends, as a share of the height: as its result does. */
  private edges(cells: (Cell | null)[][]): [number, number][] {
    const last = this.model.maps.length - 1;
    const rows = Math.max(1, this.model.maps[last].rows);
    return cells.map((own) => {
      const cell = own[last];
      return cell ? [cell.first / rows, cell.stop / rows] : [0, 0];
    });
  }

  protected draw(width: number): number {
    const { model, stage } = this;
    const way = model.ways[this.way];
    const stripe = model.stripe(this.host.store, this.way);
    const cells = model.cells(this.way);
    const own = cells[stripe] ?? [];
    this.label(stripe, own);
    const places = this.places(width);
    const isNarrow = places.some((place, map) => !this.labelOf(map, this.titleRoom(place)));
    this.top = isNarrow ? TOP + UPRIGHT : TOP;
    const edges = this.edges(cells);
    this.bands(places, own);
    places.forEach((place, map) => this.map(place, map, edges, own[map] ?? null));
    this.numbers(edges, stripe);
    this.breaks(places);
    // The words come last, over bands and maps.
    places.forEach((place, map) => this.counts(place, map, own[map] ?? null, this.room(places)));
    stage.append(text(LEFT - 6, 18, "stripe", { "text-anchor": "end", class: "anb-dim" }));
    const kind = way.kept ? "kept from the stripe before" : "recomputed by each stripe";
    const what = way.count === 1 ? "one stripe has no halo" : `hatched: halo, ${kind}`;
    const read = "; gray: what is read of the map before";
    this.words.replaceChildren(...withTerms(`${what}${read}`));
    return this.top + HIGH + BOTTOM;
  }

  private label(stripe: number, own: readonly (Cell | null)[]): void {
    const { model } = this;
    const way = model.ways[this.way];
    const name = `What stripe ${stripe + 1} of ${way.count} needs`;
    this.title.textContent = name;
    this.section.setAttribute("aria-label", name);
    this.stage.setAttribute("aria-valuemax", String(way.count));
    this.stage.setAttribute("aria-valuenow", String(stripe + 1));
    const parts = model.maps.map((map, at) => sentence(map, own[at] ?? null, model.meta.unit));
    this.stage.setAttribute("aria-valuetext", `${stripe + 1} of ${way.count}: ${parts.join("; ")}`);
    [false, true].forEach((kept, at) => {
      const isThere = model.has(way.count, kept);
      this.switches[at].disabled = !isThere || way.count === 1;
      this.switches[at].setAttribute("aria-pressed", String(way.kept === kept && way.count > 1));
      this.switches[at].title = isThere
        ? `${kept ? "Keep" : "Recompute"} halos`
        : "This was not planned";
    });
  }

  /** Where maps stand: as wide as each other, the gaps share what is left. */
  private places(width: number): Place[] {
    const count = this.model.maps.length;
    const [hidden, before] = this.model.meta.hidden;
    const room = width - LEFT - RIGHT - (hidden ? BREAK : 0);
    const wide = clamp(room / (count + FREE * (count - 1)), Math.min(LEAST, room / count), MOST);
    const gap = count > 1 ? (room - count * wide) / (count - 1) : 0;
    const start = count > 1 ? LEFT : LEFT + (room - wide) / 2;
    return Array.from({ length: count }, (_, at) => ({
      x: start + at * (wide + gap) + (hidden && at >= before ? BREAK : 0),
      wide,
    }));
  }

  /** Pixels for what is written over a map, without touching its neighbours. */
  private room(places: readonly Place[]): number {
    const [first, second] = places;
    return second ? second.x - first.x - 4 : 200;
  }

  private y(map: number, row: number): number {
    return this.top + (HIGH * row) / Math.max(1, this.model.maps[map].rows);
  }

  /** Grey bands from what a map needs to what is read of the map before it. */
  private bands(places: readonly Place[], own: readonly (Cell | null)[]): void {
    const [hidden, before] = this.model.meta.hidden;
    for (let map = 1; map < places.length; map++) {
      const [from, to] = [own[map - 1], own[map]];
      if (!from || !to || !this.model.maps[map].follows || (hidden && map === before)) continue;
      const left = places[map - 1].x + places[map - 1].wide;
      const [x, top, bottom] = [places[map].x, this.y(map, to.first), this.y(map, to.stop)];
      const [start, stop] = [this.y(map - 1, from.first), this.y(map - 1, from.stop)];
      const points = `${left},${start} ${x},${top} ${x},${bottom} ${left},${stop}`;
      this.stage.append(svg("polygon", { points, class: "anb-band" }));
    }
  }

  private map(
    { x, wide }: Place,
    map: number,
    edges: readonly [number, number][],
    cell: Cell | null,
  ): void {
    const { stage, model } = this;
    const { name, rows, family } = model.maps[map];
    const colour = this.colour(family);
    const { unit } = model.meta;
    const tip = [elide(name, 100), sentence(model.maps[map], cell, unit)].join("\n");
    const group = svg("g", { "data-map": map, "data-tip": tip });
    group.append(rect(x, this.top, wide, HIGH, { fill: colour, "fill-opacity": sizes.pale }));
    if (edges.length <= HIGH / 6)
      for (const [start] of edges.slice(1)) {
        const y = this.top + start * HIGH;
        group.append(line(x, y, x + wide, y, { class: "anb-edge" }));
      }
    if (cell) {
      const [first, stop] = [this.y(map, cell.first), this.y(map, cell.stop)];
      const [own, ownStop] = [this.y(map, cell.own), this.y(map, cell.ownStop)];
      const halo = { fill: this.hatched(family), stroke: colour, class: "anb-halo" };
      if (own > first) group.append(rect(x, first, wide, own - first, halo));
      if (stop > ownStop) group.append(rect(x, ownStop, wide, stop - ownStop, halo));
      group.append(rect(x, own, wide, ownStop - own, { fill: colour, class: "anb-own" }));
    }
    group.append(rect(x, this.top, wide, HIGH, { class: "anb-frame" }));
    stage.append(group);
    const room = this.room(this.places(this.body.clientWidth));
    const middle = x + wide / 2;
    const at = { "text-anchor": "middle" };
    this.heading(map, { x, wide });
    const times = Math.max(...model.maps.map((each) => each.rows)) / Math.max(1, rows);
    const drawn = times > 1.05 ? `, drawn ×${+times.toFixed(1)}` : "";
    const all = countOf(rows, unit);
    const foot = firstFitting([all + drawn, all, String(rows)], Math.max(room, wide), this.font);
    const right = this.body.clientWidth - widthOf(foot, this.font) / 2 - 4;
    const y = this.top + HIGH + BOTTOM - 8;
    stage.append(text(Math.min(middle, right), y, foot, { ...at, class: "anb-dim" }));
  }

  private titleRoom({ wide }: Place): number {
    return Math.max(this.room(this.places(this.body.clientWidth)), wide);
  }

  private labelOf(map: number, room: number): string {
    const { label } = this.model.maps[map];
    return firstFitting([label, ...shorter(label)], room, this.bold);
  }

  /** The name above a map: upright where not all have room. */
  private heading(map: number, place: Place): void {
    const looks = { class: "anb-strong" };
    const middle = place.x + place.wide / 2;
    if (this.top > TOP) {
      const [x, y] = [middle + 4, this.top - 8];
      const turned = { transform: `rotate(-90 ${x} ${y})` };
      this.stage.append(text(x, y, this.labelOf(map, this.top - 12), { ...looks, ...turned }));
      return;
    }
    const title = this.labelOf(map, this.titleRoom(place));
    const inside = this.body.clientWidth - widthOf(title, this.bold) / 2 - 4;
    const at = { ...looks, "text-anchor": "middle" };
    this.stage.append(text(Math.min(middle, inside), 18, title, at));
  }

  /** Rows in numbers: own ones inside, those of the halo above, the range below. */
  private counts({ x, wide }: Place, map: number, cell: Cell | null, room: number): void {
    if (!cell) return;
    const { unit } = this.model.meta;
    const middle = x + wide / 2;
    const own = cell.ownStop - cell.own;
    const halo = cell.stop - cell.first - own;
    const [first, stop] = [this.y(map, cell.first), this.y(map, cell.stop)];
    const [from, to] = [this.y(map, cell.own), this.y(map, cell.ownStop)];
    const inside = to - from >= INSIDE;
    const name = countOf(own, unit);
    const label = firstFitting([name, String(own)], wide - 4, this.bold);
    if (inside && label)
      this.stage.append(
        text(middle, (from + to) / 2 + 4, label, {
          "text-anchor": "middle",
          fill: this.inkOn(this.model.maps[map].family),
          class: "anb-bold",
        }),
      );
    const above = [...(inside && label ? [] : [name]), ...(halo ? [`+${halo} halo`] : [])].join(
      " ",
    );
    const short = [...(inside && label ? [] : [own]), ...(halo ? [`+${halo}`] : [])].join(" ");
    const [over, range] = [
      firstFitting([above, short], Math.max(room, wide), this.bold),
      firstFitting([rangeText(cell.first, cell.stop)], Math.max(room, wide), this.font),
    ];
    if (over)
      this.stage.append(this.patched(middle, Math.max(this.top - 4, first - 6), over, true));
    if (range) this.stage.append(this.patched(middle, stop + 15, range, false));
  }

  private patched(x: number, y: number, words: string, isBold: boolean): SVGElement {
    const wide = widthOf(words, isBold ? this.bold : this.font);
    const at = clamp(x, wide / 2 + 4, this.body.clientWidth - wide / 2 - 5);
    return patch(at, y, words, wide, { class: isBold ? "anb-strong" : "" });
  }

  private numbers(edges: readonly [number, number][], stripe: number): void {
    const at = { "text-anchor": "end" };
    const chosen = this.top + (HIGH * ((edges[stripe]?.[0] ?? 0) + (edges[stripe]?.[1] ?? 0))) / 2;
    let free = -Infinity;
    edges.forEach(([start, stop], number) => {
      const y = this.top + (HIGH * (start + stop)) / 2;
      const isPicked = number === stripe;
      if (!isPicked && (y < free || Math.abs(y - chosen) < NUMBER)) return;
      free = y + NUMBER;
      const looks = { ...at, class: isPicked ? "anb-picked-number" : "anb-dim" };
      this.stage.append(text(LEFT - 10, y + 4, String(number + 1), looks));
    });
  }

  /** What is left out between the first maps and the last. */
  private breaks(places: readonly Place[]): void {
    const [hidden, before] = this.model.meta.hidden;
    if (!hidden) return;
    const left = places[before - 1].x + places[before - 1].wide;
    const middle = (left + places[before].x) / 2;
    const tooth = 5;
    for (const side of [-1, 1]) {
      let path = `M${middle + side * 9} ${this.top}`;
      for (let y = 0; y < HIGH; y += 2 * tooth)
        path += `l${tooth} ${tooth}l${-tooth} ${Math.min(tooth, HIGH - y - tooth)}`;
      this.stage.append(svg("path", { d: path, class: "anb-zigzag" }));
    }
    this.stage.append(this.patched(middle, this.top + HIGH / 2, `${hidden} more`, true));
    this.stage.append(this.patched(middle, this.top + HIGH / 2 + 16, "maps", true));
  }
}

/** What a stripe needs of a map, in words. */
export function sentence(map: StripeMap, cell: Cell | null, unit: string): string {
  if (!cell) return `${elide(map.label, 60)}: nothing`;
  const own = cell.ownStop - cell.own;
  const halo = cell.stop - cell.first - own;
  const more = halo ? ` and ${halo} of the halo` : "";
  return `${elide(map.label, 60)}: ${countOf(own, unit)}${more}, ${rangeText(cell.first, cell.stop)}`;
}
