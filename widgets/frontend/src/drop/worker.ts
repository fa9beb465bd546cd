// The worker of the page: Python, NumPy and the library, which answer calls one after the other.

import type { Answer, Call, Progress } from "./protocol.ts";

interface Proxy {
  toJs(): unknown;
  destroy(): void;
}

interface Pyodide {
  loadPackage(names: string[]): Promise<unknown>;
  unpackArchive(data: ArrayBuffer, format: string, options: { extractDir: string }): void;
  runPython(code: string): unknown;
  toPy(value: unknown): unknown;
}

const PACKAGES = "/lib/python3.12/site-packages";

const START = `
from aidge_nb.report import tab as _tab

_page = _tab.Tab()

def call(method, given):
    if method == "offered":
        return "", _tab.offered(), b""
    error, found = _tab.answer(getattr(_page, method), given)
    return (error, "", b"") if error else ("", *found)

call
`;

const post = (reply: Answer | Progress) => self.postMessage(reply);

const beside = (name: string) => new URL(name, self.location.href).href;

async function start(): Promise<(call: Call) => Answer> {
  post({ done: 0.05, words: "Loading Python …" });
  const { loadPyodide } = (await import(beside("pyodide/pyodide.mjs"))) as {
    loadPyodide(options: { indexURL: string }): Promise<Pyodide>;
  };
  const archive = fetch(beside("aidge_nb.tar.gz")).then((file) => file.arrayBuffer());
  const python = await loadPyodide({ indexURL: beside("pyodide/") });
  post({ done: 0.5, words: "Loading NumPy …" });
  await python.loadPackage(["numpy"]);
  post({ done: 0.75, words: "Loading aidge_nb …" });
  python.unpackArchive(await archive, "gztar", { extractDir: PACKAGES });
  const ask = python.runPython(START) as (method: string, given: unknown) => Proxy;
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
