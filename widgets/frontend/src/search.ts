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

/** The places of values from the least to the greatest; of equal ones the first comes first. */
export function sortedBy(values: ArrayLike<number>): Uint32Array {
  const order = new Uint32Array(values.length);
  let isSorted = true;
  for (let place = 0; place < order.length; place++) {
    order[place] = place;
    if (place && values[place - 1] > values[place]) isSorted = false;
  }
  return isSorted ? order : order.sort((a, b) => values[a] - values[b] || a - b);
}
