// Many chats at once through one agent that lives as long as the process.
import { deepEqual, equal, ok } from "node:assert/strict";
import { test } from "node:test";
import { compaction, summarizeWith } from "precis/ai-sdk";
import { z } from "zod";
import { cases } from "../suite/length.mjs";
import { faults, random, scripted, sdks } from "./sdks.mjs";

const CHATS = cases(100, 25);
const STEPS = 5;
const WINDOW = 2_500;
const MARK = /chat-\d{3}-secret/g;

const marks = (value) => [...new Set(JSON.stringify(value).match(MARK) ?? [])];
const secret = (chat) => `chat-${String(chat).padStart(3, "0")}-secret`;

/** A store that answers whenever it likes and compares before it sets. */
function slowStore(delay) {
  const rows = new Map();
  const busy = new Set();
  const wait = async () => {
    const waiting = delay();
    busy.add(waiting);
    await waiting;
    busy.delete(waiting);
  };
  return {
    rows,
    async settled() {
      while (busy.size > 0) await Promise.all(busy);
    },
    async load(key) {
      await wait();
      return structuredClone(rows.get(key));
    },
    async save(key, state, previous) {
      await wait();
      if ((rows.get(key)?.revision ?? null) !== previous) return false;
      rows.set(key, structuredClone(state));
    },
  };
}

/** The agent of each version; what says which chat a call belongs to is there from version 6 on. */
function agentOf(sdk, settings) {
  if (sdk.version === 5) {
    const agent = new sdk.Agent(settings);
    return (_, messages) => agent.generate({ messages });
  }
  const context = sdk.version === 6 ? "experimental_context" : "runtimeContext";
  const agent = new sdk.Agent({
    ...settings,
    callOptionsSchema: z.object({ chat: z.string() }),
    prepareCall: ({ options, ...rest }) => ({ ...rest, [context]: { chat: options.chat } }),
  });
  return (chat, messages) => agent.generate({ messages, options: { chat } });
}

for (const sdk of sdks) {
  test(`${sdk.name}: of many chats on one agent none gets a byte of another`, async () => {
    const next = random(sdk.version);
    const delay = () => new Promise((resolve) => setTimeout(resolve, next() * 6));
    const store = slowStore(delay);
    const big = scripted(
      sdk,
      (prompt, _, { n = prompt.filter(({ role }) => role === "user").length } = {}) => {
        const [mark] = marks(prompt.findLast(({ role }) => role === "user"));
        const results = prompt
          .slice(prompt.findLastIndex(({ role }) => role === "user"))
          .filter(({ role }) => role === "tool");
        if (results.length >= STEPS - 1 || (prompt.at(-1).role !== "tool" && prompt.length > 1 && next() < 0.1))
          return { content: [{ type: "text", text: `Done with ${mark}.` }] };
        const toolCallId = `${mark}-${n}-${next()}`;
        return { content: [{ type: "tool-call", toolCallId, toolName: "read", input: { path: mark } }] };
      },
      { delay },
    );
    const small = scripted(
      sdk,
      (prompt) => {
        const found = marks(prompt);
        equal(found.length, 1, `a summary of ${found}`);
        return { content: [{ type: "text", text: `- ${found[0]}: files were read` }] };
      },
      { delay },
    );
    const reports = [];
    const c = compaction({
      contextWindow: WINDOW,
      maxOutputTokens: 200,
      summarize: summarizeWith(sdk.ai.generateText, { model: small.model }),
      // Version 5 gives an agent's calls no context, so nothing says which chat a state is of.
      ...(sdk.version === 5 ? {} : { store, chat: ({ chat }) => chat }),
      onReport: (report, chat) => reports.push({ report, chat }),
    });
    const generate = agentOf(sdk, {
      model: big.model,
      maxOutputTokens: 200,
      stopWhen: sdk.stepCountIs(STEPS + 1),
      prepareStep: c.prepareStep,
      tools: {
        read: sdk.ai.tool({
          inputSchema: z.object({ path: z.string() }),
          execute: async ({ path }) => {
            await delay();
            return `${path} `.repeat(60);
          },
        }),
      },
    });

    const talk = async (chat) => {
      const history = [];
      for (let turn = 0; turn < 3; turn++) {
        history.push({
          role: "user",
          content: `Turn ${turn}: look for ${secret(chat)}. ${"Please be careful. ".repeat(20)}`,
        });
        const result = await generate(secret(chat), history);
        history.push(...(result.responseMessages ?? result.response.messages));
      }
      return history;
    };
    const histories = await Promise.all(Array.from({ length: CHATS }, (_, chat) => talk(chat)));

    histories.forEach((history, chat) => {
      deepEqual(marks(history), [secret(chat)]);
    });
    for (const { prompt } of [...big.requests, ...small.requests]) equal(marks(prompt).length, 1);
    for (const { prompt, at } of big.requests) deepEqual(faults(prompt), [], `request ${at}`);
    ok(small.requests.length >= CHATS, `${small.requests.length} summaries`);
    ok(reports.every(({ report }) => report.diverged === null && report.outcome !== "infeasible"));
    await store.settled();
    equal(store.rows.size, sdk.version === 5 ? 0 : CHATS);
    for (const [key, state] of store.rows)
      ok(
        marks(state).every((mark) => key === `main:${mark}`),
        key,
      );
    if (sdk.version > 5) equal(new Set(reports.map(({ chat }) => chat)).size, CHATS);
  });
}
