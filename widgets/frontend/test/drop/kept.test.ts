// Files are laid where Python finds them, and as old as its bytecode says.

import assert from "node:assert/strict";
import { test } from "node:test";

import type { Meta } from "../../src/model/payload.ts";
import { lay } from "../../src/drop/kept.ts";
import type { Files } from "../../src/drop/worker.ts";

test("each file gets its bytes, a folder, and one and the same time", () => {
  const folders: string[] = [];
  const written = new Map<string, number[]>();
  const times = new Set<number>();
  const fs = {
    mkdirTree: (path: string) => void folders.push(path),
    writeFile: (path: string, data: Uint8Array) => void written.set(path, [...data]),
    utime: (_: string, __: number, time: number) => void times.add(time),
  } as unknown as Files;
  const files = [
    ["a/__init__.py", 2],
    ["a/empty.py", 0],
    ["a/b/c.py", 1],
  ];
  lay(fs, { meta: { files } as unknown as Meta, bytes: new Uint8Array([1, 2, 3]).buffer });
  const root = "/lib/python3.12/site-packages";
  assert.deepEqual(folders, [`${root}/a`, `${root}/a/b`]);
  assert.deepEqual(Object.fromEntries(written), {
    [`${root}/a/__init__.py`]: [1, 2],
    [`${root}/a/empty.py`]: [],
    [`${root}/a/b/c.py`]: [3],
  });
  assert.equal(times.size, 1);
});
