// "Memory": the plan of the whole and that of the stripes at one scale, and what lies between them.

import { stripes as sizes } from "../../../shared/panels.json";
import { byteTicks } from "../core/axis.ts";
import type { Host } from "../panel/canvasPanel.ts";
import { withTerms } from "../panel/terms.ts";
import { shorter } from "../model/names.ts";
import { elide, sizeText } from "../core/text.ts";
import { legend, StripePanel } from "./base.ts";
import {
  countOf,
  goToStripe,
  rangeText,
  type ArenaBox,
  type StripesModel,
  type Way,
} from "../model/stripes.ts";
import { firstFitting, line, rect, svg, text, widthOf } from "./svg.ts";

const { left: LEFT, right: RIGHT, top: TOP, high: HIGH, gap: GAP, foot: FOOT } = sizes.memory;
/** Kinds of rectangles, as in `widgets/scene/tiles/stripe_parts.py`. */
const [KEPT, OTHER] = [1, 2];
/** Widest tick, and narrowest one with a number. */
const [WIDEST, NUMBERED] = [90, 15];

interface Plot {
  way: number;
  x: number;
  tick: number;
  begin: number;
}

export class ArenasPanel extends StripePanel {
  private readonly words = legend();

  constructor(host: Host, model: StripesModel) {
    super(host, model, "arenas", "Memory", { role: "img" });
    this.stage.addEventListener("click", (event) => {
      const on = event.target instanceof Element ? event.target.closest("[data-stripe]") : null;
      const stripe = Number(on?.getAttribute("data-stripe") ?? -1);
      if (stripe >= 0) goToStripe(model, host.store, stripe, this);
    });
    this.body.append(this.words);
  }

  protected draw(width: number): number {
    const { model, stage } = this;
    const [own, whole] = [model.ways[this.way], model.whole];
    if (!whole || own.peak < 0) {
      stage.append(text(14, 30, "No memory plan is known for this tiling.", { class: "anb-dim" }));
      return 50;
    }
    const isWhole = own === whole;
    const most = Math.max(1, own.peak, whole.peak);
    const y = (bytes: number) => TOP + HIGH - (HIGH * bytes) / most;
    this.marks(width, most, y(whole.peak), y);
    const plots = this.plots(width, own, whole);
    for (const plot of plots) this.plot(plot, y);
    const [before] = plots;
    if (!isWhole) this.difference(before, plots[1], width, own, whole, y);
    this.limit(before, whole, y);
    const scale = isWhole || before.tick === plots[1].tick ? "a tick is as wide and a" : "a";
    this.hint.textContent = isWhole
      ? "as a whole"
      : `as a whole and in ${own.count} ${model.noun}s, at one scale: ${scale} byte as high in both`;
    const label = isWhole
      ? `Memory as a whole: peak ${sizeText(whole.peak)}`
      : `Memory: peak ${sizeText(own.peak)} in ${own.count} ${model.noun}s, ${sizeText(whole.peak)} as a whole`;
    stage.setAttribute("aria-label", label);
    this.words.replaceChildren(
      ...withTerms(
        isWhole
          ? "one rectangle per buffer, in the colour of its operator"
          : `outlined: buffers of the picked ${model.noun}; hatched: rows moved or kept for a halo; gray: other buffers`,
      ),
    );
    return TOP + HIGH + FOOT;
  }

  /** Marks of the axis; that of the whole has its own figure. */
  private marks(width: number, most: number, taken: number, y: (bytes: number) => number): void {
    for (const mark of byteTicks(0, most, 5)) {
      this.stage.append(line(LEFT - 4, y(mark), width - RIGHT, y(mark), { class: "anb-rule" }));
      if (Math.abs(y(mark) - taken) < 14) continue;
      const at = { "text-anchor": "end", class: "anb-dim" };
      this.stage.append(text(LEFT - 10, y(mark) + 4, sizeText(mark), at));
    }
  }

