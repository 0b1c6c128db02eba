// A platform that compiles the engine ahead may do so in another realm than the one that runs it, where nothing is compiled.
import { equal } from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { createContext, runInContext } from "node:vm";
import esbuild from "esbuild";

const program = `
import { createCompactor } from "precis";
import { openaiChat } from "precis/formats";
const compactor = createCompactor({ format: openaiChat, contextWindow: 3_000, maxOutputTokens: 200 });
globalThis.tokens = compactor.usage({ messages: [{ role: "user", content: "Hello?" }] }).tokens;
`;

test("a module that was compiled in another realm is taken as it is", async () => {
  const precompiled = {
    name: "as the platform does",
    setup(build) {
      build.onResolve({ filter: /\.wasm\?module$/ }, () => ({ path: "module", namespace: "precompiled" }));
      build.onLoad({ filter: /.*/, namespace: "precompiled" }, () => ({
        contents: "export default globalThis.program",
      }));
    },
  };
  const { outputFiles } = await esbuild.build({
    stdin: { contents: program, resolveDir: fileURLToPath(new URL(".", import.meta.url)) },
    ...{ bundle: true, format: "iife", conditions: ["edge-light"], write: false, logLevel: "error" },
    plugins: [precompiled],
    tsconfigRaw: {},
  });
  const module = await WebAssembly.compile(readFileSync(new URL("../../../pkg/precis.wasm", import.meta.url)));
  const names = ["TextEncoder", "TextDecoder", "queueMicrotask", "console", "URL", "setTimeout", "performance"];
  const globals = Object.fromEntries(names.map((name) => [name, globalThis[name]]));
  const realm = createContext({ ...globals, program: module }, { codeGeneration: { strings: false, wasm: false } });
  runInContext(outputFiles[0].text, realm);
  equal(realm.tokens > 0, true);
});
