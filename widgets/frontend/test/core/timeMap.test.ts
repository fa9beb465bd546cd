import assert from "node:assert/strict";
import test from "node:test";
import { layOut, TimeMap, within, type Span } from "../../src/core/timeMap.ts";

const LOOP: Span[] = [
  { kind: "shown", t0: 0, t1: 17 },
  { kind: "shown", t0: 17, t1: 25 },
  { kind: "break", t0: 25, t1: 393, width: 100 },
  { kind: "shown", t0: 393, t1: 401 },
];

test("a map without breaks goes both ways", () => {
  const map = TimeMap.plain(20, 60, 118, 318);
  assert.equal(map.x(40), 218);
  assert.equal(map.t(218), 40);
  assert.equal(map.t(118), 20);
  assert.equal(map.unit(30), 5);
});

test("an empty stretch of time still has a width", () => {
  assert.equal(TimeMap.plain(3, 3, 0, 10).t1, 4);
});

test("units outside a break have one width, and true numbers behind it", () => {
  const map = layOut(LOOP, 118, 778);
  const unit = (660 - 100) / (17 + 8 + 8);
  for (const time of [0, 16, 17, 24, 393, 400]) assert.ok(Math.abs(map.unit(time) - unit) < 1e-9);
  assert.equal(map.unit(100), 0);
  assert.ok(Math.abs(map.x(393) - map.x(25) - 100) < 1e-9);
  assert.ok(Math.abs(map.end(401) - 778) < 1e-9);
  for (const time of [0, 3.5, 17, 200, 393, 400.5])
    assert.ok(Math.abs(map.t(map.x(time)) - time) < 1e-6, String(time));
});

test("what is left out is not shown", () => {
  const map = layOut(LOOP, 0, 700);
  assert.deepEqual(
    [-1, 0, 24, 25, 392, 393, 400, 401].map((time) => map.shows(time)),
    [false, true, true, false, false, true, true, false],
  );
});

test("the width of a picture does not depend on how much a break leaves out", () => {
  const long = LOOP.map((span) => ({ ...span }));
  long[2].t1 += 8e9;
  long[3].t0 += 8e9;
  long[3].t1 += 8e9;
  const pixels = ({ segments }: TimeMap) => segments.map(({ x0, x1 }) => [x0, x1]);
  assert.deepEqual(pixels(layOut(long, 118, 778)), pixels(layOut(LOOP, 118, 778)));
});

test("a frame of one step keeps its least width, and the others share the rest", () => {
  const spans: Span[] = [
    { kind: "shown", t0: 0, t1: 99 },
    { kind: "shown", t0: 99, t1: 100, least: 64 },
  ];
  const [before, frame] = layOut(spans, 0, 460).segments;
  assert.equal(frame.x1 - frame.x0, 64);
  assert.equal(before.x1 - before.x0, 396);
});

test("a gap belongs to no unit: a stretch ends before it and the next begins behind it", () => {
  const map = layOut(
    [
      { kind: "shown", t0: 0, t1: 10 },
      { kind: "shown", t0: 10, t1: 20, gap: 20 },
    ],
    0,
    220,
  );
  assert.deepEqual([map.end(10), map.x(10)], [100, 120]);
  assert.deepEqual([map.t(100), map.t(110), map.t(120)], [10, 10, 10]);
});

test("numbers are apart, and each segment begins with one", () => {
  const map = layOut(LOOP, 0, 430);
  assert.deepEqual(map.labels(40), [0, 5, 10, 15, 17, 22, 393, 398]);
  assert.deepEqual(layOut(LOOP, 0, 4300).labels(40), [
    ...Array.from({ length: 25 }, (_, step) => step),
    ...Array.from({ length: 8 }, (_, step) => 393 + step),
  ]);
});

test("a window cuts what is shown, and keeps a break whole", () => {
  const cut = within(LOOP, 20, 400);
  assert.deepEqual(
    cut.map(({ kind, t0, t1 }) => [kind, t0, t1]),
    [
      ["shown", 20, 25],
      ["break", 25, 393],
      ["shown", 393, 400],
    ],
  );
});

test("breaks that ask for more than there is leave half to what is shown", () => {
  const map = layOut(LOOP, 0, 100);
  const [, , { x0, x1 }] = map.segments;
  assert.equal(x1 - x0, 50);
  assert.ok(map.unit(0) > 0);
});
