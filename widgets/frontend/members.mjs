// Finds the private and protected members of classes, so that the bundle can call them by one
// letter: what the browser, the wire, a table or a quoted text names, too, stays as it is.
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const here = (path) => fileURLToPath(new URL(path, import.meta.url));

const COMMENT = /\/\/.*|\/\*[\s\S]*?\*\//g;
const CLASS = /^(?:export )?(?:abstract )?class \w+[\s\S]*?^\}/gm;
const MEMBER =
  /^ {2,4}(?:private|protected) (?:(?:static|readonly|async|override|abstract|get|set) )*(\w+)/gm;
/** Members that all can use; a class may have one by the same name as a hidden one of another. */
const OPEN = /^ {2}(?:(?:static|readonly|async|override|abstract|get|set) )*(\w+)\??\s*[:(=<;]/gm;
const OPEN_PARAMETER = /^ {4}readonly (\w+)/gm;
/** The properties of an interface or a type, and the keys of a table. */
const KEY = /(?:[{,;]|^)\s*(?:readonly )?(\w+)\??\s*[:(]/gm;
const METHOD = /^\s+(?:get |set |readonly )?(\w+)\??\s*[:(<]/gm;
const QUOTED = /["'`](\w+)["'`]/g;

async function textsIn(folder, ending) {
  const names = (await readdir(folder, { recursive: true })).filter((name) => ending.test(name));
  return Promise.all(names.sort().map((name) => readFile(join(folder, name), "utf8")));
}

function addAll(names, text, pattern) {
  for (const [, name] of text.matchAll(pattern)) names.add(name);
}

/** Names of members that may be shortened, in alphabetical order. */
export async function ownMembers() {
  const members = new Set();
  const known = new Set(["constructor"]);
  for (const text of await textsIn(here("src"), /\.ts$/)) {
    const code = text.replace(COMMENT, "");
    for (const [body] of code.matchAll(CLASS)) {
      addAll(members, body, MEMBER);
      addAll(known, body, OPEN);
      addAll(known, body, OPEN_PARAMETER);
    }
    addAll(known, code.replace(CLASS, ""), KEY);
    addAll(known, code, QUOTED);
  }
  const types = here("../../node_modules/@typescript");
  const library = await textsIn(types, /lib\.[\w.]+\.d\.ts$/);
  for (const text of library) addAll(known, text, METHOD);
  if (library.length === 0) throw new Error("the types of the browser are missing: npm ci");
  for (const text of await textsIn(here("../shared"), /\.json$/)) addAll(known, text, QUOTED);
  return [...members].filter((name) => name.length > 2 && !known.has(name)).sort();
}
