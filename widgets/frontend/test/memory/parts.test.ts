import assert from "node:assert/strict";
import test from "node:test";
import { payload } from "../support.ts";
import { decode } from "../../src/model/model.ts";
import { litBuffers } from "../../src/memory/filter.ts";
import { goesOn, type MemoryModel } from "../../src/model/memory.ts";
import { advise, describeBuffer } from "../../src/memory/words.ts";

// "a" lies in three blocks, "b" in one piece; "b" again is another buffer of that name.
const memory: MemoryModel = {
  ...decode(payload()).memory!,
  names: ["a", "a", "a", "b", "b"],
  node: Uint8Array.of(0, 0, 0, 1, 1),
  kind: new Uint8Array(5),
  lower: new Uint8Array(5),
  upper: new Uint8Array(5).fill(2),
  offset: Uint16Array.of(0, 64, 128, 256, 512),
  size: Uint16Array.of(32, 32, 32, 64, 80),
  whole: Uint16Array.of(96, 96, 96, 64, 80),
};

test("blocks of a buffer belong together", () => {
  const rectangles = [0, 1, 2, 3, 4, 5];
  assert.deepEqual(
    rectangles.map((rectangle) => goesOn(memory, rectangle)),
    [false, true, true, false, false, false],
  );
});

test("the largest buffers are those of most bytes, with all their blocks", () => {
  const wide: MemoryModel = {
    ...memory,
    names: ["a", "a", "a", "b", "c", "d", "e", "f", "g"],
    kind: new Uint8Array(9),
    size: Uint16Array.of(32, 32, 32, 64, 80, 70, 71, 72, 73),
    whole: Uint16Array.of(96, 96, 96, 64, 80, 70, 71, 72, 73),
  };
  assert.deepEqual(Array.from(litBuffers(wide, "5", -1)!), [1, 1, 1, 0, 1, 0, 1, 1, 1]);
});

test("what is said of a block is said of its buffer", () => {
  assert.deepEqual(describeBuffer(memory, 1, ["activations"], "tick"), [
    "a",
    "activations, 96 B (96 bytes)",
    "a part of it: bytes 64–95",
    "alive in ticks 0–1, [0, 2) in Python",
  ]);
  assert.equal(describeBuffer(memory, 3, ["activations"], "tick")[2], "bytes 256–319");
});

test("two plans of one peak are not said to differ", () => {
  const other = { ...memory, peak: 1024 };
  const words = (peak: number) => advise({ ...memory, peak, other }, -1, false, () => []);
  assert.equal(words(1024), "peak 1 KiB in both");
  assert.equal(words(512), "peak 1 KiB → 512 B (−50.0 %)");
});
