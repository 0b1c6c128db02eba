// Models where a model is what one has: one that keeps every call inside the window, and one that writes the summaries.
import { deepEqual, equal, ok, throws } from "node:assert/strict";
import { test } from "node:test";
import { compaction } from "precis/ai-sdk";
import { z } from "zod";
import { faults, OVERHEAD, scripted, sdks, tokensOf, ways } from "./sdks.mjs";

const WINDOW = 6_000;
const REPLY = 400;
const LONG = "and so it went on for the rest of the day, as it always had. ".repeat(9);
const say = (text, more) => ({ content: [{ type: "text", text }], ...more });
const use = (n) => ({
  content: [
    { type: "text", text: `Step ${n}.` },
    { type: "tool-call", toolCallId: `c${n}`, toolName: "read", input: { n } },
  ],
});
const toolsOf = ({ ai }) => ({
  read: ai.tool({ inputSchema: z.object({ n: z.number() }), execute: async ({ n }) => `Page ${n}. ${LONG}` }),
});
const past = (turns) =>
  Array.from({ length: turns * 2 }, (_, i) => ({
    role: i % 2 ? "assistant" : "user",
    content: `Message ${i}: ${LONG}`,
  }));
/** The summarizer reads the whole past at once. */
const options = { contextWindow: WINDOW, summarizer: { contextWindow: 200_000 } };
const SUMMARY = "- pages were read, one after the other, and it went on for the rest of the day";

