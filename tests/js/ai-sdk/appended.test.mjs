// `summaryRequest: "append"` in the AI SDK: the model that has the chat in its cache is asked behind the chat itself.
import { deepEqual, equal, ok } from "node:assert/strict";
import { test } from "node:test";
import { compaction, summarizeWith } from "precis/ai-sdk";
import { z } from "zod";
import { scripted, sdks } from "./sdks.mjs";

const WINDOW = 8_000;
const REPLY = 400;
const LONG = "and so it went on for the rest of the day, as it always had. ".repeat(9);
const SUMMARY = "- pages were read, one after the other, and it went on for the rest of the day";
const ASKED = "Write the notes now.";
const say = (text) => ({ content: [{ type: "text", text }] });
const use = (n) => ({
  content: [
    { type: "text", text: `Step ${n}.` },
    { type: "tool-call", toolCallId: `c${n}`, toolName: "read", input: { n } },
  ],
});
const textOf = ({ content }) =>
  typeof content === "string" ? content : content.map(({ text }) => text ?? "").join("");
const isAppended = (prompt) => textOf(prompt.at(-1)).startsWith("Stop here") && textOf(prompt.at(-1)).endsWith(ASKED);
const options = { contextWindow: WINDOW, prefer: "summarize", summaryRequest: "append", maxOutputTokens: REPLY };

for (const sdk of sdks) {
  const { ai, name } = sdk;

  /** Plays an agent of 60 steps with a model that answers as long as it is not asked for notes. */
  async function play(make, { modelId = "scripted" } = {}) {
    let [steps, runs] = [0, 0];
    const { model, requests } = scripted(
      sdk,
      (prompt) => {
        if (textOf(prompt.at(-1)).trimEnd().endsWith(ASKED)) return say(SUMMARY);
        steps += 1;
        return steps < 60 ? use(steps) : say("Done.");
      },
      { modelId },
    );
    const tools = {
      read: ai.tool({
        inputSchema: z.object({ n: z.number() }),
        execute: async ({ n }) => {
          runs += 1;
          return `Page ${n}. ${LONG}`;
        },
      }),
    };
    const system = "Be brief.";
    const call = make(model, { tools, system });
    const { text } = await ai.generateText({
      ...{ system, tools, prompt: "Read the pages for invoice 4711.", maxOutputTokens: REPLY },
      ...{ stopWhen: sdk.stepCountIs(70), ...call },
    });
    equal(text, "Done.");
    equal(runs, 59);
    return requests;
  }

  /** Each appended request: its prompt goes on with that of the request before it, and its tools are the same. */
  function judge(requests) {
    const appended = requests.flatMap(({ prompt }, at) => (isAppended(prompt) ? [at] : []));
    ok(appended.length > 0, "nothing was appended");
    for (const at of appended) {
      const [before, now] = [requests[at - 1], requests[at]];
      const prefix = now.prompt.slice(0, -1);
      const shared = Math.min(prefix.length, before.prompt.length);
      ok(shared > 2);
      equal(JSON.stringify(prefix.slice(0, shared)), JSON.stringify(before.prompt.slice(0, shared)));
      deepEqual(now.tools, before.tools);
    }
  }

  test(`${name}: compaction(…).model(…) asks the same model behind its own prompt`, async () => {
    judge(await play((model) => ({ model: compaction({ ...options, summarize: model }).model(model) })));
  });

  test(`${name}: a step of an agent asks through generateText, and no tool is run by it`, async () => {
    judge(
      await play((model, { tools, system }) => {
        const summarize = summarizeWith(ai.generateText, { model });
        const run = compaction({ ...options, summarize }).run({ tools, system });
        return { model, prepareStep: run.prepareStep };
      }),
    );
  });

  test(`${name}: another model is sent a transcript`, async () => {
    const asked = [];
    const other = scripted(
      sdk,
      (prompt) => {
        asked.push(prompt);
        return say(SUMMARY);
      },
      { modelId: "another" },
    );
    await play((model) => ({ model: compaction({ ...options, summarize: other.model }).model(model) }));
    await play((model, { tools, system }) => {
      const summarize = summarizeWith(ai.generateText, { model: other.model });
      return { model, prepareStep: compaction({ ...options, summarize }).run({ tools, system }).prepareStep };
    });
    ok(asked.length > 1);
    for (const prompt of asked) ok(!isAppended(prompt) && textOf(prompt.at(-1)).includes("<conversation>"));
  });
}
