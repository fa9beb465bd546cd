// Bundles the unit tests into a temporary folder and runs them with node's own test runner.
import { spawnSync } from "node:child_process";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const folder = fileURLToPath(new URL("test", import.meta.url));
const found = await readdir(folder, { recursive: true });
const names = found.filter((name) => name.endsWith(".test.ts")).sort();
const out = await mkdtemp(join(tmpdir(), "aidge-nb-"));
try {
  await build({
    entryPoints: names.map((name) => join(folder, name)),
    bundle: true,
    format: "esm",
    platform: "node",
    target: "node20",
    outdir: out,
    outbase: folder,
    outExtension: { ".js": ".mjs" },
    logLevel: "warning",
  });
  const files = names.map((name) => join(out, name.replace(/\.ts$/, ".mjs")));
  const { status } = spawnSync(process.execPath, ["--test", ...files], { stdio: "inherit" });
  process.exitCode = status ?? 1;
} finally {
  await rm(out, { recursive: true });
}
