// Margins that all panels of the time column share.

import { column } from "../../../shared/panels.json";

/** Pixels left of time: names and units. */
export function gutterOf(width: number): number {
  return width < column.narrow.below ? column.narrow.gutter : column.gutter;
}

/** Pixels of time in a panel of a width. */
export function plotOf(width: number): number {
  return Math.max(1, width - gutterOf(width) - column.right);
}
