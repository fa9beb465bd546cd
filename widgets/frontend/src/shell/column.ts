// The time column: panels that share one ruler, one window and one playhead.

import { element, type Host } from "../panel/canvasPanel.ts";
import { NONE } from "../model/search.ts";
import type { Change } from "../model/store.ts";
import { FoldedPanel } from "../folded/folded.ts";
import { column } from "../../../shared/panels.json";
import { gutterOf, plotOf } from "../core/column.ts";
import { Overview } from "../overview/overview.ts";
import { startOf } from "../overview/start.ts";
import { fillLegend } from "../mapping/legend.ts";
import { Joint } from "./joint.ts";
import { Ruler } from "../timeline/ruler.ts";
import type { Panel } from "./panels.ts";

const NAMES = ["timeline", "devices", "memory"];

export class Column {
  readonly element = element("div", { class: "anb-column" });
  readonly panels: readonly Panel[];
  readonly ruler: Ruler | null;
  /** Where there is more than a ruler shows well. */
  overview: Overview | null;
  /** Between a schedule and the memory below it. */
  readonly joint: Joint | null;
  /** What colours stand for, and stripes of a mapping. */
  private readonly legend: HTMLElement | null;
  private readonly observer: ResizeObserver;
  private isOpened = false;

  constructor(
    private readonly host: Host,
    panels: readonly Panel[],
    transport: HTMLElement | null,
    /** Whether there is an overview however little there is, for there may soon be more. */
    isSteady = false,
  ) {
    // A folded schedule leaves steps out: its ruler is its own.
    this.panels = panels.filter(
      (panel) => NAMES.includes(panel.name) && !(panel instanceof FoldedPanel),
    );
    const isTimed = this.panels.length > 0 && host.store.clock.count > 0;
    this.ruler = isTimed ? new Ruler(host) : null;
    // Cycles have no peak to begin at: they are seen whole, however many there are.
    const { clock } = host.store;
    const isLong = isTimed && !clock.isMachine && (isSteady || clock.count > column.few);
    this.overview = isLong ? new Overview(host) : null;
    if (this.overview) this.element.append(this.overview.element);
    this.element.append(...this.panels.map(({ section }) => section));
    const isMachine = this.panels.some(({ name }) => name === "devices");
    this.legend =
      isTimed && (isMachine || transport) ? element("div", { class: "anb-legend" }) : null;
    const below = isMachine ? this.element : transport;
    if (this.legend) below?.append(this.legend);
    this.fillLegend();
    if (transport) this.element.append(transport);
    const memory = this.panels.find(({ name }) => name === "memory");
    const isBelow = memory !== undefined && this.panels[0].name === "timeline";
    this.joint = this.ruler && isBelow ? new Joint(host) : null;
    if (this.joint) memory?.section.before(this.joint.element);
    this.element.classList.toggle("anb-machine", host.store.clock.isMachine);
    this.enlarged(null);
    // The window that is shown first depends on the width, which is not known before.
    this.observer = new ResizeObserver(() => this.opened());
    this.observer.observe(this.element);
  }

  /** Shows the window of the start as soon as there is a width. */
  opened(): void {
    const { clientWidth } = this.element;
    if (this.isOpened || clientWidth < gutterOf(clientWidth)) return;
    this.isOpened = true;
    this.observer.disconnect();
    for (const panel of this.panels) if ("measure" in panel) panel.measure();
    const { store } = this.host;
    if (store.state.timeRange !== null || !this.ruler) return;
    const range = startOf(store, plotOf(clientWidth));
    if (!range) return;
    // Few ticks have no overview where all of them can be read; on a phone they cannot.
    if (!this.overview) {
      this.overview = new Overview(this.host);
      this.element.prepend(this.overview.element);
    }
    store.moveWindow((axis) => axis.show(...range));
    // What was asked for before there was a width is to be seen, too.
    const { focus } = store;
    if (focus !== NONE) for (const panel of this.panels) panel.reveal(focus);
  }

  changed(change: Change): void {
    this.ruler?.changed(change);
    this.overview?.changed();
    this.joint?.changed(change);
  }

  redraw(): void {
    this.fillLegend();
    this.ruler?.redraw();
    this.overview?.redraw();
    this.joint?.redraw();
  }

  /** Puts the ruler on top of the panel that fills the column, or of the first one. */
  enlarged(panel: Panel | null): void {
    const isOwn = panel !== null && this.panels.includes(panel);
    this.element.classList.toggle("anb-large", isOwn);
    this.element.classList.toggle("anb-one", isOwn);
    const top = isOwn ? panel : this.panels[0];
    if (this.ruler) top?.section.querySelector(".anb-head")?.after(this.ruler.element);
  }

  private fillLegend(): void {
    const { store, theme } = this.host;
    if (this.legend) fillLegend(this.legend, store.model, theme, store.state.hue);
  }

  destroy(): void {
    this.observer.disconnect();
    this.ruler?.destroy();
    this.overview?.destroy();
    this.joint?.destroy();
  }
}
