// Rectangles by the hundred thousand: filled in memory, pixel by pixel of the screen, and shown at
// once. A canvas takes longer to be told what to draw than this takes to draw it. A few of them are
// drawn on the canvas itself: memory of its size takes longer to be had, and to be shown.

/** A colour as a pixel holds it, from `#rrggbb`. */
export function pixelOf(colour: string, alpha = 1): number {
  const part = (start: number) => parseInt(colour.slice(start, start + 2), 16);
  return ((Math.round(alpha * 255) << 24) | (part(5) << 16) | (part(3) << 8) | part(1)) >>> 0;
}

/** So many rectangles are drawn on the canvas itself. */
const FEW = 500;

/** The colour of an opaque pixel, as a style. */
const colourOf = (pixel: number): string => {
  const part = (shift: number) => ((pixel >>> shift) & 255).toString(16).padStart(2, "0");
  return `#${part(0)}${part(8)}${part(16)}`;
};

export class Raster {
  width = 0;
  height = 0;
  /** Rectangles as [left, top, right, bottom, pixel]; null where they are pixels already. */
  private few: number[][] | null = [];
  private image: ImageData | null = null;
  private pixels = new Uint32Array(0);
  private canvas: HTMLCanvasElement | null = null;

  /** Begins anew, transparent, with so many pixels. */
  begin(width: number, height: number): void {
    this.width = Math.max(1, Math.round(width));
    this.height = Math.max(1, Math.round(height));
    this.few = [];
  }

  /** Takes memory for all pixels, and puts into it what was to be drawn. */
  private spill(): void {
    const { width, height, few } = this;
    if (!few) return;
    this.few = null;
    if (this.image?.width !== width || this.image.height !== height) {
      this.image = new ImageData(width, height);
      this.pixels = new Uint32Array(this.image.data.buffer);
    } else this.pixels.fill(0);
    for (const [left, top, right, bottom, pixel] of few) this.fill(left, top, right, bottom, pixel);
  }

  /** Fills the pixels [left, right) × [top, bottom); what lies outside is cut off. */
  fill(left: number, top: number, right: number, bottom: number, pixel: number): void {
    const { width, few } = this;
    const from = left < 0 ? 0 : left;
    const to = right > width ? width : right;
    const first = top < 0 ? 0 : top;
    const last = bottom > this.height ? this.height : bottom;
    if (from >= to || first >= last) return;
    if (few) {
      // What is opaque hides what lies below, on a canvas as in memory.
      if (few.length < FEW && pixel >>> 24 === 255) {
        few.push([from, first, to, last, pixel]);
        return;
      }
      this.spill();
    }
    const { pixels } = this;
    for (let y = first; y < last; y++) {
      const row = y * width;
      if (to - from < 12) for (let x = row + from; x < row + to; x++) pixels[x] = pixel;
      else pixels.fill(pixel, row + from, row + to);
    }
  }

  /** Draws a line one pixel wide. */
  line(x0: number, y0: number, x1: number, y1: number, pixel: number): void {
    const steps = Math.max(Math.abs(x1 - x0), Math.abs(y1 - y0), 1);
    if (steps > 4 * (this.width + this.height)) return;
    this.spill();
    const dx = (x1 - x0) / steps;
    const dy = (y1 - y0) / steps;
    for (let step = 0; step <= steps; step++) {
      const x = Math.round(x0 + dx * step);
      const y = Math.round(y0 + dy * step);
      if (x >= 0 && x < this.width && y >= 0 && y < this.height) {
        this.pixels[y * this.width + x] = pixel;
      }
    }
  }

  /** Shows everything, with its corner at a pixel of the screen. */
  show(context: CanvasRenderingContext2D, left: number, top: number): void {
    context.save();
    context.setTransform(1, 0, 0, 1, Math.round(left), Math.round(top));
    context.globalAlpha = 1;
    if (this.few) this.draw(context, this.few);
    else this.put(context);
    context.restore();
  }

  private draw(context: CanvasRenderingContext2D, few: readonly number[][]): void {
    let last = -1;
    for (const [left, top, right, bottom, pixel] of few) {
      if (pixel !== last) context.fillStyle = colourOf((last = pixel));
      context.fillRect(left, top, right - left, bottom - top);
    }
  }

  private put(context: CanvasRenderingContext2D): void {
    const { image, width, height } = this;
    if (!image) return;
    const canvas = (this.canvas ??= document.createElement("canvas"));
    if (canvas.width !== width || canvas.height !== height) {
      canvas.width = width;
      canvas.height = height;
    }
    canvas.getContext("2d", { willReadFrequently: true })?.putImageData(image, 0, 0);
    context.drawImage(canvas, 0, 0);
  }
}
