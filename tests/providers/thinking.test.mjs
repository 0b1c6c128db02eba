// Thinking and reasoning that come back, judged by servers that remember what was sent when they produced it. Each chat is
// played with the provider's own messages; between requests programs do what programs do.
import { deepEqual, equal, ok } from "node:assert/strict";
import { test } from "node:test";
import { aiSdk, anthropic, gemini, openaiChat } from "../../pkg/formats.js";
import { createCompactor } from "../../pkg/index.js";
import { anthropicCompaction } from "../../pkg/native.js";
import { spread } from "../js/suite/length.mjs";
import { clients } from "./clients.mjs";
import { sdk, settings } from "./native-sdk.mjs";
import { createServer } from "./server.mjs";

const formats = { anthropic, gemini, openaiChat };
const WORDS = "and so it went on for the rest of the day, as it always had. ";
const BUDGET = { type: "enabled", budget_tokens: 2_000 };

/** Pseudo-random whole numbers below `n`. */
function random(seed) {
  let state = seed;
  return (n) => {
    state = (state * 1_103_515_245 + 12_345) & 0x7fffffff;
    return (state >> 8) % n;
  };
}

/**
 * A chat of an agent with a server: requests of a person, and rounds of a tool whose results vary in size. `between(chat)` does
 * something to it before a request. `recovers`: a refusal is passed on, and the request is sent once more. `native`: the
 * provider itself summarizes.
 */
async function play(
  name,
  { rounds = 60, seed = 1, given = {}, options = {}, account, between, recovers = false, native = false } = {},
) {
  const client = clients[name];
  const model = given.model ?? client.model;
  const server = createServer(name, account ? { account } : {});
  const own = sdk(server, (n) => ({ text: `- summary ${n}: files were read, one after the other\n` }));
  const compactor = createCompactor({
    format: formats[client.format],
    contextWindow: 8_000,
    maxOutputTokens: 500,
    ...(native ? { summarize: anthropicCompaction(own), prefer: "summarize" } : {}),
    ...(native ? { summarizer: { contextWindow: 200_000 } } : {}),
    ...options,
  });
  const below = random(seed);
  const chat = { history: [], state: null, system: "Be brief.", tools: ["read"], below, call: {} };
  const found = { server, asked: own.asked, compacted: 0, reports: [], views: [], refused: 0, requests: [], chat };
  for (let n = 0; n < rounds; n++) {
    if (n % 12 === 0) chat.history.push(...client.user([{ text: `Request ${n}: ${WORDS.repeat(below(4))}` }]));
    between?.(chat, n);
    const set = (report) => ({
      ...{ model, ...given, system: chat.system, tools: chat.tools },
      ...(native && report ? { betas: settings(report).betas } : {}),
    });
    const prepare = (overflow) =>
      compactor.beforeModel({
        ...{ messages: chat.history, state: chat.state, model, overflow },
        ...{ system: chat.system, tools: client.request([], set()).body.tools, ...chat.call },
      });
    let prepared = await prepare();
    const reply = {
      thought: `Thought ${n}. ${WORDS.repeat(below(3))}`,
      ...(n % 12 === 11
        ? { text: `Answer ${n}.` }
        : {
            calls: Array.from({ length: 1 + (n % 5 === 0) }, (_, i) => ({
              id: `c${n}_${i}`,
              name: "read",
              input: { n, i },
            })),
          }),
    };
    let answer = server.answer(client.request(prepared.view, set(prepared.report)), reply);
    if (!answer.ok && recovers) {
      found.refused += 1;
      chat.state = prepared.state;
      prepared = await prepare({ status: answer.status, error: answer.body });
      answer = server.answer(client.request(prepared.view, set(prepared.report)), reply);
    }
    ok(answer.ok, `${name}, ${model}, request ${n}: ${answer.findings?.map(({ rule, text }) => `${rule}: ${text}`)}`);
    // What is counted is judged in the same way.
    if (name === "anthropic")
      deepEqual(server.judge({ ...client.request(prepared.view, set(prepared.report)), use: "count" }), []);
    chat.state = prepared.state;
    found.compacted += prepared.report.changes.length > 0;
    found.reports.push(prepared.report);
    found.views.push(prepared.view);
    chat.history.push(...answer.entries);
    const calls = reply.calls ?? [];
    if (calls.length > 0)
      chat.history.push(
        ...client.results(
          calls.map(({ id, name }) => ({
            id,
            name,
            output: `${id} ${WORDS.repeat(below(below(8) === 0 ? 120 : 12))}`,
          })),
        ),
      );
    if (n % 3 === 0) chat.state = compactor.afterModel(chat.state, answer.body, prepared.report.request);
  }
  return found;
}

