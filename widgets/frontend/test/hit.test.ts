import assert from "node:assert/strict";
import test from "node:test";
import { barAt, boxAt, bufferAt } from "../src/hit.ts";
import { sortBars } from "../src/bars.ts";
import { decode } from "../src/model.ts";
import { lowerBound } from "../src/search.ts";
import { payload } from "./support.ts";

const model = decode(payload());

test("a bar is hit from its early to its late step", () => {
  const bars = model.timeline!.flat!;
  assert.equal(barAt(bars, 2, 2.5, 0), 2);
  assert.equal(barAt(bars, 2, 5.9, 0), 2);
  assert.equal(barAt(bars, 2, 6.1, 0), -1);
  assert.equal(barAt(bars, 1, 2.5, 0), -1);
});

test("a bar too thin to hit is hit from close by", () => {
  const bars = model.timeline!.flat!;
  assert.equal(barAt(bars, 1, 2.2, 0.5), 1);
  assert.equal(barAt(bars, 1, 0.2, 1), 1);
});

test("a long tail is found although many bars begin after it", () => {
  const early = Array.from({ length: 1000 }, (_, bar) => bar);
  const slack = early.map((bar) => (bar === 0 ? 5000 : 0));
  const bars = sortBars(1, {
    row: new Uint8Array(early.length),
    early: Uint16Array.from(early),
    slack: Uint16Array.from(slack),
  });
  assert.equal(barAt(bars, 0, 3000, 0), 0);
  assert.equal(barAt(bars, 0, 500.5, 0), 500);
});

test("buffers are half-open in time and in bytes", () => {
  const memory = model.memory!;
  assert.equal(bufferAt(memory, 1.5, 999, 0), 0);
  assert.equal(bufferAt(memory, 1.5, 1000, 0), 1);
  assert.equal(bufferAt(memory, 0.5, 1000, 0), -1);
  assert.equal(bufferAt(memory, 2, 10, 0), -1);
  assert.equal(bufferAt(memory, 0.5, 1010, 20), 0);
});

test("boxes are hit where they are", () => {
  const graph = model.graph!;
  assert.equal(boxAt(graph, 50, 20, 0), 0);
  assert.equal(boxAt(graph, 50, 60, 0), -1);
  assert.equal(boxAt(graph, 50, 100, 0), 1);
  assert.equal(boxAt(graph, 95, 100, 0), -1);
});

test("the first value that is large enough is found", () => {
  assert.equal(lowerBound([1, 3, 3, 8], 3, 0, 4), 1);
  assert.equal(lowerBound([1, 3, 3, 8], 9, 0, 4), 4);
  assert.equal(lowerBound([], 1, 0, 0), 0);
});
