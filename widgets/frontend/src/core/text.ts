// Write readable numbers, and cut text to a width in pixels.

import {
  bytes as BYTES,
  counts,
  grouped as GROUPED,
  least as LEAST,
  longest as LONGEST,
} from "../../../shared/labels.json";

function scaled(amount: number, { base, units }: { base: number; units: string[] }): string {
  let unit = 0;
  let value = amount;
  while (Math.abs(value) >= base && unit + 1 < units.length) {
    value /= base;
    unit++;
  }
  const digits = unit === 0 || value >= 99.95 ? value.toFixed(0) : String(+value.toPrecision(3));
  return `${digits} ${units[unit]}`.trim();
}

export const sizeText = (bytes: number): string => scaled(bytes, BYTES);
export const countText = (count: number): string => scaled(count, counts);

/** Writes a whole number that has many digits in groups of three; what a locale needs takes long. */
export const grouped = (count: number): string =>
  Math.abs(count) < GROUPED ? String(count) : String(count).replace(/\B(?=(\d{3})+$)/g, ",");

/** Writes a whole number in groups of three, however few digits it has: as findings do. */
export const thousands = (count: number): string => String(count).replace(/\B(?=(\d{3})+$)/g, ",");

/** Shortens to at most `limit` characters, keeping both ends. */
export function elide(text: string, limit: number): string {
  if (text.length <= limit) return text;
  if (limit <= 1) return "…".slice(0, Math.max(0, limit));
  const tail = Math.floor((limit - 1) / 2);
  return text.slice(0, limit - 1 - tail) + "…" + text.slice(text.length - tail);
}

type Measure = (text: string) => number;

/** Shortens text until it is at most `width` pixels wide; empty when that tells nothing. */
export function fitText(text: string, width: number, measure: Measure): string {
  let cut = elide(text, LONGEST);
  let wide = measure(cut);
  while (wide > width) {
    const limit = Math.min(cut.length - 1, Math.floor((cut.length * width) / wide));
    if (limit < LEAST) return "";
    cut = elide(text, limit);
    wide = measure(cut);
  }
  return cut;
}

/** The width of texts, in the font of a context. */
export const measuring = (context: CanvasRenderingContext2D): Measure => {
  return (text) => context.measureText(text).width;
};