for (const sdk of sdks) {
  const { ai, name } = sdk;

  for (const way of Object.keys(ways))
    test(`${name}, ${way}: compaction(…).model(…) is the model with the middleware around it`, async () => {
      const call = (model) => ({
        model,
        prompt: "Read the pages, and tell me what invoice 4711 says.",
        tools: toolsOf(sdk),
        maxOutputTokens: REPLY,
        stopWhen: sdk.stepCountIs(45),
      });
      const one = scripted(sdk, (_, n) => (n < 40 ? use(n) : say("Done.")));
      const other = scripted(sdk, (_, n) => (n < 40 ? use(n) : say("Done.")));
      const model = compaction({ contextWindow: WINDOW }).model(one.model);
      const { middleware } = compaction({ contextWindow: WINDOW });
      equal((await ways[way](sdk, call(model))).text, "Done.");
      await ways[way](sdk, call(ai.wrapLanguageModel({ model: other.model, middleware })));
      deepEqual(one.requests, other.requests);
      equal(one.requests.length, 41);
      for (const { prompt } of one.requests) {
        deepEqual(faults(prompt), []);
        ok(tokensOf(prompt) + OVERHEAD + REPLY <= WINDOW);
      }
      for (const member of ["specificationVersion", "modelId", "provider"])
        deepEqual(model[member], one.model[member], member);
    });

  test(`${name}: such a model is kept inside the window where something else than the SDK calls it`, async () => {
    const { model, requests } = scripted(sdk, () => say("Well."));
    const kept = compaction({ contextWindow: WINDOW }).model(model);
    const prompt = past(28).map(({ role, content }) => ({ role, content: [{ type: "text", text: content }] }));
    for (let turn = 0; turn < 3; turn++) {
      const { content } = await kept.doGenerate({ prompt: structuredClone(prompt), maxOutputTokens: REPLY });
      prompt.push({ role: "assistant", content }, { role: "user", content: [{ type: "text", text: `And ${turn}?` }] });
    }
    equal(requests.length, 3);
    for (const { prompt } of requests) ok(tokensOf(prompt) + OVERHEAD + REPLY <= WINDOW);
  });

  test(`${name}: a model writes the summaries, and may be the one that is kept inside the window`, async () => {
    const asked = [];
    const writer = scripted(sdk, (prompt, _, options) => {
      asked.push({ prompt, maxOutputTokens: options.maxOutputTokens, signal: options.abortSignal });
      return say(SUMMARY, { inputTokens: 1234 });
    });
    const reports = [];
    const c = compaction({
      ...{ ...options, summarize: writer.model },
      onReport: (report) => reports.push(report),
    });
    const { model, requests } = scripted(sdk, () => say("Well."));
    await ai.generateText({ model: c.model(model), messages: past(28), maxOutputTokens: REPLY });
    ok(JSON.stringify(requests[0].prompt).includes(SUMMARY));
    equal(reports[0].rung, "summarize");
    equal(asked[0].prompt[0].role, "system");
    equal(asked[0].prompt[1].role, "user");
    ok(asked[0].maxOutputTokens > 0 && asked[0].signal instanceof AbortSignal);
    // The same model, wrapped: what it is asked to shorten is not shortened in turn.
    let summaries = 0;
    const same = scripted(sdk, (prompt) => {
      const isAsked = prompt[0].role === "system";
      if (isAsked) summaries += 1;
      return say(isAsked ? SUMMARY : "Well.");
    });
    let kept;
    const around = compaction({
      ...options,
      summarize: new Proxy(same.model, { get: (model, key) => (kept ?? model)[key] }),
    });
    kept = around.model(same.model);
    await ai.generateText({ model: kept, messages: past(28), maxOutputTokens: REPLY });
    equal(summaries, 1);
  });

  test(`${name}: of a list of models and functions the next is asked when one fails or is cut off`, async () => {
    const asked = [];
    const failing = scripted(sdk, () => asked.push("failing") && say(""), {
      fail: () => {
        asked.push("failing");
        return Object.assign(new Error("overloaded"), { isRetryable: true });
      },
    });
    const cut = scripted(sdk, () => {
      asked.push("cut");
      return say(SUMMARY, { finish: "length" });
    });
    const { model, requests } = scripted(sdk, () => say("Well."));
    const summarize = [
      failing.model,
      cut.model,
      async () => {
        asked.push("function");
        return SUMMARY;
      },
    ];
    await ai.generateText({
      ...{ model: compaction({ ...options, summarize }).model(model), maxOutputTokens: REPLY },
      messages: past(28),
    });
    deepEqual(asked, ["failing", "cut", "function"]);
    ok(JSON.stringify(requests[0].prompt).includes(SUMMARY));
  });

  test(`${name}: a model that may be asked again is, where nobody else is there to ask`, async () => {
    let asked = 0;
    const { model: writer } = scripted(sdk, () => say(SUMMARY), {
      fail: () => {
        asked += 1;
        if (asked > 2) return undefined;
        return Object.assign(new Error("busy"), { isRetryable: true, responseHeaders: { "retry-after-ms": "1" } });
      },
    });
    const { model, requests } = scripted(sdk, () => say("Well."));
    await ai.generateText({
      model: compaction({ ...options, summarize: writer }).model(model),
      ...{ messages: past(28), maxOutputTokens: REPLY },
    });
    equal(asked, 3);
    ok(JSON.stringify(requests[0].prompt).includes(SUMMARY));

    // One that may not is not asked again: code writes the digest.
    let refused = 0;
    const { model: forbidden } = scripted(sdk, () => say(SUMMARY), {
      fail: () => {
        refused += 1;
        return new Error("no such model");
      },
    });
    const reports = [];
    await ai.generateText({
      model: compaction({
        ...{ ...options, summarize: forbidden },
        onReport: (report) => reports.push(report),
      }).model(scripted(sdk, () => say("Well.")).model),
      ...{ messages: past(28), maxOutputTokens: REPLY },
    });
    equal(reports[0].rung, "digest");
    ok(refused > 0 && refused <= 2);
  });
}

test("a model by its name is refused, and what to write instead is said", () => {
  const c = compaction({ contextWindow: WINDOW });
  for (const given of ["openai/gpt-5.6", undefined, null, 7, {}, { doGenerate() {} }])
    throws(() => c.model(given), { name: "PrecisError", code: "invalid-call", path: "model" });
  throws(() => c.model("openai/gpt-5.6"), /gateway\("openai\/gpt-5\.6"\)/);
  throws(() => compaction({ contextWindow: WINDOW, summarize: "openai/gpt-5.6" }), {
    ...{ code: "invalid-option", path: "summarize", message: /gateway\("openai\/gpt-5\.6"\)/ },
  });
  throws(() => compaction({ contextWindow: WINDOW, summarize: [async () => "", "m"] }), { path: "summarize[1]" });
  throws(() => compaction({ contextWindow: WINDOW, summarize: [] }), { code: "invalid-option", path: "summarize" });
  throws(() => compaction({ contextWindow: WINDOW, summarize: { doGenerate: 1 } }), { path: "summarize" });
});
