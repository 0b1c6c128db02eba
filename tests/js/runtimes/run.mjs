// node tests/js/runtimes/run.mjs RUNTIME BINARY: the suite in another runtime, bundled as a user's bundler would, and
// beside it what Node decides, which must come out the same. Files named *.node.test.mjs need Node and stay out.
// Prints TAP's `# pass N`; exits 1 if a test failed.
import { readdirSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { cache } from "../../../js/scripts/common.mjs";
import { decisions } from "./agreement.mjs";

const here = dirname(fileURLToPath(import.meta.url));
const suite = join(here, "../suite");
const [runtime, binary] = process.argv.slice(2);

const { run } = await import(`./${runtime}.mjs`);
const folder = join(cache, "runtimes", runtime);
rmSync(folder, { recursive: true, force: true });
const { pass, fail, said } = await run({ binary, folder, bundle });
console.log([...said, `# pass ${pass}`, `# fail ${fail}`].join("\n"));
process.exitCode = fail === 0 && pass > 0 ? 0 : 1;

/** The suite as one module: `ending` is its last statement, where `runAll()` gives `{ pass, fail, said }`. */
async function bundle(ending, options) {
  const names = readdirSync(suite).filter((name) => name.endsWith(".test.mjs") && !name.endsWith(".node.test.mjs"));
  const files = [...names.map((name) => `../suite/${name}`), "./agreement.test.mjs"];
  const contents = [...files.map((file) => `import "${file}";`), 'import { runAll } from "node:test";', ending].join(
    "\n",
  );
  const { outputFiles, metafile } = await build({
    stdin: { contents, resolveDir: here },
    bundle: true,
    format: "esm",
    platform: "browser",
    write: options.outdir !== undefined,
    metafile: true,
    tsconfigRaw: {},
    logLevel: "warning",
    ...options,
    alias: {
      "node:test": join(here, "node-test.mjs"),
      "node:assert/strict": join(here, "node-assert.mjs"),
    },
    define: {
      global: "globalThis",
      process: "globalThis.process",
      "process.env.PRECIS_SUITE": JSON.stringify(process.env.PRECIS_SUITE ?? ""),
      EXPECTED: JSON.stringify(await decisions()),
    },
  });
  return { text: outputFiles?.[0].text, files: Object.keys(metafile.outputs) };
}
