// The chat route of docs/ai-sdk.md, run as it stands there.
import { deepEqual, equal, ok } from "node:assert/strict";
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";
import esbuild from "esbuild";
import { compactionOf } from "precis/ai-sdk";
import { z } from "zod";
import { faults, scripted, sdks } from "./sdks.mjs";

const tests = fileURLToPath(new URL("..", import.meta.url));
const made = join(tests, "node_modules/.programs");
mkdirSync(made, { recursive: true });
const text = readFileSync(join(tests, "../../docs/ai-sdk.md"), "utf8");
const route = [...text.matchAll(/^```ts\n(.*?)^```$/gms)]
  .map(([, code]) => code)
  .find((code) => code.includes("POST("));

/** What the guide says that versions 5 and 6 call what version 7 does. */
const EARLIER = [
  [/\bisStepCount\b/g, "stepCountIs"],
  [/\bonStepEnd\b/g, "onStepFinish"],
  [/\bonEnd\b/g, "onFinish"],
  [/^( +)instructions,$/m, "$1system: instructions,"],
  [/\btoUIMessageStream\(\{\n\s+stream: result\.stream,\n\s+tools: all,/, "result.toUIMessageStream({"],
  [/^\s+toUIMessageStream, /m, "  "],
];
const routeOf = (version) =>
  EARLIER.reduce((text, [name, earlier]) => {
    ok(text.match(name), `${name} is not in the guide`);
    return version < 7 ? text.replace(name, earlier) : text;
  }, route);

const packageOf = { 5: "ai5", 6: "ai6", 7: "ai" };
const LONG = "The quick brown fox jumps over the lazy dog, and then it does so again. ".repeat(150);
const say = (text) => ({ content: [{ type: "text", text }] });

for (const sdk of sdks)
  test(`${sdk.name}: the chat route, turn by turn: state and messages are saved, compactions are shown`, async () => {
    const saves = [];
    let row = { messages: [], state: null };
    const model = scripted(sdk, (prompt) => {
      const asked = prompt.slice(prompt.findLastIndex(({ role }) => role === "user"));
      if (asked.some(({ role }) => role === "tool")) return say(`That is what I found. ${LONG}`);
      return {
        content: [{ type: "tool-call", toolCallId: `c${prompt.length}`, toolName: "read", input: { path: "a" } }],
      };
    });
    const small = scripted(sdk, () => say("- the fox jumped, many times"));
    const read = sdk.ai.tool({ inputSchema: z.object({ path: z.string() }), execute: async () => LONG });
    globalThis.standIns = {
      ...{ model: model.model, small: small.model, tools: { read } },
      db: {
        load: async () => structuredClone(row),
        save: async (id, messages, state) => {
          saves.push(id);
          row = structuredClone({ messages, state });
        },
      },
    };
    const outfile = join(made, `route-${sdk.version}.mjs`);
    await esbuild.build({
      ...{ stdin: { contents: routeOf(sdk.version), loader: "ts", resolveDir: made }, outfile },
      ...{ bundle: true, format: "esm", target: "es2022" },
      banner: { js: "const { model, small, tools, db } = globalThis.standIns;" },
      plugins: [
        {
          name: "versions",
          setup: ({ onResolve }) =>
            onResolve({ filter: /^[^./]/ }, ({ path, kind }) =>
              kind === "entry-point"
                ? undefined
                : { path: path === "ai" ? packageOf[sdk.version] : path, external: true },
            ),
        },
      ],
    });
    const { POST } = await import(`${pathToFileURL(outfile)}?${sdk.version}`);
    const turns = 36;
    for (let turn = 0; turn < turns; turn++) {
      const message = { id: `u${turn}`, role: "user", parts: [{ type: "text", text: `Question ${turn}? ${LONG}` }] };
      const body = JSON.stringify({ id: "chat", message });
      const response = await POST(new Request("https://example.com", { method: "POST", body }));
      equal(response.status, 200);
      await response.text();
      equal(saves.length, turn + 1);
      equal(row.messages.length, 2 * turn + 2);
      ok(row.messages.at(-1).metadata.context.tokens > 0);
    }
    for (const { prompt, at } of model.requests) deepEqual(faults(prompt), [], `request ${at}`);
    ok(small.requests.length > 0, "nothing was summarized");
    const shown = row.messages.map((message) => compactionOf(message)).filter((data) => data !== null);
    ok(shown.length > 0, "no compaction was shown");
    for (const { status, summary, messageId, before, after } of shown) {
      equal(status, "done");
      ok(after < before);
      ok(summary === null || summary.includes("the fox jumped"));
      ok(messageId === null || row.messages.some(({ id }) => id === messageId));
    }
    ok(
      shown.some(({ summary, messageId }) => summary !== null && messageId !== null),
      "no summary was shown",
    );
    ok(row.state.revision > 0);
  });
