import assert from "node:assert/strict";
import test from "node:test";
import { lowerBound } from "../../src/model/search.ts";

test("the first value that is large enough is found", () => {
  assert.equal(lowerBound([1, 3, 3, 8], 3, 0, 4), 1);
  assert.equal(lowerBound([1, 3, 3, 8], 9, 0, 4), 4);
  assert.equal(lowerBound([], 1, 0, 0), 0);
});
