// Finding one's way in sorted columns.

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
