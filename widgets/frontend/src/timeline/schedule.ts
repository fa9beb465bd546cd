// The schedule on the clock of the time column: in lanes or in rows, with the blocks on top.

import { column, stage } from "../../../shared/panels.json";
import { button, element, type Host, type Point } from "../panel/canvasPanel.ts";
import { NONE } from "../model/search.ts";
import type { Change } from "../model/store.ts";
import { rangeText } from "../core/range.ts";
import { grouped } from "../core/text.ts";
import { blockRuns, paintBlocks } from "./blockRow.ts";
import { ClockSwitch } from "./clockSwitch.ts";
import type { Bars } from "../model/bars.ts";
import { roomOf, stepLanes, tickLane } from "./lanes.ts";
import type { TimelineModel } from "../model/timeline.ts";
import { TimelinePanel } from "./panel.ts";

/** Pixels of a lane at steps, and of the bracket below the lane of ticks. */
const [STEP_LANE, ROOM] = [24, 13];

/** Most lanes that the panel grows with; more of them are scrolled. */
const MOST_LANES = 10;

export class SchedulePanel extends TimelinePanel {
  private lanes: Map<string, TimelineModel>;
  /** The bars that have run so far, where a stage of the algorithm says how far that is. */
  private grown: { whole: Bars; reached: number; bars: Bars } | null = null;
  private readonly clocks: ClockSwitch;
  private readonly layout: [lanes: HTMLButtonElement, rows: HTMLButtonElement];

  constructor(host: Host, data: TimelineModel) {
    super(host, data);
    const { store } = host;
    this.lanes = new Map();
    this.clocks = new ClockSwitch(store);
    const choose = (layout: "lanes" | "rows") => () => store.set({ layout });
    this.layout = [
      button("lanes", "Show operators in as few rows as possible", choose("lanes"), false),
      button("rows", "Show each operator in a row of its own", choose("rows"), false),
    ];
    const group = { class: "anb-switch", role: "group", "aria-label": "Layout" };
    this.tools.prepend(this.clocks.element, element("div", group, ...this.layout));
    this.rearrange();
  }

  /** Whether operators share rows. */
  get isLanes(): boolean {
    if (!this.lanes || !this.isLinked || !this.own.listing) return false;
    const { layout, producers } = this.store.state;
    const isGrowing = this.model.meta.algorithm.length > 0;
    if ((producers || isGrowing) && this.store.clock.unit === "step") return false;
    const many = isGrowing ? stage.rows : column.many;
    return layout === null ? this.own.name.length > many : layout === "lanes";
  }

  override get data(): TimelineModel {
    const { listing } = this.own;
    if (!this.isLanes || !listing) return this.own;
    const { unit, order } = this.store.clock;
    let found = this.lanes.get(unit);
    if (!found) {
      found = unit === "tick" ? tickLane(order) : stepLanes(this.store, listing);
      this.lanes.set(unit, found);
    }
    return found;
  }

  override get bars() {
    const whole = (this.isLanes && this.data.listed?.bars) || super.bars;
    const { reached } = this.store.state;
    if (reached === null || !this.isLinked) return whole;
    if (this.grown?.whole !== whole || this.grown.reached !== reached)
      this.grown = { whole, reached, bars: this.upTo(whole, reached) };
    return this.grown.bars;
  }

  /** The bars that have run when so many ticks are over. */
  private upTo(whole: Bars, reached: number): Bars {
    const { order, unit } = this.store.clock;
    if (this.isLanes) return whole.only((bar) => bar < reached);
    if (unit === "tick") return whole.only((bar) => whole.early[bar] < reached);
    const ran = new Set(order.bar.subarray(0, reached));
    const { producer } = this.own;
    return whole.only((bar) => ran.has(bar) || producer[whole.rowOf(bar)] === 1);
  }

  override get top(): number {
    return this.hasBlocks ? column.block + 2 : super.top;
  }

  protected override get foot(): number {
    return this.isLanes && this.store.clock.unit === "tick" ? ROOM : 0;
  }

  private get hasBlocks(): boolean {
    return this.isLinked && this.store.clock.isAligned && this.model.parts.count > 0;
  }

  override changed(change: Change, origin: unknown): void {
    if (["layout", "clock", "producers"].some((key) => key in change)) this.rearrange();
    super.changed(change, origin);
  }

  /** Takes the layout of the state: its rows, and the height that they need. */
  private rearrange(): void {
    const { isLanes } = this;
    this.clocks.show();
    this.layout[0].setAttribute("aria-pressed", String(isLanes));
    this.layout[1].setAttribute("aria-pressed", String(!isLanes));
    this.updateRows();
    const lanes = this.data.name.length;
    const isTick = this.store.clock.unit === "tick";
    this.fixedRow = isLanes ? (isTick ? column.lane : STEP_LANE) : null;
    const high = this.top + Math.min(MOST_LANES, lanes) * (this.fixedRow ?? 0) + this.foot;
    const { style } = this.section;
    style.setProperty("--anb-stage", isLanes ? `${high}px` : "");
    this.section.classList.toggle("anb-fixed", isLanes);
    this.sized();
    this.redraw();
  }

  protected override zoom(point: Point, factor: number, across: boolean): boolean {
    return (across || !this.isLanes) && super.zoom(point, factor, across);
  }

