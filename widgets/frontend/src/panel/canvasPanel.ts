// Base class of canvas panels: frame, sharp pixels, pointer and wheel, one paint per frame.

import type { Firings } from "../model/firings.ts";
import { Glide, isSame, type Pose } from "../core/glide.ts";
import type { Model } from "../model/model.ts";
import { painters } from "../core/painted.ts";
import { Pinch } from "../core/pinch.ts";
import type { Player } from "./player.ts";
import { NONE } from "../model/search.ts";
import type { Change, Store } from "../model/store.ts";
import type { Theme } from "../core/theme.ts";

export interface Point {
  x: number;
  y: number;
}

/** What the pointer is over: the node it belongs to, and lines of text that explain it. */
export interface Hit {
  node: number;
  lines: string[];
}

export interface Host {
  readonly root: HTMLElement;
  readonly store: Store;
  readonly theme: Theme;
  /** Whether the view is a page of its own, and no part of a notebook. */
  readonly isPage: boolean;
  readonly firings: Firings;
  readonly player: Player;
  /** A text with its terms underlined, where there is a list of them. */
  readonly explained?: (text: string) => (string | HTMLElement)[];
  tooltip(hit: Hit | null, event?: PointerEvent): void;
}

type Attributes = Record<string, string>;

/** Makes an element; text never becomes markup. */
export function element<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  attributes: Attributes = {},
  ...children: (Node | string)[]
): HTMLElementTagNameMap[Tag] {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

/** A small button; a pressed state makes it a switch. */
export function button(label: string, title: string, click: () => void, pressed?: boolean) {
  const made = element("button", { type: "button", title, "aria-label": title }, label);
  if (pressed !== undefined) made.setAttribute("aria-pressed", String(pressed));
  made.addEventListener("click", click);
  return made;
}

/** A list to choose one of. */
export function choice(
  title: string,
  options: readonly (readonly [value: string, label: string])[],
  chosen: (value: string) => void,
): HTMLSelectElement {
  const made = element("select", { title, "aria-label": title });
  for (const [value, label] of options) made.append(element("option", { value }, label));
  made.addEventListener("change", () => chosen(made.value));
  return made;
}

/** Whether a click marks one more: with Ctrl, ⌘ or Shift, or where several are asked for. */
export function adds(event: MouseEvent, store: Store): boolean {
  return event.ctrlKey || event.metaKey || event.shiftKey || store.state.many;
}

const DRAG = 4;

/** Pixels below which a hint is left out. */
const TIGHT = 48;

export abstract class CanvasPanel {
  readonly section: HTMLElement;
  readonly canvas: HTMLCanvasElement;
  protected readonly tools = element("div", { class: "anb-tools" });
  protected readonly hint = element("span", { class: "anb-hint" });
  protected readonly model: Model;
  protected readonly store: Store;
  width = 0;
  height = 0;
  protected readonly context: CanvasRenderingContext2D;
  private readonly holder: HTMLElement;
  private readonly observer: ResizeObserver;
  private frame = 0;
  private dragFrom: Point | null = null;
  private isScrubbing = false;
  private dragged = false;
  private readonly glide = new Glide(
    () => this.pose,
    (pose) => {
      this.pose = pose;
      this.redraw();
    },
  );

  constructor(
    protected readonly host: Host,
    readonly name: string,
    title: string,
    help: string,
  ) {
    this.store = host.store;
    this.model = host.store.model;
    this.canvas = element("canvas", {
      tabindex: "0",
      role: "application",
      "aria-label": `${title}. ${help}`,
    });
    const context = this.canvas.getContext("2d");
    if (!context) throw new Error("this browser has no 2D canvas");
    this.context = context;
    painters.set(this.canvas, (pen) => this.paintOn(pen));
    const heading = element("h3", {}, title);
    const head = element("div", { class: "anb-head" }, heading, this.hint, this.tools);
    this.holder = element("div", { class: "anb-stage" }, this.canvas);
    this.section = element(
      "section",
      { class: "anb-panel", "data-panel": name, "aria-label": title },
      head,
      this.holder,
    );
    this.listen();
    this.observer = new ResizeObserver(() => {
      this.measure();
      this.draw();
    });
    this.observer.observe(this.holder);
  }

  /** Paints everything that is seen; gives how many items were drawn. */
  protected abstract paint(context: CanvasRenderingContext2D): number;
  /** What is said where there is nothing to paint; empty where there is something. */
  protected nothing(): string {
    return "";
  }
  protected abstract hit(point: Point): Hit | null;
  protected abstract pan(dx: number, dy: number): boolean;
  protected abstract zoom(point: Point, factor: number, across: boolean): boolean;
  /** The canvas has a new size; `before` is how wide it was, 0 at first. */
  protected abstract sized(before: number): void;

  /** Whether the wheel moves what is drawn; the page where it does not, and at an end. */
  protected scrolls(): boolean {
    const page = document.scrollingElement;
    return this.host.isPage && page !== null && page.scrollHeight <= page.clientHeight;
  }

  /** What a click does here that picks no node; false where it does nothing else. */
  protected act(_point: Point): boolean {
    return false;
  }

  /** What a double click does here beside showing everything; false where nothing. */
  protected doubleClicked(_point: Point): boolean {
    return false;
  }

  /** Whether dragging from here moves the step, and not what is drawn. */
  protected scrubs(_point: Point): boolean {
    return false;
  }

  protected scrub(_point: Point): void {}

  /** What the Enter key does; false where it does nothing. */
  enter(): boolean {
    return false;
  }

  /** What is seen, as numbers; none where the view does not move. */
  get pose(): Pose {
    return [];
  }

  set pose(_pose: Pose) {}

  /** Ends a move at once; gives what was seen before. */
  rest(): Pose {
    return this.glide.rest();
  }

  isAt(pose: Pose): boolean {
    return isSame(this.pose, pose);
  }

  goTo(pose: Pose): void {
    this.pose = pose;
  }

  /** Moves gently from what was seen to what is seen now. */
  moveFrom(shown: Pose): void {
    if (this.width >= 2) this.glide.from(shown);
  }

  /** Shows everything. */
  abstract fit(): void;
  /** Moves as little as needed for the node to be seen. */
  abstract reveal(node: number): void;
  /** The node that an arrow key leads to. */
  abstract neighbour(node: number, dx: number, dy: number): number;
  /** Where the node is, in pixels of the canvas; null when it is not on it. */
  abstract locate(node: number): Point | null;

  changed(change: Change, origin: unknown): void {
    if (change.selected !== undefined && change.selected !== NONE && origin !== this) {
      this.reveal(change.selected);
    }
    this.redraw();
  }

  redraw(): void {
    if (this.frame === 0) this.frame = requestAnimationFrame(() => this.draw());
  }

  /** Zooms around the selected node, or else the middle. */
  zoomCentre(factor: number, across = true): void {
    const centre = { x: this.width / 2, y: this.height / 2 };
    this.zoom(this.locate(this.store.state.selected) ?? centre, factor, across);
    this.redraw();
  }

  /** Moves what is drawn, as dragging does. */
  panBy(dx: number, dy: number): void {
    if (this.pan(dx, dy)) this.redraw();
  }

  destroy(): void {
    cancelAnimationFrame(this.frame);
    this.glide.stop();
    this.observer.disconnect();
  }

  private draw(): void {
    cancelAnimationFrame(this.frame);
    this.frame = 0;
    if (this.width < 2 || this.height < 2) return;
    const began = performance.now();
    const { context } = this;
    const ratio = this.canvas.width / this.width;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    this.section.dataset.drawn = String(this.paintOn(context));
    this.section.dataset.paintMs = (performance.now() - began).toFixed(1);
  }

  private paintOn(context: CanvasRenderingContext2D): number {
    context.fillStyle = this.host.theme.paper;
    context.fillRect(0, 0, this.width, this.height);
    const drawn = this.paint(context);
    const words = this.nothing();
    if (words) this.say(words, context);
    return drawn;
  }

  /** Says something beside the title. */
  protected tell(words: string): void {
    // Even the same text would make the browser lay out the page anew.
    if (this.hint.textContent === words) return;
    this.hint.replaceChildren(...(this.host.explained?.(words) ?? [words]));
  }

  /** Writes a line into the middle. */
  private say(words: string, context: CanvasRenderingContext2D): void {
    const { host } = this;
    context.font = `13px ${host.theme.font}`;
    context.fillStyle = host.theme.muted;
    context.textAlign = "center";
    context.textBaseline = "middle";
    context.fillText(words, this.width / 2, this.height / 2);
    context.textAlign = "start";
  }

  /** Takes the size that it has in the page. */
  measure(): void {
    const { clientWidth, clientHeight } = this.holder;
    // Taken out of the page, or hidden: it comes back as it was.
    if (clientWidth < 2 || clientHeight < 2) return;
    const ratio = window.devicePixelRatio || 1;
    const before = this.width;
    const isKnown = clientWidth === before && clientHeight === this.height;
    if (isKnown && this.canvas.width === Math.round(clientWidth * ratio)) return;
    const { focus } = this.store;
    const wasSeen = before === 0 || this.locate(focus) !== null;
    this.width = clientWidth;
    this.height = clientHeight;
    this.canvas.width = Math.round(clientWidth * ratio);
    this.canvas.height = Math.round(clientHeight * ratio);
    this.sized(before);
    // A few letters of a sentence say nothing.
    const isSentence = !this.hint.querySelector(".anb-key");
    this.hint.classList.toggle("anb-tight", isSentence && this.hint.clientWidth < TIGHT);
    if (focus !== NONE && wasSeen && this.locate(focus) === null) this.reveal(focus);
  }

  private at(event: MouseEvent): Point {
    const box = this.canvas.getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top };
  }

  private listen(): void {
    const { canvas } = this;
    const pinch = new Pinch(canvas, (from, to, factor) => {
      const panned = this.pan(to.x - from.x, to.y - from.y);
      if (this.zoom(to, factor, true) || panned) this.redraw();
    });
    canvas.addEventListener("pointerdown", (event) => {
      if (event.button !== 0 || pinch.isActive) {
        this.dragFrom = null; // a second finger ends what the first one began
        return;
      }
      this.dragFrom = this.at(event);
      this.dragged = false;
      this.isScrubbing = this.scrubs(this.dragFrom);
      canvas.setPointerCapture(event.pointerId);
    });
    canvas.addEventListener("pointermove", (event) => this.moved(event));
    canvas.addEventListener("pointerup", (event) => {
      if (this.dragFrom && !this.dragged) this.picked(this.at(event), event);
      this.dragFrom = null;
      canvas.classList.remove("anb-dragging");
    });
    canvas.addEventListener("pointercancel", () => (this.dragFrom = null));
    // A finger leaves as soon as it is lifted: what a tap explains stays until the next one.
    canvas.addEventListener("pointerleave", ({ pointerType }) => {
      if (pointerType !== "touch") this.hover(null);
    });
    canvas.addEventListener("dblclick", (event) => {
      if (this.doubleClicked(this.at(event))) return;
      this.fit();
      this.redraw();
    });
    canvas.addEventListener("wheel", (event) => this.wheel(event), { passive: false });
  }

  private moved(event: PointerEvent): void {
    const point = this.at(event);
    if (!this.dragFrom) {
      if (event.pointerType === "touch") return;
      this.hover(this.hit(point), event);
      return;
    }
    const dx = point.x - this.dragFrom.x;
    const dy = point.y - this.dragFrom.y;
    if (!this.dragged && Math.hypot(dx, dy) < DRAG) return;
    this.dragged = true;
    if (this.isScrubbing) {
      this.scrub(point);
      return;
    }
    this.canvas.classList.add("anb-dragging");
    this.hover(null);
    this.dragFrom = point;
    if (this.pan(dx, dy)) this.redraw();
  }

  private hover(hit: Hit | null, event?: PointerEvent): void {
    this.canvas.classList.toggle("anb-over", hit !== null);
    this.store.set({ hovered: hit ? hit.node : NONE }, this);
    this.host.tooltip(hit, event);
  }

  private picked(point: Point, event: PointerEvent): void {
    this.canvas.focus({ preventScroll: true });
    if (this.act(point)) return;
    const hit = this.hit(point);
    const node = hit?.node ?? NONE;
    if (adds(event, this.store)) this.store.mark(node, this);
    else this.store.set({ selected: node, picked: [] }, this);
    if (event.pointerType === "touch") this.hover(hit, event);
  }

  /** Scrolls like any wheel; with Ctrl or ⌘, and so when two fingers pinch, it zooms. */
  private wheel(event: WheelEvent): void {
    const unit = event.deltaMode === 1 ? 16 : event.deltaMode === 2 ? this.height : 1;
    const dx = event.deltaX * unit;
    const dy = event.deltaY * unit;
    const point = this.at(event);
    const isZoom = event.ctrlKey || event.metaKey;
    let moved = false;
    if (isZoom) {
      // A pinch comes in steps of a few units, a wheel in steps of a hundred.
      const strength = Math.abs(dy) < 30 ? 100 : 400;
      const factor = Math.exp(Math.min(Math.max(dy, -240), 240) / strength);
      moved = this.zoom(point, factor, !event.altKey);
    } else if (event.shiftKey) moved = this.pan(-(dx || dy), 0);
    else if (Math.abs(dx) > Math.abs(dy)) moved = this.pan(-dx, 0);
    else if (this.scrolls()) moved = this.pan(0, -dy);
    if (moved || isZoom) event.preventDefault(); // a browser would zoom the whole page
    if (moved) this.redraw();
  }
}
