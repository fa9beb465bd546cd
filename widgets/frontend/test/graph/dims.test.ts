import assert from "node:assert/strict";
import test from "node:test";
import { placeBeside } from "../../src/graph/dims.ts";

test("dims stand to the right of an edge that goes straight down", () => {
  assert.equal(placeBeside(100, 80, 40, [[100, 100]]), 106);
});

test("dims stand to the left where an edge turns to the right, or passes there", () => {
  const turning = placeBeside(100, 80, 40, [[100, 112]]);
  const passing = placeBeside(100, 80, 40, [
    [100, 100],
    [145, 145],
  ]);
  assert.deepEqual([turning, passing], [54, 54]);
});

test("dims stand past the last edge where edges turn to both sides", () => {
  assert.equal(
    placeBeside(100, 80, 40, [
      [100, 70],
      [100, 125],
    ]),
    131,
  );
});

test("dims do not lie over those of the box beside", () => {
  assert.equal(
    placeBeside(100, 80, 40, [
      [100, 100],
      [120, 160],
    ]),
    54,
  );
});
