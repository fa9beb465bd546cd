// Details of what is picked: when it runs, what it waits for, what it makes, and its attributes.

import { element, type Host } from "../panel/canvasPanel.ts";
import { DomPanel } from "../panel/domPanel.ts";
import { groups, NONE } from "../model/search.ts";
import type { Change } from "../model/store.ts";
import { together, withTerms } from "../panel/terms.ts";
import { countText, elide, grouped, sizeText } from "../core/text.ts";
import { rangeText } from "../core/range.ts";
import { goesOn, takerOf } from "../model/memory.ts";
import { phaseBar } from "../mapping/phaseBar.ts";
import { Facts } from "../table/facts.ts";

/** Of a long list, this many are written; the others are counted. */
const LISTED = 6;

const NOTHING_PICKED =
  "Click a box in any view, or move there with Tab and the arrow keys: " +
  "here you read when it runs, what it waits for, and what it holds in memory.";

type Row = [label: string, text: string];

export class DetailsPanel extends DomPanel {
  private readonly title: HTMLElement;
  private readonly facts: Facts;
  /** The ticks of each node. */
  private readonly ticksOf: (node: number) => number[];

  constructor(host: Host) {
    super(host, "details", "Details");
    const { model, clocks } = host.store;
    this.title = this.section.querySelector("h3")!;
    this.body.classList.add("anb-details");
    this.body.dataset.part = "details";
    this.body.setAttribute("role", "region");
    this.body.setAttribute("aria-label", "Details of what is picked");
    this.body.setAttribute("tabindex", "0");
    this.facts = new Facts(model);
    this.ticksOf = groups(clocks[0].order.node, model.count);
    this.redraw();
  }

  changed({ selected }: Change): void {
    if (selected !== undefined) this.redraw();
  }

  override redraw(): void {
    const { store } = this.host;
    const { meta, name, names } = store.model;
    const { selected } = store.state;
    // Before anything is picked: what the first finding names, the operator of the peak or of a loop.
    const card = selected === NONE ? meta.findings?.find(({ nodes }) => nodes?.length) : undefined;
    const node = card?.nodes?.[0] ?? selected;
    this.title.textContent =
      name[node] === undefined ? "Details" : elide(names.path(name[node]), 60);
    this.hint.textContent = card
      ? `of the ${card.title.toLowerCase()}; pick another in any view`
      : "";
    if (name[node] === undefined) {
      this.body.replaceChildren(element("p", { class: "anb-empty" }, NOTHING_PICKED));
      return;
    }
    const list = element("dl");
    for (const [label, text] of this.rows(node)) {
      if (!text) continue;
      const value = element("dd", {}, ...together(elide(text, 400)));
      list.append(element("dt", {}, ...withTerms(label)), value);
    }
    this.body.replaceChildren(list, ...this.phases(node));
  }

  /** What happens to a work on a machine, from loading to storing. */
  private phases(node: number): HTMLElement[] {
    const { model } = this.host.store;
    const { families, inks, muted, paper } = this.host.theme;
    const family = model.family[node];
    const phases = model.devices?.machine?.phasesOf(node) ?? [];
    return phaseBar(phases, families[family] ?? muted, inks[family] ?? paper);
  }

  private rows(node: number): Row[] {
    const { meta, name, type } = this.host.store.model;
    const macs = meta.nodes.macs[node];
    const all = meta.nodes.macs.reduce<number>((sum, count) => sum + (count ?? 0), 0);
    const share = macs && all ? `, ${((100 * macs) / all).toFixed(1)} % of all` : "";
    const parameters = meta.nodes.parameters[node];
    const details = meta.nodes.details[node];
    const told = new Set(details.map(([label]) => label));
    const others: Row[] = [
      ["MACs", macs ? countText(macs) + share : ""],
      ["parameters", parameters ? grouped(parameters) : ""],
    ];
    return [
      ["name", name[node]],
      ["type", type[node] === "?" ? "" : type[node]],
      ...this.times(node),
      ...this.neighbours(node).filter(([label]) => !told.has(label)),
      ...this.values(node),
      ...details,
      ...others.filter(([label]) => !told.has(label)),
    ];
  }

