// Bundles the views into one ES module. With --check it only compares with the committed bundle.
import { readFile, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { build, transform } from "esbuild";

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const bundle = here("../static/workbench.js");
const largest = 200_000;

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

const result = await build({
  entryPoints: [here("src/index.ts")],
  bundle: true,
  format: "esm",
  target: "es2022",
  charset: "ascii",
  minify: true,
  legalComments: "none",
  write: false,
  plugins: [minifiedCss],
});
const [{ contents }] = result.outputFiles;

if (contents.length > largest) {
  console.error(`the bundle has ${contents.length} bytes, more than ${largest}`);
  process.exitCode = 1;
} else if (process.argv.includes("--check")) {
  const committed = await readFile(bundle).catch(() => new Uint8Array());
  if (Buffer.compare(committed, contents) === 0) {
    console.log(`widgets/static/workbench.js is up to date (${contents.length} bytes)`);
  } else {
    console.error("widgets/static/workbench.js is not what the sources give: npm run build");
    process.exitCode = 1;
  }
} else {
  await writeFile(bundle, contents);
  console.log(`widgets/static/workbench.js: ${contents.length} bytes`);
}
