// Paint hundreds of thousands of buffers as pixels of one raster; skip hidden ones.

import type { Model } from "../model/model.ts";
import { pixelOf } from "../core/raster.ts";
import type { Store } from "../model/store.ts";
import { PALE, type Theme } from "../core/theme.ts";
import { TOP, type MemoryView } from "./frame.ts";

/** Boxes in pixels, in the order in which they are found: from the last that is drawn to the first. */
class Boxes {
  private count = 0;
  private readonly sides: Int32Array;
  private readonly buffers: Uint32Array;
  /** The box that was found last, by the row of pixels that it stands on. */
  private readonly left: Int32Array;
  private readonly right: Int32Array;
  private readonly top: Int32Array;

  constructor(most: number, height: number) {
    this.sides = new Int32Array(4 * most);
    this.buffers = new Uint32Array(most);
    this.left = new Int32Array(height + 1).fill(1);
    this.right = new Int32Array(height + 1);
    this.top = new Int32Array(height + 1);
  }

  /** Adds a box, unless one that is drawn over it stands at the same place. */
  add(buffer: number, left: number, top: number, right: number, bottom: number): void {
    const isHidden =
      this.left[bottom] <= left && right <= this.right[bottom] && this.top[bottom] <= top;
    if (isHidden) return;
    this.left[bottom] = left;
    this.right[bottom] = right;
    this.top[bottom] = top;
    const at = 4 * this.count;
    this.sides[at] = left;
    this.sides[at + 1] = top;
    this.sides[at + 2] = right;
    this.sides[at + 3] = bottom;
    this.buffers[this.count++] = buffer;
  }

  /** Goes through them in the order of drawing. */
  each(
    draw: (buffer: number, left: number, top: number, right: number, bottom: number) => void,
  ): void {
    const { sides } = this;
    for (let box = this.count - 1; box >= 0; box--) {
      const at = 4 * box;
      draw(this.buffers[box], sides[at], sides[at + 1], sides[at + 2], sides[at + 3]);
    }
  }
}

/** Fills rectangles pixel by pixel: each at least one wide and one high. */
export function paintPixels(
  context: CanvasRenderingContext2D,
  view: MemoryView,
  drawn: Uint32Array,
  lit: Uint8Array | null,
  { model, theme, store }: { model: Model; theme: Theme; store: Store },
): void {
  const { lower, upper, offset, size, node } = view.data;
  const ratio = context.getTransform().a || 1;
  const { raster } = view;
  raster.begin(view.plotWidth * ratio, view.plotHeight * ratio);
  const { width, height } = raster;
  const up = (view.plotHeight * ratio) / view.bytes.span;
  const { start: firstByte } = view.bytes;
  const boxes = new Boxes(drawn.length, height);
  for (let place = drawn.length - 1; place >= 0; place--) {
    const buffer = drawn[place];
    const left = Math.round((view.x(lower[buffer]) - view.left) * ratio);
    const right = Math.max(left + 1, Math.round((view.x(upper[buffer]) - view.left) * ratio));
    const base = height - Math.round((offset[buffer] - firstByte) * up);
    const top = base - Math.max(1, Math.round(size[buffer] * up));
    if (base <= 0 || top >= height || right <= 0 || left >= width) continue;
    boxes.add(buffer, left, Math.max(0, top), right, Math.min(height, base));
  }
  const strong = theme.families.map((colour) => pixelOf(colour));
  const faint = theme.families.map((colour) => pixelOf(colour, PALE));
  const pixels = Uint32Array.from(model.family, (family, owner) =>
    store.isMatch(owner) ? strong[family] : faint[family],
  );
  const { family } = model;
  boxes.each((buffer, left, top, right, bottom) => {
    const owner = node[buffer];
    const pixel = lit && !lit[buffer] ? faint[family[owner]] : pixels[owner];
    raster.fill(left, top, right, bottom, pixel);
  });
  raster.show(context, view.left * ratio, TOP * ratio);
}
