import assert from "node:assert/strict";
import { test } from "node:test";
import { draggedTo } from "../../src/quantized/drag.ts";
import {
  decibels,
  longest,
  moved,
  rangeSaid,
  shownRow,
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
  return { name, on: held ? 0 : 2, alone: 20, more: [1, 3], macs: 1, tensor: held };
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

test("a layer goes from one type to another", () => {
  const start = { wides: ["a"], floats: ["b"] };
  assert.deepEqual(moved(start, "a", 2), { wides: [], floats: ["b", "a"] });
  assert.deepEqual(moved(start, "b", 1), { wides: ["a", "b"], floats: [] });
  assert.deepEqual(moved(start, "b", 0), { wides: ["a"], floats: [] });
  assert.deepEqual(moved(start, "c", 2), { wides: ["a"], floats: ["b", "c"] });
  assert.deepEqual(moved(start, "a", 1), start);
});

test("a thumb stays between the first place and the last", () => {
  assert.equal(draggedTo(0, 50, 150, 3), 1);
  assert.equal(draggedTo(1, -30, 150, 3), 0.4);
  assert.equal(draggedTo(1, 500, 150, 3), 2);
  assert.equal(draggedTo(2, -500, 150, 3), 0);
  assert.equal(draggedTo(1, 0, 0, 3), 1);
});
