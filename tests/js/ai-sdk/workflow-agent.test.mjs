// The AI SDK's WorkflowAgent, which hands the provider's prompt to every step: kept inside the window by `prepareStep`, each
// chat with a state of its own.
import { deepEqual, equal, ok } from "node:assert/strict";
import { test } from "node:test";
import { compaction } from "precis/ai-sdk";
import { fromStorage } from "precis/stores";
import { z } from "zod";
import { faults, OVERHEAD, tokensOf } from "./sdks.mjs";

const STEPS = 40;
const WINDOW = 6_000;
const REPLY = 400;
const LONG = "and so it went on for the rest of the day, as it always had. ".repeat(9);
const isRun = Number(process.versions.node.split(".")[0]) >= 22;
const packages = new URL("../agents/node_modules/", import.meta.url);

/** A model that reads page after page, and then answers. */
function reading(MockLanguageModelV4, requests) {
  return new MockLanguageModelV4({
    modelId: "scripted",
    doStream: async ({ prompt, maxOutputTokens }) => {
      const n = requests.push({ prompt: structuredClone(prompt), maxOutputTokens });
      const isLast = n % (STEPS + 1) === 0;
      const content = isLast
        ? [
            { type: "text-start", id: "0" },
            { type: "text-delta", id: "0", delta: "Done." },
            { type: "text-end", id: "0" },
          ]
        : [{ type: "tool-call", toolCallId: `c${n}`, toolName: "read", input: JSON.stringify({ n }) }];
      const reason = isLast ? "stop" : "tool-calls";
      const input = tokensOf(prompt) + OVERHEAD;
      const usage = {
        inputTokens: { total: input, noCache: input, cacheRead: 0, cacheWrite: 0 },
        outputTokens: { total: 20, text: 20, reasoning: 0 },
      };
      const parts = [
        { type: "stream-start", warnings: [] },
        ...content,
        { type: "finish", finishReason: { unified: reason, raw: reason }, usage },
      ];
      return { stream: ReadableStream.from(parts) };
    },
  });
}

test(`ai@7: a WorkflowAgent of ${STEPS} steps stays inside the window, and keeps its chats apart`, {
  skip: !isRun,
}, async () => {
  const { WorkflowAgent } = await import(new URL("@ai-sdk/workflow/dist/index.js", packages));
  const { MockLanguageModelV4 } = await import(new URL("ai/dist/test/index.js", packages));
  const { isStepCount, tool } = await import(new URL("ai/dist/index.js", packages));
  const items = new Map();
  const store = fromStorage({ getItem: (key) => items.get(key), setItem: (key, value) => items.set(key, value) });
  const reports = [];
  const c = compaction({
    ...{ contextWindow: WINDOW, maxOutputTokens: REPLY, store },
    chat: (context) => context.chatId,
    onReport: (report, chat) => reports.push([chat, report]),
  });
  const requests = [];
  const agent = new WorkflowAgent({
    model: reading(MockLanguageModelV4, requests),
    instructions: "You read pages.",
    tools: {
      read: tool({ inputSchema: z.object({ n: z.number() }), execute: async ({ n }) => `Page ${n}. ${LONG}` }),
    },
    prepareStep: c.prepareStep,
    maxOutputTokens: REPLY,
    stopWhen: isStepCount(STEPS + 5),
  });
  for (const chatId of ["alice:1", "bob:1"]) {
    const { messages } = await agent.stream({
      messages: [{ role: "user", content: `I am ${chatId}. What does invoice 4711 say?` }],
      runtimeContext: { chatId },
    });
    ok(JSON.stringify(messages.at(-1)).includes("Done."));
  }
  equal(requests.length, 2 * (STEPS + 1));
  for (const [at, { prompt }] of requests.entries()) {
    deepEqual(faults(prompt), [], `request ${at}`);
    ok(tokensOf(prompt) + OVERHEAD + REPLY <= WINDOW, `request ${at}`);
    const [own, other] = at <= STEPS ? ["alice:1", "bob:1"] : ["bob:1", "alice:1"];
    const text = JSON.stringify(prompt);
    ok(text.includes("4711") && text.includes(own) && !text.includes(other), `request ${at}`);
    equal(prompt[0].role, "system");
  }
  ok(reports.some(([, { outcome }]) => outcome === "compacted"));
  equal(reports.at(-1)[1].before.source, "reported");
  deepEqual([...items.keys()].sort(), ["precis:main:alice%3A1", "precis:main:bob%3A1"]);
});
