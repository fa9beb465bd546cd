// The schedule panel: a row per actor, a bar per firing from its early to its late step.

import { rows as sizes } from "../../../shared/panels.json";
import { Axis, clamp } from "../core/axis.ts";
import { button, CanvasPanel, type Hit, type Host, type Point } from "../core/canvasPanel.ts";
import type { Pose } from "../core/glide.ts";
import { Raster } from "../core/raster.ts";
import { NONE } from "../core/search.ts";
import type { Change } from "../core/store.ts";
import { barAt, type Bars } from "./bars.ts";
import { marksAt, type Marks } from "./marks.ts";
import type { TimelineModel } from "./model.ts";
import { innermost, Unfolding, type Fold, type Unfolded } from "./nest.ts";
import { LANE, SCROLLBAR, TimelinePainter, TOP } from "./painter.ts";
import { barOf, firstBar, middleOf, placeOf } from "./rows.ts";
import { describeBar, describeFold, describeRun, legend } from "./words.ts";

const { row: ROW, least: LEAST_ROW, gutter: GUTTER } = sizes;
const SMALLEST_ROW = 1;
const LARGEST_ROW = 40;

export interface TimelineOptions {
  name: string;
  title: string;
  /** Whether repeated sections are shown once at first. */
  isFolded?: boolean;
}

const SCHEDULE: TimelineOptions = { name: "timeline", title: "Schedule" };

export class TimelinePanel extends CanvasPanel {
  rows: number[] = [];
  rowHeight = ROW;
  scroll = 0;
  isFolded: boolean;
  bars!: Bars;
  axis!: Axis;
  unfolded: Unfolded | null = null;
  readonly raster = new Raster();
  private readonly open = new Set<string>();
  private fresh = true;
  /** What was marked last. */
  private marked: Marks | null = null;
  private readonly producersButton: HTMLButtonElement;
  private readonly milestonesButton: HTMLButtonElement;
  private readonly foldedButton: HTMLButtonElement;

  constructor(
    host: Host,
    readonly data: TimelineModel,
    options: TimelineOptions = SCHEDULE,
  ) {
    super(
      host,
      options.name,
      options.title,
      "Arrow keys move the selection, comma and period the step, Enter opens what is repeated, " +
        "plus and minus zoom, zero shows everything.",
    );
    const { store } = this;
    this.isFolded = data.nest !== null && ((options.isFolded ?? false) || data.flat === null);
    this.foldedButton = button(
      "factorized",
      "Show repeated sections once, with their count",
      () => this.setFolded(!this.isFolded),
      false,
    );
    this.producersButton = button(
      "producers",
      "Show when weights are produced",
      () => store.set({ producers: !store.state.producers }),
      false,
    );
    this.milestonesButton = button(
      "milestones",
      "Mark what cannot be put off",
      () => store.set({ milestones: !store.state.milestones }),
      false,
    );
    this.tools.append(this.foldedButton, this.milestonesButton, this.producersButton);
    this.tools.append(button("fit", "Show the whole schedule", () => (this.fit(), this.redraw())));
    if (!data.producer.some(Boolean)) this.producersButton.hidden = true;
    if (!data.nest || !data.flat) this.foldedButton.hidden = true;
    this.takeBars();
    this.milestonesButton.hidden = this.bars.length !== null;
    this.updateRows();
  }

  /** Whether the axis is that of the other panels. */
  get isLinked(): boolean {
    return !this.isFolded && this.data.unit === this.store.clock.unit;
  }

  get gutter(): number {
    return Math.round(clamp(this.width * GUTTER.share, GUTTER.least, GUTTER.most));
  }

  get top(): number {
    return TOP + (this.unfolded?.lanes ?? 0) * LANE;
  }

  get plotWidth(): number {
    return Math.max(1, this.width - this.gutter - SCROLLBAR - 4);
  }

  get plotHeight(): number {
    return Math.max(1, this.height - this.top);
  }

  /** What runs at the step, where the axis counts something else; null where it does not. */
  get marks(): Marks | null {
    const { step } = this.store.state;
    if (step === null || this.isLinked || this.isFolded) return null;
    if (this.marked?.step !== step) this.marked = marksAt(this, this.host, step);
    return this.marked;
  }

