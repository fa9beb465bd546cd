// Map a range of values to pixels, and choose the marks of an axis.

export class Axis {
  start: number;
  stop: number;

  constructor(
    private min: number,
    private max: number,
    private readonly closest = 1,
  ) {
    if (!(max > min)) this.max = min + 1;
    this.start = this.min;
    this.stop = this.max;
  }

  /** The ends of all that can be shown. */
  get least(): number {
    return this.min;
  }

  get most(): number {
    return this.max;
  }

  get span(): number {
    return this.stop - this.start;
  }

  get isWhole(): boolean {
    return this.start <= this.min && this.stop >= this.max;
  }

  toPixel(value: number, size: number): number {
    return ((value - this.start) / this.span) * size;
  }

  fromPixel(pixel: number, size: number): number {
    return this.start + (pixel / size) * this.span;
  }

  /** Shows [start, stop), moved and cut so that it stays inside the domain. */
  show(start: number, stop: number): boolean {
    const whole = this.max - this.min;
    const span = Math.min(whole, Math.max(Math.min(this.closest, whole), stop - start));
    const first = Math.min(Math.max(start, this.min), this.max - span);
    const moved = first !== this.start || first + span !== this.stop;
    this.start = first;
    this.stop = first + span;
    return moved;
  }

  showAll(): boolean {
    return this.show(this.min, this.max);
  }

  /** Zooms by a factor (below 1 shows less) and keeps the value under the pixel where it is. */
  zoom(pixel: number, size: number, factor: number): boolean {
    const fixed = this.fromPixel(pixel, size);
    const span = this.span * factor;
    const start = fixed - (pixel / size) * span;
    return this.show(start, start + span);
  }

  pan(pixels: number, size: number): boolean {
    const shift = (pixels / size) * this.span;
    return this.show(this.start - shift, this.stop - shift);
  }

  /** Moves as little as needed for [start, stop) to be seen. */
  reveal(start: number, stop: number): boolean {
    if (stop > this.start && start < this.stop) return false;
    const middle = (start + stop) / 2;
    return this.show(middle - this.span / 2, middle + this.span / 2);
  }
}

/** The value, or the end of [low, high] that is closest to it; `low` where the range is empty. */
export function clamp(value: number, low: number, high: number): number {
  return Math.min(Math.max(value, low), Math.max(low, high));
}

/** Round values for the marks of an axis, at most `most` of them. */
export function niceTicks(start: number, stop: number, most: number, integer = true): number[] {
  const rough = (stop - start) / Math.max(1, most);
  const power = 10 ** Math.floor(Math.log10(Math.max(rough, 1e-12)));
  let step = [1, 2, 5, 10].map((unit) => unit * power).find((unit) => unit >= rough) ?? rough;
  if (integer) step = Math.max(1, Math.round(step));
  return ticksAt(start, stop, step);
}

/** Marks at powers of two times a unit, for sizes in bytes. */
export function byteTicks(start: number, stop: number, most: number): number[] {
  const rough = Math.max(1, (stop - start) / Math.max(1, most));
  const unit = 1024 ** Math.floor(Math.log(rough) / Math.log(1024));
  const steps = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024];
  return ticksAt(start, stop, unit * (steps.find((step) => step * unit >= rough) ?? 1024));
}

function ticksAt(start: number, stop: number, step: number): number[] {
  const ticks: number[] = [];
  for (let index = Math.ceil(start / step); index * step <= stop; index++) ticks.push(index * step);
  return ticks;
}
