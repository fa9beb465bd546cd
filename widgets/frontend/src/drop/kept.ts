// Compiled Python is kept in the cache of the page after the first start: the next one is quick.

import type { Payload } from "../model/payload.ts";
import type { Files, Pyodide } from "./worker.ts";

/** Written before the worker's script when the page is built: a name for the state of all files. */
declare const VERSION: string;

export interface Kept {
  /** Python's library as an archive, which has bytecode beside the sources. */
  library: Blob;
  /** Bytecode of the packages. */
  bytecode: Payload;
}

interface Contents {
  files: [path: string, size: number][];
}

const LIBRARY = "kept/library";
const BYTECODE = "kept/bytecode";

const PACKAGES = "/lib/python3.12/site-packages";

/** When all files were written, as far as Python knows: it compares this with its bytecode. */
const WRITTEN = Date.UTC(2000, 0, 1);

const COMPILE = `
def _compiled():
    import importlib.util, marshal, shutil, sys, zipfile, zipimport

    source = sys.path[1]
    shutil.copy(source, "/tmp/library.zip")
    unchecked = importlib.util.MAGIC_NUMBER + bytes([1, *[0] * 11])
    for module in list(sys.modules.values()):
        loader = getattr(module, "__loader__", None)
        if isinstance(loader, zipimport.zipimporter) and loader.archive == source:
            name = module.__file__.removeprefix(source + "/")
            code = unchecked + marshal.dumps(loader.get_code(module.__name__))
            with zipfile.ZipFile("/tmp/library.zip", "a") as archive:
                archive.writestr(name + "c", code)
            yield 1

_rest = _compiled()
lambda: next(_rest, 0)
`;

/** Lays files where Python finds its packages. */
export function lay(fs: Files, { meta, bytes }: Payload): void {
  const { files } = meta as unknown as Contents;
  let start = 0;
  let last = "";
  for (const [name, size] of files) {
    const path = `${PACKAGES}/${name}`;
    const folder = path.slice(0, path.lastIndexOf("/"));
    if (folder !== last) fs.mkdirTree(folder);
    last = folder;
    fs.writeFile(path, new Uint8Array(bytes as ArrayBuffer, start, size), { canOwn: true });
    fs.utime(path, WRITTEN, WRITTEN);
    start += size;
  }
}

function* bytecode(fs: Files, folder: string): Generator<string> {
  for (const name of fs.readdir(folder)) {
    const path = `${folder}/${name}`;
    if (name.endsWith(".pyc")) yield path;
    else if (!name.startsWith(".") && fs.isDir(fs.stat(path).mode)) yield* bytecode(fs, path);
  }
}

/** Gives what an earlier start of this very page kept. */
export async function keptFrom(): Promise<Kept | null> {
  if (typeof caches === "undefined") return null;
  const cache = await caches.open(VERSION);
  const [library, packed] = await Promise.all([cache.match(LIBRARY), cache.match(BYTECODE)]);
  if (!library || !packed) return null;
  const data = await packed.arrayBuffer();
  const start = 4 + new DataView(data).getUint32(0, true);
  const meta = JSON.parse(new TextDecoder().decode(new Uint8Array(data, 4, start - 4)));
  return { library: await library.blob(), bytecode: { meta, bytes: data.slice(start) } };
}

/** Keeps what was compiled, a little at a time: calls come first. */
export async function forNextTime(python: Pyodide): Promise<void> {
  if (typeof caches === "undefined") return;
  const { FS } = python;
  const paths = [...bytecode(FS, PACKAGES)];
  const contents = paths.map((path) => FS.readFile(path));
  const files = paths.map((path, place) => [
    path.slice(PACKAGES.length + 1),
    contents[place].length,
  ]);
  const told = new TextEncoder().encode(JSON.stringify({ files }));
  const length = new Uint8Array(new Uint32Array([told.length]).buffer);
  const more = python.runPython(COMPILE) as () => number;
  while (more()) await new Promise((resolve) => setTimeout(resolve));
  const cache = await caches.open(VERSION);
  await cache.put(LIBRARY, new Response(FS.readFile("/tmp/library.zip")));
  await cache.put(BYTECODE, new Response(new Blob([length, told, ...contents])));
}
