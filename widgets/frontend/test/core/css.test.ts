import assert from "node:assert/strict";
import test from "node:test";
import letters from "../../letters.json";
import { expanded } from "../../src/core/css.ts";

test("each letter is written in full, and none is a part of what another stands for", () => {
  for (const [letter, full] of Object.entries(letters)) {
    assert.equal(letter.length, 1);
    assert.equal(expanded(`a${letter}b`), `a${full}b`);
    assert.equal(expanded(full), full);
  }
});
