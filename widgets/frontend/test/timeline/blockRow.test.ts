import assert from "node:assert/strict";
import { test } from "node:test";

import { Blocks } from "../../src/model/blocks.ts";
import { plainTheme } from "../../src/core/theme.ts";
import { fillsOf, paintBlocks, seenRuns, type BlockRuns } from "../../src/timeline/blockRow.ts";

interface BlockRun {
  block: number;
  first: number;
  stop: number;
}

const columnsOf = (runs: readonly BlockRun[]): BlockRuns => ({
  length: runs.length,
  block: Int32Array.from(runs, ({ block }) => block),
  first: Int32Array.from(runs, ({ first }) => first),
  stop: Int32Array.from(runs, ({ stop }) => stop),
});

/** Runs of so many ticks, of blocks in turn. */
function runsOf(lengths: readonly number[], blocks = 3): BlockRun[] {
  let stop = 0;
  return lengths.map((length, index) => {
    const first = stop;
    stop += length;
    return { block: index % blocks, first, stop };
  });
}

test("runs that have room are all seen, cut to the window", () => {
  const runs = runsOf([10, 20, 5, 40]);
  assert.deepEqual(
    seenRuns(columnsOf(runs), 100, 150, (tick) => 95 + tick),
    [
      { block: 0, from: 100, to: 105 },
      { block: 1, from: 105, to: 125 },
      { block: 2, from: 125, to: 130 },
      { block: 0, from: 130, to: 150 },
    ],
  );
  assert.deepEqual(
    seenRuns(columnsOf(runs), 0, 50, (tick) => tick + 60),
    [],
  );
  assert.deepEqual(
    seenRuns(columnsOf([]), 0, 50, (tick) => tick),
    [],
  );
});

test("a window of a million runs asks for as many of them as it has pixels", () => {
  const runs = runsOf(new Array<number>(1_000_000).fill(1));
  let asked = 0;
  const seen = seenRuns(columnsOf(runs), 0, 1000, (tick) => {
    asked++;
    return tick / 1000;
  });
  assert.ok(seen.length >= 900 && seen.length <= 2002, `${seen.length} are seen`);
  assert.ok(asked < 60_000, `${asked} places were asked for`);
  for (let pixel = 0; pixel < 1000; pixel++) {
    assert.ok(seen.some(({ from }) => from >= pixel - 1 && from < pixel + 1));
  }
  assert.deepEqual(seen.at(-1), { block: 999_999 % 3, from: 999.999, to: 1000 });
});

test("runs of one block lie apart, however many others lie between", () => {
  const runs = runsOf(new Array<number>(90).fill(2)).filter(({ block }) => block === 1);
  assert.deepEqual(
    seenRuns(columnsOf(runs), 10, 32, (tick) => tick * 2),
    [
      { block: 1, from: 16, to: 20 },
      { block: 1, from: 28, to: 32 },
    ],
  );
});

test("what lies in no block leaves its room to the others", () => {
  const runs = runsOf([1, 1, 1, 1]).map((run, at) => ({ ...run, block: at % 2 ? -1 : at }));
  assert.deepEqual(
    seenRuns(columnsOf(runs), 0, 40, (tick) => tick * 10).map(({ block, from }) => [block, from]),
    [
      [0, 0],
      [2, 20],
    ],
  );
});

/** What is written into runs, with where its middle or left end is; letters are 6 pixels wide. */
function written(runs: readonly BlockRun[], labels: [string, string][], right: number) {
  const found: [text: string, x: number][] = [];
  const context = {
    fillRect() {},
    strokeRect() {},
    measureText: (text: string) => ({ width: 6 * text.length }),
    fillText: (text: string, x: number) => found.push([text, x]),
  } as unknown as CanvasRenderingContext2D;
  const parts = new Blocks({ prefix: "", suffix: "", blocks: labels }, new Map());
  const place = { top: 0, height: 17, left: 0, right, picked: -1 };
  paintBlocks(context, { parts }, columnsOf(runs), plainTheme([]), place, (tick) => tick);
  return found;
}

const layers = (count: number): [string, string][] =>
  Array.from({ length: count }, (_, at) => [`${at}.0`, "layer"]);

test("the second run says its kind only where the name of a narrow first one has room, too", () => {
  const runs = runsOf([20, 72, 72, 72], 4);
  assert.deepEqual(written(runs, [["stem", ""], ...layers(3)], 236), [
    ["0.0", 56],
    ["layer 1.0", 128],
    ["2.0", 200],
    ["stem", 1],
  ]);
});

test("a first run that no short neighbour makes room for stays without a name", () => {
  const runs = runsOf([2, 60, 60], 4);
  assert.deepEqual(
    written(runs, [["embeddings", ""], ...layers(2)], 122).map(([text]) => text),
    ["layer 0.0", "1.0"],
  );
});

test("runs too thin to be told apart are one band, on each side of the window's edges", () => {
  const thin = { block: 0, from: 20, to: 21 };
  const seen = [
    { block: 1, from: 0, to: 20 },
    ...[0, 1, 2, 3].map((at) => ({ block: at % 2, from: 20 + at, to: 21 + at })),
    { block: 0, from: 24, to: 60 },
    { ...thin, from: 60, to: 61 },
  ];
  const fills = fillsOf(seen, (pixel) => (pixel < 22 ? 1 : 0.5));
  assert.deepEqual(
    fills.map(({ from, to }) => [from, to]),
    [
      [0, 20],
      [20, 22],
      [22, 24],
      [24, 60],
      [60, 61],
    ],
  );
  assert.equal(fills[2].shade, fills[1].shade / 2);
  assert.ok(fills[1].shade < 2 * fills[4].shade && fills[1].shade > fills[0].shade);
});

test("where no name has room in its run, some are named, as on an axis", () => {
  const runs = runsOf(new Array<number>(8).fill(12), 8);
  const names = layers(8).map(([name]): [string, string] => [name, ""]);
  assert.deepEqual(written(runs, names, 96), [
    ["1.0", 18],
    ["3.0", 42],
    ["5.0", 66],
    ["7.0", 81], // the last one, from its left
  ]);
  const thin = runsOf(new Array<number>(8).fill(4), 8);
  assert.deepEqual(written(thin, names, 32), []);
});
