// Rectangles by the hundred thousand: filled in memory, pixel by pixel of the screen, and shown at
// once. A canvas takes longer to be told what to draw than this takes to draw it.

/** A colour as a pixel holds it, from `#rrggbb`. */
export function pixelOf(colour: string, alpha = 1): number {
  const part = (start: number) => parseInt(colour.slice(start, start + 2), 16);
  return ((Math.round(alpha * 255) << 24) | (part(5) << 16) | (part(3) << 8) | part(1)) >>> 0;
}

export class Raster {
  width = 0;
  height = 0;
  private image: ImageData | null = null;
  private pixels = new Uint32Array(0);
  private readonly canvas = document.createElement("canvas");

  /** Begins anew, transparent, with so many pixels. */
  begin(width: number, height: number): void {
    const wide = Math.max(1, Math.round(width));
    const high = Math.max(1, Math.round(height));
    if (!this.image || wide !== this.width || high !== this.height) {
      this.width = wide;
      this.height = high;
      this.image = new ImageData(wide, high);
      this.pixels = new Uint32Array(this.image.data.buffer);
      this.canvas.width = wide;
      this.canvas.height = high;
    } else this.pixels.fill(0);
  }

  /** Fills the pixels [left, right) × [top, bottom); what lies outside is cut off. */
  fill(left: number, top: number, right: number, bottom: number, pixel: number): void {
    const { width, pixels } = this;
    const from = left < 0 ? 0 : left;
    const to = right > width ? width : right;
    const last = bottom > this.height ? this.height : bottom;
    if (from >= to) return;
    for (let y = top < 0 ? 0 : top; y < last; y++) {
      const row = y * width;
      if (to - from < 12) for (let x = row + from; x < row + to; x++) pixels[x] = pixel;
      else pixels.fill(pixel, row + from, row + to);
    }
  }

  /** Draws a line one pixel wide. */
  line(x0: number, y0: number, x1: number, y1: number, pixel: number): void {
    const steps = Math.max(Math.abs(x1 - x0), Math.abs(y1 - y0), 1);
    if (steps > 4 * (this.width + this.height)) return;
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
    const own = this.canvas.getContext("2d", { willReadFrequently: true });
    if (!own || !this.image) return;
    own.putImageData(this.image, 0, 0);
    context.save();
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.globalAlpha = 1;
    context.drawImage(this.canvas, Math.round(left), Math.round(top));
    context.restore();
  }
}
