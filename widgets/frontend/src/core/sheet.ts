// A canvas with the pixels of the screen, painted at most once per frame.

import { painters } from "./painted.ts";

export class Sheet {
  readonly canvas = document.createElement("canvas");
  width = 0;
  height = 0;
  private readonly context: CanvasRenderingContext2D;
  private readonly observer: ResizeObserver;
  private frame = 0;

  constructor(
    readonly element: HTMLElement,
    attributes: Record<string, string>,
    private readonly paint: (context: CanvasRenderingContext2D) => void,
  ) {
    for (const [name, value] of Object.entries(attributes)) this.canvas.setAttribute(name, value);
    const context = this.canvas.getContext("2d");
    if (!context) throw new Error("this browser has no 2D canvas");
    this.context = context;
    painters.set(this.canvas, paint);
    element.append(this.canvas);
    this.observer = new ResizeObserver(([{ contentRect }]) => this.resize(contentRect));
    this.observer.observe(element);
  }

  redraw(): void {
    if (this.frame === 0) this.frame = requestAnimationFrame(() => this.draw());
  }

  /** Where the pointer is, in pixels from the corner. */
  at(event: MouseEvent): { x: number; y: number } {
    const box = this.canvas.getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top };
  }

  destroy(): void {
    cancelAnimationFrame(this.frame);
    this.observer.disconnect();
  }

  /** The observer knows the size; asking the element would lay the whole page out once more. */
  private resize(box: DOMRectReadOnly): void {
    const [width, height] = [Math.round(box.width), Math.round(box.height)];
    if (width < 2 || height < 2) return;
    const ratio = window.devicePixelRatio || 1;
    this.width = width;
    this.height = height;
    this.canvas.width = Math.round(width * ratio);
    this.canvas.height = Math.round(height * ratio);
    this.draw();
  }

  private draw(): void {
    cancelAnimationFrame(this.frame);
    this.frame = 0;
    if (this.width < 2) return;
    const { context } = this;
    const ratio = this.canvas.width / this.width;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, this.width, this.height);
    this.paint(context);
  }
}
