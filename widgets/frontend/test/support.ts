// A small scene as Python writes it, packed by hand.

import type { ColumnEntry, Meta, Payload } from "../src/model/payload.ts";

const TYPES = { u1: Uint8Array, u2: Uint16Array, i4: Int32Array, f4: Float32Array } as const;
type Kind = keyof typeof TYPES;
export type Columns = Record<string, [kind: Kind, values: number[]]>;

export function pack(columns: Columns): { entries: ColumnEntry[]; bytes: ArrayBuffer } {
  const entries: ColumnEntry[] = [];
  const parts: Uint8Array[] = [];
  let offset = 0;
  for (const [name, [dtype, values]] of Object.entries(columns)) {
    const part = new Uint8Array(new TYPES[dtype](values).buffer);
    entries.push({ name, dtype, offset, count: values.length });
    parts.push(part);
    offset += part.length;
  }
  const all = new Uint8Array(offset);
  entries.forEach((entry, index) => all.set(parts[index], entry.offset));
  return { entries, bytes: all.buffer };
}

/** Two nodes, an edge, three bars (one of a weight), a repeated section, two buffers. */
export function payload(): Payload {
  const { entries, bytes } = pack({
    "box.layer": ["u1", [0, 1]],
    "box.x": ["f4", [50, 50]],
    "box.width": ["f4", [100, 80]],
    "edge.source": ["u1", [0]],
    "edge.target": ["u1", [1]],
    "edge.back": ["u1", [0]],
    "edge.points": ["u1", [2]],
    "route.x": ["f4", [50, 50]],
    "row.node": ["u1", [0, 0, 1]],
    "row.producer": ["u1", [1, 0, 0]],
    "bar.row": ["u1", [0, 1, 2]],
    "bar.early": ["u1", [0, 1, 2]],
    "bar.slack": ["u1", [0, 0, 3]],
    "label.block": ["u1", [0, 0]],
    "label.from": ["u1", [0, 0]],
    "label.to": ["u1", [5, 5]],
    "nest.row": ["u1", [0, 1, 2]],
    "nest.execution": ["u1", [0, 0, 0]],
    "nest.early": ["u1", [0, 1, 2]],
    "nest.slack": ["u1", [0, 0, 3]],
    "loop.count": ["u1", [4]],
    "loop.start": ["u1", [1]],
    "loop.stop": ["u1", [3]],
    "loop.parent": ["i4", [-1]],
    "loop.shifts": ["u1", [2]],
    "shift.row": ["u1", [1, 2]],
    "shift.execution": ["u1", [1, 1]],
    "shift.early": ["u1", [2, 2]],
    "shift.late": ["u1", [2, 2]],
    "buffer.node": ["u1", [0, 1]],
    "buffer.kind": ["u1", [0, 0]],
    "buffer.lower": ["u1", [0, 1]],
    "buffer.upper": ["u1", [2, 2]],
    "buffer.offset": ["u2", [0, 1000]],
    "buffer.size": ["u2", [1000, 500]],
    "tick.node": ["u1", [0, 1]],
  });
  const meta: Meta = {
    version: 2,
    title: "two nodes",
    panels: ["graph", "timeline", "memory", "table"],
    families: [["other", "#000000", "#ffffff"]],
    kinds: ["activation", "producer", "input"],
    nodes: {
      name: ["conv1", "relu1"],
      type: ["Conv2D", "ReLU"],
      family: [0, 0],
      parameters: [10, 0],
      macs: [100, null],
      details: [[], []],
    },
    labels: { prefix: "", suffix: "", blocks: [["0", "cell"]] },
    figures: [],
    notes: [],
    graph: { nodes: 2, height: 40, pitch: 84, size: [100, 124], terminals: [], labels: ["1×8"] },
    timeline: {
      steps: 6,
      name: ["conv1_w", "conv1", "relu1"],
      type: ["Producer", "Conv2D", "ReLU"],
      folded: false,
    },
    blocks: null,
    algorithm: [],
    devices: null,
    measured: false,
    tiles: null,
    charts: [],
    memory: { peak: 1500, lowerBound: 1500, ticks: 2, names: ["conv1", "relu1"] },
    columns: entries,
  };
  return { meta, bytes };
}
