// What the outside tells a workbench, and hears from it: traits of a kernel, or options of a page.

import type { Unit } from "../model/clock.ts";
import type { Model } from "../model/model.ts";
import type { Choices, Found } from "../model/store.ts";
import type { ThemeName } from "../core/theme.ts";
import type { Halo } from "../model/stripes.ts";
import type { Asked } from "./asking.ts";

export interface Options extends Partial<Asked> {
  panels?: readonly string[];
  theme?: ThemeName;
  selected?: string | null;
  picked?: string[] | null;
  query?: string;
  /** What a graph query found, where a kernel answered it. */
  found?: Found | null;
  clock?: Unit | null;
  timeRange?: [number, number] | null;
  tick?: number | null;
  step?: number | null;
  stripes?: number | null;
  halo?: Halo | null;
  /** What was shown here before: its memory plan moves to the new one. */
  before?: Model | null;
  /** What was chosen to be seen there. */
  choices?: Partial<Choices>;
  /** Whether all stays where it is when other data come. */
  steady?: boolean;
  /** Fills the window instead of taking a fixed height. */
  page?: boolean;
  changed?: (change: Partial<Outside>) => void;
}

/** The state in the words of the outside: nodes by name. */
export interface Outside extends Asked {
  selected: string | null;
  picked: string[] | null;
  hovered: string | null;
  query: string;
  clock: Unit | null;
  timeRange: [number, number] | null;
  tick: number | null;
  step: number | null;
  /** The way to tile that is looked at; null for the one that was asked for. */
  stripes: number | null;
  halo: Halo | null;
  theme: ThemeName;
  found: Found | null;
}
