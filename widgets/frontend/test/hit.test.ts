import assert from "node:assert/strict";
import test from "node:test";
import { barAt, boxAt, bufferAt } from "../src/hit.ts";
import { decode, sortBars } from "../src/model.ts";
import { lowerBound, RunCollector } from "../src/runs.ts";
import { payload } from "./support.ts";

const model = decode(payload());

test("a bar is hit from its early to its late step", () => {
  const bars = model.timeline!.flat;
  assert.equal(barAt(bars, 2, 2.5, 0), 2);
  assert.equal(barAt(bars, 2, 5.9, 0), 2);
  assert.equal(barAt(bars, 2, 6.1, 0), -1);
  assert.equal(barAt(bars, 1, 2.5, 0), -1);
});

test("a bar too thin to hit is hit from close by", () => {
  const bars = model.timeline!.flat;
  assert.equal(barAt(bars, 1, 2.2, 0.5), 1);
  assert.equal(barAt(bars, 1, 0.2, 1), 1);
});

test("a long tail is found although many bars begin after it", () => {
  const early = Array.from({ length: 1000 }, (_, bar) => bar);
  const slack = early.map((bar) => (bar === 0 ? 5000 : 0));
  const bars = sortBars(1, early.map(() => 0) as never, early as never, slack as never);
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

test("intervals closer than a pixel melt together", () => {
  const drawn: number[][] = [];
  const runs = new RunCollector((left, right) => drawn.push([left, right]), 1);
  for (let x = 0; x < 100; x += 0.01) runs.add(x, x + 0.01);
  runs.add(200, 200.1);
  runs.flush();
  assert.equal(runs.count, 2);
  assert.equal(drawn[0][0], 0);
  assert.ok(drawn[0][1] >= 100);
  assert.deepEqual(drawn[1], [200, 201]);
});

test("the first value that is large enough is found", () => {
  assert.equal(lowerBound([1, 3, 3, 8], 3, 0, 4), 1);
  assert.equal(lowerBound([1, 3, 3, 8], 9, 0, 4), 4);
  assert.equal(lowerBound([], 1, 0, 0), 0);
});
