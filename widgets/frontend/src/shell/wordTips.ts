// Explains words under the pointer: terms that are painted on a canvas, and text that is cut short.

import { painters } from "../core/painted.ts";
import { sentencesOf } from "../panel/terms.ts";
import { measure, Pen } from "../picture/pen.ts";

/** Milliseconds for which the pointer rests before what is painted is read. */
const REST = 150;

/** Reads what a painter writes at a point, and draws nothing. */
class Reader extends Pen {
  text = "";

  constructor(
    { width, height }: HTMLCanvasElement,
    private readonly point: DOMPoint,
  ) {
    super(width, height, { next: 0 });
  }

  override fillText(text: string, x: number, y: number): void {
    const at = this.matrix.inverse().transformPoint(this.point);
    if (Math.abs(at.y - y) > 9) return;
    const { width } = measure(this.font, text);
    const share = { center: 0.5, right: 1, end: 1, start: 0, left: 0 }[this.textAlign];
    const left = x - width * share;
    if (at.x >= left && at.x <= left + width) this.text = text;
  }

  override drawImage(): void {}

  protected override add(): void {}
}

/** The text that is painted on a canvas at a place of the window; empty where there is none. */
function painted(canvas: HTMLCanvasElement, { clientX, clientY }: MouseEvent): string {
  const paint = painters.get(canvas);
  if (!paint) return "";
  const { left, top } = canvas.getBoundingClientRect();
  const reader = new Reader(canvas, new DOMPoint(clientX - left, clientY - top));
  paint(reader as unknown as CanvasRenderingContext2D);
  return reader.text;
}

/** All of a text of which the page shows only a part; empty where it shows all. */
function cutShort(from: Element): string {
  const on = from.closest<HTMLElement>("h2, p, td, th, dd, dt, strong, span, div");
  const isCut = on && on.scrollWidth > on.clientWidth + 1 && on.clientWidth > 0;
  if (!isCut || on.closest("[title], [data-tip]")) return "";
  return getComputedStyle(on).textOverflow === "ellipsis" ? (on.textContent ?? "") : "";
}

/** Shows tips for words of a view as long as nothing else does; returns what ends that. */
export function explainWords(
  root: HTMLElement,
  tip: { element: HTMLElement; show(lines: readonly string[] | null, event?: MouseEvent): void },
): () => void {
  let resting = 0;
  let isOurs = false;
  const show = (lines: string[], event: MouseEvent) => {
    isOurs = lines.length > 0;
    if (isOurs) tip.show(lines, event);
  };
  const gone = () => {
    clearTimeout(resting);
    if (isOurs) tip.show(null);
    isOurs = false;
  };
  const moved = (event: PointerEvent) => {
    gone();
    const { target } = event;
    if (!(target instanceof Element) || !tip.element.hidden) return;
    if (!(target instanceof HTMLCanvasElement)) {
      const whole = cutShort(target);
      show(whole ? [whole] : [], event);
      return;
    }
    const read = () => {
      if (!tip.element.hidden) return;
      const text = painted(target, event);
      const sentences = sentencesOf(text);
      show(sentences.length ? [text, ...sentences] : [], event);
    };
    resting = window.setTimeout(read, REST);
  };
  root.addEventListener("pointermove", moved);
  root.addEventListener("pointerup", moved);
  // A finger leaves as soon as it is lifted.
  root.addEventListener("pointerleave", ({ pointerType }) => {
    if (pointerType !== "touch") gone();
  });
  return () => clearTimeout(resting);
}
