// The mapping panel: what each element and link of a machine does, cycle by cycle.

import { Axis } from "../core/axis.ts";
import {
  button,
  CanvasPanel,
  element,
  type Hit,
  type Host,
  type Point,
} from "../panel/canvasPanel.ts";
import { gutterOf, plotOf } from "../core/column.ts";
import type { Pose } from "../core/glide.ts";
import { lowerBound, NONE } from "../model/search.ts";
import type { Change } from "../model/store.ts";
import { barAt, type Bars } from "../model/bars.ts";
import { ClockSwitch } from "../timeline/clockSwitch.ts";
import { marksAt, type Marks } from "../timeline/marks.ts";
import type { TimelineModel } from "../model/timeline.ts";
import { barOf, middleOf } from "../timeline/rows.ts";
import { describeRun } from "../timeline/words.ts";
import { hueSwitch } from "./hues.ts";
import { barBox, layRows, type MachineLayout, type MachineRow } from "./layout.ts";
import { MappingPainter, TOP } from "./rowsPainter.ts";

/** Pixels of rows that are shown; more are scrolled to. */
const MOST = 420;
const MOST_BESIDE = 260;

export class MappingPanel extends CanvasPanel {
  readonly layout: MachineLayout;
  readonly bars: Bars;
  scroll = 0;
  private readonly ownAxis: Axis;
  private readonly clocks: ClockSwitch;
  private marked: Marks | null = null;

  constructor(
    host: Host,
    readonly data: TimelineModel,
  ) {
    super(
      host,
      "devices",
      "Mapping",
      "Arrow keys move the selection, comma and period the cycle, plus and minus zoom, zero shows " +
        "everything.",
    );
    if (!data.listed) throw new Error("the steps of the mapping are not listed");
    this.bars = data.listed.bars;
    this.layout = layRows(data);
    this.ownAxis = new Axis(0, this.bars.end, 4);
    this.clocks = new ClockSwitch(this.store);
    if (this.isLinked) {
      const hues = hueSwitch(this.store);
      const label = element("span", { class: "anb-hint" }, "colour by");
      this.tools.append(this.clocks.element, ...(hues ? [label, hues] : []));
    }
    this.tools.append(button("fit", "Show all cycles", () => (this.fit(), this.redraw())));
    const most = this.isLinked ? MOST : MOST_BESIDE;
    this.section.classList.add("anb-fixed");
    this.section.style.setProperty(
      "--anb-stage",
      `${Math.min(most, this.layout.height + this.top)}px`,
    );
  }

  /** Whether the axis is that of the other panels. */
  get isLinked(): boolean {
    return this.store.clock.isMachine;
  }

  get axis(): Axis {
    return this.isLinked ? this.store.window.axis : this.ownAxis;
  }

  get gutter(): number {
    return gutterOf(this.width);
  }

  get plotWidth(): number {
    return plotOf(this.width);
  }

  get top(): number {
    return this.isLinked ? 0 : TOP;
  }

  /** Where a cycle begins, in pixels of the canvas. */
  x(cycle: number): number {
    return this.gutter + this.axis.toPixel(cycle, this.plotWidth);
  }

  /** What runs at the tick or step of another clock; null where there is none. */
  get marks(): Marks | null {
    const { now, clock } = this.store;
    if (now === null || this.isLinked) return null;
    const { marked } = this;
    if (marked?.time === now && marked.unit === clock.unit) return marked;
    return (this.marked = marksAt(this, this.host, now));
  }

  private clampScroll(): boolean {
    const before = this.scroll;
    const most = Math.max(0, this.layout.height + this.top - this.height);
    this.scroll = Math.min(Math.max(0, this.scroll), most);
    return before !== this.scroll;
  }

  override changed(change: Change, origin: unknown): void {
    if (change.clock !== undefined) this.clocks.show();
    const isMoved = change.tick !== undefined || change.step !== undefined;
    const spans = (isMoved && this.marks?.spans) || [];
    const { start, stop } = this.axis;
    if (spans.length && !spans.some(([from, to]) => to > start && from < stop)) {
      this.axis.reveal(...spans[0]);
    }
    super.changed(change, origin);
  }

  private move(by: (axis: Axis) => boolean): boolean {
    return this.isLinked ? this.store.moveWindow(by, this) : by(this.ownAxis);
  }

