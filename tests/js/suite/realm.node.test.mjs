// Realms that are not Node's own: where nothing is compiled, and where globals that every platform has are missing.
import { equal, match } from "node:assert/strict";
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
  const code = await bundled(program, { conditions: ["edge-light"], plugins: [precompiled] });
  const module = await WebAssembly.compile(readFileSync(new URL("../../../pkg/precis.wasm", import.meta.url)));
  const globals = { ...those("TextEncoder", "TextDecoder"), program: module };
  const realm = createContext(globals, { codeGeneration: { strings: false, wasm: false } });
  runInContext(code, realm);
  equal(realm.tokens > 0, true);
});

// The row "Jest, jsdom" of `npm run pack:check` failed when `precis/ai-sdk` was imported.
test("entries that hash texts run in a page that jest makes of jsdom, which has no TextEncoder", async () => {
  const code = await bundled(`
    import { compaction } from "precis/ai-sdk";
    import { openaiChat } from "precis/formats";
    import { offloader } from "precis/offload";
    const model = { specificationVersion: "v3", modelId: "m", doStream() {}, doGenerate: async ({ prompt }) => ({ content: prompt[0].content }) };
    const prompt = [{ role: "user", content: [{ type: "text", text: "Hello?" }] }];
    const result = { role: "tool", tool_call_id: "c1", content: "long ".repeat(1_000) };
    globalThis.answers = Promise.all([
      compaction({ contextWindow: 8_000 }).model(model).doGenerate({ prompt }),
      offloader({ format: openaiChat, over: 1_000, preview: 100, offload: () => "a file" }).messages([result]),
    ]);
  `);
  const realm = createContext({ ...those("atob", "AbortController"), WebAssembly });
  runInContext(code, realm);
  const [{ content }, [{ content: notice }]] = await realm.answers;
  equal(content[0].text, "Hello?");
  match(notice, /a file/);
});

async function bundled(contents, options) {
  const { outputFiles } = await esbuild.build({
    stdin: { contents, resolveDir: fileURLToPath(new URL(".", import.meta.url)) },
    ...{ bundle: true, format: "iife", write: false, logLevel: "error", tsconfigRaw: {} },
    ...options,
  });
  return outputFiles[0].text;
}

function those(...names) {
  const all = ["queueMicrotask", "console", "URL", "setTimeout", "clearTimeout", "performance", ...names];
  return Object.fromEntries(all.map((name) => [name, globalThis[name]]));
}
