// The panels of a view: which there are, and who makes each.

import type { CanvasPanel, Host } from "../panel/canvasPanel.ts";
import type { DomPanel } from "../panel/domPanel.ts";
import type { Model } from "../model/model.ts";
import { DetailsPanel } from "../alive/details.ts";
import { AlivePanel } from "../alive/panel.ts";
import { ExportPanel } from "../export/panel.ts";
import { GraphPanel } from "../graph/panel.ts";
import { MemoriesPanel } from "../mapping/memories.ts";
import { MappingPanel } from "../mapping/panel.ts";
import { MemoryPanel } from "../memory/panel.ts";
import { ArenasPanel } from "../stripes/arenas.ts";
import { CountsPanel } from "../stripes/counts.ts";
import { FiguresPanel } from "../stripes/figures.ts";
import { NeedsPanel } from "../stripes/needs.ts";
import { TablePanel } from "../table/panel.ts";
import { ChartsPanel } from "../tiling/charts.ts";
import { TilingPanel } from "../tiling/panel.ts";
import { AlgorithmPanel } from "../timeline/algorithm.ts";
import { FoldedPanel } from "../folded/folded.ts";
import { TimelinePanel } from "../timeline/panel.ts";
import { SchedulePanel } from "../timeline/schedule.ts";

export type Panel = CanvasPanel | DomPanel | TablePanel;

/** Makes the panels asked for, or all that the data name, in their order. */
export function makePanels(
  host: Host,
  wanted: readonly string[] = host.store.model.meta.panels,
  before: Model | null = null,
): Panel[] {
  const { graph, timeline, memory, devices, measured, tiles, stripes, meta, blocks, inside } =
    host.store.model;
  const folded = (name: string, title: string) =>
    timeline?.nest ? new FoldedPanel(host, timeline, name, title) : null;
  const { algorithm, charts, exported } = meta;
  const isPlan = memory !== null && memory.spaces.length === 0 && memory.ticks > 0;
  const makers: Record<string, () => Panel | Panel[] | null | false> = {
    graph: () => graph && new GraphPanel(host, graph, blocks, inside),
    timeline: () =>
      timeline?.listed ? new SchedulePanel(host, timeline) : folded("timeline", "Schedule"),
    factorized: () => folded("factorized", "Factorized schedule"),
    memory: () =>
      memory &&
      (memory.spaces.length || host.store.clock.isMachine
        ? new MemoriesPanel(host, memory)
        : new MemoryPanel(host, memory, before?.memory)),
    measured: () =>
      measured && new TimelinePanel(host, measured, { name: "measured", title: "Measured" }),
    devices: () => devices && new MappingPanel(host, devices),
    stripes: () =>
      stripes && [
        new CountsPanel(host, stripes),
        new NeedsPanel(host, stripes),
        new ArenasPanel(host, stripes),
        new FiguresPanel(host, stripes),
      ],
    tiling: () => tiles && new TilingPanel(host, tiles),
    charts: () => charts.length > 0 && new ChartsPanel(host, charts),
    export: () => (exported ? new ExportPanel(host, exported) : null),
    algorithm: () => algorithm.length > 0 && new AlgorithmPanel(host, algorithm),
    // The bottom row: what is alive or, in its place, all nodes; and all about the picked one.
    table: () => [
      ...(isPlan ? [new AlivePanel(host, memory)] : []),
      new TablePanel(host),
      new DetailsPanel(host),
    ],
  };
  return wanted.flatMap((name) => makers[name]?.() || []);
}
