// npm run size -- --peers: what an app ships of precis, and of what it might have taken instead, for docs/size.md. Each is
// a program of one line, bundled and minified by esbuild in the same way; wasm and other files it needs are added.
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { at, cache, packages } from "./common.mjs";
import { importCosts, importTable } from "./imports.mjs";

/** Name, the line, and what an app has anyway. */
const programs = [
  ["precis", 'export { createCompactor } from "precis";'],
  ["precis, Workers", 'export { createCompactor } from "precis";', { conditions: ["workerd"] }],
  ["precis and one format", 'export { createCompactor } from "precis"; export { openaiChat } from "precis/formats";'],
  ["tiktoken", 'export { get_encoding } from "tiktoken";', { platform: "node" }],
  [
    "tiktoken/lite, o200k",
    'export { Tiktoken } from "tiktoken/lite"; export { default } from "tiktoken/encoders/o200k_base.json";',
    { platform: "node" },
  ],
  ["gpt-tokenizer, o200k", 'export { encode } from "gpt-tokenizer";'],
  [
    "@langchain/core, trimMessages",
    'export { trimMessages, HumanMessage, AIMessage, ToolMessage } from "@langchain/core/messages";',
  ],
  [
    "@context-chef/ai-sdk-middleware",
    'export * from "@context-chef/ai-sdk-middleware";',
    { external: ["ai", "@ai-sdk/provider"], platform: "node" },
  ],
];

/** Measures, prints and writes the document. */
export async function writePeers() {
  const rows = await sizes();
  const version = (name) => JSON.parse(readFileSync(at(name, "package.json"), "utf8")).version;
  const names = ["tiktoken", "gpt-tokenizer", "@langchain/core", "@context-chef/ai-sdk-middleware"];
  const versions = names.map((name) => `${name} ${version(`benches/node_modules/${name}`)}`);
  const cells = (list) => `| ${list.join(" | ")} |`;
  const table = [
    cells(["what is bundled", "raw", "gzip", "brotli"]),
    cells(["---", "---:", "---:", "---:"]),
    ...rows.map(([name, all]) => cells([name, ...Object.values(all).map((bytes) => bytes.toLocaleString("en"))])),
  ].join("\n");
  const text = `# Size

<!-- This file is written by npm run size -- --peers; the text stands in js/scripts/peers.mjs. -->

Bytes of a program of one line, bundled and minified by esbuild ${version("node_modules/esbuild")}, with the wasm it needs. \`precis\` holds the engine, as text, or on Workers as wasm. tiktoken and gpt-tokenizer only count tokens, and \`trimMessages\` only drops messages. The middleware (without the SDK) and tiktoken are bundled for Node.

${table}

${versions.join(", ")}. \`npm run size\` prints what an installation puts into \`node_modules\`.

## Which import costs what

Bytes (gzip) of a program that imports one name of precis, bundled in the same way for a page.

${importTable(await importCosts(at("benches")))}

The goals, 300 kB (gzip) for precis with a format and 190 kB for what a page loads first, are missed. The wasm is not split, because synchronous methods such as \`plan\` can reach 237 of 321 kB. \`npm run size -- --by module\` says where the bytes are.
`;
  writeFileSync(at("docs/size.md"), text);
  console.log(table);
}

/** `[name, { raw, gz, br }]` of each, in bytes. */
async function sizes() {
  await packages("benches");
  const { build } = await import("esbuild");
  const folder = join(cache, "peers");
  const rows = [];
  for (const [name, contents, more = {}] of programs) {
    rmSync(folder, { recursive: true, force: true });
    const { conditions = [], external = [], platform = "browser" } = more;
    const { metafile } = await build({
      absWorkingDir: at("benches"),
      stdin: { contents, resolveDir: at("benches") },
      outfile: join(folder, "app.js"),
      bundle: true,
      minify: true,
      format: "esm",
      platform,
      conditions,
      external,
      loader: { ".wasm": "copy" },
      metafile: true,
      // The one of this repository says where precis has its sources.
      tsconfigRaw: {},
      logLevel: "error",
    });
    const files = Object.keys(metafile.outputs).map((path) => readFileSync(at("benches", path)));
    // tiktoken reads its wasm from the disk.
    if (/tiktoken_bg\.wasm/.test(files.join("")) && !name.startsWith("precis"))
      files.push(
        readFileSync(
          at("benches/node_modules/tiktoken", name.includes("lite") ? "lite/tiktoken_bg.wasm" : "tiktoken_bg.wasm"),
        ),
      );
    const sum = (size) => files.reduce((total, bytes) => total + size(bytes), 0);
    rows.push([
      name,
      {
        raw: sum((bytes) => bytes.length),
        gz: sum((bytes) => gzipSync(bytes, { level: 9 }).length),
        br: sum((bytes) => brotliCompressSync(bytes).length),
      },
    ]);
  }
  return rows;
}
