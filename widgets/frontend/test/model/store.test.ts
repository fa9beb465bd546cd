import assert from "node:assert/strict";
import test from "node:test";
import { payload } from "../support.ts";
import { decode } from "../../src/model/model.ts";
import { findNodes } from "../../src/model/find.ts";
import { Store, type Change } from "../../src/model/store.ts";
import { elide, fitText, grouped, sizeText } from "../../src/core/text.ts";
import { compareKeys } from "../../src/table/panel.ts";

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

test("what the kernel found goes before words", () => {
  const { store } = listening();
  store.set({ query: "relu" });
  store.set({ found: { nodes: [0], text: "1 match", hint: "" } });
  assert.deepEqual([store.isMatch(0), store.isMatch(1), store.matchCount], [true, false, 1]);
  store.set({ found: { nodes: [], text: "0 matches", hint: "" } });
  // In vain: that is said, and nothing is dimmed.
  assert.deepEqual([store.isMatch(0), store.matchCount, store.isSearching], [true, 0, true]);
  store.set({ query: " " });
  assert.equal(store.isMatch(0), true);
  store.set({ query: "relu", found: null });
  assert.equal(store.matchCount, 1);
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
  assert.equal(fitText("1×3×224×224", 36, measure), "1×3…24");
  assert.equal(fitText("features_0_conv", 10, measure), "");
  assert.equal(fitText("x".repeat(10_000), 60, measure).length, 10);
  assert.equal(elide("abc", 1), "…");
});

test("a name is written with its block, alone, or with its words cut, as there is room", () => {
  const { names, parts } = decode(payload());
  const measure = (text: string) => text.length;
  assert.equal(names.fit("conv1", 9, measure), "0 · conv1");
  assert.equal(names.fit("conv1", 9, measure, true), "conv1");
  assert.equal(names.fit("conv1", 8, measure), "conv1");
  assert.equal(names.fit("conv1", 4, measure), "");
  assert.equal(names.fit("accelerator_scratch_port", 15, measure), "acc_scr_port");
  assert.ok(names.short("x".repeat(10_000), 12).length <= 12);
  assert.equal(parts.title(parts.of(1)), "cell 0");
  assert.deepEqual(parts.members, [[0, 1]]);
});

test("matches are picked one after the other, around the end", () => {
  const { store } = listening();
  assert.equal(store.nextMatch(1), -1);
  store.set({ query: "1" });
  assert.equal(store.matchCount, 2);
  assert.equal(store.nextMatch(1), 0);
  assert.equal(store.nextMatch(-1), 1);
  store.set({ selected: 0 });
  assert.equal(store.nextMatch(1), 1);
  store.set({ selected: 1 });
  assert.equal(store.nextMatch(1), 0);
  assert.deepEqual([store.placeOf(0), store.placeOf(1)], [1, 2]);
  store.set({ query: "nothing" });
  assert.equal(store.nextMatch(1), -1);
});

test("numbers sort either way, and what is unknown comes last", () => {
  const sorted = (sign: number) => [3, Infinity, 1, 2].sort((a, b) => compareKeys(a, b, sign));
  assert.deepEqual(sorted(1), [1, 2, 3, Infinity]);
  assert.deepEqual(sorted(-1), [3, 2, 1, Infinity]);
});

test("sizes read as in Python", () => {
  assert.deepEqual([0, 1023, 1536, 10 ** 10].map(sizeText), [
    "0 B",
    "1023 B",
    "1.5 KiB",
    "9.31 GiB",
  ]);
});

test("numbers of many digits are written in groups", () => {
  assert.deepEqual([0, 9999, 10000, 4500000].map(grouped), ["0", "9999", "10,000", "4,500,000"]);
});
