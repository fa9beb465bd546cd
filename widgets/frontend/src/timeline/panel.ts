// The schedule panel: a row per actor, a bar per firing from its early to its late step.

import { rows as sizes, stage } from "../../../shared/panels.json";
import { Axis, clamp } from "../core/axis.ts";
import { gutterOf, plotOf } from "../core/column.ts";
import { button, CanvasPanel, type Hit, type Host, type Point } from "../panel/canvasPanel.ts";
import type { Pose } from "../core/glide.ts";
import { Raster } from "../core/raster.ts";
import { NONE } from "../model/search.ts";
import type { Change } from "../model/store.ts";
import { barAt, type Bars } from "../model/bars.ts";
import type { Listed } from "../model/listing.ts";
import { marksAt, type Marks } from "./marks.ts";
import type { TimelineModel } from "../model/timeline.ts";
import { SCROLLBAR, TimelinePainter, TOP, type TimelineView } from "./painter.ts";
import { barOf, firstBar, middleOf, placeOf } from "./rows.ts";
import { describeBar, describeRun, legend } from "./words.ts";

const { row: ROW, least: LEAST_ROW, gutter: GUTTER } = sizes;
const SMALLEST_ROW = 1;
const LARGEST_ROW = 40;

export interface TimelineOptions {
  name: string;
  title: string;
}

const SCHEDULE: TimelineOptions = { name: "timeline", title: "Schedule" };

export class TimelinePanel extends CanvasPanel {
  rows: number[] = [];
  rowHeight = ROW;
  scroll = 0;
  private readonly listed: Listed;
  private ownAxis: Axis;
  readonly raster = new Raster();
  private fresh = true;
  /** The height of a row, where it is not chosen by what there is room for. */
  protected fixedRow: number | null = null;
  /** What was marked last. */
  private marked: Marks | null = null;
  private readonly producersButton: HTMLButtonElement;
  private readonly milestonesButton: HTMLButtonElement;

  constructor(
    host: Host,
    /** What it was made of: a row per actor. */
    protected readonly own: TimelineModel,
    options: TimelineOptions = SCHEDULE,
  ) {
    super(
      host,
      options.name,
      options.title,
      "Arrow keys move the selection, comma and period the step, plus and minus zoom, " +
        "zero shows everything.",
    );
    const { store } = this;
    if (!own.listed) throw new Error("the firings of the schedule are not listed");
    this.listed = own.listed;
    this.ownAxis = this.wholeAxis();
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
    this.tools.append(this.milestonesButton, this.producersButton);
    this.tools.append(button("fit", "Show the whole schedule", () => (this.fit(), this.redraw())));
    this.updateRows();
  }

  /** What is drawn: a row per actor, or lanes. */
  get data(): TimelineModel {
    return this.own;
  }

  /** Whether the axis is that of the other panels. */
  get isLinked(): boolean {
    const { unit, hasBars, isMachine } = this.store.clock;
    if (!hasBars) return false;
    return this.own === this.model.timeline ? !isMachine : this.own.unit === unit;
  }

  /** The bars that are drawn: those of the clock, or its own. */
  get bars(): Bars {
    return (this.isLinked && this.store.clock.bars) || this.listed.bars;
  }

  get axis(): Axis {
    return this.isLinked ? this.store.window.axis : this.ownAxis;
  }

  get gutter(): number {
    if (this.isLinked) return gutterOf(this.width);
    return Math.round(clamp(this.width * GUTTER.share, GUTTER.least, GUTTER.most));
  }

  get top(): number {
    return this.isLinked ? 0 : TOP;
  }

  get plotWidth(): number {
    if (this.isLinked) return plotOf(this.width);
    return Math.max(1, this.width - this.gutter - SCROLLBAR - 4);
  }

  /** Pixels below the rows. */
  protected get foot(): number {
    return 0;
  }

  get plotHeight(): number {
    return Math.max(1, this.height - this.top - this.foot);
  }

  /** What runs at the step, where the axis counts something else; null where it does not. */
  get marks(): Marks | null {
    const { now, clock } = this.store;
    if (now === null || this.isLinked) return null;
    const { marked } = this;
    if (marked?.time === now && marked.unit === clock.unit) return marked;
    return (this.marked = marksAt(this, this.host, now));
  }

  /** All steps; those that fire weights alone only when weights are shown. */
  private wholeAxis(): Axis {
    const { begin, end } = this.listed;
    return new Axis(this.store.state.producers ? Math.min(0, begin) : begin, end, 4);
  }

  /** Whether weights have rows: they fire at steps, and at no tick. */
  private get hasProducers(): boolean {
    return this.store.state.producers && !(this.isLinked && this.store.clock.unit === "tick");
  }

