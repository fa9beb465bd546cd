// The schedule: a row per actor, a bar per firing from its early to its late step.

import { Axis } from "./axis.ts";
import { barAt } from "./hit.ts";
import type { Bars, TimelineModel } from "./model.ts";
import { button, CanvasPanel, type Hit, type Host, type Point } from "./panel.ts";
import { lowerBound } from "./runs.ts";
import { NONE, type Change } from "./store.ts";
import { LANE, SCROLLBAR, TimelinePainter, TOP } from "./timelinePainter.ts";

const ROW = 24;
const LEAST_ROW = 17;
const SMALLEST_ROW = 1;
const LARGEST_ROW = 40;

export class TimelinePanel extends CanvasPanel {
  readonly data: TimelineModel;
  private flatAxis: Axis;
  private readonly foldedAxis: Axis;
  rows: number[] = [];
  rowHeight = ROW;
  scroll = 0;
  private fresh = true;
  private readonly producersButton: HTMLButtonElement;
  private readonly foldedButton: HTMLButtonElement;

  constructor(host: Host, data: TimelineModel) {
    super(
      host,
      "timeline",
      "Schedule",
      "Arrow keys move the selection, plus and minus zoom, zero shows everything.",
    );
    this.data = data;
    this.flatAxis = this.wholeAxis();
    this.foldedAxis = new Axis(data.folded.begin, data.folded.end, 4);
    const { store } = this;
    this.foldedButton = button(
      "factorized",
      "Show repeated sections once, with their count",
      () => store.set({ folded: !store.state.folded }),
      false,
    );
    this.producersButton = button(
      "producers",
      "Show when weights are produced",
      () => store.set({ producers: !store.state.producers }),
      false,
    );
    this.tools.append(this.foldedButton, this.producersButton);
    this.tools.append(button("fit", "Show the whole schedule", () => (this.fit(), this.redraw())));
    if (!data.producer.some(Boolean)) this.producersButton.hidden = true;
    if (data.folds.length === 0) this.foldedButton.hidden = true;
    this.updateRows();
  }

  get bars(): Bars {
    return this.store.state.folded ? this.data.folded : this.data.flat;
  }

  get axis(): Axis {
    return this.store.state.folded ? this.foldedAxis : this.flatAxis;
  }

  get gutter(): number {
    return Math.round(Math.min(200, Math.max(84, this.width * 0.24)));
  }

  get top(): number {
    return TOP + (this.store.state.folded ? this.data.lanes * LANE : 0);
  }

  get plotWidth(): number {
    return Math.max(1, this.width - this.gutter - SCROLLBAR - 4);
  }

  get plotHeight(): number {
    return Math.max(1, this.height - this.top);
  }

  /** All steps; those that fire weights alone only when weights are shown. */
  private wholeAxis(): Axis {
    const { begin, end } = this.data.flat;
    return new Axis(this.store.state.producers ? Math.min(0, begin) : begin, end, 4);
  }

  private updateRows(): void {
    const { producers, folded } = this.store.state;
    this.rows = [];
    for (let row = 0; row < this.data.name.length; row++) {
      if (producers || !this.data.producer[row]) this.rows.push(row);
    }
    this.producersButton.setAttribute("aria-pressed", String(producers));
    this.foldedButton.setAttribute("aria-pressed", String(folded));
    this.clampScroll();
  }

  private clampScroll(): boolean {
    const most = Math.max(0, this.rows.length * this.rowHeight - this.plotHeight + 4);
    const before = this.scroll;
    this.scroll = Math.min(Math.max(0, this.scroll), most);
    return before !== this.scroll;
  }

  override changed(change: Change, origin: unknown): void {
    if (change.producers !== undefined) {
      const { isWhole, start, stop } = this.flatAxis;
      this.flatAxis = this.wholeAxis();
      if (!isWhole) this.flatAxis.show(start, stop);
    }
    if (change.producers !== undefined || change.folded !== undefined) this.updateRows();
    if (change.timeRange !== undefined && origin !== this) {
      const range = change.timeRange;
      if (range) this.flatAxis.show(range[0], range[1]);
      else this.flatAxis.showAll();
      this.followRows();
    }
    super.changed(change, origin);
  }

  /** Scrolls to the first row that has a bar in the shown steps, unless a visible row has one. */
  private followRows(): void {
    const first = Math.floor(this.scroll / this.rowHeight);
    const last = Math.ceil((this.scroll + this.plotHeight) / this.rowHeight);
    const isBusy = (row: number) => this.firstBar(row) >= 0;
    if (this.rows.slice(first, last).some(isBusy)) return;
    const place = this.rows.findIndex(isBusy);
    if (place < 0) return;
    this.scroll = (place - 1) * this.rowHeight;
    this.clampScroll();
  }

  /** The first bar of a row that is seen; negative when there is none. */
  private firstBar(row: number): number {
    const { start, early, slack, maxSlack } = this.bars;
    const from = this.axis.start - maxSlack[row] - 1;
    let bar = lowerBound(early, from, start[row], start[row + 1]);
    for (; bar < start[row + 1] && early[bar] < this.axis.stop; bar++) {
      if (early[bar] + slack[bar] + 1 > this.axis.start) return bar;
    }
    return NONE;
  }

