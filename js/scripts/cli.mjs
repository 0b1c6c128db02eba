// The command line of the package: one file beside the library, whose entries it imports as any program would, and the
// recorded session of `precis demo`.
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync, constants } from "node:zlib";
import { at, root } from "./common.mjs";

const session = "tests/fixtures/pi-session";
/** What the command line is made of, beside its sources. */
export const cliSources = [`${session}/refactoring.jsonl`, `${session}/NOTICE`, "tests/fixtures/NOTICE"];

/** Writes `cli.js` and the folder `cli` into `directory`. */
export async function bundleCommandLine(directory, version) {
  const { default: esbuild } = await import("esbuild");
  const outfile = join(directory, "cli.js");
  await esbuild.build({
    absWorkingDir: root,
    entryPoints: ["js/src/cli/main.ts"],
    outfile,
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node20",
    minify: true,
    lineLimit: 1000,
    tsconfigRaw: {},
    define: { VERSION: JSON.stringify(version) },
    plugins: [
      { name: "precis lies beside it", setup: (build) => build.onResolve({ filter: /^precis(\/|$)/ }, beside) },
    ],
    logLevel: "warning",
  });
  chmodSync(outfile, 0o755);
  mkdirSync(join(directory, "cli"));
  const params = { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_LGWIN]: 22 };
  const packed = brotliCompressSync(readFileSync(at(session, "refactoring.jsonl")), { params });
  writeFileSync(join(directory, "cli/session.jsonl.br"), packed);
  writeFileSync(join(directory, "cli/NOTICE"), notice());
}

function beside({ path }) {
  return { path: `./${path.slice("precis/".length) || "index"}.js`, external: true };
}

/** Whose session it is, and the licence it is under. */
function notice() {
  const own = readFileSync(at(session, "NOTICE"), "utf8");
  const all = readFileSync(at("tests/fixtures/NOTICE"), "utf8");
  const licence = all.slice(all.indexOf("Permission is hereby granted"));
  return `session.jsonl.br, compressed with brotli, is what \`precis demo\` replays; \`precis demo --save FILE\` unpacks it.\n\n${own.replace("text in ../NOTICE", "text below")}\n${licence}`;
}