  private setFolded(isFolded: boolean): void {
    this.isFolded = isFolded;
    this.takeBars();
    this.updateRows();
    this.redraw();
  }

  /** Chooses what is drawn: all bars, or the nest with its loops closed but for those opened. */
  private takeBars(): void {
    const { nest, flat, name, producer } = this.data;
    this.unfolded =
      nest && this.isFolded ? new Unfolding(nest, this.open, producer).result(name.length) : null;
    const bars = this.unfolded?.bars ?? flat;
    if (!bars) throw new Error("the schedule has neither bars nor loops");
    this.bars = bars;
    this.axis = this.wholeAxis();
  }

  /** All steps; those that fire weights alone only when weights are shown. */
  private wholeAxis(): Axis {
    const { begin, end } = this.bars;
    return new Axis(this.store.state.producers ? Math.min(0, begin) : begin, end, 4);
  }

  private updateRows(): void {
    const { producers } = this.store.state;
    this.rows = [];
    for (let row = 0; row < this.data.name.length; row++) {
      if (producers || !this.data.producer[row]) this.rows.push(row);
    }
    this.producersButton.setAttribute("aria-pressed", String(producers));
    this.foldedButton.setAttribute("aria-pressed", String(this.isFolded));
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
      const { isWhole, start, stop } = this.axis;
      this.axis = this.wholeAxis();
      if (!isWhole) this.axis.show(start, stop);
      this.updateRows();
    }
    if (change.milestones !== undefined) {
      this.milestonesButton.setAttribute("aria-pressed", String(change.milestones));
    }
    if (change.timeRange !== undefined && origin !== this && this.isLinked) {
      const range = change.timeRange;
      if (range) this.axis.show(range[0], range[1]);
      else this.axis.showAll();
      this.followRows();
    }
    const { step } = change;
    if (step !== undefined && step !== null && this.isLinked) {
      if (this.axis.reveal(step, step + 1)) this.publishRange(true);
      if (origin !== this) this.followRows((row) => barAt(this.bars, row, step + 0.5, 0) >= 0);
    }
    if (change.step !== undefined && this.marks) this.followMarks(this.marks);
    super.changed(change, origin);
  }

  /** Scrolls to the first row of some, unless one of them is visible; by default those of bars. */
  private followRows(some = (row: number) => this.isSeen(row)): void {
    if (!this.visibleRows().some(some)) this.scrollTo(this.rows.findIndex(some));
  }

  /** Shows what runs at the step, unless some of it can be seen. */
  private followMarks({ bars, spans }: Marks): void {
    const { start, stop } = this.axis;
    if (spans.length === 0) return;
    if (!spans.some(([from, to]) => to > start && from < stop)) this.axis.reveal(...spans[0]);
    this.followRows((row) => bars.has(row));
  }

  private visibleRows(): number[] {
    const first = Math.floor(this.scroll / this.rowHeight);
    return this.rows.slice(
      Math.max(0, first),
      Math.ceil((this.scroll + this.plotHeight) / this.rowHeight),
    );
  }

  private scrollTo(place: number): void {
    if (place < 0) return;
    this.scroll = (place - 1) * this.rowHeight;
    this.clampScroll();
  }

  private publishRange(moved: boolean): boolean {
    if (moved && this.isLinked) {
      const { start, stop, isWhole } = this.axis;
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

  protected override get pose(): Pose {
    return [this.axis.start, this.axis.stop, this.scroll];
  }

  protected override set pose([start, stop, scroll]: Pose) {
    Object.assign(this.axis, { start, stop });
    this.scroll = scroll;
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

  // --- repeated sections, and the step --------------------------------------------------------

  private foldAt(point: Point): Fold | null {
    if (!this.unfolded || point.y < TOP || point.y >= this.top || point.x < this.gutter)
      return null;
    const lane = Math.floor((point.y - TOP) / LANE);
    const at = this.axis.fromPixel(point.x - this.gutter, this.plotWidth);
    const reach = (8 * this.axis.span) / this.plotWidth;
    const { folds } = this.unfolded;
    return innermost(
      folds.filter((fold) => fold.lane === lane),
      at,
      reach,
    );
  }

  /** Opens a loop, or closes it; what is shown of the axis stays, unless it was all. */
  private toggle(fold: Fold): void {
    if (this.open.has(fold.id)) this.open.delete(fold.id);
    else this.open.add(fold.id);
    this.takeBars();
    this.clampScroll();
    this.redraw();
  }

  protected override act(point: Point): boolean {
    const fold = this.foldAt(point);
    if (fold) this.toggle(fold);
    else if (this.scrubs(point)) this.scrub(point);
    else return false;
    return true;
  }

  protected override scrubs(point: Point): boolean {
    return point.y < TOP && point.x >= this.gutter && this.isLinked;
  }

  protected override scrub(point: Point): void {
    const at = this.axis.fromPixel(point.x - this.gutter, this.plotWidth);
    this.store.goTo(Math.floor(at), this);
  }

  /** Opens or closes the innermost section around the selected node, or else the first one. */
  override enter(): boolean {
    if (!this.unfolded) return false;
    const { start, early } = this.bars;
    const row = this.rows[this.placeOf(this.store.state.selected)];
    const at = row === undefined ? NaN : early[start[row]];
    const found = innermost(this.unfolded.folds, at) ?? this.unfolded.folds[0];
    if (found) this.toggle(found);
    return found !== undefined;
  }

  // --- nodes ----------------------------------------------------------------------------------

  private placeOf(node: number): number {
    return placeOf(this.data, this.bars, this.rows, node);
  }

  private isSeen(row: number): boolean {
    return firstBar(this.bars, this.axis, row) >= 0;
  }

  reveal(node: number): void {
    const place = this.placeOf(node);
    if (place < 0) return;
    const y = place * this.rowHeight;
    if (y < this.scroll || y + this.rowHeight > this.scroll + this.plotHeight) {
      this.scroll = y - this.plotHeight / 2;
      this.clampScroll();
    }
    const row = this.rows[place];
    const first = barOf(this.bars, node, row);
    if (first >= 0 && middleOf(this.bars, this.axis, node, row, this.plotWidth) === null) {
      this.publishRange(this.axis.reveal(this.bars.early[first], this.bars.stopOf(first)));
    }
  }

  neighbour(node: number, dx: number, dy: number): number {
    if (this.rows.length === 0) return NONE;
    const among = (place: number, count: number) => Math.min(Math.max(0, place), count - 1);
    const step = dx || dy;
    // Where a row has bars of several nodes, it is the next node.
    if (this.bars.node) return among(node === NONE ? 0 : node + step, this.model.count);
    const place = this.placeOf(node);
    return this.data.node[this.rows[among(place < 0 ? 0 : place + step, this.rows.length)]];
  }

  locate(node: number): Point | null {
    const place = this.placeOf(node);
    if (place < 0) return null;
    const y = this.top + (place + 0.5) * this.rowHeight - this.scroll;
    if (y < this.top || y > this.height) return null;
    const x = middleOf(this.bars, this.axis, node, this.rows[place], this.plotWidth);
    return x === null ? null : { x: this.gutter + x, y };
  }

  protected hit(point: Point): Hit | null {
    const fold = this.foldAt(point);
    if (fold) return { node: NONE, lines: describeFold(fold) };
    const place = Math.floor((point.y - this.top + this.scroll) / this.rowHeight);
    if (point.y < this.top || place < 0 || place >= this.rows.length) return null;
    const row = this.rows[place];
    const lines = [this.data.name[row], this.data.type[row]];
    if (point.x < this.gutter) return { node: this.data.node[row], lines };
    const reach = 3 * (this.axis.span / this.plotWidth);
    const at = this.axis.fromPixel(point.x - this.gutter, this.plotWidth);
    const bar = barAt(this.bars, row, at, reach);
    if (bar < 0) return null;
    const node = this.bars.node ? this.bars.node[bar] : this.data.node[row];
    if (this.bars.length) return { node, lines: describeRun(this, bar, lines, this.model.name) };
    return { node, lines: [...lines, ...describeBar(this, row, bar)] };
  }

  protected override nothing(): string {
    return this.bars.count ? "" : "Nothing runs.";
  }

  protected paint(context: CanvasRenderingContext2D): number {
    const has = { folds: this.unfolded !== null, milestones: this.store.state.milestones };
    this.tell(legend(this.data, this.bars, has, this.marks));
    return new TimelinePainter(context, this, this.host).paint();
  }
}
