// "Alive at tick N": what lies in memory then, where else it is high, and the peak of each block.

import { button, element, type Host } from "../panel/canvasPanel.ts";
import { DomPanel, markScroll } from "../panel/domPanel.ts";
import { NONE } from "../model/search.ts";
import type { Change } from "../model/store.ts";
import { termElement, withTerms } from "../panel/terms.ts";
import { elide, sizeText } from "../core/text.ts";
import { takerOf, type MemoryModel } from "../model/memory.ts";
import { bytesInUse, peakTick } from "../memory/usage.ts";
import { blockPeaks, heldAt, highest, type Held } from "./model.ts";

const TITLES = ["buffer", "written by", "size", "of the peak", "alive in ticks", "what frees it"];
/** Rows that are written; the others are counted. */
const MOST = 40;
/** Blocks with a bar; more would be too narrow for their names. */
const MOST_BARS = 40;
/** Ticks of the peak that are named; the others are counted. */
const MOST_PEAKS = 5;
/** Height of the highest bar, in pixels. */
const BAR = 80;

export class AlivePanel extends DomPanel {
  private readonly title: HTMLElement;
  private readonly peakTick: number;

  constructor(
    host: Host,
    private readonly memory: MemoryModel,
  ) {
    super(host, "alive", "Alive");
    this.title = this.section.querySelector("h3")!;
    this.peakTick = peakTick(memory);
    this.redraw();
  }

  changed({ tick, selected, picked }: Change): void {
    if ([tick, selected, picked].some((each) => each !== undefined)) this.redraw();
  }

  /** The tick that is told of: the one that is looked at, or that of the peak. */
  private get tick(): number {
    const { tick } = this.host.store.state;
    return Math.min(tick ?? this.peakTick, Math.max(0, this.memory.ticks - 1));
  }

  override redraw(): void {
    const { memory, tick } = this;
    const held = heldAt(memory, tick);
    const bytes = bytesInUse(memory)[tick] ?? 0;
    const count = `${held.length} ${held.length === 1 ? "buffer" : "buffers"}`;
    const isPeak = this.host.store.state.tick === null;
    this.title.textContent = isPeak ? `Alive at the peak, tick ${tick}` : `Alive at tick ${tick}`;
    this.hint.replaceChildren(...withTerms(`${count}, ${sizeText(bytes)}; sorted by size`));
    this.body.replaceChildren(this.table(held), ...this.others(), ...this.blocks());
  }

  private table(held: Held[]): HTMLElement {
    const heads = TITLES.map((title) => element("th", { scope: "col" }, ...withTerms(title)));
    const rows = held.slice(0, MOST).map((each) => this.row(each));
    const table = element(
      "table",
      { class: "anb-held", "aria-label": "Buffers that are alive" },
      element("thead", {}, element("tr", {}, ...heads)),
      element("tbody", {}, ...rows),
    );
    const more = held.length - rows.length;
    const rest = more > 0 ? [element("p", { class: "anb-rest" }, `and ${more} more`)] : [];
    const label = "Table of the buffers that are alive";
    const around = { class: "anb-scroller", tabindex: "0", role: "region", "aria-label": label };
    const scroller = element("div", around, table, ...rest);
    markScroll(scroller);
    return scroller;
  }

  private row({ buffer, node, size }: Held): HTMLElement {
    const { store, theme } = this.host;
    const { memory } = this;
    const { name, names, family } = store.model;
    const dot = element("span", { class: "anb-dot" });
    dot.style.background = theme.families[family[node]] ?? theme.muted;
    const pick = element("button", { type: "button", class: "anb-link" }, names.path(name[node]));
    pick.title = elide(memory.names[buffer], 300);
    pick.addEventListener("click", () => this.pick(node));
    const taker = takerOf(memory, buffer);
    const lower = memory.lower[buffer];
    const upper = taker === NONE ? memory.upper[buffer] : memory.lower[taker];
    const share = (100 * size) / Math.max(1, memory.peak);
    const cells = [
      memory.kind[buffer] === 0 ? `tick ${lower}` : "given",
      sizeText(size),
      `${share > 0 && share < 1 ? "< 1" : Math.round(share)} %`,
      upper - lower > 1 ? `${lower}–${upper - 1}` : String(lower),
      this.freed(buffer, taker),
    ];
    const row = element("tr", {}, element("td", {}, dot, pick));
    row.append(...cells.map((text) => element("td", {}, text)));
    row.classList.toggle("anb-picked", store.isPicked(node));
    row.addEventListener("pointerenter", () => store.set({ hovered: node }, this));
    row.addEventListener("pointerleave", () => store.set({ hovered: NONE }, this));
    return row;
  }

