import assert from "node:assert/strict";
import test from "node:test";
import { mapping } from "../../../shared/panels.json";
import { shaded } from "../../src/mapping/brush.ts";
import { bufferText } from "../../src/mapping/bufferText.ts";
import { barBox, layRows, memoriesHeight, shares, spanOf } from "../../src/mapping/layout.ts";
import type { TimelineModel } from "../../src/model/timeline.ts";

test("memories share a height by what they hold, but for a least height", () => {
  const heads = (count: number) => count * mapping.head;
  const { least } = mapping.memory;
  assert.deepEqual(shares([10, 30], 400 + heads(2)), [100, 300]);
  assert.deepEqual(shares([1, 99], 400 + heads(2)), [least, 400 - least]);
  assert.deepEqual(shares([1, 1], 0), [least, least]);
  assert.deepEqual(shares([], 100), []);
  assert.equal(memoriesHeight(1, 500), 500);
  assert.equal(memoriesHeight(100, 500), 100 * (mapping.head + least));
});

test("there is paper between bars that are wide enough to be told apart", () => {
  for (const left of [100, 100.4, 100.5, 100.9]) {
    for (const wide of [2, 4, 7.3, 40]) {
      const [first, last] = spanOf(left, left + wide);
      const [following] = spanOf(left + wide, left + 2 * wide);
      assert.ok(following - last >= (wide >= 4 ? 2 : 1));
      assert.ok(last > first);
      assert.ok(Math.abs(first - left) <= 0.5);
    }
  }
});

test("elements and links have a heading each, and rows that do not overlap", () => {
  const type = ["element", "element", "link", "link", "link"];
  const { heads, rows, height } = layRows({ name: type, type } as unknown as TimelineModel);
  assert.deepEqual(
    heads.map(({ kind }) => kind),
    ["element", "link"],
  );
  let reached = 0;
  for (const row of rows) {
    const [top, size] = barBox(row);
    assert.ok(row.y >= reached && top >= row.y && top + size <= row.y + row.high);
    reached = row.y + row.high;
  }
  assert.equal(height, reached);
  const many = Array(40).fill("element");
  const { rows: small } = layRows({ name: many, type: many } as unknown as TimelineModel);
  assert.ok(small[0].high < rows[0].high);
});

test("a second shade is darker on light paper and lighter on dark paper", () => {
  assert.equal(shaded("#238bfb", false), "#1964b5");
  assert.equal(shaded("#5faaff", true), "#7fbbff");
});

test("a buffer is written as its work and which of its values it is", () => {
  const names = {
    fit: (name: string, room: number) => (name.length <= room ? name : ""),
  };
  const write = (name: string, node: string, room: number) =>
    bufferText(name, node, room, names, (text) => text.length);
  assert.equal(write("stem input 0", "stem", 7), "stem in");
  assert.equal(write("stem input 0", "stem", 6), "");
  assert.equal(write("stem result 0", "stem", 20), "stem out");
  assert.equal(write("stem input 3", "stem", 20), "stem input 3");
  assert.equal(write("other", "stem", 20), "other");
  assert.equal(write("x", "", 20), "x");
});
