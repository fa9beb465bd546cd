// The folded schedule: each loop once, in a frame, with its period and its count.

import { folded as sizes } from "../../../shared/panels.json";
import { clamp } from "../core/axis.ts";
import {
  button,
  CanvasPanel,
  element,
  type Hit,
  type Host,
  type Point,
} from "../panel/canvasPanel.ts";
import { NONE } from "../model/search.ts";
import type { Change } from "../model/store.ts";
import { grouped } from "../core/text.ts";
import { FoldedControls } from "./foldedControls.ts";
import { GroundPainter } from "./foldedGround.ts";
import { RowsPainter, type Drawn, type FoldedView } from "./foldedPainter.ts";
import { legendHeight, legendOf, type Entry } from "./foldedLegend.ts";
import { drawnIn } from "./foldedRows.ts";
import { equation, fold, mainFrames, type Folding } from "../model/frames.ts";
import type { TimelineModel } from "../model/timeline.ts";
import type { Nest } from "../model/nest.ts";
import { describeFolded, foldedSubtitle } from "./words.ts";
import css from "./folded.css";

const NOTHING: Folding = fold([], 1, { turns: new Map(), stretches: new Set() }, 0, 1);

export class FoldedPanel extends CanvasPanel implements FoldedView {
  rows: number[] = [];
  places: ReadonlyMap<number, number> = new Map();
  folding = NOTHING;
  drawn: Drawn[][] = [];
  legend: Entry[] = [];
  scroll = 0;
  rowHeight = 1;
  readonly nest: Nest;
  private readonly turns = new Map<number, { count: number; from: number }>();
  private readonly stretches = new Set<string>();
  private isFolded = true;
  private readonly controls: FoldedControls;
  private readonly subtitle: string;
  private readonly producersButton: HTMLButtonElement;

  constructor(
    host: Host,
    readonly data: TimelineModel,
    name: string,
    title: string,
  ) {
    super(
      host,
      name,
      title,
      "Arrow keys move the selection, comma and period the step, Enter opens and closes the loop.",
    );
    if (!data.nest) throw new Error("the schedule has no loops");
    this.nest = data.nest;
    this.subtitle = foldedSubtitle(data);
    this.tell(this.subtitle);
    this.producersButton = button(
      "producers",
      "Show when weights are produced",
      () => this.store.set({ producers: !this.store.state.producers }),
      false,
    );
    this.producersButton.hidden = !data.producer.some(Boolean);
    this.controls = new FoldedControls(this, this.stage);
    this.tools.append(...this.controls.elements, this.producersButton);
    this.section.append(element("style", {}, css));
    this.chooseRows();
  }

  private get stage(): HTMLElement {
    return this.canvas.parentElement as HTMLElement;
  }

  /** Width of the names: what is usual, and more where the view is wide. */
  get gutter(): number {
    const { least, most } = sizes.gutter;
    return this.width < 600
      ? Math.min(least, this.width * 0.28)
      : clamp(this.width * 0.13, least, most);
  }

  get top(): number {
    return 4 + this.folding.depth * sizes.band + sizes.ruler;
  }

  get bottom(): number {
    const free = this.height - legendHeight(this.legend);
    return Math.min(free, this.top + this.rows.length * this.rowHeight);
  }

  get note(): string[] {
    const { frames, steps } = this.data;
    const { omitted } = this.model.names;
    const rows = `${this.rows.length} rows${omitted && `, ${omitted}`}`;
    if (!this.isFolded || frames.length === 0) return [rows];
    const [inner] = mainFrames(frames, -1).filter((index) => mainFrames(frames, index).length);
    const within = inner === undefined ? [] : [equation(frames, inner, steps)];
    return [rows, equation(frames, -1, steps), ...within];
  }

  // --- what is open ---------------------------------------------------------------------------

  /** How many turns of a frame are shown, and from which on; null where it is closed. */
  opening(frame: number): { count: number; from: number } | null {
    return this.turns.get(frame) ?? null;
  }