  private publishRange(moved: boolean): boolean {
    if (moved && !this.store.state.folded) {
      const { start, stop, isWhole } = this.flatAxis;
      this.store.set({ timeRange: isWhole ? null : [start, stop] }, this);
    }
    return moved;
  }

  protected sized(): void {
    if (this.fresh) this.rowHeight = this.readableRow();
    this.clampScroll();
  }

  private readableRow(): number {
    return Math.min(ROW, Math.max(LEAST_ROW, this.plotHeight / Math.max(1, this.rows.length)));
  }

  /** Shows all steps and all rows; once more makes the rows readable again. */
  fit(): void {
    const all = (this.plotHeight - 4) / Math.max(1, this.rows.length);
    const least = Math.min(this.readableRow(), Math.max(SMALLEST_ROW, all));
    const isFitted = this.axis.isWhole && Math.abs(this.rowHeight - least) < 0.01;
    this.rowHeight = isFitted ? this.readableRow() : least;
    this.fresh = isFitted;
    this.scroll = 0;
    this.publishRange(this.axis.showAll());
  }

  protected override scrolls(): boolean {
    return true;
  }

  protected pan(dx: number, dy: number): boolean {
    const across = this.publishRange(this.axis.pan(dx, this.plotWidth));
    const before = this.scroll;
    this.scroll -= dy;
    this.clampScroll();
    return across || before !== this.scroll;
  }

  protected zoom(point: Point, factor: number, across: boolean): boolean {
    if (across) {
      const x = Math.min(Math.max(0, point.x - this.gutter), this.plotWidth);
      const moved = this.publishRange(this.axis.zoom(x, this.plotWidth, factor));
      if (moved) this.followRows();
      return moved;
    }
    const before = this.rowHeight;
    this.fresh = false;
    const under = (point.y - this.top + this.scroll) / before;
    this.rowHeight = Math.min(LARGEST_ROW, Math.max(SMALLEST_ROW, before / factor));
    this.scroll = under * this.rowHeight - (point.y - this.top);
    this.clampScroll();
    return before !== this.rowHeight;
  }

  private placeOf(node: number): number {
    const own = this.rows.findIndex(
      (row) => this.data.node[row] === node && !this.data.producer[row],
    );
    return own >= 0 ? own : this.rows.findIndex((row) => this.data.node[row] === node);
  }

  reveal(node: number): void {
    const place = this.placeOf(node);
    if (place < 0) return;
    const y = place * this.rowHeight;
    if (y < this.scroll || y + this.rowHeight > this.scroll + this.plotHeight) {
      this.scroll = y - this.plotHeight / 2;
      this.clampScroll();
    }
    const { start, early, slack } = this.bars;
    const row = this.rows[place];
    const first = start[row];
    if (this.firstBar(row) < 0 && first < start[row + 1]) {
      this.publishRange(this.axis.reveal(early[first], early[first] + slack[first] + 1));
    }
  }

  neighbour(node: number, dx: number, dy: number): number {
    if (this.rows.length === 0) return NONE;
    const place = this.placeOf(node);
    const next = place < 0 ? 0 : place + (dx || dy);
    return this.data.node[this.rows[Math.min(Math.max(0, next), this.rows.length - 1)]];
  }

  locate(node: number): Point | null {
    const place = this.placeOf(node);
    if (place < 0) return null;
    const y = this.top + (place + 0.5) * this.rowHeight - this.scroll;
    const { start, early } = this.bars;
    const row = this.rows[place];
    if (y < this.top || y > this.height || start[row] === start[row + 1]) return null;
    for (let bar = start[row]; bar < start[row + 1]; bar++) {
      const x = this.axis.toPixel(early[bar] + 0.5, this.plotWidth);
      if (x >= 0 && x <= this.plotWidth) return { x: this.gutter + x, y };
    }
    return null;
  }

  protected hit(point: Point): Hit | null {
    const place = Math.floor((point.y - this.top + this.scroll) / this.rowHeight);
    if (point.y < this.top || place < 0 || place >= this.rows.length) return null;
    const row = this.rows[place];
    const lines = [this.data.name[row], this.data.type[row]];
    if (point.x < this.gutter) return { node: this.data.node[row], lines };
    const reach = 3 * (this.axis.span / this.plotWidth);
    const at = this.axis.fromPixel(point.x - this.gutter, this.plotWidth);
    const bar = barAt(this.bars, row, at, reach);
    if (bar < 0) return null;
    const { start, early, slack } = this.bars;
    const spare = slack[bar];
    const executions = start[row + 1] - start[row];
    if (executions > 1) lines.push(`execution ${bar - start[row] + 1} of ${executions}`);
    lines.push(
      spare === 0
        ? `step ${early[bar]}, no slack: on the critical path`
        : `steps ${early[bar]} to ${early[bar] + spare}, slack ${spare}`,
    );
    return { node: this.data.node[row], lines };
  }

  protected paint(context: CanvasRenderingContext2D): number {
    const isFolded = this.store.state.folded;
    const more = isFolded ? " · repeated sections shown once" : "";
    this.hint.textContent = `■ no slack  ▬ from early to late${more}`;
    return new TimelinePainter(context, this, this.host).paint();
  }
}