  protected sized(): void {
    this.clampScroll();
  }

  override get pose(): Pose {
    return [this.ownAxis.start, this.ownAxis.stop, this.scroll];
  }

  override set pose([start, stop, scroll]: Pose) {
    Object.assign(this.ownAxis, { start, stop });
    this.scroll = scroll;
  }

  fit(): void {
    this.scroll = 0;
    this.move((axis) => axis.showAll());
  }

  protected override scrolls(): boolean {
    return this.layout.height + this.top > this.height;
  }

  protected pan(dx: number, dy: number): boolean {
    const across = this.move((axis) => axis.pan(dx, this.plotWidth));
    this.scroll -= dy;
    const before = this.scroll + dy;
    this.clampScroll();
    return across || before !== this.scroll;
  }

  protected zoom(point: Point, factor: number): boolean {
    const x = Math.min(Math.max(0, point.x - this.gutter), this.plotWidth);
    return this.move((axis) => axis.zoom(x, this.plotWidth, factor));
  }

  // --- nodes ----------------------------------------------------------------------------------

  /** The row in which a node is computed or, if it never is, moved. */
  private rowOf(node: number): MachineRow | null {
    if (node === NONE) return null;
    return this.layout.rows.find(({ row }) => barOf(this.bars, node, row) !== NONE) ?? null;
  }

  reveal(node: number): void {
    const found = this.rowOf(node);
    if (!found) return;
    const { y, high, row } = found;
    if (y < this.scroll || y + high > this.scroll + this.height - this.top) {
      this.scroll = y - this.height / 2;
      this.clampScroll();
    }
    const first = barOf(this.bars, node, row);
    if (middleOf(this.bars, this.axis, node, row, this.plotWidth) !== null) return;
    this.move((axis) => axis.reveal(this.bars.early[first], this.bars.stopOf(first)));
  }

  neighbour(node: number, dx: number, dy: number): number {
    const next = node === NONE ? 0 : node + (dx || dy);
    return this.bars.count ? Math.min(Math.max(0, next), this.model.count - 1) : NONE;
  }

  locate(node: number): Point | null {
    const found = this.rowOf(node);
    if (!found) return null;
    const [top, size] = barBox(found);
    const y = this.top + top + size / 2 - this.scroll;
    const x = middleOf(this.bars, this.axis, node, found.row, this.plotWidth);
    if (x === null || y < this.top || y > this.height) return null;
    return { x: this.gutter + x, y };
  }

  protected hit(point: Point): Hit | null {
    const at = point.y - this.top + this.scroll;
    const found = this.layout.rows.find(({ y, high }) => at >= y && at < y + high);
    if (!found || point.y < this.top || point.x < this.gutter) return null;
    const time = this.axis.fromPixel(point.x - this.gutter, this.plotWidth);
    const bar = barAt(this.bars, found.row, time, 3 * (this.axis.span / this.plotWidth));
    if (bar < 0 || !this.bars.node) return null;
    const row = [this.data.name[found.row]];
    return { node: this.bars.node[bar], lines: describeRun(this, bar, row, this.model.name) };
  }

  /** Goes through the bars of a row that are seen, from left to right. */
  eachSeen(row: number, call: (bar: number, left: number, right: number) => void): void {
    const { bars, axis } = this;
    const { start, early, reach } = bars;
    let bar = lowerBound(early, axis.start - reach[row], start[row], start[row + 1]);
    for (; bar < start[row + 1] && early[bar] < axis.stop; bar++) {
      const right = this.x(early[bar] + bars.lengthOf(bar));
      if (right > this.gutter) call(bar, this.x(early[bar]), right);
    }
  }

  protected override nothing(): string {
    return this.bars.count ? "" : "Nothing runs.";
  }

  protected paint(context: CanvasRenderingContext2D): number {
    const { marks } = this;
    const picked = this.store.state.selected;
    const { name, names } = this.model;
    const clock = this.isLinked ? "one clock for elements, links and memories" : "";
    const words = [
      marks?.spans.length ? `marked: ${marks.label}` : clock,
      picked === NONE || marks ? "" : `picked: ${names.short(name[picked], 40)}`,
    ];
    this.tell(words.filter(Boolean).join("; "));
    return new MappingPainter(context, this, this.host).paint();
  }
}
