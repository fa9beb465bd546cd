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
} from "../panel/canvasPanel.ts";
import type { Pose } from "../core/glide.ts";
import { Raster } from "../core/raster.ts";
import { NONE } from "../model/search.ts";
import type { Change, Colours } from "../model/store.ts";
import { BlockDrawing } from "./blocks.ts";
import { NodeColours } from "./colours.ts";
import { clamp } from "../core/axis.ts";
import { compacted, isLarger } from "./compact.ts";
import { boxAt, nextBox, type GraphModel } from "../model/graph.ts";
import { hasMinimap, paintMinimap, STRIP, topAt } from "./minimap.ts";
import { frameAt } from "../model/opened.ts";
import { GraphPainter } from "./painter.ts";
import { linesOf } from "./words.ts";

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
  private readonly blocks: BlockDrawing | null;
  private readonly blocksButton: HTMLButtonElement;
  private readonly insideButton: HTMLButtonElement;
  private readonly colourChoice: HTMLSelectElement;

  constructor(
    host: Host,
    private whole: GraphModel,
    blocks: GraphModel | null,
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
    this.blocks = blocks && new BlockDrawing(store, blocks, whole);
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
    if (this.model.contents && whole.nodes > MANY) this.showBlocks(this.blocks?.busiest);
    this.tools.append(button("fit", "Show the whole graph", () => (this.fit(), this.redraw())));
  }

  override changed(change: Change, origin: unknown): void {
    const { selected, picked, hovered, query, found, tick, step, clock, colours, marks } = change;
    if (clock !== undefined || change.timeRange !== undefined) this.followWindow();
    const news = [selected, picked, hovered, query, found, tick, step, clock, colours, marks];
    if (news.every((each) => each === undefined)) return;
    if (colours !== undefined) this.colourChoice.value = colours;
    super.changed(change, origin);
    if (marks) this.follow([...marks.keys()]);
    const { now } = this.store;
    if ((tick !== undefined || step !== undefined) && now !== null)
      this.follow(this.host.firings.at(now).runs);
  }

  /** Whether blocks are drawn as boxes. */
  private get isClosed(): boolean {
    return this.data !== this.whole && this.data !== this.inside;
  }

  /** Draws blocks as boxes; opens one of them, or closes it again. */
  private showBlocks(box = NONE): void {
    const { blocks } = this;
    if (!blocks) return;
    if (box !== NONE) blocks.toggle(box);
    this.show(blocks.draw());
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
    if (data.stacks?.has(box)) this.unstack(box);
    else if (data === this.whole && isOpen(inside)) this.show(inside);
    else if (data === inside && isOpen(inside)) this.show(null);
    else return this.isClosed && this.toggle(this.blocks?.closed.boxOf[selected] ?? NONE);
    return true;
  }

  /** Opens a block, or closes it; its title, or else its first box, stays where it is. */
  private toggle(box: number): boolean {
    const { blocks } = this;
    if (!blocks?.isBlock(box)) return false;
    this.keep(blocks.closed.members[box][0] ?? NONE, () => this.showBlocks(box));
    return true;
  }

  private unstack(box: number): void {
    const { blocks, data } = this;
    blocks?.unstack(data.members[box]);
    this.keep(data.members[box][0], () => this.showBlocks());
  }

  /** Draws other boxes; that of a node stays where it is. */
  private keep(node: number, draw: () => void): void {
    const before = this.locate(node, true);
    const { scale, left, top } = this;
    draw();
    Object.assign(this, { scale, left, top });
    const after = this.locate(node, true);
    if (before && after) this.pan(before.x - after.x, before.y - after.y);
    this.redraw();
  }

  /** Stacks the blocks that the window leaves, and shows those that it comes to. */
  private followWindow(): void {
    const { blocks, data } = this;
    if (!blocks || !this.isClosed) return;
    const next = blocks.draw();
    if (next.name.join("\n") === data.name.join("\n")) return;
    const isFixed = (drawn: GraphModel, node: number) =>
      !drawn.stacks?.has(drawn.boxOf[node]) && this.locate(node) !== null;
    const fixed = data.members.find(([node]) => isFixed(data, node) && isFixed(next, node));
    const { focus } = this.store;
    const wasSeen = this.locate(focus) !== null;
    this.keep(fixed?.[0] ?? NONE, () => (this.data = next));
    if (wasSeen) this.reveal(focus);
  }

  protected override doubleClicked(point: Point): boolean {
    return this.hit(point) !== null && this.enter();
  }

  /** A click on the title of an open block closes it, and one on a stack shows its blocks. */
  protected override act(point: Point): boolean {
    const box = this.boxAt(point);
    if (this.data.stacks?.has(box)) {
      this.unstack(box);
      return true;
    }
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

  /** Moves to nodes, unless one of them is visible. */
  private follow(nodes: number[]): void {
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
    this.homeIn(this.width);
    if (hasMinimap(this)) this.homeIn(this.width - STRIP);
  }

  /** The start in the part of the panel that the minimap leaves. */
  private homeIn(room: number): void {
    const { width, depth } = this.data;
    const across = (room - 2 * MARGIN) / Math.max(1, width);
    const whole = Math.min(across, (this.height - 2 * MARGIN) / Math.max(1, depth));
    // What is wide and shallow is seen whole, however small its words are then.
    const isShallow = !this.blocks && depth * sizes.shallow <= this.height - 2 * MARGIN;
    const least = isShallow ? sizes.smallest : LEGIBLE;
    this.scale = Math.min(1, Math.max(whole, Math.min(across, sizes.whole), least));
    this.top = MARGIN;
    this.left = (room - width * this.scale) / 2;
    if (this.data.x.length && width * this.scale > room) {
      const first = room / 2 - this.data.x[0] * this.scale;
      this.left = clamp(first, room - MARGIN - width * this.scale, MARGIN);
    }
  }

  override get pose(): Pose {
    return [this.left, this.top, this.scale];
  }

  override set pose([left, top, scale]: Pose) {
    Object.assign(this, { left, top, scale });
  }

  /** Shows the whole graph; closes blocks where its names could not be read otherwise. */
  fit(): void {
    this.showWhole();
    const { blocks, isClosed } = this;
    if (!blocks || this.isTraced || this.scale >= LEGIBLE || (isClosed && blocks.isClosed)) return;
    blocks.close();
    this.showBlocks();
    this.showWhole();
    this.note = "blocks are closed, so that names can be read";
  }

  private scaleOfWhole(margin: number): number {
    const { width, depth } = this.data;
    const across = (this.width - 2 * margin) / Math.max(1, width);
    return Math.min(across, (this.height - 2 * margin) / Math.max(1, depth));
  }

  private showWhole(): void {
    const { width, depth } = this.data;
    this.scale = Math.min(1, Math.max(SMALLEST, this.scaleOfWhole(MARGIN)));
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
    const least = Math.min(0.5, Math.max(SMALLEST, this.scaleOfWhole(0) * 0.8));
    this.scale = clamp(before / factor, least, LARGEST);
    this.left = point.x - ((point.x - this.left) / before) * this.scale;
    this.top = point.y - ((point.y - this.top) / before) * this.scale;
    this.pan(0, 0);
    return before !== this.scale;
  }

  reveal(node: number): void {
    const point = this.locate(node, true);
    if (!point) return;
    const { width, depth } = this.data;
    const room = this.width - (hasMinimap(this) ? STRIP : 0);
    if (point.x <= MARGIN || point.x >= room - MARGIN) {
      this.left = inside(this.left + room / 2 - point.x, width * this.scale, room);
    }
    if (point.y <= 30 || point.y >= this.height - 30) {
      this.top = inside(this.top + this.height / 2 - point.y, depth * this.scale, this.height);
    }
  }

  neighbour(node: number, dx: number, dy: number): number {
    const { data } = this;
    if (data.nodes === 0) return NONE;
    const box = data.boxOf[node] ?? NONE;
    return data.members[box < 0 ? 0 : nextBox(data, box, dx, dy)][0] ?? NONE;
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

  private boxAt({ x, y }: Point): number {
    const reach = Math.max(0, 3 / this.scale - 4);
    return boxAt(this.data, (x - this.left) / this.scale, this.down(y), reach);
  }

  protected hit(point: Point): Hit | null {
    const box = this.boxAt(point);
    if (box === NONE) return null;
    return { node: this.data.members[box][0] ?? NONE, lines: linesOf(this.data, box, this.model) };
  }

  protected override nothing(): string {
    return this.data.x.length ? "" : "There is no node.";
  }

  protected paint(context: CanvasRenderingContext2D): number {
    const key = /Mac|iP/.test(navigator.platform) ? "⌘" : "Ctrl";
    const colours = this.colours.keys(this.host.theme);
    const words = colours.length
      ? colours.flat().join()
      : this.note || this.colours.legend || `${key} + wheel zooms`;
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
