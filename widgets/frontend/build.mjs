// Bundles the views into ES modules. With --check it only compares with the committed bundles.
import { readFile, readdir, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { build, transform } from "esbuild";

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const bundles = [
  { entry: "src/index.ts", name: "static/workbench.js", largest: 316_000 },
  { entry: "src/board/index.ts", name: "static/board.js", largest: 14_000 },
  { entry: "src/course/index.ts", name: "static/course.js", largest: 26_000 },
  { entry: "src/fit/index.ts", name: "static/fit.js", largest: 28_000 },
  { entry: "src/quantized/index.ts", name: "static/quantized.js", largest: 12_000 },
  { entry: "src/drop/index.ts", name: "static/drop/drop.js", largest: 12_000 },
  { entry: "src/drop/worker.ts", name: "static/drop/worker.js", largest: 4_500 },
  { entry: "src/drop/offline.ts", name: "static/drop/offline.js", largest: 2_000 },
  {
    entry: "src/lab/index.ts",
    name: "labextension/static/aidge-nb.js",
    largest: 5_000,
    format: "iife",
  },
];

/** What classes keep for themselves, to be renamed to a letter or two.
 *
 * A name counts that is declared private or protected and that stands nowhere else in the sources
 * but behind `this.`: no text, no other object and no data has it. `paintMs` is data of the page.
 */
async function ownNames() {
  const files = await readdir(here("src"), { recursive: true });
  const texts = files
    .filter((file) => file.endsWith(".ts"))
    .map((file) => readFile(here(`src/${file}`), "utf8"));
  const source = (await Promise.all(texts)).join("\n").replace(/\/\*[^]*?\*\/|^\s*\/\/.*$/gm, "");
  const own = String.raw`(?:private|protected) (?:(?:static|readonly|async|override|abstract|get|set) |\*)*`;
  const declared = new Set(
    Array.from(source.matchAll(RegExp(`${own}(\\w+)`, "g")), ([, name]) => name),
  );
  for (const [, behind, name] of source.matchAll(
    RegExp(`(\\bthis\\??\\.|${own})?\\b(\\w+)`, "g"),
  )) {
    if (!behind) declared.delete(name);
  }
  return RegExp(`^(?:paint[A-LN-Z].*|${[...declared].sort().join("|")})$`);
}
const OWN = await ownNames();

/** What css.ts writes in full again. */
const letters = JSON.parse(await readFile(here("letters.json"), "utf8"));

const minifiedCss = {
  name: "minified-css",
  setup(context) {
    context.onLoad({ filter: /\.css$/ }, async ({ path }) => {
      const css = await readFile(path, "utf8");
      const { code } = await transform(css, { loader: "css", minify: true });
      let short = code.trim();
      for (const [letter, full] of Object.entries(letters)) {
        if (code.includes(letter)) throw new Error(`${path}: "${letter}" is a letter of css.ts`);
        short = short.replaceAll(full, letter);
      }
      return {
        contents: `import { expanded } from ${JSON.stringify(here("src/core/css.ts"))};
          export default expanded(${JSON.stringify(short)});`,
        resolveDir: here("src"),
      };
    });
  },
};

/** Bundles one entry; with --check only compares. */
async function make({ entry, name, largest, format = "esm" }) {
  const bundle = here(`../${name}`);
  const { outputFiles } = await build({
    entryPoints: [here(entry)],
    bundle: true,
    format,
    target: "es2022",
    charset: "ascii",
    minify: true,
    mangleProps: OWN,
    legalComments: "none",
    write: false,
    plugins: [minifiedCss],
  });
  const [{ contents }] = outputFiles;
  if (contents.length > largest) {
    return `widgets/${name} has ${contents.length} bytes, more than ${largest}`;
  }
  if (!process.argv.includes("--check")) {
    await writeFile(bundle, contents);
  } else if (Buffer.compare(await readFile(bundle).catch(() => Buffer.of()), contents) !== 0) {
    return `widgets/${name} is not what the sources give: npm run build`;
  }
  console.log(`widgets/${name}: ${contents.length} bytes`);
  return "";
}

for (const each of bundles) {
  const problem = await make(each);
  if (problem) {
    console.error(problem);
    process.exitCode = 1;
  }
}