const thinkingOf = (view) => JSON.stringify(view).split('"type":"thinking"').length - 1;

const OPTIONS = [
  {},
  { contextWindow: 5_000, summarize: async () => "Notes on what was done." },
  { contextWindow: 1_000_000 },
  { contextWindow: 5_000, prefer: "summarize" },
  { contextWindow: 5_000, toolPolicy: { read: { clip: 300 } } },
];

for (const given of [
  {},
  { model: "claude-opus-5-5" },
  { model: "claude-opus-5" },
  { model: "claude-sonnet-4-5", thinking: BUDGET },
]) {
  for (const options of spread(OPTIONS, 2)) {
    const name = `${given.model ?? "claude-fable-5-2"}, ${JSON.stringify(Object.keys(options))}`;
    test(`Anthropic refuses nothing of a long chat: ${name}`, async () => {
      const { server, compacted, views, reports } = await play("anthropic", { given, options });
      equal(server.refused.length, 0);
      if (options.contextWindow === 1_000_000) {
        equal(thinkingOf(views.at(-1)), 59, "nothing has changed, so nothing goes");
        ok(reports.every(({ thinking, provider }) => thinking === null && provider === null));
      } else ok(compacted > 1, `${compacted} compactions`);
      ok(thinkingOf(views.at(-1)) > 0, "what was thought last is sent");
    });
  }
}

/** What programs do to a chat between two requests. */
const changes = {
  "results that are rewritten": ({ history, below }, n) => {
    if (n % 7 !== 5) return;
    const at = history.findLastIndex(
      ({ role, content }, i) => i < history.length - below(6) && role === "user" && Array.isArray(content),
    );
    if (at > 0)
      history[at] = {
        ...history[at],
        content: history[at].content.map((block) => ({ ...block, content: `rewritten ${n}` })),
      };
  },
  "another system prompt": (chat, n) => {
    if (n % 9 === 4) chat.system = `Be brief. It is ${n} o'clock.`;
  },
  "other tools": (chat, n) => {
    if (n % 9 === 4) chat.tools = n % 2 ? ["read"] : ["read", "write"];
  },
  "the same tools in another order, and marks for the cache": (chat, n) => {
    const [first] = chat.history;
    const text = typeof first.content === "string" ? first.content : first.content[0].text;
    const mark = n % 2 ? { cache_control: { type: "ephemeral" } } : {};
    chat.history[0] = { ...first, content: [{ type: "text", text, ...mark }] };
    chat.tools = n % 2 ? ["read", "write"] : ["write", "read"];
  },
  "pins that come and go": (chat, n) => {
    chat.call = { pin: (_, index) => index === 2 + (n >> 4) };
  },
  "policies that change": (chat, n) => {
    chat.call = { toolPolicy: { read: n % 20 < 10 ? { clip: 100 } : { rerun: true } } };
  },
  rewinds: ({ history }, n) => {
    if (n % 13 !== 7) return;
    const asked = history.findLastIndex(({ role, content }) => role === "user" && typeof content === "string");
    if (asked > 0) history.splice(asked + 1);
  },
};

/** Where nothing is covered, these change nothing of what was sent. */
const HARMLESS = ["the same tools in another order, and marks for the cache", "pins that come and go", "rewinds"];

