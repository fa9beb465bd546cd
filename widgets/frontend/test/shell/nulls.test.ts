import assert from "node:assert/strict";
import { test } from "node:test";
import type { Meta } from "../../src/model/payload.ts";
import { withNulls } from "../../src/shell/data.ts";

test("what a kernel in a page sends as undefined is null", () => {
  const sent = { memory: undefined, nodes: { macs: [1, undefined] } } as unknown as Meta;
  assert.deepEqual(withNulls(sent), { memory: null, nodes: { macs: [1, null] } });
  const plain = { memory: null, timeline: undefined } as unknown as Meta;
  assert.equal(withNulls(plain), plain);
});
