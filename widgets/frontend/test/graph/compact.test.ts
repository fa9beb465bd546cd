import assert from "node:assert/strict";
import test from "node:test";
import { stage } from "../../../shared/panels.json";
import { payload } from "../support.ts";
import { decode } from "../../src/model/model.ts";
import { compacted, isCompact, isLarger } from "../../src/graph/compact.ts";

test("low boxes are closer together, and as much wider as their letters are larger", () => {
  const graph = decode(payload()).graph!;
  const low = compacted(graph);
  assert.ok(!isCompact(graph) && isCompact(low));
  assert.equal(low.depth, stage.pitch + stage.height);
  assert.ok(low.depth < graph.depth);
  const ratio = low.width / graph.width;
  assert.ok(ratio > 1);
  assert.deepEqual(
    [...low.x],
    Array.from(graph.x, (x) => x * ratio),
  );
  assert.deepEqual(
    [...low.route],
    Array.from(graph.route, (x) => x * ratio),
  );
  assert.equal(low.name, graph.name);
});

test("low boxes are chosen where names are larger in them", () => {
  assert.ok(isLarger(0.5, 0.5));
  assert.ok(!isLarger(0.4, 0.6));
});
