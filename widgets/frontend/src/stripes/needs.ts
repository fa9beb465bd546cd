// "What stripe 4 of 8 needs": all maps of the chain level with each other, own rows and halo.

import { stripes as sizes } from "../../../shared/panels.json";
import { clamp } from "../core/axis.ts";
import { button, element, type Host } from "../panel/canvasPanel.ts";
import { withTerms } from "../panel/terms.ts";
import { shorter } from "../model/names.ts";
import { elide } from "../core/text.ts";
import { legend, StripePanel } from "./base.ts";
import {
  countOf,
  goToStripe,
  goToWay,
  rangeText,
  sizesOf,
  sizesText,
  type Cell,
  type StripeMap,
  type StripesModel,
} from "../model/stripes.ts";
import { firstFitting, line, patch, rect, svg, text, widthOf, type Attributes } from "./svg.ts";

const { top: TOP, bottom: BOTTOM, left: LEFT, right: RIGHT, high: HIGH } = sizes.maps;
const { least: LEAST, most: MOST, break: BREAK } = sizes.map;
/** Of the width of a map, what is free between two, at least. */
const FREE = 0.6;
/** Height of a stripe whose number is written, and of rows that are counted inside. */
const NUMBER = 13;
const INSIDE = 15;
/** More pixels above the maps where names are upright. */
const UPRIGHT = 72;

