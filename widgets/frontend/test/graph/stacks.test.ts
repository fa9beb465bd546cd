import assert from "node:assert/strict";
import test from "node:test";
import type { GraphModel } from "../../src/model/graph.ts";
import { stacked } from "../../src/graph/stacks.ts";

/** Boxes one below the other, each with two nodes; an edge leads past boxes 1 to 4. */
function chain(count: number, past: [number, number] = [0, count - 1]): GraphModel {
  const boxes = [...Array(count).keys()];
  const edges = [...boxes.slice(1).map((box) => [box - 1, box] as const), past];
  const routes = edges.map(([from, to]) =>
    Array.from({ length: to - from + 1 }, (_, at) => (at && at < to - from ? 80 : 50)),
  );
  const ends = routes.map((_, at) => routes.slice(0, at + 1).flat().length);
  return {
    name: boxes.map(String),
    type: boxes.map(() => "2 operators"),
    boxOf: Int32Array.from({ length: 2 * count }, (_, node) => node >> 1),
    members: boxes.map((box) => [2 * box, 2 * box + 1]),
    nodes: count,
    height: 40,
    pitch: 60,
    width: 100,
    depth: (count - 1) * 60 + 40,
    terminals: [],
    labels: edges.map(() => "1×8"),
    layer: Uint32Array.from(boxes),
    x: Float64Array.from(boxes, () => 50),
    boxWidth: Float64Array.from(boxes, (box) => 40 + box),
    source: Uint32Array.from(edges, ([from]) => from),
    target: Uint32Array.from(edges, ([, to]) => to),
    back: new Uint8Array(edges.length),
    routeStart: Uint32Array.from([0, ...ends]),
    route: Float64Array.from(routes.flat()),
    parents: boxes.map((box) => (box ? [box - 1] : [])),
    children: boxes.map((box) => (box < count - 1 ? [box + 1] : [])),
    frames: [],
  };
}

const name = (first: number, last: number) => `${first} … ${last}`;

function checkRoutes(drawn: GraphModel): void {
  for (let edge = 0; edge < drawn.source.length; edge++) {
    const route = drawn.route.slice(drawn.routeStart[edge], drawn.routeStart[edge + 1]);
    const [source, target] = [drawn.source[edge], drawn.target[edge]];
    assert.equal(route.length, drawn.layer[target] - drawn.layer[source] + 1);
    assert.equal(route[0], drawn.x[source]);
    assert.equal(route.at(-1), drawn.x[target]);
  }
}

test("a run of boxes away from the window is one box", () => {
  const drawn = stacked(chain(8), (box) => box >= 2 && box <= 6, name);
  assert.deepEqual(drawn.name, ["0", "1", "2 … 6 ▸", "7"]);
  assert.equal(drawn.type[2], "5 blocks");
  assert.deepEqual([...drawn.layer], [0, 1, 2, 3]);
  assert.deepEqual(drawn.members[2], [4, 5, 6, 7, 8, 9, 10, 11, 12, 13]);
  assert.ok([4, 9, 13].every((node) => drawn.boxOf[node] === 2));
  assert.deepEqual([...drawn.stacks!], [2]);
  assert.equal(drawn.depth, 3 * 60 + 40);
  assert.equal(drawn.boxWidth[2], 46);
  assert.deepEqual(drawn.children, [[1, 3], [2], [3], []]);
  checkRoutes(drawn);
});

test("an edge that passes a stack runs beside it", () => {
  const graph = chain(8);
  graph.route = graph.route.map((x) => (x === 80 ? 60 : x));
  const drawn = stacked(graph, (box) => box >= 2 && box <= 6, name);
  const edge = [...drawn.source].findIndex((from, at) => from === 0 && drawn.target[at] === 3);
  const bends = drawn.route.slice(drawn.routeStart[edge] + 1, drawn.routeStart[edge + 1] - 1);
  assert.equal(bends.length, 2);
  assert.ok(Math.abs(bends[1] - drawn.x[2]) > drawn.boxWidth[2] / 2);
});

test("one box alone, and boxes beside others that stay, are not stacked", () => {
  const graph = chain(5);
  assert.equal(
    stacked(graph, (box) => box === 2, name),
    graph,
  );
  graph.layer = Uint32Array.from([0, 1, 1, 2, 3]);
  assert.equal(
    stacked(graph, (box) => box === 1 || box === 3, name),
    graph,
  );
});

test("stacks on both sides of the window, and frames move up with their boxes", () => {
  const graph = chain(9, [0, 8]);
  graph.frames = [{ box: 4, title: "4", first: 4, last: 4, x: 0, width: 80 }];
  const drawn = stacked(graph, (box) => box !== 4, name);
  assert.deepEqual(drawn.name, ["0 … 3 ▸", "4", "5 … 8 ▸"]);
  assert.deepEqual([drawn.frames![0].first, drawn.frames![0].last], [1, 1]);
  checkRoutes(drawn);
});
