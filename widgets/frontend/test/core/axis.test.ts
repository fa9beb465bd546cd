import assert from "node:assert/strict";
import test from "node:test";
import { Axis, byteTicks, niceTicks } from "../../src/core/axis.ts";

test("pixels and values are inverse", () => {
  const axis = new Axis(0, 100);
  axis.show(20, 60);
  assert.equal(axis.toPixel(40, 200), 100);
  assert.equal(axis.fromPixel(100, 200), 40);
});

test("zooming keeps what is under the pointer", () => {
  const axis = new Axis(0, 1000);
  const before = axis.fromPixel(300, 400);
  assert.equal(axis.zoom(300, 400, 0.5), true);
  assert.equal(axis.fromPixel(300, 400), before);
  assert.equal(axis.span, 500);
});

test("zooming out ends at the whole, and then says that nothing moved", () => {
  const axis = new Axis(0, 10);
  axis.show(2, 4);
  axis.zoom(0, 100, 100);
  assert.equal(axis.isWhole, true);
  assert.equal(axis.zoom(0, 100, 2), false);
});

test("zooming in ends at the least span", () => {
  const axis = new Axis(0, 1000, 4);
  for (let turn = 0; turn < 50; turn++) axis.zoom(50, 100, 0.5);
  assert.equal(axis.span, 4);
});

test("panning stops at the ends", () => {
  const axis = new Axis(0, 100);
  axis.show(10, 20);
  axis.pan(1e6, 100);
  assert.deepEqual([axis.start, axis.stop], [0, 10]);
  axis.pan(-1e6, 100);
  assert.deepEqual([axis.start, axis.stop], [90, 100]);
});

test("revealing moves only what is not seen", () => {
  const axis = new Axis(0, 100);
  axis.show(0, 10);
  assert.equal(axis.reveal(5, 6), false);
  assert.equal(axis.reveal(50, 52), true);
  assert.deepEqual([axis.start, axis.stop], [46, 56]);
});

test("an empty domain still has a span", () => {
  assert.equal(new Axis(0, 0).span, 1);
});

test("marks are round and not too many", () => {
  assert.deepEqual(niceTicks(0, 100, 5), [0, 20, 40, 60, 80, 100]);
  assert.deepEqual(niceTicks(0, 3, 10), [0, 1, 2, 3]);
  assert.deepEqual(byteTicks(0, 4096, 4), [0, 1024, 2048, 3072, 4096]);
  for (const [stop, most] of [
    [7, 3],
    [123456, 8],
    [1e9, 5],
  ]) {
    assert.ok(niceTicks(0, stop, most).length <= most + 1);
    assert.ok(byteTicks(0, stop, most).length <= most + 1);
  }
});
