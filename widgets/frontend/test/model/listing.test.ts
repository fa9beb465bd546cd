import assert from "node:assert/strict";
import test from "node:test";
import { sortBars } from "../../src/model/bars.ts";
import { Listing } from "../../src/model/listing.ts";

/** Three operators and a weight, each several times, in an order that jumps between rows. */
const columns = {
  row: Uint8Array.of(3, 0, 1, 0, 2, 1, 2),
  early: Uint8Array.of(0, 1, 2, 3, 3, 5, 4),
  slack: Uint8Array.of(9, 0, 2, 0, 0, 0, 4),
};
const nodes = Uint8Array.of(4, 5, 6, 4);
const producer = Uint8Array.of(0, 0, 0, 1);
const made = () => new Listing(columns, nodes, producer);

test("what is counted of the firings as they came is what the sorted bars say", () => {
  const listing = made();
  const sorted = sortBars(4, columns, producer);
  assert.deepEqual([listing.begin, listing.end], [sorted.begin, sorted.end]);
  assert.deepEqual([listing.begin, listing.end, listing.critical], [1, 9, 4]);
  assert.deepEqual([...listing.node], [4, 5, 4, 6, 5, 6]);
  assert.deepEqual(
    [...listing.order].map((bar) => sorted.early[bar]),
    [...listing.step],
  );
  assert.equal(listing.isByStep, false, "5 comes before 4");
  for (let row = 0; row < 4; row++) {
    const [from, to] = [sorted.start[row], sorted.start[row + 1]];
    assert.deepEqual(listing.fired(row), {
      early: Math.min(...sorted.early.slice(from, to)),
      slack: Math.min(...sorted.slack.slice(from, to)),
      firings: to - from,
    });
  }
});

test("bars are sorted once, and not before they are asked for", () => {
  let asked = 0;
  const counting = {
    ...columns,
    get row() {
      asked++;
      return columns.row;
    },
  };
  const listing = new Listing(counting, nodes, producer);
  assert.equal(asked, 1);
  assert.equal(listing.bars, listing.bars);
  assert.equal(asked, 2);
});

test("a schedule without firings spans nothing", () => {
  const none = { row: new Uint8Array(0), early: new Uint8Array(0), slack: new Uint8Array(0) };
  const empty = new Listing(none, nodes, producer);
  assert.deepEqual([empty.begin, empty.end, empty.bars.count, empty.order.length], [0, 0, 0, 0]);
  assert.deepEqual(empty.fired(0), { early: Infinity, slack: Infinity, firings: 0 });
});