for (const [name, between] of Object.entries(changes)) {
  test(`Anthropic refuses nothing with ${name}`, async () => {
    for (const contextWindow of [6_000, 200_000]) {
      const { server, reports } = await play("anthropic", { options: { contextWindow }, between, seed: contextWindow });
      equal(server.refused.length, 0);
      if (contextWindow === 200_000) equal(reports.at(-1).thinking === null, HARMLESS.includes(name), name);
    }
  });

  test(`Anthropic refuses nothing with ${name}, behind its own summaries`, async () => {
    for (const seed of spread([1, 2, 3, 4, 5, 6], 2)) {
      const given = { model: "claude-opus-5-5" };
      const { server, views, asked } = await play("anthropic", {
        ...{ rounds: 150, native: true, options: { contextWindow: 6_000 + 500 * seed }, given, between, seed },
      });
      equal(server.refused.length, 0);
      ok(asked.length > 0, `${asked.length} summaries`);
      ok(views.some((view) => JSON.stringify(view).includes('"type":"compaction"')));
    }
  });
}

test("a state that is lost costs one refusal, which is remembered", async () => {
  const between = (chat, n) => {
    if (n === 30) chat.state = null;
  };
  const { refused, reports, server } = await play("anthropic", { between, recovers: true });
  ok(refused <= 1, `${refused} refusals`);
  equal(server.refused.length, refused);
  if (refused > 0) equal(reports[30].thinking.source, "learned");
});

test("where the table is wrong a refusal teaches the rule, once for a chat", async () => {
  // The host says that it is free.
  const { refused, reports } = await play("anthropic", { options: { thinking: "free" }, recovers: true });
  equal(refused, 1);
  deepEqual([reports.at(-1).thinking.rule, reports.at(-1).thinking.source], ["bound", "learned"]);
});

test("an account from before thinking was bound loses no more than others, and nothing is refused", async () => {
  const { server } = await play("anthropic", {
    given: { model: "claude-opus-5-5" },
    account: { name: "old", isNew: false },
  });
  equal(server.refused.length, 0);
});

test("what the report says to set is what the API takes", async () => {
  const { reports } = await play("anthropic", { between: changes["results that are rewritten"], rounds: 30 });
  const { provider } = reports.at(-1);
  const { headers, body } = clients.anthropic.request([], { dropBlock: true });
  deepEqual(provider.headers, { "anthropic-beta": headers["anthropic-beta"] });
  deepEqual({ type: "adaptive", ...provider.body.thinking }, body.thinking);
});

test("with that set, the server leaves out what nobody could see, and refuses nothing", async () => {
  // The program says nothing of its system prompt, which changes.
  const between = (chat, n) => {
    if (n % 9 === 4) chat.system = `Be brief. It is ${n} o'clock.`;
    chat.call = { system: undefined };
  };
  const { server } = await play("anthropic", { between, given: { dropBlock: true } });
  equal(server.refused.length, 0);
  ok(server.judged > 0);
});

test("Bedrock has another name for it", async () => {
  const compactor = createCompactor({ format: anthropic, contextWindow: 8_000 });
  const model = "us.anthropic.claude-opus-5-5-20260922-v1:0";
  const thinking = { type: "thinking", thinking: "Hm.", signature: "sig" };
  const messages = [
    { role: "user", content: "Read it." },
    { role: "assistant", content: [thinking, { type: "text", text: "Read." }] },
    { role: "user", content: "And now?" },
  ];
  const { state } = await compactor.beforeModel({ messages, model, system: "One.", state: null });
  const { view, report } = await compactor.beforeModel({ messages, model, system: "Two.", state });
  deepEqual(view[1].content, [{ type: "text", text: "Read." }]);
  deepEqual(report.provider.body, { thinking: { block_binding: { mismatch_behavior: "drop_block" } } });
});

test("a deferred tool that is loaded, and another form of the reply, change nothing", async () => {
  const compactor = createCompactor({ format: anthropic, contextWindow: 100_000 });
  const tool = (name, more) => ({ name, description: `Calls ${name}.`, input_schema: { type: "object" }, ...more });
  const tools = [tool("search"), tool("late", { defer_loading: true })];
  const thinking = { type: "thinking", thinking: "Hm.", signature: "sig" };
  const call = (id, name) => ({ role: "assistant", content: [thinking, { type: "tool_use", id, name, input: {} }] });
  const answer = (id) => ({ role: "user", content: [{ type: "tool_result", tool_use_id: id, content: "Done." }] });
  const messages = [{ role: "user", content: "Go." }];
  let state = null;
  for (const [id, name] of [
    ["a", "search"],
    ["b", "late"],
    ["c", "late"],
  ]) {
    const schemas = { type: "object", properties: { [id]: { type: "string" } } };
    const prepared = await compactor.beforeModel({ messages, state, tools, schemas, model: "claude-fable-5-2" });
    deepEqual(prepared.view, messages, name);
    equal(prepared.report.thinking, null);
    state = prepared.state;
    messages.push(call(id, name), answer(id));
  }
  const more = await compactor.beforeModel({
    messages,
    state,
    tools: [...tools, tool("new")],
    model: "claude-fable-5-2",
  });
  equal(thinkingOf(more.view), 0, "another tool does");
});

