import assert from "node:assert/strict";
import test from "node:test";
import { decode } from "../../src/model/model.ts";
import { barAt, sortBars } from "../../src/model/bars.ts";
import { payload } from "../support.ts";

const model = decode(payload());

test("a bar is hit from its early to its late step", () => {
  const bars = model.timeline!.listed!.bars;
  assert.equal(barAt(bars, 2, 2.5, 0), 2);
  assert.equal(barAt(bars, 2, 5.9, 0), 2);
  assert.equal(barAt(bars, 2, 6.1, 0), -1);
  assert.equal(barAt(bars, 1, 2.5, 0), -1);
});

test("a bar too thin to hit is hit from close by", () => {
  const bars = model.timeline!.listed!.bars;
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