  protected updateRows(): void {
    const { producers } = this.store.state;
    this.rows = [];
    for (let row = 0; row < this.data.name.length; row++) {
      if (this.hasProducers || !this.data.producer[row]) this.rows.push(row);
    }
    const { unit } = this.store.clock;
    this.producersButton.setAttribute("aria-pressed", String(producers));
    this.producersButton.hidden = unit === "tick" || !this.own.producer.some(Boolean);
    this.milestonesButton.hidden = unit === "tick" || this.bars.length !== null;
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
      const { isWhole, start, stop } = this.ownAxis;
      this.ownAxis = this.wholeAxis();
      if (!isWhole) this.ownAxis.show(start, stop);
    }
    if (change.producers !== undefined || change.clock !== undefined) this.updateRows();
    if (change.milestones !== undefined) {
      this.milestonesButton.setAttribute("aria-pressed", String(change.milestones));
    }
    if (change.timeRange !== undefined && origin !== this && this.isLinked) this.followRows();
    const isMoved = change.tick !== undefined || change.step !== undefined;
    const { now } = this.store;
    if (isMoved && this.isLinked && now !== null && origin !== this) {
      this.followRows((row) => barAt(this.bars, row, now + 0.5, 0) >= 0);
    }
    if (isMoved && this.marks) this.followMarks(this.marks);
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

  /** Moves the axis; returns whether that changed what is shown. */
  private move(by: (axis: Axis) => boolean): boolean {
    return this.isLinked ? this.store.moveWindow(by, this) : by(this.ownAxis);
  }

  protected sized(): void {
    if (this.fixedRow !== null) this.rowHeight = this.fixedRow;
    else if (this.fresh) this.rowHeight = this.readableRow();
    this.clampScroll();
  }

  private readableRow(): number {
    // Beside the stages of the scheduler all rows are seen at once, as long as names have room.
    const least = this.model.meta.algorithm.length ? stage.row : LEAST_ROW;
    return Math.min(ROW, Math.max(least, this.plotHeight / Math.max(1, this.rows.length)));
  }

  override get pose(): Pose {
    return [this.ownAxis.start, this.ownAxis.stop, this.scroll];
  }

  override set pose([start, stop, scroll]: Pose) {
    Object.assign(this.ownAxis, { start, stop });
    this.scroll = scroll;
  }

  /** Shows all steps and all rows; once more makes the rows readable again. */
  fit(): void {
    const all = (this.plotHeight - 4) / Math.max(1, this.rows.length);
    const least = Math.min(this.readableRow(), Math.max(SMALLEST_ROW, all));
    const isFitted = this.axis.isWhole && Math.abs(this.rowHeight - least) < 0.01;
    this.rowHeight = this.fixedRow ?? (isFitted ? this.readableRow() : least);
    this.fresh = isFitted;
    this.scroll = 0;
    this.move((axis) => axis.showAll());
  }

  protected override scrolls(): boolean {
    return true;
  }

  protected pan(dx: number, dy: number): boolean {
    const across = this.move((axis) => axis.pan(dx, this.plotWidth));
    const before = this.scroll;
    this.scroll -= dy;
    this.clampScroll();
    return across || before !== this.scroll;
  }

  protected zoom(point: Point, factor: number, across: boolean): boolean {
    if (across) {
      const x = Math.min(Math.max(0, point.x - this.gutter), this.plotWidth);
      const moved = this.move((axis) => axis.zoom(x, this.plotWidth, factor));
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
      const stop = this.bars.stopOf(first);
      this.move((axis) => axis.reveal(this.bars.early[first], stop));
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
    return { node, lines: this.describe(node, row, bar) };
  }

  protected describe(_node: number, row: number, bar: number): string[] {
    const lines = [this.data.name[row], this.data.type[row]];
    return [...lines, ...describeBar(this, row, bar)];
  }

  protected override nothing(): string {
    return this.bars.count ? "" : "Nothing runs.";
  }

  /** The line beside the title. */
  protected summary(): string {
    return legend(this.data, this.bars, this.store.state.milestones, this.marks);
  }

  /** What is painted; all of it is looked up once. */
  private get seen(): TimelineView {
    const { data, bars, isLinked, marks, raster, axis, rows, rowHeight, scroll } = this;
    const { gutter, top, plotWidth, plotHeight, width, height } = this;
    const across = { axis, gutter, plotWidth, width };
    const down = { rows, rowHeight, scroll, top, plotHeight, height };
    return { data, bars, isLinked, marks, raster, ...across, ...down };
  }

  protected paint(context: CanvasRenderingContext2D): number {
    this.tell(this.summary());
    return new TimelinePainter(context, this.seen, this.host).paint();
  }
}
