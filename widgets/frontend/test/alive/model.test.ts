import assert from "node:assert/strict";
import test from "node:test";
import { highest } from "../../src/alive/model.ts";
import { orderOf, takerOf, type MemoryModel } from "../../src/model/memory.ts";

test("ticks that share the peak are told apart from lower ones", () => {
  const bytes = [1, 9, 2, 2, 2, 7, 1, 1, 9, 1, 1, 5, 1, 1, 9];
  const { peaks, lower } = highest(bytes, 1);
  assert.deepEqual(peaks, [1, 8, 14]);
  assert.deepEqual(
    lower.map((tick) => bytes[tick]),
    [7, 5],
  );
});

test("neighbours of a peak, and of the tick that is known, are not told again", () => {
  assert.deepEqual(highest([9, 1, 8, 1, 1, 1, 7, 1, 6], 6).lower, []);
  assert.deepEqual(highest([0, 0, 0], 0), { peaks: [], lower: [] });
});

test("what is written over a buffer takes it over at its own tick", () => {
  const lower = Uint32Array.from([0, 2, 1]);
  const upper = Uint32Array.from([3, 5, 3]);
  const [order, reached] = orderOf(lower, upper);
  const memory = { lower, upper, order, reached };
  const offset = Uint32Array.from([0, 0, 64]);
  const size = Uint32Array.from([64, 64, 64]);
  const plan = { ...memory, offset, size } as unknown as MemoryModel;
  assert.deepEqual(
    [0, 1, 2].map((buffer) => takerOf(plan, buffer)),
    [1, -1, -1],
  );
});