  /** The whole at the left, the stripes at the right, a tick as wide in both if it can be seen. */
  private plots(width: number, own: Way, whole: Way): Plot[] {
    const { model } = this;
    const ways = [model.ways.indexOf(whole), this.way];
    const room = width - LEFT - RIGHT;
    const ticks = Math.max(1, whole.end - whole.begin);
    if (own === whole)
      return [{ way: ways[0], x: LEFT, tick: Math.min(WIDEST, room / ticks), begin: whole.begin }];
    const gap = Math.min(GAP, room / 5);
    const both = ticks + Math.max(1, own.end - own.begin);
    const shared = Math.min(WIDEST, (room - gap) / both);
    const least = Math.min(sizes.whole.least, room * sizes.whole.share);
    const wide = Math.max(shared * ticks, least);
    const x = LEFT + wide + gap;
    const rest = (LEFT + room - x) / Math.max(1, own.end - own.begin);
    const tick = wide > shared * ticks ? rest : shared;
    return [
      { way: ways[0], x: LEFT, tick: wide / ticks, begin: whole.begin },
      { way: ways[1], x, tick, begin: own.begin },
    ];
  }

  private plot(plot: Plot, y: (bytes: number) => number): void {
    const { model, stage } = this;
    const way = model.ways[plot.way];
    const picked = way.count > 1 ? model.stripe(this.host.store, plot.way) : -1;
    const boxes = model.boxes(plot.way);
    for (const box of boxes) if (box.stripe !== picked) this.box(plot, box, y, false);
    for (const box of boxes) if (box.stripe === picked) this.box(plot, box, y, true);
    const end = plot.x + (way.end - way.begin) * plot.tick;
    stage.append(line(plot.x, y(0), end, y(0), { class: "anb-ground" }));
    this.ticks(plot, way, picked);
  }

  private box(plot: Plot, box: ArenaBox, y: (bytes: number) => number, isPicked: boolean): void {
    const { map, stripe, kind, family } = box;
    const x = plot.x + (box.lower - plot.begin) * plot.tick;
    const wide = (box.upper - box.lower) * plot.tick;
    const [top, high] = [y(box.offset + box.size), y(box.offset) - y(box.offset + box.size)];
    const edge = Math.min(0.7, wide / 4, high / 4);
    const isCopy = kind === KEPT;
    const look = {
      fill: isCopy ? this.hatched(family) : this.colour(family),
      class: `anb-box${isPicked ? " anb-mine" : ""}${kind === OTHER ? " anb-other" : ""}`,
      "data-stripe": stripe,
      "data-tip": this.tip(plot, box),
    };
    if (isCopy && !isPicked) Object.assign(look, { stroke: this.colour(family) });
    // A thin one would hide its neighbours.
    if (isPicked) Object.assign(look, { "stroke-width": Math.min(2, wide / 4, high / 4) });
    const place = [x + edge, top + edge, wide - 2 * edge, high - 2 * edge] as const;
    this.stage.append(rect(...place, look));
    if (high < sizes.box.name || wide < sizes.box.least || map < 0 || isCopy) return;
    const { label } = this.model.maps[map];
    const words = firstFitting([label, ...shorter(label)], wide - 6, this.font);
    const at = { "text-anchor": "middle", fill: this.inkOn(family), class: "anb-within" };
    if (words) this.stage.append(text(x + wide / 2, top + high / 2 + 4, words, at));
  }

  private tip(plot: Plot, { map, stripe, kind, size, lower, upper }: ArenaBox): string {
    const { maps, ways } = this.model;
    const name = maps[map]
      ? elide(maps[map].name, 80)
      : kind === OTHER
        ? "another buffer"
        : "a map between";
    const of = ways[plot.way].count > 1 && stripe >= 0 ? `, ${this.model.noun} ${stripe + 1}` : "";
    const what = kind === KEPT ? "\nrows that are moved, or kept for the next part" : "";
    const ticks = upper - lower > 1 ? "ticks" : "tick";
    return `${name}${of}\n${sizeText(size)}, ${ticks} ${rangeText(lower, upper)}${what}`;
  }

