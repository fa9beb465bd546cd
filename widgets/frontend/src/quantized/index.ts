// A quantized network in a notebook: errors and ranges of its layers, and a switch for each.

import { button, keepKeys, make } from "../course/dom.ts";
import { follow, themed } from "../course/dress.ts";
import { draggable } from "./drag.ts";
import {
  decibels,
  longest,
  moved,
  rangeSaid,
  short,
  shownRow,
  type Facts,
  type Row,
  type Tensor,
} from "./facts.ts";
import css from "./quantized.css";

interface Traits {
  _facts: Facts;
  floats: string[];
  wides: string[];
  selected: string | null;
}

interface AnyModel {
  get<Key extends keyof Traits>(key: Key): Traits[Key];
  set<Key extends keyof Traits>(key: Key, value: Traits[Key]): void;
  save_changes(): void;
  on(event: string, listener: () => void): void;
  off(event: string, listener: () => void): void;
}

const SVG = "http://www.w3.org/2000/svg";
const WIDEST = 720;
const MARGIN = 34;
const HIGH = 100;

class Screen {
  readonly root = make("section", { class: "anq", "aria-label": "Quantized network" });
  private readonly figures = make("p", { class: "anq-figures", role: "status" });
  private readonly body = make("tbody");
  private readonly range = make("figure");
  private width = 0;

  constructor(private readonly model: AnyModel) {
    const titles = [
      "layer",
      "computes on",
      "error of its result",
      "outputs, it alone on codes",
      "more bytes",
      "MACs",
    ];
    const head = make("tr", {}, ...titles.map((each) => make("th", { scope: "col" }, each)));
    const table = make("table", {}, make("thead", {}, head), this.body);
    const scroll = { class: "anq-scroll", tabindex: "0", role: "region", "aria-label": "Layers" };
    this.root.append(this.figures, make("div", scroll, table), this.range);
    new ResizeObserver(() => this.widen()).observe(this.root);
  }

  update(): void {
    const { activeElement } = this.root.ownerDocument;
    const held = activeElement instanceof HTMLElement ? activeElement.dataset.key : undefined;
    const facts = this.model.get("_facts");
    const shown = shownRow(facts.rows, this.model.get("selected"));
    const [[peak, now], [bytes, rest], [macs, whole]] = [facts.peak, facts.parameters, facts.macs];
    const share = macs ? Math.round((100 * whole) / macs) : 0;
    const figure = (label: string, value: string) =>
      make("span", {}, make("b", {}, value), ` ${label}`);
    const bytesOf = (from: number, to: number) =>
      `${from.toLocaleString("en")} → ${to.toLocaleString("en")}`;
    this.root.removeAttribute("aria-busy");
    this.figures.replaceChildren(
      figure("at the outputs", decibels(facts.sqnr)),
      figure("bytes at the peak", bytesOf(peak, now)),
      figure("bytes of parameters", bytesOf(bytes, rest)),
      figure("of the MACs on codes", `${share} %`),
    );
    const most = longest(facts.rows);
    this.body.replaceChildren(...facts.rows.map((row) => this.row(row, most, row === shown)));
    this.range.replaceChildren(...(shown ? this.drawRange(shown) : []));
    const again = [...this.body.querySelectorAll<HTMLElement>("button")];
    if (held) again.find((each) => each.dataset.key === held && !each.tabIndex)?.focus();
  }

  private row(row: Row, most: number, chosen: boolean): HTMLElement {
    const name = button(row.name, () => this.set("selected", row.name), {
      "aria-pressed": String(chosen),
      "data-key": `show ${row.name}`,
      title: `Show the range of ${row.name}`,
    });
    const cells = [
      make("td", {}, ...(row.on === null ? [] : [this.places(row, row.on)])),
      make("td", { class: "anq-error" }, ...errorBar(row, most)),
      make("td", {}, row.on === null ? "" : decibels(row.alone)),
      make("td", {}, row.on === null ? "" : this.more(row)),
      make("td", {}, row.macs ? row.macs.toLocaleString("en") : ""),
    ];
    return make("tr", {}, make("th", { scope: "row" }, name), ...cells);
  }

  private more(row: Row): string {
    const kinds = this.model.get("_facts").kinds.slice(1);
    return kinds
      .map((kind, at) => `${kind} +${(row.more[at] ?? 0).toLocaleString("en")}`)
      .join(", ");
  }

