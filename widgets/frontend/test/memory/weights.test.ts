import assert from "node:assert/strict";
import test from "node:test";
import { payload } from "../support.ts";
import { decode } from "../../src/model/model.ts";
import { litBuffers } from "../../src/memory/filter.ts";
import { regionOf } from "../../src/model/memory.ts";
import { withWeights } from "../../src/memory/weights.ts";

const { memory, name } = decode(payload());

test("weights lie above the plan, one after the other, for as long as it lasts", () => {
  const dressed = withWeights({ ...memory!, weights: Uint16Array.of(4000, 500) }, name);
  const { region, offset, size, upper, kind, names } = dressed;
  assert.ok(region!.base > memory!.peak);
  assert.equal(region!.size, 4500);
  assert.deepEqual(Array.from(size.slice(2)), [4000, 500]);
  assert.equal(offset[3], offset[2] + 4000);
  assert.deepEqual([upper[2], kind[2], names[2]], [2, 1, "conv1 weights"]);
  assert.deepEqual(Array.from(litBuffers(dressed, "5", -1)!), [1, 1, 0, 0]);
  assert.deepEqual(Array.from(litBuffers(dressed, "peak", -1)!), [1, 1, 1, 1]);
});

test("weights in the plan have a region where nothing else lies", () => {
  const apart = { ...memory!, kind: Uint8Array.of(0, 1) };
  assert.deepEqual(regionOf(apart), { name: "weights:", base: 1000, size: 500 });
  const shared = { ...apart, offset: Uint16Array.of(0, 999) };
  assert.equal(regionOf(shared), null);
});
