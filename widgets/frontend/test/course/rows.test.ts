import assert from "node:assert/strict";
import { test } from "node:test";
import { anchorAt, moved, words } from "../../src/course/rows.ts";

test("rows in words", () => {
  assert.equal(words([3, 3]), "row 3");
  assert.equal(words([3, 8]), "rows 3–8");
});

test("an end that is moved pushes the other one along, and stays on the map", () => {
  assert.deepEqual(moved([3, 5], 0, 4, 16), [4, 5]);
  assert.deepEqual(moved([3, 5], 0, 7, 16), [7, 7]);
  assert.deepEqual(moved([3, 5], 1, 1, 16), [1, 1]);
  assert.deepEqual(moved([3, 5], 1, 99, 16), [3, 15]);
  assert.deepEqual(moved([3, 5], 0, -4, 16), [0, 5]);
});

test("a pointer takes an edge of the brush, or begins anew", () => {
  assert.equal(anchorAt([3, 5], 3), 5);
  assert.equal(anchorAt([3, 5], 5), 3);
  assert.equal(anchorAt([3, 5], 4), 4);
  assert.equal(anchorAt([0, 0], 0), 0);
});
