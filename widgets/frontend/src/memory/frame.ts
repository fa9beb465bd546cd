// Margins of the memory panel, and what its painters read of it.

import { memory } from "../../../shared/panels.json";
import type { Axis } from "../core/axis.ts";
import type { Raster } from "../core/raster.ts";
import type { MemoryModel } from "../model/memory.ts";
import type { Moving } from "./morph.ts";

export const { top: TOP, foot: FOOT } = memory;

/** What is seen: ticks across, bytes upwards, and where they are in pixels. */
export interface MemoryView {
  readonly data: MemoryModel;
  readonly moving: Moving;
  readonly raster: Raster;
  readonly tick: number;
  readonly peakTick: number;
  lit(): Uint8Array | null;
  readonly bytes: Axis;
  /** The ticks that are shown, with their fractions. */
  readonly shownTicks: [start: number, stop: number];
  /** Where the plot begins, in pixels. */
  readonly left: number;
  readonly plotWidth: number;
  readonly plotHeight: number;
  readonly width: number;
  readonly height: number;
  x(tick: number): number;
  y(address: number): number;
}
