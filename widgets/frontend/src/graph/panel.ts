// The graph panel: boxes in layers, laid out in Python.

import { graph as sizes, stage } from "../../../shared/panels.json";
import {
  button,
  CanvasPanel,
  choice,
  element,
  type Hit,
  type Host,
  type Point,
} from "../core/canvasPanel.ts";
import type { Pose } from "../core/glide.ts";
import { Raster } from "../core/raster.ts";
import { NONE } from "../core/search.ts";
import type { Change, Colours } from "../core/store.ts";
import { elide } from "../core/text.ts";
import { peakTick } from "../memory/usage.ts";
import { NodeColours } from "./colours.ts";
import { clamp } from "../core/axis.ts";
import { compacted, isLarger } from "./compact.ts";
import { boxAt, type GraphModel } from "./model.ts";
import { hasMinimap, paintMinimap, STRIP, topAt } from "./minimap.ts";
import { frameAt, Opening } from "./opened.ts";
import { GraphPainter } from "./painter.ts";

const { margin: MARGIN, legible: LEGIBLE } = sizes;
/** Graphs of more operators are shown with their blocks closed. */
const MANY = 60;
const [SMALLEST, LARGEST] = [0.01, 4];

export class GraphPanel extends CanvasPanel {
  /** What is drawn: the whole graph, or its repeated blocks as one box each. */
  data: GraphModel;
  scale = 1;
  left = 0;
  top = 0;
  readonly raster = new Raster();
  readonly colours: NodeColours;
  private fresh = true;
  /** The whole graph with boxes of full height. */
  private readonly full: GraphModel;
  /** What is said beside the title, and what happened to the drawing. */
  private said = "";
  private note = "";
  /** The boxes of blocks that are open. */
  private readonly open = new Set<number>();
  private readonly opening: Opening | null;
  private readonly blocksButton: HTMLButtonElement;
  private readonly insideButton: HTMLButtonElement;
  private readonly colourChoice: HTMLSelectElement;

  constructor(
    host: Host,
    private whole: GraphModel,
    private readonly blocks: GraphModel | null,
    private readonly inside: GraphModel | null,
  ) {
    super(
      host,
      "graph",
      "Graph",
      "Arrow keys follow the edges, plus and minus zoom, zero shows everything.",
    );
    this.data = whole;
    this.full = whole;
    const { store } = this;
    const { contents } = this.model;
    this.opening = blocks && contents && new Opening(blocks, whole, contents);
    this.blocksButton = button(
      "blocks",
      "Draw each block as one box; Enter or a double click opens it, and closes it again",
      () => (this.isClosed ? this.show(null) : this.showBlocks()),
      false,
    );
    this.blocksButton.hidden = blocks === null;
    this.insideButton = button(
      "inside",
      "Open the meta-operators; Enter or a double click does so too, and closes them",
      () => this.show(this.data === this.inside ? null : this.inside),
      false,
    );
    this.insideButton.hidden = inside === null;
    this.colours = new NodeColours(store);
    const { choices } = this.colours;
    this.colourChoice = choice("What the colours stand for", choices, (value) =>
      store.set({ colours: value as Colours }),
    );
    if (choices.length > 1) this.tools.append(this.colourChoice);
    this.tools.append(this.blocksButton, this.insideButton);
    if (this.opening && whole.nodes > MANY) this.showBlocks(this.busiest());
    this.tools.append(button("fit", "Show the whole graph", () => (this.fit(), this.redraw())));
  }

  override changed(change: Change, origin: unknown): void {
    const { selected, picked, hovered, query, found, tick, step, clock, colours, marks } = change;
    const news = [selected, picked, hovered, query, found, tick, step, clock, colours, marks];
    if (news.every((each) => each === undefined)) return;
    if (colours !== undefined) this.colourChoice.value = colours;
    super.changed(change, origin);
    if (marks) this.followMarks([...marks.keys()]);
    const { now } = this.store;
    if ((tick !== undefined || step !== undefined) && now !== null) this.followTime(now);
  }

