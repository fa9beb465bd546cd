import assert from "node:assert/strict";
import test from "node:test";
import { boardHeight, clamp, overlapping, peak, unitOf, verdict } from "../../src/board/layout.ts";

const blocks = [
  { name: "a", lower: 0, upper: 2, size: 4 },
  { name: "b", lower: 1, upper: 3, size: 4 },
  { name: "c", lower: 2, upper: 4, size: 2 },
];

test("blocks that share a byte at a tick overlap, and no others", () => {
  assert.deepEqual([...overlapping(blocks, { a: 0, b: 3, c: 0 })], ["a", "b"]);
  assert.equal(overlapping(blocks, { a: 0, b: 4, c: 0 }).size, 0);
});

test("the peak is the highest end", () => {
  assert.equal(peak(blocks, { a: 0, b: 4, c: 9 }), 11);
});

test("blocks stay on the board, at whole bytes", () => {
  const height = boardHeight(blocks);
  assert.equal(clamp(blocks[0], -3, height), 0);
  assert.equal(clamp(blocks[0], 2.6, height), 3);
  assert.equal(clamp(blocks[0], 99, height), height - 4);
});

test("blocks move by what divides all sizes", () => {
  assert.equal(unitOf(blocks), 2);
  assert.equal(unitOf([{ name: "d", lower: 0, upper: 1, size: 3 }, ...blocks]), 1);
  assert.equal(unitOf([]), 1);
  assert.equal(clamp(blocks[0], 2.9, boardHeight(blocks), 2), 2);
  assert.equal(clamp(blocks[0], 3.1, boardHeight(blocks), 2), 4);
});

test("what is said", () => {
  assert.match(verdict(blocks, { a: 0, b: 0, c: 0 }, 8), /a, b, c overlap/);
  assert.match(verdict(blocks, { a: 0, b: 4, c: 8 }, 8), /Peak 10 bytes; 8 are possible. Score 80/);
  assert.match(verdict(blocks, { a: 0, b: 4, c: 0 }, 8), /Solved/);
  assert.equal(verdict(blocks, { a: 0, b: 4, c: 0 }, 0), "Peak 8 bytes.");
});

test("in two memories bytes in the slow one count", () => {
  const fast = 4;
  assert.match(verdict(blocks, { a: 2, b: 8, c: 14 }, 4, fast), /^a: .*both memories/);
  assert.equal(verdict(blocks, { a: 4, b: 8, c: 0 }, 4, fast), "8 bytes lie in the slow memory.");
  assert.match(verdict(blocks, { a: 0, b: 4, c: 8 }, 6, fast), /^6 bytes .*Solved/);
});