  /** What happens last while a buffer is alive: then its bytes are free, or those of another. */
  private freed(buffer: number, taker: number): string {
    const { tickNode, ticks, upper, node } = this.memory;
    const { name, names } = this.host.store.model;
    const leaf = (each: number) => names.leaf(name[each]);
    if (taker !== NONE) return `${leaf(node[taker])} writes over it`;
    const last = tickNode[upper[buffer] - 1];
    if (upper[buffer] > ticks || last === undefined) return "the end of the run";
    return `${leaf(last)} has run`;
  }

  /** Links to other ticks at which memory is high. */
  private others(): HTMLElement[] {
    const { memory, tick } = this;
    const bytes = bytesInUse(memory);
    const link = (tick: number, text: string) => {
      const made = element("button", { type: "button", class: "anb-link" }, text);
      made.addEventListener("click", () => this.host.store.goToTick(tick, this));
      return made;
    };
    const line = (title: string, links: (HTMLElement | string)[]) =>
      element("p", { class: "anb-others" }, element("strong", {}, title), ...links);
    const { peaks, lower } = highest(bytes, tick);
    const shown = peaks.slice(0, MOST_PEAKS).map((each) => link(each, `tick ${each}`));
    const more = peaks.length - shown.length;
    const isKnown = peaks.length < 2 && peaks[0] === tick;
    const title = peaks.length > 1 ? `${peaks.length} ticks share the peak` : "Peak";
    const found = isKnown ? [] : [line(title, more > 0 ? [...shown, `and ${more} more`] : shown)];
    const next = lower.map((each) => link(each, `tick ${each}: ${sizeText(bytes[each])}`));
    return next.length ? [...found, line("Next highest", next)] : found;
  }

  /** A bar for each block, as high as its own peak. */
  private blocks(): HTMLElement[] {
    const { parts } = this.host.store.model;
    const peaks = blockPeaks(this.memory, parts);
    if (peaks.length < 2 || peaks.length > MOST_BARS) return [];
    const most = Math.max(...peaks.map(({ bytes }) => bytes), 1);
    const now = parts.of(this.memory.tickNode[this.tick] ?? NONE);
    const { factor, unit } = unitOf(most);
    const bars = peaks.map(({ block, bytes, tick }) => {
      const title = `${parts.title(block)}: ${sizeText(bytes)} at tick ${tick}`;
      const made = button("", title, () => this.host.store.goToTick(tick, this));
      const bar = element("i");
      bar.style.height = `${Math.max(1, (BAR * bytes) / most)}px`;
      const label = element("b", {}, elide(parts.label(block), 6));
      made.append(element("span", {}, (bytes / factor).toFixed(1)), bar, label);
      made.classList.toggle("anb-top", bytes === most);
      if (block === now) made.setAttribute("aria-current", "true");
      return made;
    });
    const peak = termElement({ name: "peak", text: "Peak" });
    const title = element("h4", {}, peak, ...withTerms(` of each block, ${unit}`));
    const row = element("div", { class: "anb-bars" }, ...bars);
    markScroll(row);
    return [title, row];
  }
}

/** The unit in which a number of bytes is written, and its bytes. */
function unitOf(bytes: number): { factor: number; unit: string } {
  const unit = sizeText(bytes).split(" ")[1];
  return { unit, factor: 1024 ** Math.max(0, ["B", "KiB", "MiB", "GiB", "TiB"].indexOf(unit)) };
}