  /** Shows some turns of a frame; none closes it. */
  open(frame: number, count: number, from = this.turns.get(frame)?.from ?? 1): void {
    const all = this.data.frames[frame].count;
    const shown = clamp(count, 0, all);
    if (shown < 1) this.turns.delete(frame);
    else this.turns.set(frame, { count: shown, from: clamp(from, 1, all - shown + 1) });
    this.refold();
  }

  /** Opens a frame, or closes it. */
  toggle(frame: number): void {
    this.open(frame, this.turns.has(frame) ? 0 : 2);
  }

  /** Shows a stretch that a chip stands for; or lets it be a chip again. */
  toggleStretch(id: string): void {
    if (!this.stretches.delete(id)) this.stretches.add(id);
    this.refold();
  }

  isOpened(id: string): boolean {
    return this.stretches.has(id);
  }

  /** Whether so many more turns would leave enough pixels to a step. */
  hasRoom(frame: number, count: number): boolean {
    const shown = this.turns.get(frame)?.count ?? 0;
    const unit = Math.min(
      ...this.folding.pieces.map(({ kind, t0 }) =>
        kind === "shown" ? this.folding.map.unit(t0) : Infinity,
      ),
    );
    const { period } = this.data.frames[frame];
    const steps = this.folding.pieces.reduce(
      (sum, { kind, t0, t1 }) => sum + (kind === "shown" ? t1 - t0 : 0),
      0,
    );
    return count <= shown || (unit * steps) / (steps + (count - shown) * period) >= 8;
  }

  setFolded(isFolded: boolean): void {
    this.isFolded = isFolded;
    this.refold();
  }

  get folds(): boolean {
    return this.isFolded;
  }

  private refold(): void {
    if (this.width < 2) return;
    const { frames, steps } = this.data;
    const { turns, stretches } = this;
    const [x0, x1] = [this.gutter, this.width - sizes.right];
    this.folding = fold(this.isFolded ? frames : [], steps, { turns, stretches }, x0, x1);
    this.drawn = this.folding.pieces.map((piece) =>
      piece.kind === "shown" ? drawnIn(this.nest, frames, piece, this.places) : [],
    );
    const { context, drawn, gutter, width } = this;
    this.legend = legendOf(drawn, gutter, width, context, this.host.theme);
    // Lines of the legend take no room from the rows.
    const more = legendHeight(this.legend) - sizes.legend;
    this.section.style.setProperty("--anb-more", `${more}px`);
    this.clampScroll();
    this.controls.update();
    this.redraw();
  }

  // --- rows -----------------------------------------------------------------------------------

  private chooseRows(): void {
    const { producers } = this.store.state;
    const { name, producer } = this.data;
    this.rows = [...name.keys()].filter((row) => producers || !producer[row]);
    this.places = new Map(this.rows.map((row, place) => [row, place]));
    this.producersButton.setAttribute("aria-pressed", String(producers));
    this.refold();
  }

  private clampScroll(): void {
    const free = this.height - legendHeight(this.legend) - this.top;
    const { least, most } = sizes.row;
    this.rowHeight = clamp(free / Math.max(1, this.rows.length), least, most);
    this.scroll = clamp(this.scroll, 0, this.rows.length * this.rowHeight - free);
  }

  protected sized(): void {
    this.refold();
  }

  override changed(change: Change, origin: unknown): void {
    if (change.producers !== undefined) this.chooseRows();
    super.changed(change, origin);
  }

  protected paint(context: CanvasRenderingContext2D): number {
    const ground = new GroundPainter(context, this, this.host);
    const rows = new RowsPainter(context, this, this.host);
    context.save();
    context.beginPath();
    context.rect(0, 0, this.width, this.bottom + 1);
    context.clip();
    ground.paintUnder();
    context.save();
    context.beginPath();
    context.rect(this.gutter, this.top, this.width, this.bottom - this.top);
    context.clip();
    rows.paint();
    context.restore();
    ground.paintOver();
    context.restore();
    ground.paintEdges();
    return rows.drawn;
  }

