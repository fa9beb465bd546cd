// Margins of the memory panel, and what its painters read of it.

import { memory } from "../../../shared/panels.json";
import type { Axis } from "../core/axis.ts";
import type { Raster } from "../core/raster.ts";
import type { MemoryModel, Stretch } from "./model.ts";
import type { Moving } from "./morph.ts";

export const { left: LEFT, top: TOP, right: RIGHT, bottom: BOTTOM } = memory;
/** Width of the state at the step, beside the map. */
export const STRIP = 44;

/** What is seen: ticks across, bytes upwards, and where they are in pixels. */
export interface MemoryView {
  readonly data: MemoryModel;
  readonly moving: Moving;
  readonly raster: Raster;
  readonly tick: number;
  readonly peakTick: number;
  readonly strip: number;
  lit(): Uint8Array | null;
  state(): Stretch[];
  readonly ticks: Axis;
  readonly bytes: Axis;
  readonly plotWidth: number;
  readonly plotHeight: number;
  readonly width: number;
  readonly height: number;
  x(tick: number): number;
  y(address: number): number;
}