  private times(node: number): Row[] {
    const { order } = this.host.store.clocks[0];
    const ticks = this.ticksOf(node);
    const { early, slack, firings } = this.facts.fired(node);
    const step = ticks.length && order.step.length ? order.step[ticks[0]] : early;
    const at = [
      ticks.length ? listed("tick", ticks) : "",
      Number.isFinite(step) ? `step ${step}` : "",
    ];
    const steps = `${slack} ${slack === 1 ? "step" : "steps"}`;
    const waits = slack === 0 ? `${steps}: any delay delays the end` : steps;
    return [
      ["runs at", at.filter(Boolean).join(", ")],
      ["firings", firings > 1 ? String(firings) : ""],
      ["slack", Number.isFinite(slack) ? waits : ""],
    ];
  }

  private neighbours(node: number): Row[] {
    const { graph, name } = this.host.store.model;
    if (!graph || !this.isDrawn(node)) return [];
    const known = (nodes: number[]) => nodes.filter((each) => each < name.length);
    return [
      ["waits for", this.named(known(graph.parents[node]))],
      ["then come", this.named(known(graph.children[node]))],
    ];
  }

  /** Whether the boxes of the graph are nodes, and this is one: a drawing may have its own. */
  private isDrawn(node: number): boolean {
    const { graph, name } = this.host.store.model;
    return graph !== null && graph.name === name && node < graph.nodes;
  }

  private named(nodes: number[]): string {
    const { name, names } = this.host.store.model;
    const texts = nodes.slice(0, LISTED).map((node) => {
      const [tick] = this.ticksOf(node);
      return names.path(name[node]) + (tick === undefined ? "" : ` (tick ${tick})`);
    });
    const more = nodes.length - texts.length;
    return texts.join(", ") + (more > 0 ? ` and ${more} more` : "");
  }

  /** What it makes, with its place in memory, and what it reads. */
  private values(node: number): Row[] {
    const graph = this.isDrawn(node) ? this.host.store.model.graph : null;
    const made = new Set<string>();
    const read: string[] = [];
    const [first = "", ...others] = this.places(node);
    graph?.labels.forEach((label, edge) => {
      const bytes = graph.bytes?.[edge] ?? -1;
      const words = [label, bytes < 0 ? "" : sizeText(bytes)].filter(Boolean).join(", ");
      if (graph.source[edge] === node && label) made.add(first ? label : words);
      if (graph.target[edge] === node) read.push(words);
    });
    return [
      ["result", [...made, first].filter(Boolean).join(", ")],
      ...others.map((other): Row => ["result", other]),
      ["reads", read.filter(Boolean).join(" · ")],
    ];
  }

  /** Size, addresses and ticks of the buffers of a node. */
  private places(node: number): string[] {
    const { memory, buffers } = this.host.store.model;
    // Of the memories of a machine the details of the work tell.
    if (!memory || memory.spaces.length) return [];
    const own = buffers(node).filter((buffer) => !goesOn(memory, buffer));
    const { offset, size, whole, lower, upper, names } = memory;
    const texts = own.slice(0, LISTED).map((buffer) => {
      const from = offset[buffer];
      const isWhole = size[buffer] === whole[buffer];
      const bytes = isWhole
        ? `bytes ${grouped(from)}–${grouped(from + size[buffer] - 1)}`
        : `in parts, from ${grouped(from)}`;
      const label = own.length > 1 ? `${names[buffer]}: ` : "";
      const taker = takerOf(memory, buffer);
      const ticks = rangeText("tick", lower[buffer], taker === NONE ? upper[buffer] : lower[taker]);
      return `${label}${sizeText(whole[buffer])}, ${bytes}, ${ticks}`;
    });
    const more = own.length - texts.length;
    return more > 0 ? [...texts, `and ${more} more`] : texts;
  }
}

function listed(unit: string, values: number[]): string {
  const text = values.slice(0, LISTED).join(", ");
  const more = values.length - LISTED;
  return `${unit}${values.length > 1 ? "s" : ""} ${text}${more > 0 ? ` and ${more} more` : ""}`;
}
