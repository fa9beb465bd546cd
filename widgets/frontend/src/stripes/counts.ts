// "How many stripes?": peak and more MACs over one slider, whose marks are the axis of both charts.

import { stripes as sizes } from "../../../shared/panels.json";
import { byteTicks, clamp, niceTicks } from "../core/axis.ts";
import { element, type Host } from "../panel/canvasPanel.ts";
import { NONE } from "../model/search.ts";
import type { Change } from "../model/store.ts";
import { withTerms } from "../panel/terms.ts";
import { sizeText } from "../core/text.ts";
import { legend, StripePanel } from "./base.ts";
import { goToWay, type StripesModel, type Way } from "../model/stripes.ts";
import { line, rect, svg, text, widthOf } from "./svg.ts";

const {
  left: LEFT,
  right: RIGHT,
  top: TOP,
  peak: PEAK,
  between: BETWEEN,
  macs: MACS,
} = sizes.charts;
/** Width of the handle, which reaches over both ends of its track. */
const THUMB = 20;
/** Radii of dots: where both are in one place, the filled one is seen around the hollow one. */
/** Pixels within which a figure would cover a dot above. */
const CLOSE = 26;
const [FILLED, HOLLOW] = [5.2, 3.6];

export class CountsPanel extends StripePanel {
  private readonly slider = element("input", {
    type: "range",
    min: "0",
    step: "1",
    "aria-label": "",
    class: "anb-count",
  });
  private readonly note = element("p", { class: "anb-caption", role: "note" });

  constructor(host: Host, model: StripesModel) {
    super(host, model, "counts", `How many ${model.noun}s?`, { role: "img" });
    this.slider.setAttribute("aria-label", `Number of ${model.noun}s`);
    this.hint.textContent = "drag the handle";
    this.slider.max = String(model.counts.length - 1);
    this.slider.disabled = model.counts.length < 2;
    this.slider.addEventListener("input", () => this.choose(Number(this.slider.value)));
    this.stage.addEventListener("click", (event) => this.clicked(event as MouseEvent));
    this.note.textContent = model.meta.note;
    this.note.hidden = model.meta.note === "";
    const filled = "Filled: halos are recomputed.";
    const words = model.isGrid ? filled : `${filled} Hollow: halos are kept.`;
    this.body.append(this.slider, legend(...withTerms(words)), this.note);
  }

  override changed(change: Change): void {
    super.changed(change);
  }

  /** Looks at a number of stripes, by its place; halos stay as they are treated. */
  private choose(place: number): void {
    const { model, host } = this;
    const count = model.counts[clamp(place, 0, model.counts.length - 1)];
    goToWay(model, host.store, model.find(count, model.ways[this.way].kept), this);
  }

  override neighbour(_node: number, dx: number, dy: number): number {
    this.choose(this.model.counts.indexOf(this.model.ways[this.way].count) + (dx || -dy));
    return NONE;
  }

  private clicked({ clientX }: MouseEvent): void {
    const box = this.stage.getBoundingClientRect();
    const { counts } = this.model;
    const wide = box.width - LEFT - RIGHT;
    const part = (clientX - box.left - LEFT) / Math.max(1, wide);
    this.choose(Math.round(part * (counts.length - 1)));
  }

  protected draw(width: number): number {
    const { model, stage } = this;
    const { counts } = model;
    const way = model.ways[this.way];
    const wide = width - LEFT - RIGHT;
    const x = (count: number) =>
      LEFT + (counts.indexOf(count) * wide) / Math.max(1, counts.length - 1);
    const known = model.ways.filter(({ peak }) => peak >= 0);
    const bottom = TOP + PEAK + BETWEEN + MACS;
    const tint = clamp(wide / counts.length / 1.4, 12, 30);
    stage.append(
      rect(x(way.count) - tint / 2, TOP - 14, tint, bottom - TOP + 22, { class: "anb-tint" }),
    );
    const most = Math.max(1, ...known.map(({ peak }) => peak));
    const peaks = byteTicks(0, most, 4);
    if (known.length)
      this.chart(width, TOP, PEAK, most, peaks, sizeText, {
        title: "peak",
        ways: known,
        value: ({ peak }) => peak,
        words: ({ peak }) => sizeText(peak),
        x,
      });
    else stage.append(text(LEFT, TOP + PEAK / 2, "no peak is known", { class: "anb-dim" }));
    const top = Math.max(1, ...model.ways.map(({ extra }) => 100 * extra));
    const marks = niceTicks(0, top, 3, false);
    const percent = (value: number) => `${+value.toPrecision(3)} %`;
    this.chart(width, TOP + PEAK + BETWEEN, MACS, top, marks, percent, {
      title: "more MACs",
      ways: model.ways,
      value: ({ extra }) => 100 * extra,
      words: ({ more }) => `+${more}`,
      x,
    });
    this.axis(width, bottom, x, way);
    stage.setAttribute("aria-label", this.sentence(way));
    return bottom + 58;
  }

