// A provider whose window is smaller than it was said to be.
import { deepEqual, equal, ok, rejects } from "node:assert/strict";
import { test } from "node:test";
import { compaction } from "precis/ai-sdk";
import { z } from "zod";
import { faults, OVERHEAD, scripted, sdks, tokensOf, ways } from "./sdks.mjs";

const REAL = 6_000;
const REPLY = 400;
const LONG = "and so it went on for the rest of the day, as it always had. ".repeat(9);
const past = (turns) =>
  Array.from({ length: turns * 2 }, (_, i) => ({
    role: i % 2 ? "assistant" : "user",
    content: `Message ${i}: ${LONG}`,
  }));

/** Refuses what does not fit, in Anthropic's words. */
const refusing = (sdk, answer) => {
  let refused = 0;
  const found = scripted(sdk, answer, {
    fail: (_, { prompt }) => {
      const tokens = tokensOf(prompt) + OVERHEAD;
      if (tokens <= REAL) return undefined;
      refused += 1;
      return Object.assign(new Error(`prompt is too long: ${tokens} tokens > ${REAL} maximum`), { statusCode: 400 });
    },
  });
  return { ...found, refused: () => refused };
};

for (const sdk of sdks) {
  for (const way of Object.keys(ways)) {
    test(`${sdk.name}, ${way}: a request that is too long is sent once more, shorter; no tool runs twice`, async () => {
      const calls = [];
      let step = 0;
      const { model, requests, refused } = refusing(sdk, () => {
        const n = step++;
        const use = { type: "tool-call", toolCallId: `c${n}`, toolName: "read", input: {} };
        return { content: n < 40 ? [{ type: "text", text: LONG }, use] : [{ type: "text", text: "Done." }] };
      });
      const run = compaction({ contextWindow: 200_000, maxOutputTokens: REPLY }).run({});
      const result = await ways[way](sdk, {
        ...{ model: run.model(model), messages: past(4), maxOutputTokens: REPLY, maxRetries: 0 },
        tools: {
          read: sdk.ai.tool({
            inputSchema: z.object({}),
            execute: async (_, { toolCallId }) => {
              calls.push(toolCallId);
              return LONG;
            },
          }),
        },
        stopWhen: sdk.stepCountIs(50),
        ...{ prepareStep: run.prepareStep, onStepFinish: run.onStepFinish },
      });
      equal(result.text, "Done.");
      deepEqual(
        calls,
        Array.from({ length: 40 }, (_, n) => `c${n}`),
      );
      equal(refused(), 1, "the limit was not remembered");
      equal(requests.length, 42);
      for (const { prompt, at } of requests) deepEqual(faults(prompt), [], `request ${at}`);
      ok(run.reports.some(({ warnings }) => warnings.some(({ code }) => code === "learned-limit")));
    });
  }

  for (const way of Object.keys(ways))
    test(`${sdk.name}, ${way}: a reply limit that is too high is lowered, and the same prompt is sent once more`, async () => {
      const { model, requests } = scripted(sdk, () => ({ content: [{ type: "text", text: "Done." }] }), {
        fail: (_, { prompt, maxOutputTokens }) => {
          const tokens = tokensOf(prompt) + OVERHEAD;
          if (tokens + maxOutputTokens <= REAL) return undefined;
          const message = `input length and \`max_tokens\` exceed context limit: ${tokens} + ${maxOutputTokens} > ${REAL}`;
          return Object.assign(new Error(message), { statusCode: 400 });
        },
      });
      const run = compaction({ contextWindow: 200_000, maxOutputTokens: 5_000 }).run({});
      const result = await ways[way](sdk, {
        ...{ model: run.model(model), messages: past(3), maxOutputTokens: 5_000, maxRetries: 0 },
        ...{ prepareStep: run.prepareStep, onStepFinish: run.onStepFinish },
      });
      equal(result.text, "Done.");
      equal(requests.length, 2);
      deepEqual(requests[1].prompt, requests[0].prompt);
      ok(requests[1].maxOutputTokens > 500 && requests[1].maxOutputTokens < 5_000, `${requests[1].maxOutputTokens}`);
    });

  test(`${sdk.name}: another error is the caller's, and nothing is sent twice`, async () => {
    const { model, requests } = scripted(sdk, () => ({ content: [] }), { fail: () => new Error("Invalid API key.") });
    const run = compaction({ contextWindow: 200_000 }).run({});
    const call = { model: run.model(model), maxRetries: 0, prompt: "Hello", prepareStep: run.prepareStep };
    await rejects(sdk.ai.generateText(call), /Invalid API key/);
    equal(requests.length, 1);
  });

  test(`${sdk.name}: an error that opens a stream counts, too; one in the middle does not`, async () => {
    const text = { type: "text", text: "I was" };
    for (const [content, sent] of [
      [[], 2],
      [[text], 1],
    ]) {
      const { model, requests } = scripted(sdk, (_, n) =>
        n === 0
          ? { content, breaks: new Error("prompt is too long: 9000 tokens > 6000 maximum") }
          : { content: [text] },
      );
      const run = compaction({ contextWindow: 200_000, maxOutputTokens: REPLY }).run({});
      const call = { model: run.model(model), messages: past(30), maxRetries: 0, prepareStep: run.prepareStep };
      await ways.streamText(sdk, call).catch(() => {});
      equal(requests.length, sent);
    }
  });
}
