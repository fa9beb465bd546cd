import assert from "node:assert/strict";
import test from "node:test";
import scene from "../../../../tests/widgets/wire/golden/scene.json";
import { decode } from "../../src/model/model.ts";
import type { Meta } from "../../src/model/payload.ts";
import type { GraphModel } from "../../src/model/graph.ts";
import { frameAt, Opening, TITLE } from "../../src/model/opened.ts";

const bytes = Uint8Array.from(atob(scene.bytes), (char) => char.charCodeAt(0));
const model = decode({ meta: scene.meta as unknown as Meta, bytes });
const { graph, blocks, contents } = model;
const opening = new Opening(blocks!, graph!, contents!);
const isBlock = (box: number) => opening.isBlock(box);
const closedBlocks = blocks!.members.map((_, box) => box).filter(isBlock);

function checkDrawing(drawn: GraphModel): void {
  const seen = drawn.members.flat().sort((a, b) => a - b);
  assert.deepEqual(
    seen,
    graph!.members.flat().sort((a, b) => a - b),
    "each node has one box",
  );
  for (let one = 0; one < drawn.x.length; one++) {
    for (let other = 0; other < one; other++) {
      if (drawn.layer[one] !== drawn.layer[other]) continue;
      const apart = Math.abs(drawn.x[one] - drawn.x[other]);
      assert.ok(apart >= (drawn.boxWidth[one] + drawn.boxWidth[other]) / 2, `${one} on ${other}`);
    }
  }
  for (let edge = 0; edge < drawn.source.length; edge++) {
    const route = drawn.route.slice(drawn.routeStart[edge], drawn.routeStart[edge + 1]);
    const [source, target] = [drawn.source[edge], drawn.target[edge]];
    assert.ok(Math.abs(route[0] - drawn.x[source]) <= drawn.boxWidth[source] / 2);
    assert.ok(Math.abs(route.at(-1)! - drawn.x[target]) <= drawn.boxWidth[target] / 2);
    if (!drawn.back[edge]) {
      assert.equal(route.length, drawn.layer[target] - drawn.layer[source] + 1, "edges go down");
    }
  }
}

test("with nothing open the blocks are drawn as they were", () => {
  const drawn = opening.draw(new Set());
  assert.deepEqual(drawn.name, blocks!.name);
  assert.deepEqual(drawn.frames, []);
});

test("an open block shows its operators in a frame, and all others stay boxes", () => {
  assert.ok(closedBlocks.length >= 2);
  for (const box of closedBlocks) {
    const drawn = opening.draw(new Set([box]));
    checkDrawing(drawn);
    assert.equal(drawn.nodes, blocks!.nodes - 1 + blocks!.members[box].length);
    const [frame] = drawn.frames!;
    for (const node of blocks!.members[box]) {
      const own = drawn.boxOf[node];
      assert.ok(drawn.layer[own] >= frame.first && drawn.layer[own] <= frame.last);
      assert.ok(drawn.x[own] - drawn.boxWidth[own] / 2 >= frame.x);
      assert.ok(drawn.x[own] + drawn.boxWidth[own] / 2 <= frame.x + frame.width);
    }
  }
});

test("all blocks open are the whole graph, edge by edge", () => {
  const drawn = opening.draw(new Set(closedBlocks));
  checkDrawing(drawn);
  const pairs = ({ source, target, members, nodes }: GraphModel) =>
    Array.from(source, (from, edge) =>
      [from, target[edge]].map((box) => (box < nodes ? members[box][0] : `end ${box - nodes}`)),
    )
      .map((pair) => pair.join(" → "))
      .sort();
  assert.deepEqual(pairs(drawn), pairs(graph!));
});

test("the title of a frame is found where it is written", () => {
  const drawn = opening.draw(new Set([closedBlocks[0]]));
  const [frame] = drawn.frames!;
  const top = frame.first * drawn.pitch;
  assert.equal(frameAt(drawn, frame.x + 5, top - TITLE / 2), frame);
  assert.equal(frameAt(drawn, frame.x + 5, top + 5), null);
  assert.equal(frameAt(graph!, 5, 5), null);
});
