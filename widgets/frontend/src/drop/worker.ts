// The worker of the page: Python, NumPy and the library, which answer calls one after the other.

import type { Payload } from "../model/payload.ts";
import { unpack } from "../shell/data.ts";
import { forNextTime, type Kept, keptFrom, lay } from "./kept.ts";
import type { Answer, Call, Progress } from "./protocol.ts";

interface Proxy {
  toJs(): unknown;
  destroy(): void;
}

export interface Pyodide {
  FS: Files;
  runPython(code: string): unknown;
  toPy(value: unknown): unknown;
}

/** What we use of Emscripten's files. */
export interface Files {
  mkdirTree(path: string): void;
  writeFile(path: string, data: Uint8Array, options: { canOwn: boolean }): void;
  readFile(path: string): Uint8Array<ArrayBuffer>;
  readdir(path: string): string[];
  utime(path: string, read: number, written: number): void;
  stat(path: string): { mode: number };
  isDir(mode: number): boolean;
}

type Load = (options: { indexURL: string; stdLibURL?: string }) => Promise<Pyodide>;

const NUMPY = `
import sys
sys.dont_write_bytecode = False  # what is compiled is kept for the next time
import numpy
`;

const START = `
import functools
from aidge_nb.report.offered import offered

@functools.cache
def _page():
    from aidge_nb.report.tab import Tab
    return Tab()

def call(method, given):
    page = None if method == "offered" else _page()
    if method in ("offered", ""):
        return "", offered(), b""
    from aidge_nb.report.tab import answer
    error, found = answer(getattr(page, method), given)
    return (error, "", b"") if error else ("", *found)

call
`;

const post = (reply: Answer | Progress) => self.postMessage(reply);

const beside = (name: string) => new URL(name, self.location.href).href;

const loaded = async (name: string) => (await fetch(beside(name))).arrayBuffer();

const fetched = async (name: string) => unpack(await loaded(name));

/** The script of the page's views, which Python writes into reports. */
async function front(): Promise<Payload> {
  const bytes = await loaded("workbench.js");
  const files = [["aidge_nb/widgets/static/workbench.js", bytes.byteLength]];
  return { meta: { files } as unknown as Payload["meta"], bytes };
}

async function boot(kept: Kept | null): Promise<Pyodide> {
  const { loadPyodide } = (await import(beside("pyodide/pyodide.mjs"))) as { loadPyodide: Load };
  const stdLibURL = kept ? URL.createObjectURL(kept.library) : beside("pyodide/python_stdlib.zip");
  return loadPyodide({ indexURL: beside("pyodide/"), stdLibURL });
}

async function start(): Promise<(call: Call) => Answer> {
  post({ done: 0.05, words: "Loading Python …" });
  const packages = [fetched("pyodide/numpy.pack"), fetched("aidge_nb.pack"), front()];
  const kept = await keptFrom();
  const python = await boot(kept);
  post({ done: 0.5, words: "Loading NumPy …" });
  for (const each of packages) lay(python.FS, await each);
  if (kept) lay(python.FS, kept.bytecode);
  python.runPython(NUMPY);
  post({ done: 0.75, words: "Loading aidge_nb …" });
  const ask = python.runPython(START) as (method: string, given: unknown) => Proxy;
  void ready.then(async () => {
    await new Promise((resolve) => setTimeout(resolve));
    ask("", "").destroy(); // imports the rest, while the reader looks for a file
    if (!kept) await forNextTime(python);
  });
  return ({ id, method, given }) => {
    const found = ask(method, typeof given === "string" ? given : python.toPy(given));
    const [error, text, data] = found.toJs() as [string, string, Uint8Array];
    found.destroy();
    return { id, error, text, data };
  };
}

const ready = start();
ready.then(
  () => post({ done: 1, words: "" }),
  (error: unknown) => post({ done: -1, words: `Python could not be started: ${error}` }),
);

self.onmessage = async ({ data: call }: MessageEvent<Call>) => {
  const { id } = call;
  try {
    post((await ready)(call));
  } catch (error) {
    const words = `Python stopped: ${error}. Load the page again.`;
    post({ id, error: words, text: "", data: new Uint8Array() });
  }
};
