import assert from "node:assert/strict";
import test from "node:test";
import { payload } from "../support.ts";
import { decode } from "../../src/model/model.ts";
import { Store } from "../../src/model/store.ts";

/** A store of nodes with these names and types. */
function storeOf(nodes: readonly (readonly [name: string, type: string])[]): Store {
  const { meta, bytes } = payload();
  const empty = () => nodes.map(() => null);
  const parts = { parameters: nodes.map(() => 0), macs: empty(), family: nodes.map(() => 0) };
  const [name, type] = [0, 1].map((at) => nodes.map((node) => node[at]));
  const details = nodes.map(() => []);
  meta.nodes = { ...parts, name, type, details };
  meta.graph = meta.timeline = meta.memory = null;
  meta.columns = [];
  return new Store(decode({ meta, bytes }));
}

const NODES = [
  ["preconv", "ReLU"],
  ["conv_1", "Conv2D"],
  ["x", "Conv"],
  ["Conv", "Tanh"],
  ["y", "Conv2D"],
  ["deconv", "ReLU"],
] as const;

test("exact names come first, then types, then what begins with the query, then the rest", () => {
  const store = storeOf(NODES);
  store.set({ query: "conv" });
  assert.deepEqual(
    store.ranked.map((node) => NODES[node][0]),
    ["Conv", "x", "conv_1", "y", "preconv", "deconv"],
  );
  assert.equal(store.match, 3);
  assert.equal(store.nextMatch(1), 3);
  store.set({ selected: 3 });
  assert.deepEqual([store.nextMatch(1), store.placeOf(3)], [2, 1]);
  assert.equal(store.nextMatch(-1), 5);
});

test("what the kernel found stays in the order of the graph", () => {
  const store = storeOf(NODES);
  store.set({ query: "conv", found: { nodes: [5, 3], text: "", hint: "" } });
  assert.deepEqual(store.ranked, [3, 5]);
});

test("a query that nothing matches has no closest match", () => {
  const store = storeOf(NODES);
  store.set({ query: "pool" });
  assert.deepEqual([store.ranked, store.match, store.isSearching], [[], -1, true]);
});

test("nodes are marked one by one, with the one that was selected alone", () => {
  const store = storeOf(NODES);
  store.set({ selected: 0 });
  assert.ok(store.isPicked(0));
  store.mark(2);
  assert.deepEqual(store.state.picked, [0, 2]);
  store.set({ selected: 4 });
  assert.deepEqual([store.isPicked(4), store.isChosen(4), store.isPicked(0)], [false, true, true]);
  store.mark(0);
  store.mark(-1);
  assert.deepEqual(store.state.picked, [2]);
});
