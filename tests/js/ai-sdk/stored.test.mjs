// A chat stored as UI messages and rebuilt for the next request is still the chat its state was made from.
import { deepEqual, equal, ok } from "node:assert/strict";
import { test } from "node:test";
import { compaction } from "precis/ai-sdk";
import { z } from "zod";
import { faults, scripted, sdks } from "./sdks.mjs";

const LONG = "and it goes on in the same way for a while. ".repeat(16);
/** Turns after the first compaction, and the most before it. */
const AFTER = 2;
const MOST = 20;
const say = (text) => ({ type: "text", text });
const call = (toolCallId, toolName, input) => ({ type: "tool-call", toolCallId, toolName, input });

/** What the model answers in each step of a turn. */
const cases = {
  "text and a tool": (turn) => [
    [say(`Turn ${turn}, ${LONG}`), call(`a${turn}`, "read", { path: "a.ts", from: 1, to: 20.5 })],
  ],
  "parallel tools": (turn) => [
    [
      call(`a${turn}`, "read", { path: "a.ts" }),
      call(`b${turn}`, "read", { path: "b.ts" }),
      call(`c${turn}`, "strange", {}),
    ],
  ],
  "reasoning and a tool": (turn) => [
    [
      { type: "reasoning", text: `I should look, ${LONG}`, providerMetadata: { maker: { signature: `s${turn}` } } },
      call(`a${turn}`, "read", { path: "a.ts" }),
    ],
  ],
  "a tool that throws": (turn) => [[say("I try."), call(`a${turn}`, "broken", { path: LONG })]],
  "a tool with toModelOutput": (turn) => [[call(`a${turn}`, "shaped", { path: "a.ts" })]],
  "a result with undefined and Date": (turn) => [[call(`a${turn}`, "strange", { path: LONG })]],
  "input of the wrong shape": (turn) => [
    [say(LONG), call(`a${turn}`, "read", { path: 5, more: [null, { b: 1, a: 2 }] })],
  ],
  "input that is no JSON": (turn) => [[say(LONG), call(`a${turn}`, "read", '{"path": "a.ts')]],
  "a tool nobody has": (turn) => [[say(LONG), call(`a${turn}`, "unheard", { path: "a.ts" })]],
  "several steps": (turn) => [
    [say(`First, ${LONG}`), call(`a${turn}`, "read", { path: "a.ts" })],
    [call(`b${turn}`, "broken", { path: "b.ts" }), call(`c${turn}`, "shaped", { path: "c.ts" })],
    [{ type: "reasoning", text: "Now what?" }, say("Then."), call(`d${turn}`, "strange", {})],
  ],
};

const toolsOf = ({ ai }) => {
  const path = { inputSchema: z.object({ path: z.string() }).loose() };
  return {
    read: ai.tool({ ...path, execute: async ({ path }) => `${path}: ${LONG}` }),
    broken: ai.tool({
      ...path,
      execute: async () => {
        throw new Error("The disk is gone.");
      },
    }),
    shaped: ai.tool({
      ...path,
      execute: async ({ path }) => ({ path, lines: [LONG] }),
      toModelOutput: (given) => ({ type: "text", value: `shaped: ${JSON.stringify(given.output ?? given)}` }),
    }),
    strange: ai.tool({
      inputSchema: z.object({}).loose(),
      execute: async () => ({ nothing: undefined, when: new Date(0), list: [undefined, 1], text: LONG }),
    }),
  };
};

const backwards = (value) =>
  Array.isArray(value)
    ? value.map(backwards)
    : typeof value === "object" && value !== null
      ? Object.fromEntries(
          Object.entries(value)
            .reverse()
            .map(([key, member]) => [key, backwards(member)]),
        )
      : value;

/** Whether messages were covered by this step: from then on positions count. */
const covers = ({ rung }) => rung === "digest" || rung === "trim";

/** How a database gives back what was stored. */
const databases = {
  JSON: (value) => JSON.parse(JSON.stringify(value)),
  "reordered keys": (value) => backwards(JSON.parse(JSON.stringify(value))),
};

/** One request as a route handler does it: the whole chat in, the whole chat with the answer out. */
async function turn(sdk, { ui, run, model, tools, convert }) {
  const { ai } = sdk;
  let messages;
  const stream = ai.createUIMessageStream({
    originalMessages: ui,
    generateId: () => `m${ui.length}`,
    execute: async ({ writer }) => {
      const result = ai.streamText({
        model,
        tools,
        messages: await ai.convertToModelMessages(ui, ...convert),
        stopWhen: sdk.stepCountIs(10),
        maxOutputTokens: 200,
        prepareStep: run.prepareStep,
        onStepFinish: run.onStepFinish,
        onError: () => {},
      });
      writer.merge(result.toUIMessageStream({ sendReasoning: true }));
    },
    onFinish: (end) => {
      messages = end.messages;
    },
  });
  for await (const _ of stream);
  return messages;
}

for (const sdk of sdks) {
  for (const [name, steps] of Object.entries(cases)) {
    for (const [database, stored] of Object.entries(databases)) {
      for (const given of ["with tools", "without tools"]) {
        test(`${sdk.name}, ${name}, ${database}, ${given}: nothing diverges`, async () => {
          const tools = toolsOf(sdk);
          const convert = given === "with tools" ? [{ tools }] : [];
          let number = 0;
          const { model, requests } = scripted(sdk, (prompt) => {
            const answers = prompt.slice(prompt.findLastIndex(({ role }) => role === "user") + 1);
            const done = answers.filter(({ role }) => role === "assistant").length;
            const content = steps(number)[done];
            return { content: content ?? [say(`Turn ${number} is done.`)] };
          });
          const c = compaction({ contextWindow: 3_600, maxOutputTokens: 200 });
          let ui = [];
          let state = null;
          const reports = [];
          let left = AFTER;
          for (; left > 0 && number < MOST; number++) {
            if (reports.some(covers)) left -= 1;
            ui = [...ui, { id: `u${number}`, role: "user", parts: [{ type: "text", text: `Question ${number}?` }] }];
            const run = c.run({ state, tools });
            ui = stored(await turn(sdk, { ui, run, model, tools, convert }));
            reports.push(...run.reports);
            state = stored(run.state);
          }
          for (const [index, { diverged, warnings }] of reports.entries()) {
            equal(diverged, null, `step ${index}`);
            deepEqual(
              warnings.filter(({ code }) => code === "is-a-view" || code === "opaque-content"),
              [],
            );
          }
          const compacted = reports.findIndex(({ rung }) => rung === "digest" || rung === "trim");
          ok(compacted > 0, "nothing was compacted");
          ok(
            reports.slice(compacted + 1).some(({ outcome }) => outcome === "reused"),
            "no compaction was used again",
          );
          for (const { prompt, at } of requests) deepEqual(faults(prompt), [], `request ${at}`);
          equal(ui.length, 2 * number);
        });
      }
    }
  }
}
