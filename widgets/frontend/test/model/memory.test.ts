import assert from "node:assert/strict";
import test from "node:test";
import { decode } from "../../src/model/model.ts";
import { bufferAt } from "../../src/model/memory.ts";
import { payload } from "../support.ts";

const model = decode(payload());

test("buffers are half-open in time and in bytes", () => {
  const memory = model.memory!;
  assert.equal(bufferAt(memory, 1.5, 999, 0), 0);
  assert.equal(bufferAt(memory, 1.5, 1000, 0), 1);
  assert.equal(bufferAt(memory, 0.5, 1000, 0), -1);
  assert.equal(bufferAt(memory, 2, 10, 0), -1);
  assert.equal(bufferAt(memory, 0.5, 1010, 20), 0);
});
