import assert from "node:assert/strict";
import test from "node:test";
import { splitNodes } from "../../src/model/cards.ts";
import { splitTerms, TERMS } from "../../src/panel/terms.ts";

test("nodes stand in a text where Python put their places", () => {
  assert.deepEqual(splitNodes("while {0} runs (tick 14)", [7]), ["while ", 7, " runs (tick 14)"]);
  assert.deepEqual(splitNodes("{1} … {0}", [3, 4]), [4, " … ", 3]);
  assert.deepEqual(splitNodes("nothing", []), ["nothing"]);
  assert.deepEqual(splitNodes("{2}", [3]), ["?"]);
});

test("terms are found once, in their longest form, as whole words", () => {
  assert.deepEqual(splitTerms("peak = lower bound, holes and holes"), [
    { name: "peak", text: "peak" },
    " = ",
    { name: "lower bound", text: "lower bound" },
    ", ",
    { name: "hole", text: "holes" },
    " and holes",
  ]);
  assert.deepEqual(splitTerms("the ticket of a stepmother"), ["the ticket of a stepmother"]);
  assert.deepEqual(splitTerms("its early steps"), [
    "its ",
    { name: "early step", text: "early steps" },
  ]);
  assert.equal(splitTerms("a peak", new Set(["peak"])).length, 1);
});

test("each term has one sentence", () => {
  for (const sentence of TERMS.values()) assert.match(sentence, /^[A-Z].*\.$/);
});
