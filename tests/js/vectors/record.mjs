// node tests/js/vectors/record.mjs FILE: plays the conversations that are compared between the runtimes and writes down
// every crossing of the boundary, an object a line: what the engine was given, what it asked of its host, what it
// answered. tests/rust/vectors.rs gives the same to the native engine. Prints how many there are.
import { readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";
import { at, cache } from "../../../js/scripts/common.mjs";

const [file] = process.argv.slice(2);
const source = (path) => JSON.stringify(at("js/src", path));
const stands = {
  // The package, its engine loaded from the file.
  precis: `import { readFileSync } from "node:fs";
import { loadBy } from ${source("boundary/engine.ts")};
loadBy({ now: [() => new WebAssembly.Module(readFileSync(${JSON.stringify(at("pkg/precis.wasm"))}))] });
export * from ${source("index.ts")};`,
  glue: `import * as real from ${source("boundary/glue.ts")};
import { recorder } from ${JSON.stringify(at("tests/js/vectors/recorder.mjs"))};
export const { glue, instantiate } = recorder(real);
export const { dispose, lastPanic } = real;`,
};
const replaced = {
  name: "recording",
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^precis$/ }, () => ({ path: "precis", namespace: "stands" }));
    onResolve({ filter: /^precis\/formats$/ }, () => ({ path: at("js/src/formats/index.ts") }));
    onResolve({ filter: /\/glue\.ts$/ }, ({ importer }) =>
      importer.endsWith("engine.ts") ? { path: "glue", namespace: "stands" } : undefined,
    );
    onLoad({ filter: /.*/, namespace: "stands" }, ({ path }) => ({ contents: stands[path], resolveDir: at() }));
  },
};

const outfile = join(cache, "vectors", "play.mjs");
await build({
  stdin: {
    contents: `export { decisions } from "./tests/js/runtimes/agreement.mjs";
export { createCompactor } from "precis";
export { openaiChat } from "precis/formats";`,
    resolveDir: at(),
  },
  outfile,
  bundle: true,
  format: "esm",
  platform: "node",
  target: "es2022",
  plugins: [replaced],
  define: { BUILD: JSON.stringify(stamp()) },
  inject: [at("js/src/boundary/text-codec.ts")],
  logLevel: "warning",
});
globalThis.precisVectors = [];
const { decisions, createCompactor, openaiChat } = await import(pathToFileURL(outfile));
await decisions();
await growing();
await asked();
writeFileSync(resolve(file), `${globalThis.precisVectors.join("\n")}\n`);
console.log(`${globalThis.precisVectors.length} vectors`);

/** A chat that only grows, with nothing reported: until a compaction, each call after the first is made by numbers. */
async function growing() {
  const compactor = createCompactor({ format: openaiChat, contextWindow: 4_000, maxOutputTokens: 200 });
  const messages = [];
  let state = null;
  for (let turn = 0; turn < 60; turn++) {
    const content = `turn ${turn}: the build of src/parser/date_${turn}.rs failed. `.repeat(1 + (turn % 7));
    messages.push({ role: turn % 2 ? "assistant" : "user", content });
    ({ state } = await compactor.beforeModel({ messages, state, system: "You mend parsers." }));
  }
}

/** Summaries of all kinds, in rounds and by hand: of a past in pieces, of answers that cannot be used, of none. */
async function asked() {
  const turn = (at, length) => `turn ${at}: the order ${4000 + at} of Ada was refunded. `.repeat(length);
  for (let seed = 0; seed < 24; seed++) {
    const messages = Array.from({ length: 30 + 10 * seed }, (_, at) => ({
      role: at % 2 ? "assistant" : "user",
      content: turn(at, 1 + ((at + seed) % 9)),
    }));
    let calls = 0;
    const answer = () => {
      calls += 1;
      return calls % 5 === 2 ? "" : `- order 4001 was refunded, note ${calls}`;
    };
    const compactor = createCompactor({
      format: openaiChat,
      contextWindow: 4_000 + 200 * seed,
      maxOutputTokens: 200,
      summarizer: { contextWindow: 3_000 },
      summarize: async () => answer(),
    });
    await compactor.beforeModel({ messages, state: null });
    const plan = compactor.plan({ messages });
    const answers = compactor.requests({ messages }, plan).map(answer);
    compactor.commit({ messages }, plan, answers);
  }
}

/** The build that JavaScript and wasm must agree on. */
function stamp() {
  const module = new WebAssembly.Module(readFileSync(at("pkg/precis.wasm")));
  return Buffer.from(WebAssembly.Module.customSections(module, "precis")[0]).toString();
}
