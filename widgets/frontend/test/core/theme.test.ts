import assert from "node:assert/strict";
import test from "node:test";
import { textOn, thinned } from "../../src/core/theme.ts";

const COLOURS = [
  "#238cff",
  "#bf5229",
  "#c98200",
  "#671196",
  "#22a39f",
  "#b05ab9",
  "#ffffff",
  "#000000",
];

function luminance(colour: string): number {
  const part = (start: number) => {
    const value = parseInt(colour.slice(start, start + 2), 16) / 255;
    return value <= 0.03928 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  };
  return 0.2126 * part(1) + 0.7152 * part(3) + 0.0722 * part(5);
}

function contrast(one: string, other: string): number {
  const [low, high] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (high + 0.05) / (low + 0.05);
}

test("a colour that lies thinly on paper is between both", () => {
  assert.equal(thinned("#ff0000", "#ffffff", 1), "#ff0000");
  assert.equal(thinned("#ff0000", "#ffffff", 0), "#ffffff");
  assert.equal(thinned("#ff0000", "#0000ff", 0.5), "#800080");
});

test("text can be read on any colour, thin or not", () => {
  for (const colour of COLOURS) {
    for (const paper of ["#ffffff", "#14171c"]) {
      for (const alpha of [1, 0.65]) {
        const seen = thinned(colour, paper, alpha);
        assert.ok(contrast(textOn(seen), seen) >= 4.5, `${textOn(seen)} on ${seen}`);
      }
    }
  }
});
