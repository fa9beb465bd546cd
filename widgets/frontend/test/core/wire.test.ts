import assert from "node:assert/strict";
import test from "node:test";
import cases from "../../../../tests/widgets/wire/label_cases.json";
import scene from "../../../../tests/widgets/wire/golden/scene.json";
import wire from "../../../shared/wire.json";
import { decode } from "../../src/model/model.ts";
import { shorter } from "../../src/model/names.ts";
import type { Meta } from "../../src/model/payload.ts";
import { countText, elide, sizeText } from "../../src/core/text.ts";
import { textOn } from "../../src/core/theme.ts";

/** All that the data consist of: the compiler asks for each key, the test for no other. */
const KEYS: Record<keyof Required<Meta>, true> = {
  version: true,
  title: true,
  panels: true,
  families: true,
  kinds: true,
  nodes: true,
  labels: true,
  figures: true,
  notes: true,
  findings: true,
  graph: true,
  blocks: true,
  inside: true,
  timeline: true,
  algorithm: true,
  devices: true,
  measured: true,
  exported: true,
  tiles: true,
  stripes: true,
  charts: true,
  memory: true,
  columns: true,
};

const meta = scene.meta as unknown as Meta;
const bytes = Uint8Array.from(atob(scene.bytes), (char) => char.charCodeAt(0));

test("every panel is read from what Python sends", () => {
  const model = decode({ meta, bytes });
  const { graph, blocks, inside, timeline, devices, measured, tiles, memory } = model;
  for (const panel of [graph, blocks, inside, timeline, devices, measured, tiles, memory]) {
    assert.notEqual(panel, null);
  }
  assert.deepEqual(model.meta.notes, meta.notes);
  assert.equal(memory!.node.length, memory!.names.length);
  assert.notEqual(memory!.weights, null);
  assert.notEqual(memory!.other, null);
  assert.ok(timeline!.nest!.loops.every(({ count }) => count > 1));
  assert.deepEqual(devices!.listed!.bars.nodesOf(0), [0, 1]);
  assert.ok(tiles!.bottom.every((bottom, box) => bottom > tiles!.top[box]));
});

test("Python and TypeScript agree on the parts of the data", () => {
  assert.deepEqual(Object.keys(meta).sort(), Object.keys(KEYS).sort());
  assert.deepEqual(meta.kinds, wire.kinds);
});

const FUNCTIONS: Record<keyof typeof cases, (...given: any[]) => string | string[]> = {
  elide,
  size: sizeText,
  count: countText,
  shorter: (leaf) => [...shorter(leaf)],
  textOn,
};

for (const [name, table] of Object.entries(cases)) {
  test(`${name} follows the table that Python follows`, () => {
    for (const [given, expected] of table) {
      assert.deepEqual(FUNCTIONS[name as keyof typeof cases](...given), expected);
    }
  });
}
