// The tool by which a model of the AI SDK looks up what it no longer sees.
import { deepEqual, equal, match, ok, throws } from "node:assert/strict";
import { test } from "node:test";
import { createCompactor, PrecisError, recallDefinition } from "precis";
import { compaction, recallTool } from "precis/ai-sdk";
import { aiSdk } from "precis/formats";
import { z } from "zod";
import { faults, scripted, sdks, ways } from "./sdks.mjs";

const WINDOW = 6_000;
const REPLY = 300;
const LONG = "and so it went on for the rest of the day, as it always had. ".repeat(30);
const say = (text) => ({ content: [{ type: "text", text }] });
const use = (id, toolName, input = {}) => ({ content: [{ type: "tool-call", toolCallId: id, toolName, input }] });

/** The result of a call, as a prompt has it. */
const resultOf = (prompt, id) =>
  prompt.flatMap(({ role, content }) => (role === "tool" ? content : [])).find((part) => part.toolCallId === id)?.output
    .value;

for (const sdk of sdks) {
  const { ai, name } = sdk;

  for (const way of Object.keys(ways)) {
    test(`${name}, ${way}: in a long loop the model looks up what an early step has read`, async () => {
      const run = compaction({ contextWindow: (model) => (model ? WINDOW : undefined), maxOutputTokens: REPLY }).run({
        state: null,
      });
      const steps = 14;
      const { model, requests } = scripted(sdk, (_, n) => {
        if (n < steps) return use(`c${n}`, "read", { page: n });
        if (n === steps) return use("look", "recall", { query: "password of page 2" });
        if (n === steps + 1) return use("again", "recall", { reference: "r999" });
        return say("Done.");
      });
      const tools = {
        read: ai.tool({
          inputSchema: z.object({ page: z.number() }),
          execute: async ({ page }) =>
            `Page ${page}. ${LONG} The password of page ${page} is swordfish-${page}. ${LONG}`,
        }),
        recall: recallTool({ run, maxTokens: 400 }),
      };
      const { text } = await ways[way](sdk, {
        ...{ model, tools, maxOutputTokens: REPLY, stopWhen: sdk.stepCountIs(30) },
        ...{ prepareStep: run.prepareStep, onStepFinish: run.onStepFinish, prompt: "Read the pages." },
      });
      equal(text, "Done.");
      equal(requests.length, steps + 3);
      ok(!JSON.stringify(requests[steps].prompt).includes("is swordfish-2"), "it is still in view");
      const found = resultOf(requests[steps + 1].prompt, "look");
      match(found, /^\[r\d+: message \d+, tool, read, from byte \d+/);
      match(found, /password of page 2 is swordfish-2/);
      match(resultOf(requests[steps + 2].prompt, "again"), /^No text of the history has this reference/);
      for (const { prompt } of requests) deepEqual(faults(prompt), []);
      // Whoever makes the tool for a run need not say so once more.
      const refers = requests.map(({ prompt }) => /The tool recall ret/.test(JSON.stringify(prompt)));
      equal(refers.at(-1), true);
      const told = requests[0].tools.find(({ name }) => name === "recall");
      equal(told.description, recallDefinition.description);
      deepEqual(told.inputSchema, recallDefinition.parameters);
    });
  }

  test(`${name}: in a chat with a database the model looks up what was not loaded`, async () => {
    const compactor = createCompactor({ format: aiSdk, contextWindow: WINDOW, maxOutputTokens: REPLY });
    const stored = Array.from({ length: 40 }, (_, n) => ({
      role: n % 2 ? "assistant" : "user",
      content: n === 7 ? "The walrus is called Antje." : `Message ${n}. ${LONG.slice(0, 900)}`,
    }));
    stored.push({ role: "user", content: "What was the walrus called?" });
    const { state, view } = await compactor.beforeModel({ messages: stored, state: null });
    const { index } = compactor.keepFrom(state);
    ok(index > 7);
    const loads = [];
    const recall = recallTool({
      ...{ compactor, messages: () => stored.slice(index), offset: () => index, state: () => state },
      load: async (from, to) => {
        loads.push([from, to]);
        return stored.slice(from, to);
      },
      description: "Looks things up.",
    });
    equal(recall.description, "Looks things up.");
    const { model, requests } = scripted(sdk, (_, n) =>
      n === 0 ? use("look", "recall", { query: "walrus" }) : say("Antje."),
    );
    await ai.generateText({ model, tools: { recall }, messages: view, stopWhen: sdk.stepCountIs(3) });
    match(resultOf(requests[1].prompt, "look"), /^\[r7: message 7, assistant\]\nThe walrus is called Antje\.$/m);
    deepEqual(loads, [[0, index]]);
  });
}

test("options of the tool that are wrong are refused by name", () => {
  const compactor = createCompactor({ format: aiSdk, contextWindow: WINDOW });
  const [messages, state] = [() => [], () => null];
  for (const [options, path] of [
    [undefined, "options"],
    [{}, "run"],
    [{ run: {} }, "run"],
    [{ compactor }, "run"],
    [{ compactor: {}, messages, state }, "compactor"],
    [{ compactor, messages: [], state }, "messages"],
    [{ compactor, messages, state: null, load: [] }, "load"],
    [{ compactor, messages, state, description: 5 }, "description"],
  ])
    throws(
      () => recallTool(options),
      (error) => error instanceof PrecisError && error.code === "invalid-option" && error.path === path,
      path,
    );
});

test("before its run was used there is nothing to look through", async () => {
  const run = compaction({ contextWindow: WINDOW }).run({ state: null });
  const { execute } = recallTool({ run });
  match(await execute({ query: "walrus" }), /^\[Nothing earlier matches/);
  match(await execute({ reference: "r0" }), /^No text of the history/);
});