  /** Whether blocks are drawn as boxes. */
  private get isClosed(): boolean {
    return this.data !== this.whole && this.data !== this.inside;
  }

  /** The box of the block in which memory is fullest; NONE where that is not known. */
  private busiest(): number {
    const { blocks } = this;
    const { memory } = this.model;
    if (!blocks || !memory) return NONE;
    const box = blocks.boxOf[memory.tickNode[peakTick(memory)]] ?? NONE;
    return this.opening?.isBlock(box) ? box : NONE;
  }

  /** Draws blocks as boxes; opens one of them, or closes it again. */
  private showBlocks(box = NONE): void {
    const { opening, blocks } = this;
    if (!opening || !blocks) return;
    if (box !== NONE && !this.open.delete(box)) this.open.add(box);
    this.show(opening.draw(this.open));
  }

  /** Draws blocks as one box each, or what is inside nodes, or else every node as it is. */
  private show(data: GraphModel | null): void {
    this.data = data ?? this.whole;
    this.note = "";
    this.blocksButton.setAttribute("aria-pressed", String(this.isClosed));
    this.insideButton.setAttribute("aria-pressed", String(this.data === this.inside));
    this.home();
    const { selected } = this.store.state;
    if (selected !== NONE) this.reveal(selected);
    this.redraw();
  }

  /** Opens the block of the selected node, or the node itself, or closes it again. */
  override enter(): boolean {
    const { data, inside } = this;
    const { selected } = this.store.state;
    const isOpen = (drawing: GraphModel | null) =>
      (drawing?.members.filter((nodes) => nodes[0] === selected).length ?? 0) > 1;
    const box = data.boxOf[selected] ?? NONE;
    if (box < 0) return false;
    if (data === this.whole && isOpen(inside)) this.show(inside);
    else if (data === inside && isOpen(inside)) this.show(null);
    else return this.isClosed && this.toggle(this.blocks?.boxOf[selected] ?? NONE);
    return true;
  }

  /** Opens a block, or closes it; its title, or else its first box, stays where it is. */
  private toggle(box: number): boolean {
    const node = this.blocks?.members[box]?.[0] ?? NONE;
    if (!this.opening?.isBlock(box)) return false;
    const before = this.locate(node, true);
    const { scale } = this;
    this.showBlocks(box);
    this.scale = scale;
    const after = this.locate(node, true);
    if (before && after) {
      this.left += before.x - after.x;
      this.top += before.y - after.y;
      this.pan(0, 0);
    }
    return true;
  }

  protected override doubleClicked(point: Point): boolean {
    return this.hit(point) !== null && this.enter();
  }

  /** A click on the title of an open block closes it. */
  protected override act(point: Point): boolean {
    const frame = frameAt(this.data, (point.x - this.left) / this.scale, this.down(point.y));
    return frame !== null && this.toggle(frame.box);
  }

  private down(y: number): number {
    return (y - this.top) / this.scale;
  }

  protected override scrubs(point: Point): boolean {
    return hasMinimap(this) && point.x > this.width - STRIP;
  }

  protected override scrub(point: Point): void {
    this.top = topAt(this, point.y);
    this.pan(0, 0);
    this.redraw();
  }

  /** Moves to the running nodes, unless one of them is visible. */
  private followTime(now: number): void {
    const { runs } = this.host.firings.at(now);
    if (runs.length && runs.every((node) => this.locate(node) === null)) this.reveal(runs[0]);
  }

  private followMarks(nodes: number[]): void {
    if (nodes.length && nodes.every((node) => this.locate(node) === null)) this.reveal(nodes[0]);
  }

  /** Whether the stages of the algorithm are shown in the graph: then it is seen as a whole. */
  private get isTraced(): boolean {
    return this.model.meta.algorithm.length > 0 && this.data === this.whole;
  }

