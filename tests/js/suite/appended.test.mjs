// `summaryRequest: "append"`: the summary is asked for in a message behind the chat, as it was sent last.
import { deepEqual, equal, match, ok, rejects } from "node:assert/strict";
import { test } from "node:test";
import { createCompactor } from "precis";
import { anthropic, openaiChat, strict } from "precis/formats";
import { check } from "precis/testing";

const LONG = "and so it went on for the rest of the day, as it always had. ";
const SUMMARY = "- files were read, one after the other, for invoice 4711";
const SCHEMA = { type: "object", properties: {} };
const tools = [{ type: "function", function: { name: "read", description: "Reads a file.", parameters: SCHEMA } }];

/** A chat of an agent, a request before each of its replies. Resolves to what was sent and what was asked. */
async function play({ rounds = 110, call = { tools }, calls = true, ...options } = {}) {
  const asked = [];
  const compactor = createCompactor({
    ...{
      format: openaiChat,
      contextWindow: 8_000,
      maxOutputTokens: 500,
      prefer: "summarize",
      summaryRequest: "append",
    },
    summarize: async (request) => {
      asked.push({ ...request, before: views.at(-1) });
      return SUMMARY;
    },
    ...options,
  });
  const [views, reports, history] = [[], [], [{ role: "user", content: "Read the files for invoice 4711." }]];
  let state = null;
  for (let n = 0; n < rounds; n++) {
    const prepared = await compactor.beforeModel({ messages: history, state, model: "gpt-5.6", ...call });
    state = JSON.parse(JSON.stringify(prepared.state));
    views.push(prepared.view);
    reports.push(prepared.report);
    const text = `${n} ${LONG.repeat(6)}`;
    if (calls) {
      const use = { id: `c${n}`, type: "function", function: { name: "read", arguments: `{"n":${n}}` } };
      history.push({ role: "assistant", content: null, tool_calls: [use] });
      history.push({ role: "tool", tool_call_id: `c${n}`, content: text });
    } else history.push({ role: "assistant", content: text }, { role: "user", content: `And ${n}?` });
  }
  return { asked, views, reports, state };
}

test("the request begins with the bytes of the last one, and has one message more", async () => {
  const { asked, reports } = await play();
  ok(asked.length > 1, `${asked.length} summaries`);
  for (const { append, before, kind, prompt, system } of asked) {
    equal(kind, "summary");
    // For whoever cannot send the chat.
    ok(prompt.includes("<conversation>") && system.length > 0);
    const { messages } = append;
    const prefix = messages.slice(0, -1);
    const shared = Math.min(prefix.length, before.length);
    equal(JSON.stringify(prefix.slice(0, shared)), JSON.stringify(before.slice(0, shared)));
    ok(shared > prefix.length - 3, "most of it was sent before");
    equal(append.tools, tools);
    equal(append.model, "gpt-5.6");
    equal(messages.at(-1).role, "user");
    match(messages.at(-1).content, /^Stop here[\s\S]*## Open[\s\S]*Call no tool[\s\S]*Write the notes now\.$/);
    deepEqual(check(openaiChat, messages), []);
  }
  ok(reports.some(({ rung }) => rung === "summarize"));
  // The second is asked behind the first summary, which stands in the chat.
  ok(JSON.stringify(asked[1].append.messages).includes(SUMMARY));
});

test("without the option, and of requests that are not for a whole summary, nothing is appended", async () => {
  const plain = await play({ summaryRequest: undefined });
  ok(plain.asked.length > 0 && plain.asked.every(({ append }) => append === undefined));
  const kinds = [];
  const answers = ["", SUMMARY];
  await play({
    summarize: async ({ kind, append }) => {
      kinds.push([kind, append !== undefined]);
      return answers.shift() ?? SUMMARY;
    },
  });
  deepEqual(kinds.slice(0, 2), [
    ["summary", true],
    ["correction", false],
  ]);
});

test("where the chat and the reply do not fit into the summarizer's window, a transcript is sent", async () => {
  const { asked, reports } = await play({ summarizer: { contextWindow: 4_000 } });
  ok(asked.length > 0);
  ok(asked.every(({ append }) => append === undefined));
  ok(reports.some(({ rung }) => rung === "summarize"));
});

test("calls are sent with the tools they call, or not at all", async () => {
  const { asked } = await play({ call: {} });
  ok(asked.length > 0 && asked.every(({ append }) => append === undefined));
  const talk = await play({ call: {}, calls: false });
  ok(talk.asked.length > 0 && talk.asked.every(({ append }) => append !== undefined));
});

test("the message joins one of the user where roles must alternate", async () => {
  const { asked } = await play({ call: {}, calls: false, format: { ...anthropic, ...strict } });
  ok(asked.length > 0);
  for (const { append } of asked) {
    ok(append);
    for (let at = 1; at < append.messages.length; at++) ok(append.messages[at].role !== append.messages[at - 1].role);
    match(JSON.stringify(append.messages.at(-1)), /Write the notes now\./);
  }
});

test("a plan's requests have it as well, and a focus stands in it", async () => {
  const given = { format: openaiChat, contextWindow: 16_000, maxOutputTokens: 500, summaryRequest: "append" };
  const compactor = createCompactor({ ...given, trigger: 0.5, summarize: async () => SUMMARY });
  const messages = Array.from({ length: 61 }, (_, i) => ({
    role: i % 2 ? "assistant" : "user",
    content: `${i} ${LONG.repeat(7)}`,
  }));
  const call = { messages, state: null, threshold: "soft" };
  const requests = compactor.requests(call, compactor.plan(call));
  match(requests[0].append.messages.at(-1).content, /Write the notes now\./);
  equal(requests[0].append.messages[0], messages[0]);
  let asked;
  const other = createCompactor({
    ...given,
    summarize: async ({ append }) => {
      asked = append;
      return SUMMARY;
    },
  });
  await other.compact({ messages: messages.slice(0, 21), state: null, focus: "the ports" });
  match(asked.messages.at(-1).content, /keep everything about "the ports" in detail/);
});

test("another value, and a preset beside it, are refused", async () => {
  const given = { format: openaiChat, contextWindow: 8_000, summarize: async () => SUMMARY };
  const refused = (options) => rejects(async () => createCompactor({ ...given, ...options }));
  await refused({ summaryRequest: "apend" });
  await refused({ summaryRequest: true });
  await refused({ summaryRequest: "append", tune: { preset: "contextguard" } });
});
