// The tool by which a model says that a task is done: the next step compacts, and no more often than is worth it.
import { deepEqual, equal, match, ok, throws } from "node:assert/strict";
import { test } from "node:test";
import { PrecisError } from "precis";
import { compaction, compactTool } from "precis/ai-sdk";
import { z } from "zod";
import { faults, scripted, sdks, ways } from "./sdks.mjs";

const WINDOW = 30_000;
const REPLY = 400;
const LONG = "and so it went on for the rest of the day, as it always had. ".repeat(20);
const say = (text) => ({ content: [{ type: "text", text }] });
const call = (id, toolName, input = {}) => ({ type: "tool-call", toolCallId: id, toolName, input });
const use = (...calls) => ({ content: calls });

/** The result of a call, as a prompt has it. */
const resultOf = (prompt, id) =>
  prompt.flatMap(({ role, content }) => (role === "tool" ? content : [])).find((part) => part.toolCallId === id)?.output
    .value;
const pagesOf = (prompt) => JSON.stringify(prompt).match(/"Page \d+\. and so it went on/g)?.length ?? 0;

async function loop(sdk, way, answer, { run, steps = 80, more = {} }) {
  const { model, requests } = scripted(sdk, answer);
  const tools = {
    read: sdk.ai.tool({ inputSchema: z.object({ n: z.number() }), execute: async ({ n }) => `Page ${n}. ${LONG}` }),
    compact: compactTool({ run, ...more }),
  };
  const { text } = await ways[way](sdk, {
    ...{ model, prompt: "Read, then write.", tools, maxOutputTokens: REPLY, stopWhen: sdk.stepCountIs(steps) },
    ...{ prepareStep: run.prepareStep, onStepFinish: run.onStepFinish },
  });
  for (const { prompt, at } of requests) deepEqual(faults(prompt), [], `request ${at}`);
  return { text, requests };
}

for (const sdk of sdks) {
  const { name } = sdk;

  for (const way of Object.keys(ways))
    test(`${name}, ${way}: the step after the call has a summary in the place of what was read`, async () => {
      const asked = [];
      const run = compaction({
        ...{ contextWindow: WINDOW, maxOutputTokens: REPLY },
        summarize: async ({ system, prompt }) => {
          asked.push({ system, prompt });
          return "- the pages were read; the invoice is on page 7";
        },
      }).run();
      const answer = (_, n) => {
        if (n < 15) return use(call(`c${n}`, "read", { n }));
        if (n === 15) return use(call("done", "compact", { focus: "where the invoice is" }));
        return n < 18 ? use(call(`c${n}`, "read", { n })) : say("Done.");
      };
      const { text, requests } = await loop(sdk, way, answer, { run });
      equal(text, "Done.");
      equal(pagesOf(requests[15].prompt), 15);
      equal(pagesOf(requests[16].prompt), 0);
      equal(pagesOf(requests[18].prompt), 2);
      match(JSON.stringify(requests[16].prompt), /the invoice is on page 7/);
      match(JSON.stringify(requests[16].prompt), /Read, then write\./);
      match(resultOf(requests[16].prompt, "done"), /will be summarized before the next step/);
      equal(asked.length, 1);
      match(asked[0].prompt, /<focus>\nwhere the invoice is\n<\/focus>/);
      ok(!asked[0].system.includes("where the invoice is"), "a model's words are no instruction");
      ok(run.reports.every(({ diverged }) => diverged === null));
    });

  test(`${name}: a model that calls it in every step compacts no more often than is worth it`, async () => {
    const asked = [];
    const run = compaction({
      ...{ contextWindow: WINDOW, maxOutputTokens: REPLY },
      summarize: async ({ prompt }) => {
        asked.push(prompt);
        return "- the pages were read";
      },
    }).run();
    const steps = 60;
    const { requests } = await loop(
      sdk,
      "generateText",
      (_, n) => (n < steps ? use(call(`r${n}`, "read", { n }), call(`d${n}`, "compact")) : say("Done.")),
      { run },
    );
    const results = Array.from({ length: steps }, (_, n) => resultOf(requests[n + 1].prompt, `d${n}`));
    const refused = results.filter((text) => /^Nothing was done: only about \d+ tokens are new/.test(text));
    const accepted = results.filter((text) => /will be summarized/.test(text));
    equal(refused.length + accepted.length, steps);
    equal(run.reports.filter(({ outcome }) => outcome === "compacted").length, accepted.length);
    // A step has some 420 tokens as this provider counts, so it takes seven to make a tenth of the window.
    ok(accepted.length >= 3 && accepted.length <= steps / 7, `${accepted.length} compactions in ${steps} steps`);
    ok(asked.length <= accepted.length * 2, `${asked.length} questions`);
    match(refused[0], /in this conversation, and fewer than 3000 are not worth it/);
    match(refused.at(-1), /since the last summary/);
  });

  test(`${name}: several calls in one step are one compaction`, async () => {
    const run = compaction({ contextWindow: WINDOW, maxOutputTokens: REPLY }).run();
    const answer = (_, n) => {
      if (n < 15) return use(call(`c${n}`, "read", { n }));
      return n === 15 ? use(call("a", "compact"), call("b", "compact", { focus: "x" })) : say("Done.");
    };
    const { requests } = await loop(sdk, "generateText", answer, { run });
    match(resultOf(requests[16].prompt, "a"), /will be summarized/);
    match(resultOf(requests[16].prompt, "b"), /is going to be summarized/);
    equal(run.reports.filter(({ outcome }) => outcome === "compacted").length, 1);
  });

  test(`${name}: keep, minTokens and the description are the program's`, async () => {
    const run = compaction({ contextWindow: WINDOW, maxOutputTokens: REPLY }).run();
    const answer = (_, n) => {
      if (n < 6) return use(call(`c${n}`, "read", { n }));
      return n === 6 ? use(call("done", "compact", { nonsense: 5, focus: 7 })) : say("Done.");
    };
    const more = { keep: { messages: 6 }, minTokens: 500, description: "Tidies up." };
    const { requests } = await loop(sdk, "generateText", answer, { run, more });
    equal(pagesOf(requests[7].prompt), 2);
    equal(requests[0].tools.find(({ name }) => name === "compact").description, "Tidies up.");
  });

  test(`${name}: in the chat's next request what is new is counted from the summary on`, async () => {
    const c = compaction({ contextWindow: WINDOW, maxOutputTokens: REPLY });
    const first = c.run({ state: null });
    const history = [{ role: "user", content: "Read." }];
    for (let n = 0; n < 30; n++)
      history.push({ role: "assistant", content: `Page ${n}. ${LONG}` }, { role: "user", content: "Next." });
    await first.compact({ messages: history });
    const run = c.run({ state: first.state });
    const { model, requests } = scripted(sdk, (_, n) => (n === 0 ? use(call("done", "compact")) : say("Done.")));
    await sdk.ai.generateText({
      ...{ model, messages: history, tools: { compact: compactTool({ run }) }, stopWhen: sdk.stepCountIs(3) },
      ...{ prepareStep: run.prepareStep, onStepFinish: run.onStepFinish },
    });
    match(resultOf(requests[1].prompt, "done"), /since the last summary/);
  });

  test(`${name}: where the provider compacts by itself, nothing is done and the answer says so`, async () => {
    const edits = [{ type: "compact_20260112" }];
    const run = compaction({ contextWindow: WINDOW }).run({
      providerOptions: { anthropic: { contextManagement: { edits } } },
    });
    const answer = (_, n) => (n === 0 ? use(call("done", "compact")) : say("Done."));
    const { requests } = await loop(sdk, "generateText", answer, { run });
    match(resultOf(requests[1].prompt, "done"), /provider compacts this chat itself/);
  });
}

test("a store that is written by others in every step: the compaction is made, and nothing fails", async () => {
  let saves = 0;
  const store = {
    load: async () => null,
    save: async () => {
      saves += 1;
      return false;
    },
  };
  const reports = [];
  const run = compaction({
    ...{ contextWindow: WINDOW, maxOutputTokens: REPLY, store },
    onReport: ({ outcome }) => reports.push(outcome),
  }).run({ chat: "a" });
  const answer = (_, n) => {
    if (n < 15) return use(call(`c${n}`, "read", { n }));
    return n === 15 ? use(call("done", "compact")) : say("Done.");
  };
  const { text, requests } = await loop(sdks[0], "generateText", answer, { run });
  equal(text, "Done.");
  equal(pagesOf(requests[16].prompt), 0);
  ok(saves >= 3);
  ok(reports.includes("compacted"));
});

test("options of the tool and of compactNext that are wrong are refused by name", () => {
  const run = compaction({ contextWindow: WINDOW }).run();
  const refusal = (code, path) => (error) => error instanceof PrecisError && error.code === code && error.path === path;
  for (const [options, path, code = "invalid-option"] of [
    [undefined, "options"],
    [{}, "run"],
    [{ run: {} }, "run"],
    [{ run: null }, "run"],
    [{ run, minTokens: "many" }, "minTokens"],
    [{ run, minTokens: -1 }, "minTokens"],
    [{ run, description: 5 }, "description"],
    [{ run, focus: "x" }, "focus", "unknown-option"],
  ])
    throws(() => compactTool(options), refusal(code, path), path);
  for (const [options, path] of [
    [null, "options"],
    ["x", "options"],
    [{ focus: 5 }, "focus"],
    [{ minTokens: Number.NaN }, "minTokens"],
    [{ least: 5 }, "least"],
  ])
    throws(() => run.compactNext(options), refusal("invalid-call", path), path);
});