  /** Shows all of the graph, in low boxes where those of full height would be too small. */
  private homeOfTraced(): void {
    this.data = this.whole = this.full;
    this.fit();
    const { scale } = this;
    if (scale >= stage.readable) return;
    this.data = this.whole = compacted(this.full);
    this.fit();
    if (isLarger(this.scale, scale)) return;
    this.data = this.whole = this.full;
    this.fit();
  }

  protected sized(before: number): void {
    if (this.isTraced) this.homeOfTraced();
    else if (this.fresh) this.home();
    else this.left += (this.width - before) / 2;
    this.fresh = false;
  }

  /** A readable start: the whole width if that can be read, from the top. */
  private home(): void {
    if (this.isTraced) {
      this.homeOfTraced();
      return;
    }
    const { width, depth } = this.data;
    const across = (this.width - 2 * MARGIN) / Math.max(1, width);
    const whole = Math.min(across, (this.height - 2 * MARGIN) / Math.max(1, depth));
    // What is wide and shallow is seen whole, however small its words are then.
    const isShallow = depth * sizes.shallow <= this.height - 2 * MARGIN;
    const least = isShallow ? sizes.smallest : LEGIBLE;
    this.scale = Math.min(1, Math.max(whole, Math.min(across, sizes.whole), least));
    this.top = MARGIN;
    this.left = (this.width - width * this.scale) / 2;
    if (this.data.x.length && width * this.scale > this.width) {
      const first = this.width / 2 - this.data.x[0] * this.scale;
      this.left = clamp(first, this.width - MARGIN - width * this.scale, MARGIN);
    }
  }

  protected override get pose(): Pose {
    return [this.left, this.top, this.scale];
  }

  protected override set pose([left, top, scale]: Pose) {
    Object.assign(this, { left, top, scale });
  }

  /** Shows the whole graph; closes blocks where its names could not be read otherwise. */
  fit(): void {
    this.showWhole();
    const { opening, isClosed, open } = this;
    if (!opening || this.isTraced || this.scale >= LEGIBLE || (isClosed && open.size === 0)) return;
    open.clear();
    this.show(opening.draw(open));
    this.showWhole();
    this.note = "blocks are closed, so that names can be read";
  }

  private showWhole(): void {
    const { width, depth } = this.data;
    const across = (this.width - 2 * MARGIN) / Math.max(1, width);
    const down = (this.height - 2 * MARGIN) / Math.max(1, depth);
    this.scale = Math.min(1, Math.max(SMALLEST, Math.min(across, down)));
    this.left = (this.width - width * this.scale) / 2;
    this.top = (this.height - depth * this.scale) / 2;
  }

  protected pan(dx: number, dy: number): boolean {
    const { width, depth } = this.data;
    const before = [this.left, this.top];
    const keep = 60;
    this.left = clamp(this.left + dx, keep - width * this.scale, this.width - keep);
    this.top = clamp(this.top + dy, keep - depth * this.scale, this.height - keep);
    return before[0] !== this.left || before[1] !== this.top;
  }

  protected zoom(point: Point, factor: number): boolean {
    const before = this.scale;
    const { width, depth } = this.data;
    const whole = Math.min(this.width / Math.max(1, width), this.height / Math.max(1, depth));
    this.scale = clamp(before / factor, Math.min(0.5, Math.max(SMALLEST, whole * 0.8)), LARGEST);
    this.left = point.x - ((point.x - this.left) / before) * this.scale;
    this.top = point.y - ((point.y - this.top) / before) * this.scale;
    this.pan(0, 0);
    return before !== this.scale;
  }

  reveal(node: number): void {
    const point = this.locate(node, true);
    if (!point) return;
    const { width, depth } = this.data;
    if (point.x <= MARGIN || point.x >= this.width - MARGIN) {
      this.left = inside(this.left + this.width / 2 - point.x, width * this.scale, this.width);
    }
    if (point.y <= 30 || point.y >= this.height - 30) {
      this.top = inside(this.top + this.height / 2 - point.y, depth * this.scale, this.height);
    }
  }