  private axis(width: number, bottom: number, x: (count: number) => number, way: Way): void {
    const { counts } = this.model;
    this.stage.append(text(12, bottom + 52, `${this.model.noun}s`, { class: "anb-strong" }));
    let free = -Infinity;
    const chosen = x(way.count) - widthOf(way.label, this.bold) / 2 - 3;
    for (const count of counts) {
      const isChosen = count === way.count;
      const { label } = this.model.ways[this.model.find(count, way.kept)];
      const half = widthOf(label, isChosen ? this.bold : this.font) / 2;
      const isInTheWay = x(count) < x(way.count) && x(count) + half > chosen;
      if (!isChosen && (x(count) - half < free || isInTheWay)) continue;
      free = x(count) + half + 3;
      this.stage.append(
        text(x(count), bottom + 52, label, {
          "text-anchor": "middle",
          class: isChosen ? "anb-strong" : "anb-dim",
        }),
      );
    }
    Object.assign(this.slider.style, {
      left: `${LEFT - THUMB / 2}px`,
      top: `${bottom + 14}px`,
      width: `${width - LEFT - RIGHT + THUMB}px`,
    });
    this.slider.value = String(counts.indexOf(way.count));
    this.slider.setAttribute("aria-valuetext", this.sentence(way));
  }

  private sentence(way: Way): string {
    const halos = way.count > 1 ? `, halos ${way.kept ? "kept" : "recomputed"}` : "";
    const peak = way.peak < 0 ? "" : `, peak ${sizeText(way.peak)}`;
    const { noun } = this.model;
    return `${way.label} ${way.count === 1 ? noun : `${noun}s`}${halos}${peak}, ${way.more} more MACs`;
  }

  private chart(
    width: number,
    top: number,
    high: number,
    most: number,
    marks: number[],
    write: (value: number) => string,
    what: {
      title: string;
      ways: readonly Way[];
      value: (way: Way) => number;
      words: (way: Way) => string;
      x: (count: number) => number;
    },
  ): void {
    const { stage, model } = this;
    const y = (value: number) => top + high - (high * value) / most;
    stage.append(text(12, top - 16, what.title, { class: "anb-strong" }));
    for (const mark of marks) {
      stage.append(line(LEFT, y(mark), width - RIGHT + 8, y(mark), { class: "anb-rule" }));
      const at = { "text-anchor": "end", class: "anb-dim" };
      stage.append(text(LEFT - 14, y(mark) + 4, write(mark), at));
    }
    const now = model.ways[this.way];
    for (const kept of [false, true]) {
      const ways = what.ways
        .filter((way) => way.kept === kept || way.count === 1)
        .sort((a, b) => a.count - b.count);
      if (!ways.some((way) => way.kept === kept)) continue;
      const path = ways.map((way) => `${what.x(way.count)} ${y(what.value(way))}`).join("L");
      stage.append(svg("path", { d: `M${path}`, class: kept ? "anb-kept" : "anb-again" }));
      for (const way of ways) {
        const tip = `${this.sentence(way)}${way.bound >= 0 && way.bound < way.peak ? `\nlower bound ${sizeText(way.bound)}` : ""}`;
        const place = { cx: what.x(way.count), cy: y(what.value(way)), "data-tip": tip };
        const looks = { r: kept ? HOLLOW : FILLED, class: kept ? "anb-hollow" : "anb-filled" };
        stage.append(svg("circle", { ...place, ...looks, "data-way": model.ways.indexOf(way) }));
      }
    }
    const words = what.words(now);
    const half = widthOf(words, this.bold) / 2;
    const at = clamp(what.x(now.count), LEFT + half, width - half - 4);
    // Above the other dot of this count, where that is close.
    const own = y(what.value(now));
    const close = what.ways
      .filter(({ count }) => count === now.count)
      .map((way) => y(what.value(way)))
      .filter((each) => each < own && own - each < CLOSE);
    if (what.ways.includes(now))
      stage.append(
        text(at, Math.max(top - 4, Math.min(own, ...close) - 10), words, {
          "text-anchor": "middle",
          class: "anb-now",
          "data-value": what.title,
        }),
      );
  }
}
