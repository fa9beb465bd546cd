// Level of detail: intervals closer than a pixel melt into runs, so that a row of a million bars
// costs as many rectangles as the screen has pixels.

export type DrawRun = (left: number, right: number) => void;

/** First index in [from, to) whose value is at least `wanted`; values must not decrease. */
export function lowerBound(
  values: ArrayLike<number>,
  wanted: number,
  from: number,
  to: number,
): number {
  while (from < to) {
    const middle = (from + to) >>> 1;
    if (values[middle] < wanted) from = middle + 1;
    else to = middle;
  }
  return from;
}

/** Collects intervals that come from left to right and hands on those that stay apart. */
export class RunCollector {
  count = 0;
  private left = NaN;
  private right = NaN;

  constructor(
    private readonly draw: DrawRun,
    private readonly least: number,
    private readonly gap = 0.6,
  ) {}

  add(left: number, right: number): void {
    const end = Math.max(right, left + this.least);
    if (left - this.right < this.gap) {
      if (end > this.right) this.right = end;
      return;
    }
    this.flush();
    this.left = left;
    this.right = end;
  }

  flush(): void {
    if (this.right > this.left) {
      this.draw(this.left, this.right);
      this.count++;
    }
    this.left = this.right = NaN;
  }
}
