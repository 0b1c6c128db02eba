// The inspector: one page that holds all of itself, and what a report is made of. Both run from any host, and from a file.
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";
import { at, packages, root } from "./common.mjs";

const folder = "examples/inspector";
const target = "es2022";

/** Recorded chats that the page has with it. */
export const samples = [
  ["A coding session, 188 messages", "tests/fixtures/pi-session/refactoring.jsonl"],
  ["Customer service with tools", "tests/fixtures/tau-bench/airline.json"],
  ["Fixing a bug", "tests/fixtures/swe-agent/marshmallow-1867.traj"],
];

/** What the page and its reports are made of. */
export const inspectorSources = [`${folder}/src`, `${folder}/package-lock.json`, "js/scripts/inspector.mjs"];

/** Style, script and frame of a report. */
export async function reportParts() {
  await packages(folder);
  const script = await bundle("main.ts");
  const uplot = readFileSync(at(folder, "node_modules/uplot/dist/uPlot.min.css"), "utf8");
  const own = await minified(readFileSync(at(folder, "src/style.css"), "utf8"));
  const style = `${uplot.trim()}${own.trim()}`;
  const page = readFileSync(at(folder, "src/index.html"), "utf8");
  const policy = (...more) =>
    [
      `default-src 'none'`,
      `script-src ${hashed(script)}${more[0] ?? ""}`,
      `style-src ${hashed(style)}`,
      "img-src data:",
      ...more.slice(1),
      "base-uri 'none'",
      "form-action 'none'",
    ].join("; ");
  const frame = (csp) => page.replace("%CSP%", () => csp);
  return { style, script, frame: frame(policy()), page: frame(policy(" 'wasm-unsafe-eval'", "worker-src blob:")) };
}

/** The page itself; `precis` is the folder of the built package. */
export async function inspectorPage(precis = at("pkg")) {
  const { style, script, frame, page } = await reportParts();
  const worker = await bundle("worker.ts", precis);
  const files = samples.map(([name, path]) => ({
    name,
    file: path.split("/").at(-1),
    gzip: gzipSync(readFileSync(at(path)), { level: 9 }).toString("base64"),
  }));
  const blocks = [
    block("worker", "text/plain", worker),
    block("sample-files", "application/json", json(files)),
    block("frame", "application/json", json(frame)),
  ];
  const parts = { STYLE: style, SCRIPT: script, BLOCKS: blocks.join("\n") };
  return page.replace(/%(STYLE|SCRIPT|BLOCKS)%/g, (_, name) => parts[name]);
}

async function bundle(entry, precis) {
  const { default: esbuild } = await import("esbuild");
  const { outputFiles } = await esbuild.build({
    absWorkingDir: root,
    entryPoints: [`${folder}/src/${entry}`],
    ...{ bundle: true, write: false, format: "iife", platform: "browser", target, minify: true, charset: "ascii" },
    tsconfigRaw: {},
    legalComments: "inline",
    plugins: precis
      ? [
          {
            name: "precis",
            setup: (build) =>
              build.onResolve({ filter: /^precis(\/|$)/ }, ({ path }) => ({
                path: `${precis}/${path.slice("precis/".length) || "index"}.js`,
              })),
          },
        ]
      : [],
    logLevel: "warning",
  });
  const { text } = outputFiles[0];
  if (/<\/script|<!--/i.test(text)) throw new Error(`${entry} cannot stand in a page as it is`);
  return text;
}

async function minified(css) {
  const { default: esbuild } = await import("esbuild");
  return (await esbuild.transform(css, { loader: "css", minify: true, target })).code;
}

function block(id, type, text) {
  return `<script type="${type}" id="${id}">${text}</script>`;
}

/** JSON in which no `<` can end its block. */
function json(value) {
  return JSON.stringify(value).replaceAll("<", "\\u003c");
}

function hashed(text) {
  return `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
}
