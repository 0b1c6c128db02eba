// The command line of the package: one file beside the library, whose entries it imports as any program would, the
// recorded session of `precis demo`, and the page of a report.
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync, constants } from "node:zlib";
import { at, root } from "./common.mjs";
import { inspectorSources, reportParts } from "./inspector.mjs";

const session = "tests/fixtures/pi-session";
/** What the command line is made of, beside its sources. */
export const cliSources = [
  `${session}/refactoring.jsonl`,
  `${session}/NOTICE`,
  "tests/fixtures/NOTICE",
  ...inspectorSources,
];

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
  const pack = (name, content) =>
    writeFileSync(join(directory, "cli", `${name}.br`), brotliCompressSync(content, { params }));
  pack("session.jsonl", readFileSync(at(session, "refactoring.jsonl")));
  const { style, script, frame } = await reportParts();
  pack("report.json", Buffer.from(JSON.stringify({ style, script, frame })));
  writeFileSync(join(directory, "cli/NOTICE"), notice());
}

const params = { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_LGWIN]: 22 };

function beside({ path }) {
  return { path: `./${path.slice("precis/".length) || "node"}.js`, external: true };
}

/** Whose session it is, and the licence it is under. */
function notice() {
  const own = readFileSync(at(session, "NOTICE"), "utf8");
  const all = readFileSync(at("tests/fixtures/NOTICE"), "utf8");
  const licence = all.slice(all.indexOf("Permission is hereby granted"));
  const chart = readFileSync(at("examples/inspector/node_modules/uplot/LICENSE"), "utf8");
  return `report.json.br, compressed with brotli, is the page of \`precis inspect --html\`. It draws with uPlot:\n\n${chart.trim()}\n\nsession.jsonl.br, compressed with brotli, is what \`precis demo\` replays; \`precis demo --save FILE\` unpacks it.\n\n${own.replace("text in ../NOTICE", "text below")}\n${licence}`;
}