type Edge = Pick<Cell, "first" | "stop" | "left" | "right">;

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
    super(host, model, "needs", `What a ${model.noun} needs`, {
      role: "slider",
      tabindex: "0",
      "aria-label": model.isGrid ? "Tile" : "Stripe",
      "aria-valuemin": "1",
      "aria-orientation": "vertical",
    });
    this.title = this.section.querySelector("h3")!;
    this.hint.textContent = `each map at its height; click another ${model.noun}`;
    this.stage.addEventListener("click", (event) => this.clicked(event as MouseEvent));
    this.switches = [false, true].map((kept) =>
      button(kept ? "keep" : "recompute", `${kept ? "Keep" : "Recompute"} halos`, () =>
        goToWay(model, host.store, model.find(model.ways[this.way].count, kept), this),
      ),
    );
    const group = { class: "anb-switch", role: "group", "aria-label": "Halos" };
    // Halos of a grid are always recomputed.
    if (!model.isGrid)
      this.tools.append(
        element("span", { class: "anb-hint" }, "halos"),
        element("div", group, ...this.switches),
      );
    this.body.append(this.words);
  }

  private clicked({ clientX, clientY }: MouseEvent): void {
    const { model, host, stage } = this;
    const box = stage.getBoundingClientRect();
    const y = (clientY - box.top - this.top) / HIGH;
    const places = this.places(this.body.clientWidth);
    const place = places.find(({ x, wide }) => clientX - box.left - x <= wide) ?? places[0];
    const x = model.isGrid ? (clientX - box.left - place.x) / place.wide : 0;
    const found = this.edges(model.cells(this.way)).findIndex(
      (edge) => y < edge.stop && x >= edge.left && x < edge.right,
    );
    if (y >= 0 && found >= 0) goToStripe(model, host.store, found, this);
  }

  /** Where each part begins and ends, as shares of height and width: as its result does. */
  private edges(cells: (Cell | null)[][]): Edge[] {
    const last = this.model.maps.length - 1;
    const { rows, columns } = this.model.maps[last];
    return cells.map((own) => {
      const { first = 0, stop = 0, left = 0, right = 0 } = own[last] ?? {};
      const [high, wide] = [Math.max(1, rows), Math.max(1, columns)];
      return { first: first / high, stop: stop / high, left: left / wide, right: right / wide };
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
    if (model.isGrid) this.tiles(places[places.length - 1], edges, stripe);
    else this.numbers(edges, stripe);
    this.breaks(places);
    // The words come last, over bands and maps.
    places.forEach((place, map) => this.counts(place, map, own[map] ?? null, this.room(places)));
    const { noun } = model;
    if (!model.isGrid)
      stage.append(text(LEFT - 6, 18, noun, { "text-anchor": "end", class: "anb-dim" }));
    const kind = way.kept ? "kept from the stripe before" : `recomputed by each ${noun}`;
    const what = way.count === 1 ? `one ${noun} has no halo` : `hatched: halo, ${kind}`;
    const read = "; gray: what is read of the map before";
    this.words.replaceChildren(...withTerms(`${what}${read}`));
    return this.top + HIGH + BOTTOM;
  }

  private label(stripe: number, own: readonly (Cell | null)[]): void {
    const { model } = this;
    const way = model.ways[this.way];
    const name = `What ${model.noun} ${stripe + 1} of ${way.count} needs`;
    this.title.textContent = name;
    this.section.setAttribute("aria-label", name);
    this.stage.setAttribute("aria-valuemax", String(way.count));
    this.stage.setAttribute("aria-valuenow", String(stripe + 1));
    const parts = model.maps.map((map, at) => this.sentence(map, own[at] ?? null));
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
    const most = this.model.isGrid ? HIGH : MOST;
    const wide = clamp(room / (count + FREE * (count - 1)), Math.min(LEAST, room / count), most);
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

  private x(map: number, column: number, { x, wide }: Place): number {
    return x + (wide * column) / Math.max(1, this.model.maps[map].columns);
  }

  /** Grey bands from what a map needs to what is read of the map before it. */
  private bands(places: readonly Place[], own: readonly (Cell | null)[]): void {
    const [hidden, before] = this.model.meta.hidden;
    for (let map = 1; map < places.length; map++) {
      const [from, to] = [own[map - 1], own[map]];
      if (!from || !to || !this.model.maps[map].follows || (hidden && map === before)) continue;
      const left = this.x(map - 1, from.right, places[map - 1]);
      const x = this.x(map, to.left, places[map]);
      const [top, bottom] = [this.y(map, to.first), this.y(map, to.stop)];
      const [start, stop] = [this.y(map - 1, from.first), this.y(map - 1, from.stop)];
      const points = `${left},${start} ${x},${top} ${x},${bottom} ${left},${stop}`;
      this.stage.append(svg("polygon", { points, class: "anb-band" }));
    }
  }

  private map({ x, wide }: Place, map: number, edges: readonly Edge[], cell: Cell | null): void {
    const { stage, model } = this;
    const { name, rows, columns, family } = model.maps[map];
    const colour = this.colour(family);
    const tip = [elide(name, 100), this.sentence(model.maps[map], cell)].join("\n");
    const group = svg("g", { "data-map": map, "data-tip": tip });
    group.append(rect(x, this.top, wide, HIGH, { fill: colour, "fill-opacity": sizes.pale }));
    const down = new Set(edges.map(({ first }) => this.top + first * HIGH));
    const across = new Set(edges.map(({ left }) => x + left * wide));
    const look = { class: "anb-edge" };
    if (down.size <= HIGH / 6)
      for (const y of down) if (y > this.top) group.append(line(x, y, x + wide, y, look));
    if (across.size <= wide / 6)
      for (const at of across)
        if (at > x) group.append(line(at, this.top, at, this.top + HIGH, look));
    if (cell) {
      const box = (top: number, bottom: number, left: number, right: number, more: Attributes) => {
        const [start, y] = [this.x(map, left, { x, wide }), this.y(map, top)];
        const size = [this.x(map, right, { x, wide }) - start, this.y(map, bottom) - y] as const;
        group.append(rect(start, y, ...size, more));
      };
      const { own, ownStop, first, stop, ownLeft, ownRight, left, right } = cell;
      const isMore = stop - first > ownStop - own || right - left > ownRight - ownLeft;
      const halo = { fill: this.hatched(family), stroke: colour, class: "anb-halo" };
      if (isMore) box(first, stop, left, right, halo);
      box(own, ownStop, ownLeft, ownRight, { fill: colour, class: "anb-own" });
    }
    group.append(rect(x, this.top, wide, HIGH, { class: "anb-frame" }));
    stage.append(group);
    const room = this.room(this.places(this.body.clientWidth));
    const middle = x + wide / 2;
    const at = { "text-anchor": "middle" };
    this.heading(map, { x, wide });
    const times = Math.max(...model.maps.map((each) => each.rows)) / Math.max(1, rows);
    const drawn = times > 1.05 ? `, drawn ×${+times.toFixed(1)}` : "";
    const all = model.isGrid ? `${rows}×${columns}` : countOf(rows, model.meta.unit);
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

  /** What is needed in numbers: what is its own inside, the halo above, the range below. */
  private counts({ x, wide }: Place, map: number, cell: Cell | null, room: number): void {
    if (!cell) return;
    const [own, halo, where] = this.figures(cell);
    const [left, right, from, to] = [
      this.x(map, cell.ownLeft, { x, wide }),
      this.x(map, cell.ownRight, { x, wide }),
      this.y(map, cell.own),
      this.y(map, cell.ownStop),
    ];
    const label = to - from >= INSIDE ? firstFitting(own, right - left - 4, this.bold) : "";
    if (label)
      this.stage.append(
        text((left + right) / 2, (from + to) / 2 + 4, label, {
          "text-anchor": "middle",
          fill: this.inkOn(this.model.maps[map].family),
          class: "anb-bold",
        }),
      );
    const mark = this.model.isGrid ? ", " : " ";
    const above = own.map((each, at) =>
      [label ? "" : each, halo[at] ?? ""].filter(Boolean).join(mark),
    );
    // Half of the gap on either side is that of a neighbour.
    const least = x - Math.max(0, room - wide) / 2;
    const most = Math.min(2 * x + wide - least, this.body.clientWidth - 5);
    const [over, range] = [
      firstFitting(above, most - least, this.bold),
      firstFitting(where, most - least, this.font),
    ];
    const middle = (this.x(map, cell.left, { x, wide }) + this.x(map, cell.right, { x, wide })) / 2;
    const put = (words: string, y: number, isBold: boolean) => {
      const half = widthOf(words, isBold ? this.bold : this.font) / 2;
      const at = clamp(middle, least + half, most - half);
      if (words) this.stage.append(this.patched(at, y, words, isBold));
    };
    put(over, Math.max(this.top - 4, this.y(map, cell.first) - 6), true);
    put(range, this.y(map, cell.stop) + 15, false);
  }

  /** What is its own, its halo, and where it is: each in two lengths. */
  private figures(cell: Cell): [own: string[], halo: string[], where: string[]] {
    const { unit, across } = this.model.meta;
    const rows = rangeText(cell.first, cell.stop);
    const columns = rangeText(cell.left, cell.right);
    if (across) {
      const [own, all] = sizesOf(cell);
      const halo = own === all ? [] : [`${all} with halo`, all];
      return [
        [own, own, own],
        halo,
        [`${unit} ${rows}, ${across} ${columns}`, `${rows} × ${columns}`],
      ];
    }
    const own = cell.ownStop - cell.own;
    const halo = cell.stop - cell.first - own;
    return [[countOf(own, unit), String(own)], halo ? [`+${halo} halo`, `+${halo}`] : [], [rows]];
  }

  private patched(x: number, y: number, words: string, isBold: boolean): SVGElement {
    const wide = widthOf(words, isBold ? this.bold : this.font);
    const at = clamp(x, wide / 2 + 4, this.body.clientWidth - wide / 2 - 5);
    return patch(at, y, words, wide, { class: isBold ? "anb-strong" : "" });
  }

  /** Numbers of tiles, in the result. */
  private tiles({ x, wide }: Place, edges: readonly Edge[], picked: number): void {
    const own = edges[picked];
    // Words about the picked tile stand above and below it.
    const words = own ? [own.first * HIGH - 10, own.stop * HIGH + 11] : [];
    edges.forEach(({ first, stop, left, right }, tile) => {
      const label = String(tile + 1);
      const middle = ((first + stop) / 2) * HIGH;
      if (words.some((each) => Math.abs(each - middle) < NUMBER)) return;
      const room = (right - left) * wide - 2;
      if (tile === picked || (stop - first) * HIGH < NUMBER || widthOf(label, this.font) > room)
        return;
      const at = { "text-anchor": "middle", class: "anb-dim" };
      this.stage.append(text(x + ((left + right) / 2) * wide, this.top + middle + 4, label, at));
    });
  }

  private numbers(edges: readonly Edge[], stripe: number): void {
    const at = { "text-anchor": "end" };
    const middle = ({ first, stop }: Edge) => this.top + (HIGH * (first + stop)) / 2;
    const chosen = edges[stripe] ? middle(edges[stripe]) : this.top;
    let free = -Infinity;
    edges.forEach((edge, number) => {
      const y = middle(edge);
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

  /** What a part needs of a map, in words. */
  private sentence(map: StripeMap, cell: Cell | null): string {
    const name = elide(map.label, 60);
    if (!cell) return `${name}: nothing`;
    const [own, , [where]] = this.figures(cell);
    if (this.model.isGrid) return `${name}: ${sizesText(cell)}, ${where}`;
    const halo = cell.stop - cell.first - (cell.ownStop - cell.own);
    return `${name}: ${own[0]}${halo ? ` and ${halo} of the halo` : ""}, ${where}`;
  }
}
