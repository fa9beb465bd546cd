// Base of the panels of stripes: an SVG that is drawn anew when the width or what is chosen changes.

import { element, type Host } from "../panel/canvasPanel.ts";
import { DomPanel } from "../panel/domPanel.ts";
import { NONE } from "../model/search.ts";
import type { Change } from "../model/store.ts";
import { goToStripe, type StripesModel } from "../model/stripes.ts";
import { hatch, svg } from "./svg.ts";
import { stripes as sizes } from "../../../shared/panels.json";

/** Narrowest drawing, in pixels. */
const LEAST = 200;
let views = 0;

export abstract class StripePanel extends DomPanel {
  protected readonly stage: SVGElement;
  /** Told apart from other views on the page, whose patterns have other colours. */
  protected readonly id = `anb-stripes-${views++}`;
  private readonly observer: ResizeObserver;
  private drawnWidth = 0;

  constructor(
    host: Host,
    protected readonly model: StripesModel,
    name: string,
    title: string,
    more: Record<string, string> = {},
  ) {
    super(host, name, title);
    this.body.classList.add("anb-stripes");
    this.stage = svg("svg", { class: "anb-drawing", ...more });
    this.body.append(this.stage);
    for (const kind of ["pointermove", "pointerup"] as const)
      this.stage.addEventListener(kind, (event) => this.explain(event));
    this.stage.addEventListener("pointerleave", ({ pointerType }) => {
      if (pointerType !== "touch") this.host.tooltip(null);
    });
    this.observer = new ResizeObserver(() => {
      if (this.body.clientWidth !== this.drawnWidth) this.redraw();
    });
    this.observer.observe(this.body);
  }

  /** Draws into a width, and returns the height. */
  protected abstract draw(width: number): number;

  override changed(change: Change): void {
    const { way, stripe, selected } = change;
    const { store } = this.host;
    if (selected !== undefined && stripe === undefined && way === undefined) this.follow(selected);
    if (way !== undefined || stripe !== undefined) this.redraw();
    else if (store.state.stripe === NONE && selected !== undefined) this.redraw();
  }

  /** A tile that was selected elsewhere is the stripe that is looked at. */
  private follow(selected: number): void {
    const { store } = this.host;
    if (selected === NONE || store.state.stripe === selected) return;
    store.set({ way: this.model.meta.chosen, stripe: selected }, this);
  }

  override redraw(): void {
    const width = this.body.clientWidth;
    this.drawnWidth = width;
    if (width < LEAST) return;
    this.stage.replaceChildren();
    const height = this.draw(width);
    this.stage.setAttribute("width", String(width));
    this.stage.setAttribute("height", String(height));
    this.stage.setAttribute("viewBox", `0 0 ${width} ${height}`);
    this.section.dataset.drawn = String(this.stage.childElementCount);
  }

  override destroy(): void {
    this.observer.disconnect();
  }

  override neighbour(_node: number, dx: number, dy: number): number {
    const { model, host } = this;
    const { columns } = model.ways[this.way];
    goToStripe(model, host.store, model.stripe(host.store, this.way) + dx + dy * columns, this);
    return NONE;
  }

  protected get way(): number {
    return this.model.shown(this.host.store);
  }

  protected get font(): string {
    return `11px ${this.host.theme.font}`;
  }

  protected get bold(): string {
    return `600 11px ${this.host.theme.font}`;
  }

  protected colour(family: number): string {
    const { theme } = this.host;
    return theme.families[family] ?? theme.muted;
  }

  protected inkOn(family: number): string {
    const { theme } = this.host;
    return theme.inks[family] ?? theme.paper;
  }

  /** The hatch of a family's colour, made on first use. */
  protected hatched(family: number): string {
    const id = `${this.id}-${this.name}-${family}`;
    if (!this.stage.querySelector(`[id="${id}"]`))
      this.stage.prepend(svg("defs", {}, hatch(id, this.colour(family), sizes.hatch)));
    return `url(#${id})`;
  }

  private explain(event: PointerEvent): void {
    const on = event.target instanceof Element ? event.target.closest("[data-tip]") : null;
    const lines = on?.getAttribute("data-tip")?.split("\n") ?? null;
    this.host.tooltip(lines && { node: NONE, lines }, event);
  }
}

/** A line of words under a drawing. */
export function legend(...parts: (Node | string)[]): HTMLElement {
  return element("p", { class: "anb-caption" }, ...parts);
}