  neighbour(node: number, dx: number, dy: number): number {
    const { data } = this;
    if (data.nodes === 0) return NONE;
    const box = data.boxOf[node] ?? NONE;
    return data.members[box < 0 ? 0 : this.nextBox(box, dx, dy)][0] ?? NONE;
  }

  private nextBox(box: number, dx: number, dy: number): number {
    const { data } = this;
    if (dy) {
      const near = (dy > 0 ? data.children : data.parents)[box];
      if (near.length === 0) return box;
      const distance = (other: number) => Math.abs(data.x[other] - data.x[box]);
      return near.reduce((best, other) => (distance(other) < distance(best) ? other : best));
    }
    let best = box;
    for (let other = 0; other < data.nodes; other++) {
      if (data.layer[other] !== data.layer[box]) continue;
      const step = (data.x[other] - data.x[box]) * dx;
      if (step > 0 && (best === box || step < (data.x[best] - data.x[box]) * dx)) best = other;
    }
    return best;
  }

  locate(node: number, evenOutside = false): Point | null {
    const { data } = this;
    const box = data.boxOf[node] ?? NONE;
    if (box < 0) return null;
    const x = this.left + data.x[box] * this.scale;
    const y = this.top + (data.layer[box] * data.pitch + data.height / 2) * this.scale;
    const isOutside = x < 0 || x > this.width || y < 0 || y > this.height;
    return isOutside && !evenOutside ? null : { x, y };
  }

  protected hit(point: Point): Hit | null {
    const x = (point.x - this.left) / this.scale;
    const y = (point.y - this.top) / this.scale;
    const reach = Math.max(0, 3 / this.scale - 4);
    const box = boxAt(this.data, x, y, reach);
    if (box === NONE) return null;
    const { members, name, type } = this.data;
    const node = members[box][0] ?? NONE;
    if (node === NONE) return { node, lines: [name[box], type[box]] };
    const own = name[box] === this.model.name[node] ? [] : [name[box], type[box]];
    if (members[box].length < 2) return { node, lines: [...own, ...this.describe(node)] };
    return { node, lines: [name[box], type[box], "double click or Enter to open"] };
  }

  private describe(node: number): string[] {
    const { name, type, meta } = this.model;
    const lines = [name[node], type[node]];
    for (const [label, text] of meta.nodes.details[node].slice(0, 6)) {
      lines.push(`${label}: ${elide(text, 60)}`);
    }
    return lines;
  }

  protected override nothing(): string {
    return this.data.x.length ? "" : "There is no node.";
  }

  protected paint(context: CanvasRenderingContext2D): number {
    const key = /Mac|iP/.test(navigator.platform) ? "⌘" : "Ctrl";
    const colours = this.colours.keys(this.host.theme);
    const words = colours.length
      ? colours.flat().join()
      : this.note || this.colours.legend || `${key} + wheel zooms, dragging moves`;
    if (words !== this.said) {
      const dots = colours.map(([name, colour]) => {
        const dot = element("span", { class: "anb-dot" });
        dot.style.background = colour;
        return element("span", { class: "anb-key" }, dot, name);
      });
      this.hint.replaceChildren(...(dots.length ? dots : [words]));
      this.said = words;
    }
    const painter = new GraphPainter(context, this, this.host);
    const drawn = painter.paint();
    if (hasMinimap(this)) {
      paintMinimap(context, this, this.host.theme, (box) => painter.colourOf(box));
    }
    return drawn;
  }
}

/** Where something begins in a room, so that nothing beside it is left free that it could take. */
function inside(start: number, size: number, room: number): number {
  const [first, last] = [MARGIN, room - MARGIN - size];
  return clamp(start, Math.min(first, last), Math.max(first, last));
}
