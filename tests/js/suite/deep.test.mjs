// Values as deep as a model or a tool server may send them: read, counted, compacted; only a cycle is refused.
import { createCompactor } from "precis";
import { aiSdk, anthropic, gemini, openaiChat, openaiResponses } from "precis/formats";
import { check } from "precis/testing";
import { chat, deepEqual, equal, ok, rejects, test } from "./harness.mjs";

/** `{"inner":{"inner":… "the core" …}}`, made without recursion. */
function nested(levels) {
  let value = "the core";
  for (let i = 0; i < levels; i++) value = i % 2 ? [value] : { inner: value };
  return value;
}

function text(levels) {
  return `${'{"inner":'.repeat(levels)}"the core"${"}".repeat(levels)}`;
}

const user = { role: "user", content: "Go on." };
const shapes = {
  "openaiChat, arguments and result as text": [
    openaiChat,
    (levels) => [
      {
        role: "assistant",
        content: null,
        tool_calls: [{ id: "a", type: "function", function: { name: "t", arguments: text(levels) } }],
      },
      { role: "tool", tool_call_id: "a", content: text(levels) },
    ],
    user,
  ],
  "openaiResponses, arguments and output as text": [
    openaiResponses,
    (levels) => [
      { type: "function_call", call_id: "a", name: "t", arguments: text(levels) },
      { type: "function_call_output", call_id: "a", output: text(levels) },
    ],
    user,
  ],
  "anthropic, input as a value": [
    anthropic,
    (levels) => [
      { role: "assistant", content: [{ type: "tool_use", id: "a", name: "t", input: { deep: nested(levels) } }] },
      { role: "user", content: [{ type: "tool_result", tool_use_id: "a", content: text(levels) }] },
    ],
    user,
  ],
  "aiSdk, input and result as values": [
    aiSdk,
    (levels) => [
      {
        role: "assistant",
        content: [{ type: "tool-call", toolCallId: "a", toolName: "t", input: { deep: nested(levels) } }],
      },
      {
        role: "tool",
        content: [
          { type: "tool-result", toolCallId: "a", toolName: "t", output: { type: "json", value: nested(levels) } },
        ],
      },
    ],
    user,
  ],
  "gemini, arguments and response as values": [
    gemini,
    (levels) => [
      { role: "model", parts: [{ functionCall: { name: "t", args: { deep: nested(levels) } } }] },
      { role: "user", parts: [{ functionResponse: { name: "t", response: { output: nested(levels) } } }] },
    ],
    { role: "user", parts: [{ text: "Go on." }] },
  ],
};

for (const [name, [format, pair, request]] of Object.entries(shapes)) {
  for (const levels of [999, 1_001, 10_000, 100_000]) {
    test(`${name}, ${levels} levels deep`, async () => {
      const messages = [request, ...pair(levels), request];
      const compactor = createCompactor({ format, contextWindow: 1_000_000, maxOutputTokens: 500 });
      const { view, state } = await compactor.beforeModel({ messages });
      deepEqual(view.length, messages.length);
      const { tokens } = compactor.usage({ messages });
      ok(tokens > levels / 4, `${tokens} tokens`);
      equal(compactor.usage({ messages, state }).tokens, tokens);
      // In a small window what is deep is cut, cleared or covered like anything else.
      const small = createCompactor({ format, contextWindow: 6_000, maxOutputTokens: 500 });
      const cut = await small.beforeModel({ messages: [request, ...pair(levels), request, ...pair(levels), request] });
      ok(cut.report.after.tokens < 6_000, cut.report.reason);
      deepEqual(check(format, cut.view), []);
    });
  }
}

test("a schema of a tool and a part that no format knows may be deep as well", async () => {
  const compactor = createCompactor({ format: openaiChat, contextWindow: 1_000_000, maxOutputTokens: 500 });
  const tools = [{ type: "function", function: { name: "t", parameters: { deep: nested(5_000) } } }];
  const messages = [{ role: "user", content: [{ type: "what", deep: nested(5_000) }] }];
  const { report } = await compactor.beforeModel({ messages, tools });
  ok(report.after.parts.tools > 1_000 && report.after.tokens > 2_500, JSON.stringify(report.after));
});

test("what holds itself is refused wherever its cycle begins", async () => {
  const compactor = createCompactor({ format: aiSdk, contextWindow: 100_000, maxOutputTokens: 500 });
  const cycle = {};
  cycle.again = [cycle];
  let deep = cycle;
  for (let i = 0; i < 3_000; i++) deep = { deep };
  const endless = { toJSON: () => ({ endless }) };
  for (const input of [cycle, deep, endless]) {
    const call = { type: "tool-call", toolCallId: "a", toolName: "t", input };
    const messages = [...chat(2), { role: "assistant", content: [call] }];
    await rejects(
      compactor.beforeModel({ messages }),
      ({ code, path }) => code === "too-deep" && path === "messages[2]",
    );
  }
});

test("what has no end in its width is refused at once", async () => {
  const compactor = createCompactor({ format: aiSdk, contextWindow: 100_000, maxOutputTokens: 500 });
  const sparse = [];
  sparse[4_000_000_000] = 1;
  let reads = 0;
  const grows = new Proxy([], { get: (target, key) => (key === "length" ? ++reads + 3 : Reflect.get(target, key)) });
  const deep = Array.from({ length: 1_200 }).reduce((inner) => [inner], sparse);
  for (const input of [sparse, { sparse }, deep]) {
    const call = { type: "tool-call", toolCallId: "a", toolName: "t", input };
    await rejects(
      compactor.beforeModel({ messages: [...chat(2), { role: "assistant", content: [call] }] }),
      ({ code, path }) => code === "too-deep" && path === "messages[2]",
    );
  }
  // A list that grows while it is read is read as long as it was.
  const call = { type: "tool-call", toolCallId: "a", toolName: "t", input: { grows } };
  await compactor.beforeModel({ messages: [...chat(2), { role: "assistant", content: [call] }] });
  ok(reads > 0 && reads < 100, `${reads} reads of its length`);
});
