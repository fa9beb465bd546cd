// Bundles the views into ES modules. With --check it only compares with the committed bundles.
import { readFile, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { build, transform } from "esbuild";

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const bundles = [
  { entry: "src/index.ts", name: "workbench.js", largest: 300_000 },
  { entry: "src/board/index.ts", name: "board.js", largest: 10_000 },
  { entry: "src/course/index.ts", name: "course.js", largest: 20_000 },
];

const minifiedCss = {
  name: "minified-css",
  setup(context) {
    context.onLoad({ filter: /\.css$/ }, async ({ path }) => {
      const css = await readFile(path, "utf8");
      const { code } = await transform(css, { loader: "css", minify: true });
      return { contents: code.trim(), loader: "text" };
    });
  },
};

/** Bundles one entry; with --check only compares. */
async function make({ entry, name, largest }) {
  const bundle = here(`../static/${name}`);
  const { outputFiles } = await build({
    entryPoints: [here(entry)],
    bundle: true,
    format: "esm",
    target: "es2022",
    charset: "ascii",
    minify: true,
    legalComments: "none",
    write: false,
    plugins: [minifiedCss],
  });
  const [{ contents }] = outputFiles;
  if (contents.length > largest) {
    return `widgets/static/${name} has ${contents.length} bytes, more than ${largest}`;
  }
  if (!process.argv.includes("--check")) {
    await writeFile(bundle, contents);
  } else if (Buffer.compare(await readFile(bundle).catch(() => Buffer.of()), contents) !== 0) {
    return `widgets/static/${name} is not what the sources give: npm run build`;
  }
  console.log(`widgets/static/${name}: ${contents.length} bytes`);
  return "";
}

for (const each of bundles) {
  const problem = await make(each);
  if (problem) {
    console.error(problem);
    process.exitCode = 1;
  }
}
