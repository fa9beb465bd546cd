import assert from "node:assert/strict";
import test from "node:test";
import { decode } from "../src/model.ts";
import { findNodes, Store, type Change } from "../src/store.ts";
import { elide, fitText, sizeText } from "../src/text.ts";
import { payload } from "./support.ts";

function listening() {
  const store = new Store(decode(payload()));
  const heard: Change[] = [];
  const stop = store.subscribe((change) => heard.push(change));
  return { store, heard, stop };
}

test("what is selected is told to everybody, once", () => {
  const { store, heard } = listening();
  store.set({ selected: 1 });
  store.set({ selected: 1 });
  assert.deepEqual(heard, [{ selected: 1 }]);
});

test("only what differs is told", () => {
  const { store, heard } = listening();
  store.set({ timeRange: [1, 2], hovered: 0 });
  store.set({ timeRange: [1, 2], hovered: 1 });
  assert.deepEqual(heard[1], { hovered: 1 });
});

test("who asked is told as well", () => {
  const { store } = listening();
  const origins: unknown[] = [];
  store.subscribe((_, origin) => origins.push(origin));
  store.set({ selected: 0 }, "graph");
  assert.deepEqual(origins, ["graph"]);
});

test("nobody is told after leaving", () => {
  const { store, heard, stop } = listening();
  stop();
  store.set({ selected: 1 });
  assert.deepEqual(heard, []);
});

test("a query finds by name and by type, in any case, all words", () => {
  const model = decode(payload());
  assert.deepEqual([...findNodes(model, "CONV")!], [1, 0]);
  assert.deepEqual([...findNodes(model, "relu 1")!], [0, 1]);
  assert.deepEqual([...findNodes(model, "relu conv")!], [0, 0]);
  assert.equal(findNodes(model, "  "), null);
});

test("the store counts what a query finds", () => {
  const { store } = listening();
  assert.equal(store.isMatch(0), true);
  store.set({ query: "relu" });
  assert.equal(store.matchCount, 1);
  assert.deepEqual([store.isMatch(0), store.isMatch(1)], [false, true]);
  store.set({ query: "" });
  assert.equal(store.isMatch(0), true);
});

test("text is cut to the pixels there are", () => {
  const measure = (text: string) => text.length * 6;
  assert.equal(fitText("conv1", 100, measure), "conv1");
  assert.equal(fitText("features_0_conv", 60, measure), "featu…conv");
  assert.equal(fitText("features_0_conv", 10, measure), "");
  assert.equal(fitText("x".repeat(10_000), 60, measure).length, 10);
  assert.equal(elide("abc", 1), "…");
});

test("sizes read as in Python", () => {
  assert.deepEqual([0, 1023, 1536, 10 ** 10].map(sizeText), [
    "0 B",
    "1023 B",
    "1.5 KiB",
    "9.31 GiB",
  ]);
});
