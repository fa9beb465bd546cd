import assert from "node:assert/strict";
import { gzipSync } from "node:zlib";
import test from "node:test";
import { pack, payload } from "../support.ts";
import { decode } from "../../src/model/model.ts";
import { decodeColumns } from "../../src/model/payload.ts";
import { unpackPage } from "../../src/shell/page.ts";

test("columns are read whatever their alignment", () => {
  const { entries, bytes } = pack({ a: ["u1", [7]], b: ["u2", [300, 5]], c: ["f4", [1.5]] });
  const columns = decodeColumns(entries, bytes);
  assert.deepEqual([...columns.get("a")!], [7]);
  assert.deepEqual([...columns.get("b")!], [300, 5]);
  assert.deepEqual([...columns.get("c")!], [1.5]);
});

test("bytes may come as a view into something larger, as they do from Jupyter", () => {
  const { entries, bytes } = pack({ a: ["u2", [300, 5]] });
  const larger = new Uint8Array(10);
  larger.set(new Uint8Array(bytes), 3);
  const columns = decodeColumns(entries, new DataView(larger.buffer, 3, 4));
  assert.deepEqual([...columns.get("a")!], [300, 5]);
});

test("data that are cut off are refused", () => {
  const { entries, bytes } = pack({ a: ["u2", [300, 5]] });
  assert.throws(
    () => decodeColumns(entries, bytes.slice(0, 3)),
    /column a ends at 4, the data at 3/,
  );
});

test("an unknown type is refused", () => {
  const entries = [{ name: "a", dtype: "q9", offset: 0, count: 1 }];
  assert.throws(() => decodeColumns(entries, new ArrayBuffer(8)), /unknown type q9/);
});

test("another version is refused", () => {
  const other = payload();
  other.meta.version = 3;
  assert.throws(() => decode(other), /unknown version 3/);
});

test("the model knows who reads whom", () => {
  const { graph } = decode(payload());
  assert.deepEqual(graph?.children, [[1], []]);
  assert.deepEqual(graph?.parents, [[], [0]]);
});

test("a page unpacks what Python packed", async () => {
  const { meta, bytes } = payload();
  const json = new TextEncoder().encode(JSON.stringify(meta));
  const length = new Uint8Array(Uint32Array.of(json.length).buffer);
  const packed = gzipSync(Buffer.concat([length, json, new Uint8Array(bytes as ArrayBuffer)]));
  const unpacked = await unpackPage(`\n${packed.toString("base64")}\n`);
  assert.deepEqual(unpacked.meta, meta);
  assert.deepEqual(unpacked.bytes, bytes);
});