  private ticks(plot: Plot, way: Way, picked: number): void {
    const { stage, model } = this;
    const y = TOP + HIGH;
    const runs = model.runs(plot.way);
    const end = plot.x + (way.end - way.begin) * plot.tick;
    if (plot.tick >= Math.max(NUMBERED, widthOf(String(way.end), this.font) + 6))
      for (let tick = way.begin; tick < way.end; tick++) {
        const at = plot.x + (tick - plot.begin + 0.5) * plot.tick;
        const looks = { "text-anchor": "middle", class: "anb-dim" };
        stage.append(text(at, y + 15, String(tick), looks));
      }
    if (plot.x === LEFT)
      stage.append(text(LEFT - 10, y + 15, "tick", { "text-anchor": "end", class: "anb-dim" }));
    if (way.count === 1) {
      const words = `whole: ${countOf(way.end - way.begin, "ticks")}`;
      const label = firstFitting([words, "whole"], end - plot.x + 20, this.bold);
      stage.append(text(plot.x, y + 34, label, { class: "anb-strong" }));
      return;
    }
    for (let at = 0; at < runs.length;) {
      const { stripe } = runs[at];
      let stop = at + 1;
      while (stop < runs.length && runs[stop].stripe === stripe) stop++;
      const [from, to] = [at, stop].map((each) => plot.x + each * plot.tick);
      at = stop;
      if (stripe < 0) continue;
      const font = stripe === picked ? this.bold : this.font;
      const label = firstFitting(
        [`${model.noun} ${stripe + 1}`, String(stripe + 1)],
        to - from - 4,
        font,
      );
      const looks = { "text-anchor": "middle", "data-stripe": stripe };
      if (to - from > 5) stage.append(line(from, y, from, y + 40, { class: "anb-ground" }));
      const name = stripe === picked ? "anb-picked-number" : "";
      if (label) stage.append(text((from + to) / 2, y + 34, label, { ...looks, class: name }));
    }
  }

  /** The dashed line of the whole, with its size at the axis. */
  private limit(plot: Plot, whole: Way, y: (bytes: number) => number): void {
    const end = plot.x + (whole.end - whole.begin) * plot.tick;
    this.stage.append(line(LEFT, y(whole.peak), end, y(whole.peak), { class: "anb-was" }));
    const at = { "text-anchor": "end", class: "anb-strong" };
    const paper = rect(0, y(whole.peak) - 8, LEFT - 8, 16, { class: "anb-patch" });
    const words = sizeText(whole.peak);
    this.stage.append(paper, text(LEFT - 10, y(whole.peak) + 4, words, at));
  }

  private difference(
    before: Plot,
    plot: Plot,
    width: number,
    own: Way,
    whole: Way,
    y: (bytes: number) => number,
  ): void {
    const { stage } = this;
    const end = Math.min(width - RIGHT, plot.x + (own.end - own.begin) * plot.tick);
    stage.append(line(plot.x, y(own.peak), end, y(own.peak), { class: "anb-peak-line" }));
    const words = `peak ${sizeText(own.peak)}`;
    const right = { "text-anchor": "end", class: "anb-now", "data-value": "arena" };
    const above = y(own.peak) - 6;
    stage.append(text(Math.max(end, plot.x + widthOf(words, this.bold)), above, words, right));
    const less = whole.peak - own.peak;
    if (less === 0) return;
    const x = before.x + (whole.end - whole.begin) * before.tick + 16;
    const [from, to] = [y(whole.peak), y(own.peak)];
    const sign = less > 0 ? "−" : "+";
    const looks = { class: less > 0 ? "anb-better" : "anb-worse" };
    const way = Math.sign(to - from);
    if (Math.abs(to - from) > 12) {
      const tip = `M${x} ${to}l-4 ${-8 * way}h8z`;
      stage.append(line(x, from, x, to - 6 * way, looks), svg("path", { d: tip, ...looks }));
    }
    const middle = (from + to) / 2;
    const share = (100 * Math.abs(less)) / Math.max(1, whole.peak);
    const percent = `${sign}${share >= 1 ? Math.round(share) : share.toFixed(1)} %`;
    const bytes = `${sign}${sizeText(Math.abs(less))}`;
    stage.append(text(x + 10, middle, bytes, { ...looks, "data-value": "less" }));
    stage.append(text(x + 10, middle + 16, percent, looks));
  }
}
