import assert from "node:assert/strict";
import test from "node:test";
import { decode } from "../../src/model/model.ts";
import { boxAt } from "../../src/model/graph.ts";
import { payload } from "../support.ts";

const model = decode(payload());

test("boxes are hit where they are", () => {
  const graph = model.graph!;
  assert.equal(boxAt(graph, 50, 20, 0), 0);
  assert.equal(boxAt(graph, 50, 60, 0), -1);
  assert.equal(boxAt(graph, 50, 100, 0), 1);
  assert.equal(boxAt(graph, 95, 100, 0), -1);
});
