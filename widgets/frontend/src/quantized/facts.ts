// What the view of a quantized network is told, and what it says of it.

export interface Tensor {
  sqnr: number | null;
  worst: [number, number | null];
  range: [number, number];
  observed: [number, number];
  clipped: number;
  bars: number[];
}

export interface Row {
  name: string;
  on: number | null; // what it computes on, of `kinds`; null if that cannot be chosen
  alone: number | null;
  more: [number, number];
  macs: number;
  tensor: Tensor | null;
}

export interface Facts {
  sqnr: number | null;
  peak: [number, number];
  parameters: [number, number];
  macs: [number, number];
  kinds: string[];
  rows: Row[];
}

/** Writes decibels; what loses nothing has none. */
export function decibels(value: number | null): string {
  return value === null ? "no error" : `${value.toFixed(1)} dB`;
}

/** The largest of the finite errors: the end of the longest bar. */
export function longest(rows: Row[]): number {
  return Math.max(1, ...rows.map((row) => row.tensor?.sqnr ?? 0));
}

export const short = (value: number) => String(Number(value.toPrecision(3)));

/** Says how the range of a tensor was chosen. */
export function rangeSaid({ range, observed, clipped }: Tensor): string {
  const share = clipped ? `${(100 * clipped).toFixed(2)} % clipped` : "nothing clipped";
  const [low, high, first, last] = [...range, ...observed].map(short);
  return `codes from ${low} to ${high}, numbers from ${first} to ${last}; ${share}`;
}

/** The row to draw: the one that was chosen, or that with the least decibels. */
export function shownRow(rows: Row[], chosen: string | null): Row | undefined {
  const named = rows.find((row) => row.name === chosen);
  if (named) return named;
  const error = (row: Row) => row.tensor?.sqnr ?? Infinity;
  return rows.filter((row) => row.tensor).sort((one, other) => error(one) - error(other))[0];
}

/** What layers compute on: codes of 16 bits, numbers, or else codes of 8 bits. */
export interface Mix {
  wides: string[];
  floats: string[];
}

/** Lets a layer compute on codes of 8 bits (0), of 16 bits (1), or on numbers (2). */
export function moved({ wides, floats }: Mix, name: string, to: number): Mix {
  const others = (names: string[]) => names.filter((each) => each !== name);
  return {
    wides: to === 1 ? [...others(wides), name] : others(wides),
    floats: to === 2 ? [...others(floats), name] : others(floats),
  };
}