  /** A switch between codes of 8 bits, of 16 bits, and numbers. */
  private places(row: Row, on: number): HTMLElement {
    const options = this.model.get("_facts").kinds.map((kind, at) =>
      make(
        "button",
        {
          type: "button",
          role: "radio",
          "aria-checked": String(at === on),
          tabindex: at === on ? 0 : -1,
          "data-key": `switch ${row.name}`,
        },
        kind,
      ),
    );
    const label = `${row.name} computes on`;
    const look = { class: "anq-switch", title: "Drag, click, or arrow keys" };
    const made = make("div", { role: "radiogroup", "aria-label": label, ...look }, ...options);
    draggable(made, on, (to) => {
      const { model } = this;
      const mix = moved({ wides: model.get("wides"), floats: model.get("floats") }, row.name, to);
      this.root.setAttribute("aria-busy", "true");
      model.set("wides", mix.wides);
      model.set("floats", mix.floats);
      model.save_changes();
    });
    return made;
  }

  private room(): number {
    return Math.min(WIDEST, Math.max(this.root.clientWidth - MARGIN, 200));
  }

  /** Draw again where the drawing has more room or less: first it has none. */
  private widen(): void {
    if (this.room() !== this.width) this.update();
  }

  private drawRange({ name, tensor }: Row): HTMLElement[] {
    if (!tensor) return [make("figcaption", {}, `${name} has no codes: it computes in float.`)];
    const said = `${name}: ${rangeSaid(tensor)}`;
    const drawing = make("div");
    drawing.append(histogram(tensor, said, (this.width = this.room())));
    const note =
      "Bars: how many numbers, logarithmic. Between the dashed lines: what codes stand for.";
    return [make("figcaption", {}, said), drawing, make("p", { class: "anq-note" }, note)];
  }

  private set<Key extends keyof Traits>(key: Key, value: Traits[Key]): void {
    this.model.set(key, value);
    this.model.save_changes();
  }
}

function errorBar({ tensor, on }: Row, most: number): (Node | string)[] {
  if (!tensor) return [on === 2 ? "in float" : "no codes"];
  const [channel, worst] = tensor.worst;
  const share = (value: number | null) => `${Math.max(0, (100 * (value ?? most)) / most)}%`;
  const bar = make("span", { class: "anq-bar", style: `width:${share(tensor.sqnr)}` });
  const mark = make("span", { class: "anq-worst", style: `left:${share(worst)}` });
  const track = make("span", { class: "anq-track", "aria-hidden": "true" }, bar, mark);
  return [track, `${decibels(tensor.sqnr)}; channel ${channel}: ${decibels(worst)}`];
}

/** Draws how many numbers a tensor held; what is clipped has its own colour. */
function histogram(tensor: Tensor, said: string, wide: number): SVGSVGElement {
  const svg = shape("svg", { viewBox: `0 0 ${wide} ${HIGH + 24}`, role: "img" });
  svg.setAttribute("aria-label", said);
  const [[low, high], [first, last]] = [tensor.range, tensor.observed];
  const [start, stop] = [Math.min(low, first), Math.max(high, last)];
  const x = (value: number) => (wide * (value - start)) / (stop - start || 1);
  const step = (last - first) / tensor.bars.length;
  tensor.bars.forEach((bar, index) => {
    const left = first + index * step;
    const middle = left + step / 2;
    const inside = low <= middle && middle <= high;
    const [y, height] = [HIGH - bar * (HIGH - 8), bar * (HIGH - 8)];
    const width = Math.max(1, x(left + step) - x(left) - 1);
    const look = inside ? "anq-in" : "anq-out";
    svg.append(shape("rect", { x: x(left), y, width, height, class: look }));
  });
  for (const [value, anchor] of [
    [low, "start"],
    [high, "end"],
  ] as const) {
    svg.append(shape("line", { x1: x(value), x2: x(value), y1: 0, y2: HIGH + 6 }));
    const label = shape("text", { x: x(value), y: HIGH + 20, "text-anchor": anchor });
    label.textContent = short(value);
    svg.append(label);
  }
  return svg;
}

function shape<Name extends keyof SVGElementTagNameMap>(
  name: Name,
  attributes: Record<string, string | number>,
): SVGElementTagNameMap[Name] {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, String(value));
  return made;
}

function render({ model, el }: { model: AnyModel; el: HTMLElement }): () => void {
  const style = document.createElement("style");
  style.textContent = themed("anq") + css;
  const screen = new Screen(model);
  el.append(style, screen.root);
  const ends = [follow(screen.root), keepKeys(screen.root)];
  const update = () => screen.update();
  const events = ["change:_facts", "change:selected"];
  events.forEach((event) => model.on(event, update));
  update();
  return () => {
    events.forEach((event) => model.off(event, update));
    ends.forEach((end) => end());
  };
}

export default { render };
