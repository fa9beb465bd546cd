import assert from "node:assert/strict";
import test from "node:test";
import { Game, keyOf, wayOf, type Facts, type State } from "../../src/fit/game.ts";

const facts: Facts = {
  levels: [
    { name: "1", variant: "", budget: 100, moves: ["order", "in_place"], program: false, says: "" },
    {
      name: "2",
      variant: "",
      budget: 50,
      moves: ["order", "in_place", "rows", "stripes", "halo"],
      program: true,
      says: "",
    },
    { name: "+", variant: "image", budget: 50, moves: ["stripes"], program: false, says: "" },
  ],
  orders: [
    ["a", "b", "c"],
    ["b", "a", "c"],
  ],
  stripes: [1, 2],
  halos: ["recompute", "cache"],
  few: 0.02,
  picture: ["0f"],
};

const state = (peak: number, arena: number | null = null, share = 0): State => ({
  peak,
  arena,
  share,
  tick: 3,
  order: ["a", "b", "c"],
  blocks: [],
  says: "",
  text: "",
});

test("keys leave out what makes no difference", () => {
  const { setting } = new Game(facts);
  assert.equal(keyOf(setting), "a b c|0|0|1|-");
  assert.equal(keyOf({ ...setting, halo: "cache" }), "a b c|0|0|1|-");
  assert.equal(keyOf({ ...setting, stripes: 2, inPlace: true }), "-|1|0|2|recompute");
  assert.equal(keyOf({ ...setting, variant: "image" }), "a b c|0|0|1|-|image");
});

test("only orders that can run are moved to", () => {
  const game = new Game(facts);
  assert.deepEqual(game.shifted("b", -1)?.order, ["b", "a", "c"]);
  assert.equal(game.shifted("b", 1), null);
  assert.equal(game.shifted("a", -1), null);
});

test("a level allows its moves, where they make a difference", () => {
  const game = new Game(facts);
  assert.ok(game.allows("order") && !game.allows("rows") && !game.allows("halo"));
  game.begin(1);
  assert.ok(game.allows("order") && game.allows("rows") && !game.allows("halo"));
  game.setting = { ...game.setting, stripes: 2 };
  assert.ok(!game.allows("order") && game.allows("halo"));
});

test("moves that were foreseen count as half a move", () => {
  const game = new Game(facts);
  const start = state(120);
  assert.equal(game.points(start, start), 0);
  const next = { ...game.setting, inPlace: true };
  assert.equal(game.make(next, "down", start, state(90)), "down");
  assert.equal(game.points(start, state(90)), 60);
  assert.equal(game.make(game.setting, "up", state(90), state(90)), "same");
  assert.equal(game.points(start, state(90)), 20);
  assert.deepEqual([game.moves, game.foreseen], [2, 1]);
  assert.deepEqual(game.stars, [3, 0, 0]);
  game.begin(0);
  assert.deepEqual([game.moves, game.stars[0]], [0, 3]);
  assert.equal(wayOf(1, 2), "up");
});

test("where the program counts, the plan is not enough", () => {
  const game = new Game(facts);
  game.begin(1);
  assert.ok(game.fits(state(50, 50)));
  assert.ok(!game.fits(state(50, 51)));
  assert.ok(!game.fits({ ...state(50), arena: undefined }));
  assert.equal(game.verdict(state(50, 51)), "1 byte too many at tick 3.");
  assert.equal(game.verdict(state(60)), "10 bytes too many at tick 3.");
  assert.match(game.verdict(state(50)), /writes in place/);
});

test("stars fall with what is computed twice", () => {
  const game = new Game(facts);
  game.begin(1);
  assert.deepEqual(
    [0, 0.02, 0.03].map((share) => game.starsOf(state(1, 1, share))),
    [3, 2, 1],
  );
  assert.match(game.verdict(state(40, 40, 0.02)), /10 bytes are free. Now without computing/);
  assert.equal(game.verdict(state(40, 40)), "It fits, 10 bytes are free.");
});

test("a level begins with its own network, and says whether it can run", () => {
  const game = new Game(facts);
  assert.deepEqual(
    facts.levels.map((_, level) => (game.begin(level), game.runs)),
    [false, true, true],
  );
  assert.equal(game.setting.variant, "image");
});
