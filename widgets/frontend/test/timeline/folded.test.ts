import assert from "node:assert/strict";
import test from "node:test";
import expected from "../../../../tests/widgets/wire/golden/folded.json";
import { payload } from "../support.ts";
import { decode } from "../../src/model/model.ts";
import type { Meta } from "../../src/model/payload.ts";
import { sortBars } from "../../src/model/bars.ts";
import { drawnIn } from "../../src/folded/foldedRows.ts";
import { equation, everyText, fold, type Opened } from "../../src/model/frames.ts";

const CLOSED: Opened = { turns: new Map(), stretches: new Set() };
const open = (frame: number, count: number, from = 1): Opened => ({
  turns: new Map([[frame, { count, from }]]),
  stretches: new Set(),
});

/** A schedule as Python sends it. */
function schedule(name: string) {
  const { meta, bytes } = expected.find((each) => each.name === name)!;
  const data = Uint8Array.from(atob(bytes), (char) => char.charCodeAt(0));
  const { timeline } = decode({ meta: meta as unknown as Meta, bytes: data });
  return { ...timeline!, nest: timeline!.nest! };
}

const operators = (producer: ArrayLike<number>) =>
  new Map(Array.from(producer, (_, row) => [row, row] as const).filter(([row]) => !producer[row]));

for (const { name, stretches, folded } of expected) {
  test(`${name}: a stretch holds what Python finds in it`, () => {
    const { nest } = schedule(name);
    for (const { begin, end, seen } of stretches) {
      const found = nest
        .seen(begin, end)
        .map(({ leaf, row, execution, early, late }) => [leaf, row, execution, early, late]);
      assert.deepEqual(found, seen, `${begin} to ${end}`);
    }
  });

  test(`${name}: closed, pieces lie where Python draws them`, () => {
    const { frames, steps } = schedule(name);
    for (const { width, pieces, bands } of folded) {
      const { pieces: made, bands: titles, map } = fold(frames, steps, CLOSED, 118, width);
      assert.deepEqual(
        made.map(({ kind, t0, t1, title, detail }) => [kind, t0, t1, title, detail]),
        pieces.map((piece) => piece.slice(0, 5)),
      );
      map.segments.forEach(({ x0, x1 }, index) => {
        const [left, right] = pieces[index].slice(5) as number[];
        assert.ok(Math.abs(x0 - left) < 0.01 && Math.abs(x1 - right) < 0.01, `${x0} ${left}`);
      });
      assert.deepEqual(
        titles.map(({ depth, t0, t1, title, detail }) => [depth, t0, t1, title, detail]),
        bands,
      );
    }
  });

  test(`${name}: firings are marked as Python marks them`, () => {
    const { nest, frames, steps, producer } = schedule(name);
    const shown = operators(producer);
    for (const { width, marks } of folded) {
      const { pieces } = fold(frames, steps, CLOSED, 118, width);
      const found = pieces.map((piece) =>
        piece.kind !== "shown"
          ? []
          : drawnIn(nest, frames, piece, shown)
              .filter(({ run }) => run > 0)
              .map((each) => [
                each.row,
                each.early,
                each.away,
                +each.isGuest,
                each.run,
                +each.overlaps,
              ]),
      );
      assert.deepEqual(found, marks);
    }
  });
}

test("frames of two open turns and the last one are equally wide, at their true steps", () => {
  const { frames, steps } = schedule("lstm 50");
  const { pieces, map } = fold(frames, steps, open(0, 2), 118, 1300);
  const shown = map.segments.filter((_, index) => pieces[index].path.length);
  assert.deepEqual(
    shown.filter(({ kind }) => kind === "shown").map(({ t0 }) => t0),
    [17, 25, 385],
  );
  const widths = shown.filter(({ kind }) => kind === "shown").map(({ x0, x1 }) => x1 - x0);
  assert.ok(Math.max(...widths) - Math.min(...widths) < 1);
  assert.equal(map.at(393).t0, 393);
  const [left, right] = pieces.filter(({ kind }) => kind === "break");
  assert.deepEqual([left.title, left.detail], ["44 more turns", "steps 33–384"]);
  assert.equal(right, undefined);
});

test("turns can be shown from any turn on", () => {
  const { frames, steps } = schedule("lstm 50");
  const { pieces, bands } = fold(frames, steps, open(0, 3, 20), 118, 1500);
  assert.deepEqual(
    bands.flatMap(({ turn, title }) => (turn ? [title] : [])),
    ["turn 20 of 47", "turn 21 of 47", "turn 22 of 47", "turn 47 of 47"],
  );
  assert.deepEqual(
    pieces.filter(({ kind }) => kind === "break").map(({ title }) => title),
    ["19 more turns", "24 more turns"],
  );
});

test("all turns open leave no break", () => {
  const { frames, steps } = schedule("lstm 50");
  const { pieces } = fold(frames, steps, open(0, 47), 118, 9000);
  assert.ok(pieces.every(({ kind }) => kind !== "break"));
  assert.equal(
    pieces.reduce((sum, { t0, t1 }) => sum + t1 - t0, 0),
    steps,
  );
});

test("every turn but the last ones has one box for each firing of the body", () => {
  const { nest, frames, steps, producer } = schedule("lstm 50");
  const shown = operators(producer);
  const { pieces } = fold(frames, steps, open(0, 47), 118, 9000);
  const counts = pieces
    .filter(({ path }) => path.length)
    .map((piece) => drawnIn(nest, frames, piece, shown).filter(({ early }) => early >= piece.t0));
  assert.ok(counts.slice(0, 44).every((boxes) => boxes.length === counts[0].length));
  assert.ok(counts[46].length < counts[0].length);
});

test("the sum in the gutter adds up", () => {
  const { frames, steps } = schedule("lstm 50");
  assert.equal(equation(frames, -1, steps), "17 + 47×8 + 8 = 401");
  assert.equal(everyText(frames[0]), "×47, every 8 steps");
});

test("a stretch that was opened is drawn, with its own loops", () => {
  const { frames, steps } = schedule("loops in loops");
  const closed = fold(frames, steps, CLOSED, 118, 1300);
  assert.deepEqual([closed.pieces[0].kind, closed.pieces.at(-1)!.kind], ["chip", "chip"]);
  const opened = { turns: new Map(), stretches: new Set([closed.pieces[0].id]) };
  const { pieces } = fold(frames, steps, opened, 118, 1300);
  assert.ok(
    pieces.some(({ kind, t1, t0 }) => kind === "break" && t1 <= closed.pieces[0].t1 && t0 > 0),
  );
});

test("a schedule without loops has none", () => {
  const { timeline } = decode(payload());
  assert.equal(timeline!.listed!.begin, 1);
  const { map } = fold([], 40, CLOSED, 0, 400);
  assert.deepEqual(
    map.segments.map(({ kind, t0, t1 }) => [kind, t0, t1]),
    [["shown", 0, 40]],
  );
});

test("steps may need more than 32 bits", () => {
  const row = Uint8Array.of(0);
  const { early } = sortBars(1, { row, early: Float64Array.of(2 ** 33), slack: Uint8Array.of(1) });
  assert.equal(early[0], 2 ** 33);
});
