import assert from "node:assert/strict";
import { test } from "node:test";
import {
  decibels,
  longest,
  rangeSaid,
  shownRow,
  switched,
  type Row,
  type Tensor,
} from "../../src/quantized/facts.ts";

const tensor: Tensor = {
  sqnr: 20,
  worst: [1, 12],
  range: [0, 3.25],
  observed: [-1, 4],
  clipped: 0.0125,
  bars: [1, 0.5],
};

function row(name: string, held: Tensor | null): Row {
  return { name, isFloat: !held, canFloat: true, alone: 20, more: 3, macs: 1, tensor: held };
}

test("what loses nothing has no decibels", () => {
  assert.equal(decibels(null), "no error");
  assert.equal(decibels(19.96), "20.0 dB");
});

test("the row with the least decibels is drawn unless another is chosen", () => {
  const rows = [row("a", { ...tensor, sqnr: null }), row("b", tensor), row("c", null)];
  assert.equal(shownRow(rows, null)?.name, "b");
  assert.equal(shownRow(rows, "c")?.name, "c");
  assert.equal(shownRow([], null), undefined);
  assert.equal(longest(rows), 20);
  assert.equal(longest([]), 1);
});

test("a range says what is clipped", () => {
  assert.equal(rangeSaid(tensor), "codes from 0 to 3.25, numbers from -1 to 4; 1.25 % clipped");
  assert.match(rangeSaid({ ...tensor, clipped: 0 }), /nothing clipped$/);
});

test("a switch goes to float and back", () => {
  assert.deepEqual(switched(["a"], "b"), ["a", "b"]);
  assert.deepEqual(switched(["a", "b"], "a"), ["b"]);
});