  protected override paint(context: CanvasRenderingContext2D): number {
    const drawn = super.paint(context);
    if (this.hasBlocks) this.paintBlockRow(context);
    if (this.foot) this.paintRoom(context);
    return drawn;
  }

  protected override describe(node: number, row: number, bar: number): string[] {
    const { clock } = this.store;
    const flat = this.own.listed?.bars;
    if (!this.isLinked || !flat) return super.describe(node, row, bar);
    const isTick = clock.unit === "tick";
    const { name, type } = this.model;
    const own = this.isLanes && isTick ? clock.order.bar[bar] : bar;
    const bars = isTick ? flat : this.bars;
    if (own === undefined || node === NONE) return super.describe(node, row, bar);
    const [step, slack] = [bars.early[own], bars.slack[own]];
    const ticks = isTick
      ? [`runs at tick ${grouped(this.bars.early[bar])}, step ${grouped(step)}`]
      : [];
    const when = slack
      ? `can run at ${rangeText("step", step, step + slack + 1)}, slack ${slack}`
      : `${isTick ? "" : `step ${grouped(step)}, `}no slack: any delay delays the end`;
    return [name[node], type[node], ...ticks, when];
  }

  protected override summary(): string {
    const { order, unit, begin, end } = this.store.clock;
    const { listing } = this.own;
    if (!this.isLinked || !listing || this.store.state.milestones) return super.summary();
    const { critical } = listing;
    const count = listing.node.length;
    const { reached } = this.store.state;
    if (reached !== null) return `${grouped(reached)} of ${grouped(count)} firings so far`;
    const free =
      critical === count
        ? `all ${grouped(count)} firings are`
        : `${grouped(critical)} of ${grouped(count)} firings are`;
    if (unit === "tick") return `in the order that runs; ${free} without slack`;
    const hidden = begin > 0 ? `; step 0 belongs to producers, hidden` : "";
    const apart =
      this.store.clock.isAligned || !order.ticks ? "" : "; ticks have a ruler of their own";
    return `${grouped(count)} firings in ${grouped(end - begin)} steps (${begin}–${end - 1}${hidden}), ${grouped(critical)} without slack${apart}`;
  }

  private x(tick: number): number {
    return this.gutter + this.store.window.tickToPixel(tick, this.plotWidth);
  }

  private paintBlockRow(context: CanvasRenderingContext2D): void {
    const { theme } = this.host;
    const { selected } = this.store.state;
    const runs = blockRuns(this.model, this.store.clock.order);
    const picked = selected === NONE ? NONE : this.model.parts.of(selected);
    const { gutter: left, plotWidth } = this;
    const { window } = this.store;
    const x = (tick: number) => left + window.tickToPixel(tick, plotWidth);
    const place = { top: 1, height: column.block, left, right: left + plotWidth, picked };
    paintBlocks(context, this.model, runs, theme, place, x);
    context.font = `11px ${theme.font}`;
    context.fillStyle = theme.muted;
    context.textAlign = "right";
    context.fillText("block", this.gutter - 8, 1 + column.block / 2);
    context.textAlign = "start";
  }

  /** The bracket under the lane: how far the picked firing could move in this order. */
  private paintRoom(context: CanvasRenderingContext2D): void {
    const { selected } = this.store.state;
    const room = selected === NONE ? null : roomOf(this.store, selected);
    if (!room) return;
    const { theme } = this.host;
    const y = this.height - ROOM / 2 - 1;
    const [left, right] = [this.x(room.first), this.x(room.last + 1)];
    const { order } = this.store.clock;
    const leaf = (tick: number) => this.model.names.leaf(this.model.name[order.node[tick]]);
    const after = room.after === NONE ? "" : `, behind ${leaf(room.after)}`;
    const before = room.before === NONE ? "" : `, before ${leaf(room.before)}`;
    const isFixed = room.first === room.last;
    const where = isFixed
      ? `only at tick ${room.first}`
      : `at ${rangeText("tick", room.first, room.last + 1)}`;
    const text = `could run ${where}${after}${before}`;
    context.save();
    context.beginPath();
    context.rect(this.gutter, y - ROOM, this.plotWidth, 2 * ROOM);
    context.clip();
    context.strokeStyle = theme.ink;
    context.lineWidth = 1.2;
    context.beginPath();
    context.moveTo(left + 0.5, y - 4);
    context.lineTo(left + 0.5, y + 4);
    context.moveTo(left, y);
    context.lineTo(right, y);
    context.moveTo(right - 0.5, y - 4);
    context.lineTo(right - 0.5, y + 4);
    context.stroke();
    context.font = `11px ${theme.font}`;
    context.fillStyle = theme.ink;
    context.textBaseline = "middle";
    const wide = context.measureText(text).width;
    const isRight = right + 8 + wide <= this.gutter + this.plotWidth;
    const from = isRight ? Math.max(this.gutter, right) + 8 : left - 8 - wide;
    if (from >= this.gutter) context.fillText(text, from, y + 0.5);
    context.restore();
    context.fillStyle = theme.muted;
    context.font = `11px ${theme.font}`;
    context.textAlign = "right";
    context.fillText("room", this.gutter - 8, y);
    context.textAlign = "start";
  }
}
