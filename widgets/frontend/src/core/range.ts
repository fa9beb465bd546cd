// Write ranges of time: both ends are included on screen, and Python's half-open form is said aside.

import { grouped } from "./text.ts";

/** Writes a half-open range of whole units: "ticks 13–14", "tick 14". */
export function rangeText(unit: string, first: number, stop: number): string {
  if (stop - first <= 1) return `${unit} ${grouped(first)}`;
  return `${unit}s ${grouped(first)}–${grouped(stop - 1)}`;
}

/** Writes it with its form in Python: "ticks 13–14, [13, 15) in Python". */
export function pythonText(unit: string, first: number, stop: number): string {
  return `${rangeText(unit, first, stop)}, [${first}, ${stop}) in Python`;
}
