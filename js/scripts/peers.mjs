// npm run size -- --peers: what an app ships of precis, and of what it might have taken instead. Each is a program of one
// line, bundled and minified by esbuild in the same way; wasm and other files it needs are added.
import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { at, cache, packages } from "./common.mjs";

/** Name, the line, and what an app has anyway. */
const programs = [
  ["precis", 'export { createCompactor } from "precis";'],
  ["precis, Workers", 'export { createCompactor } from "precis";', { conditions: ["workerd"] }],
  ["precis and one format", 'export { createCompactor } from "precis"; export { openaiChat } from "precis/formats";'],
  ["precis/formats, one", 'export { openaiChat } from "precis/formats";', { external: ["precis"] }],
  ["precis/formats, all", 'export * from "precis/formats";', { external: ["precis"] }],
  ["precis/ai-sdk", 'export { compaction, summarizeWith } from "precis/ai-sdk";', { external: ["precis"] }],
  ["precis/ai-sdk and the engine", 'export { compaction, summarizeWith } from "precis/ai-sdk";'],
  ["precis/testing", 'export { check, history, replay } from "precis/testing";', { external: ["precis"] }],
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
    { external: ["ai", "@ai-sdk/provider"] },
  ],
];

/** `[name, { raw, gz, br }]` of each, in bytes. */
export async function peerSizes() {
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