for (const [name, given] of [
  ["deepseek", {}],
  ["kimi", {}],
  ["openrouter", {}],
  ["openrouter", { model: "anthropic/claude-opus-5.5" }],
  ["openrouter", { model: "anthropic/claude-fable-5.2" }],
  ["gemini", {}],
]) {
  test(`${name} ${given.model ?? ""} refuses nothing of a long chat, also where old reasoning is to go`, async () => {
    for (const options of [{}, { reasoning: "drop-old" }, { contextWindow: 3_000, reasoning: "drop-old" }]) {
      const { server, compacted } = await play(name, { given, options });
      equal(server.refused.length, 0);
      ok(compacted > 2);
    }
  });
}

test("Gemini: where parallel calls lose the first, the next has the documented dummy", () => {
  const call = (name) => ({ functionCall: { name, args: {} } });
  const message = { role: "model", parts: [{ ...call("a"), thoughtSignature: "sig" }, call("b"), call("c")] };
  deepEqual(gemini.without(message, [0]).parts, [
    { ...call("b"), thoughtSignature: "skip_thought_signature_validator" },
    call("c"),
  ]);
  deepEqual(gemini.without(message, [1]).parts, [message.parts[0], call("c")]);
});

test("OpenRouter: reasoning that goes leaves all three places", () => {
  const details = [{ type: "reasoning.text", text: "Hm.", signature: "sig" }];
  const openrouter = { reasoning_details: details, other: 1 };
  const message = {
    role: "assistant",
    content: [
      { type: "reasoning", text: "Hm.", providerOptions: { openrouter } },
      { type: "tool-call", toolCallId: "c", toolName: "read", input: {}, providerOptions: { openrouter } },
    ],
    providerOptions: { openrouter },
  };
  const bare = aiSdk.without(message, [0]);
  ok(!JSON.stringify(bare).includes("reasoning_details"));
  deepEqual(bare.providerOptions, { openrouter: { other: 1 } });
  const chat = { role: "assistant", content: "Yes.", reasoning: "Hm.", reasoning_details: details };
  const seen = [];
  const nothing = () => {};
  openaiChat.read(chat, {
    role: nothing,
    text: nothing,
    speaker: nothing,
    reasoning: (_, signed, part) => seen.push([signed, part]),
  });
  equal(seen[0][0], true);
  deepEqual(openaiChat.without(chat, [seen[0][1]]), { role: "assistant", content: "Yes." });
});

test("OpenAI through the AI SDK: what is edited has no id any more, and its reasoning goes with it", () => {
  const of = (id) => ({ providerOptions: { openai: { itemId: id, phase: "commentary" } } });
  const message = {
    role: "assistant",
    content: [
      {
        type: "reasoning",
        text: "Hm.",
        providerOptions: { openai: { itemId: "rs_1", reasoningEncryptedContent: "x" } },
      },
      { type: "text", text: "A long text.", ...of("msg_1") },
      { type: "tool-call", toolCallId: "c", toolName: "read", input: {}, ...of("fc_1") },
    ],
  };
  const edited = aiSdk.replace(message, 1, "Short.");
  ok(!/itemId|Encrypted|Hm/.test(JSON.stringify(edited)), JSON.stringify(edited));
  deepEqual(edited.content[1], { type: "text", text: "Short.", providerOptions: { openai: { phase: "commentary" } } });
  equal(message.content[1].providerOptions.openai.itemId, "msg_1", "the host's message is as it was");
});