  // --- pointer and keys -----------------------------------------------------------------------

  protected override scrubs(point: Point): boolean {
    return point.y >= this.top - sizes.ruler && point.y < this.top && point.x >= this.gutter;
  }

  protected override scrub(point: Point): void {
    const step = Math.floor(this.folding.map.t(point.x));
    if (this.folding.map.shows(step)) this.store.goToStep(step, this);
  }

  protected override act(point: Point): boolean {
    if (!this.scrubs(point)) return false;
    this.scrub(point);
    return true;
  }

  override enter(): boolean {
    const [frame] = mainFrames(this.data.frames, -1);
    if (frame === undefined || !this.isFolded) return false;
    this.toggle(frame);
    return true;
  }

  protected pan(_dx: number, dy: number): boolean {
    const before = this.scroll;
    this.scroll -= dy;
    this.clampScroll();
    return before !== this.scroll;
  }

  protected zoom(): boolean {
    return false;
  }

  fit(): void {
    this.turns.clear();
    this.stretches.clear();
    this.scroll = 0;
    this.refold();
  }

  private rowAt(y: number): number {
    const place = Math.floor((y - this.top + this.scroll) / this.rowHeight);
    return y < this.top || y >= this.bottom ? NONE : (this.rows[place] ?? NONE);
  }

  protected hit(point: Point): Hit | null {
    const row = this.rowAt(point.y);
    if (row === NONE) return null;
    const lines = [this.data.name[row], this.data.type[row]];
    if (point.x < this.gutter) return { node: this.data.node[row], lines };
    const { pieces, map } = this.folding;
    const index = map.segments.findIndex(({ x0, x1 }) => point.x >= x0 && point.x < x1);
    if (index < 0 || pieces[index].kind !== "shown") return null;
    const step = Math.floor(map.t(point.x));
    const own = this.drawn[index].filter((item) => item.row === row);
    const found =
      own.find(({ early }) => early === step) ??
      own.findLast(({ early, late }) => early <= step && step <= late);
    if (!found) return null;
    return { node: this.data.node[row], lines: [...lines, ...describeFolded(found)] };
  }

  private placeOf(node: number): number {
    const { data, rows } = this;
    const own = rows.findIndex((row) => data.node[row] === node && !data.producer[row]);
    return own >= 0 ? own : rows.findIndex((row) => data.node[row] === node);
  }

  reveal(node: number): void {
    const place = this.placeOf(node);
    if (place < 0) return;
    const y = place * this.rowHeight;
    const free = this.bottom - this.top;
    if (y < this.scroll || y + this.rowHeight > this.scroll + free) this.scroll = y - free / 2;
    this.clampScroll();
  }

  neighbour(node: number, dx: number, dy: number): number {
    if (this.rows.length === 0) return NONE;
    const place = node === NONE ? 0 : this.placeOf(node) + (dx || dy);
    return this.data.node[this.rows[clamp(place, 0, this.rows.length - 1)]];
  }

  locate(node: number): Point | null {
    const place = this.placeOf(node);
    const y = this.top + (place + 0.5) * this.rowHeight - this.scroll;
    if (place < 0 || y < this.top || y > this.bottom) return null;
    for (const [index, items] of this.drawn.entries()) {
      const { t0 } = this.folding.pieces[index];
      const own = items.find((item) => item.row === this.rows[place] && item.early >= t0);
      if (own) return { x: this.folding.map.x(own.early + 0.5), y };
    }
    return null;
  }

  override destroy(): void {
    this.controls.destroy();
    super.destroy();
  }

  protected override nothing(): string {
    return this.rows.length ? "" : "Nothing runs.";
  }

  /** Says what was opened or closed to those who cannot see it. */
  announce(text: string): void {
    this.canvas.setAttribute("aria-description", text);
  }

  countText(frame: number): string {
    return grouped(this.data.frames[frame].count);
  }
}
