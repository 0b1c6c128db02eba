// What users of LangChain's own summarization rely on, and what they have reported against it, as precis/langchain does it.
import { deepEqual, equal, ok, throws } from "node:assert/strict";
import { test } from "node:test";
import {
  AIMessage,
  AIMessageChunk,
  createAgent,
  fakeModel,
  HumanMessage,
  SystemMessage,
  ToolMessage,
  tool,
} from "langchain";
import { compactionMiddleware, langchain, summarizeWith } from "precis/langchain";
import { check } from "precis/testing";
import { z } from "zod";

const text = (n, words = 60) => `Message ${n}: ${"word ".repeat(words)}`.trim();
/** People and model in turn, the last word with a person. */
const turns = (count, words) =>
  Array.from({ length: count }, (_, n) =>
    n % 2 === 0 ? new HumanMessage(text(n, words)) : new AIMessage(text(n, words)),
  );

/** Calls the middleware as an agent does, once; gives what the model was sent. */
async function send(messages, options, { state = null, request = {} } = {}) {
  const middleware = compactionMiddleware({ contextWindow: 100_000, ...options });
  let sent;
  const answer = await middleware.wrapModelCall(
    {
      messages,
      tools: [],
      systemMessage: new SystemMessage(""),
      state: { messages, _precis: state },
      runtime: {},
      ...request,
    },
    async (request) => {
      sent = request.messages;
      return new AIMessage("ok");
    },
  );
  return { sent, state: answer.update._precis, middleware };
}

/** Writes summaries and notes what it was asked. */
function writer(answer = "- what was said so far") {
  const asked = [];
  const summarize = async ({ system, prompt }) => {
    asked.push({ system, prompt });
    return answer;
  };
  return { asked, summarize };
}

test("below the trigger nothing is asked, and the messages are the same objects", async () => {
  const { asked, summarize } = writer();
  const messages = turns(5);
  const { sent } = await send(messages, { summarize, trigger: { tokens: 5_000 }, prefer: "summarize" });
  deepEqual(asked, []);
  ok(sent.every((message, at) => message === messages[at]) && sent.length === messages.length);
});

test("a trigger in tokens, in messages, or as a part of the window", async () => {
  for (const trigger of [{ tokens: 300 }, { messages: 8 }, { share: 0.003 }, 0.003]) {
    const { asked, summarize } = writer();
    const { sent } = await send(turns(21), { summarize, trigger, keep: { messages: 2 }, prefer: "summarize" });
    equal(asked.length, 1, JSON.stringify(trigger));
    equal(sent[0].type, "human");
    ok(sent[0] instanceof HumanMessage);
    ok(sent[0].content.includes("- what was said so far"));
    equal(sent.at(-1).content, text(20));
    ok(sent.length < 12);
  }
});

test("without a trigger nothing is compacted until the window is full", async () => {
  const { asked, summarize } = writer();
  const { sent } = await send(turns(101), { summarize });
  equal(sent.length, 101);
  deepEqual(asked, []);
});

test("what is asked for may be wrong, and is refused at once", () => {
  const refuse = (options) =>
    throws(() => compactionMiddleware({ contextWindow: 8_000, ...options }), { name: "PrecisError" });
  refuse({ trigger: 1.5 });
  refuse({ trigger: { tokens: -100 } });
  refuse({ keep: { messages: -1 } });
  refuse({ keep: { fraction: 0.5 } });
  refuse({ maxTokensBeforeSummary: 4_000 });
  refuse({ summarize: "openai:gpt-5.6" });
  refuse({ format: langchain });
  refuse({ onReport: "log" });
  refuse({ contextWindow: undefined });
  throws(() => summarizeWith("openai:gpt-5.6"), { name: "PrecisError", code: "invalid-option" });
  throws(() => compactionMiddleware(), { name: "PrecisError" });
  compactionMiddleware({ contextWindow: 8_000, keep: { messages: 0 } });
});

test("an empty conversation", async () => {
  const { sent } = await send([], { trigger: { messages: 1 } });
  deepEqual(sent, []);
});

test("what the first message asks for reaches the summarizer, however long the chat is", async () => {
  const { asked, summarize } = writer();
  const messages = [new HumanMessage("The goal: never touch the folder vendor/."), ...turns(200, 200).slice(1)];
  await send(messages, { summarize, contextWindow: 20_000, prefer: "summarize" });
  ok(asked.some(({ prompt }) => prompt.includes("never touch the folder vendor/")));
});

test("the summarizer reads people's words and names of tools, none of LangChain's metadata", async () => {
  const { asked, summarize } = writer();
  const messages = [
    new HumanMessage({ content: text(0), additional_kwargs: { internal: "a-secret-of-ours" }, id: "id-of-message" }),
    new AIMessage({
      ...{ content: "I look.", tool_calls: [{ id: "c1", name: "get_weather", args: { city: "Ulm" } }] },
      ...{
        response_metadata: { model: "gpt" },
        usage_metadata: { input_tokens: 1, output_tokens: 1, total_tokens: 2 },
      },
    }),
    new ToolMessage({ content: "rain", tool_call_id: "c1", name: "get_weather", artifact: { raw: "an-artifact" } }),
    ...turns(21),
  ];
  await send(messages, { summarize, trigger: { tokens: 400 }, prefer: "summarize" });
  const prompt = asked.map(({ prompt }) => prompt).join("\n");
  ok(prompt.includes("get_weather") && prompt.includes("Ulm") && prompt.includes("rain"));
  for (const word of ["lc_kwargs", "a-secret-of-ours", "an-artifact", "usage_metadata", "response_metadata"])
    ok(!prompt.includes(word), word);
});

test("a call is never parted from its results, of ten calls at once either", async () => {
  const ten = Array.from({ length: 10 }, (_, n) => n);
  const messages = [
    ...turns(5),
    new AIMessage({ content: "", tool_calls: ten.map((n) => ({ id: `c${n}`, name: "read", args: { n } })) }),
    ...ten.map((n) => new ToolMessage({ content: text(n), tool_call_id: `c${n}` })),
    new AIMessage("Done."),
    ...turns(4).slice(0, 3),
  ];
  for (let keep = 0; keep < 14; keep++) {
    const { sent } = await send(messages, { trigger: { tokens: 200 }, keep: { messages: keep }, prefer: "summarize" });
    deepEqual(check(langchain, sent), [], `keep ${keep}`);
    const results = sent.filter(({ type }) => type === "tool").length;
    ok(results === 0 || results === 10, `keep ${keep}: ${results} results`);
    ok(JSON.stringify(sent.at(-1).content).includes("Message 2"));
  }
});

test("a result without its call, and a call without a result", async () => {
  const messages = [
    new ToolMessage({ content: "nobody asked", tool_call_id: "c0" }),
    new HumanMessage("Read it."),
    new AIMessage({ content: "", tool_calls: [{ id: "c1", name: "read", args: {} }] }),
    new HumanMessage("Never mind, what is the time?"),
  ];
  const { sent } = await send(messages, {});
  deepEqual(check(langchain, sent), []);
  equal(sent.at(-1).content, messages.at(-1).content);
});

test("system messages in the state stay", async () => {
  const system = new SystemMessage("Answer in rhymes.");
  const { sent } = await send([system, ...turns(41)], { trigger: { tokens: 300 }, prefer: "summarize" });
  ok(sent.includes(system));
});

test("pictures, reasoning and blocks of providers are counted, kept and left out with what they belong to", async () => {
  const png = `data:image/png;base64,${"iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="}`;
  const messages = [
    new HumanMessage({
      content: [
        { type: "text", text: text(0) },
        { type: "image_url", image_url: { url: png } },
      ],
    }),
    new AIMessage({
      content: [
        { type: "thinking", thinking: "Let me see.", signature: "c2lnbmVk" },
        { type: "text", text: "A dot." },
        { type: "tool_use", id: "c1", name: "zoom", input: { by: 2 } },
      ],
      tool_calls: [{ id: "c1", name: "zoom", args: { by: 2 } }],
    }),
    new ToolMessage({
      content: [
        { type: "text", text: "a larger dot" },
        { type: "image_url", image_url: { url: png } },
      ],
      tool_call_id: "c1",
    }),
    ...turns(31),
  ];
  const { sent } = await send(messages, { trigger: { tokens: 400 }, prefer: "summarize" });
  deepEqual(check(langchain, sent), []);
  const { sent: whole } = await send(messages, {});
  ok(whole.every((message, at) => message === messages[at]));
});

test("chunks of a stream are messages like others, and a shortened call is shorter wherever the message has it", async () => {
  const long = "x".repeat(9_000);
  const chunk = new AIMessageChunk({
    content: [{ type: "tool_use", id: "c1", name: "write", input: JSON.stringify({ path: "a", content: long }) }],
    tool_call_chunks: [{ id: "c1", name: "write", args: JSON.stringify({ path: "a", content: long }), index: 0 }],
  });
  const messages = [
    new HumanMessage("Write it."),
    chunk,
    new ToolMessage({ content: "done", tool_call_id: "c1" }),
    ...turns(7),
  ];
  const { sent } = await send(messages, { contextWindow: 2_500, maxOutputTokens: 300 });
  ok(!JSON.stringify(sent.map(({ content, tool_calls }) => [content, tool_calls])).includes(long));
  equal(chunk.tool_calls[0].args.content, long, "the message in the state was changed");
  deepEqual(check(langchain, sent), []);
});

test("the same array, changed in place, and messages changed in place", async () => {
  const messages = turns(31);
  const first = await send(messages, { trigger: { tokens: 500 }, prefer: "summarize" });
  messages.push(new AIMessage("I see."), new HumanMessage("And now?"));
  messages[30].content = "What was said last is another thing now.";
  const { sent } = await send(messages, { trigger: { tokens: 500 }, prefer: "summarize" }, { state: first.state });
  equal(sent.at(-1).content, "And now?");
  ok(sent.some(({ content }) => content === "What was said last is another thing now."));
});

test("a trace shows the summary as a run of its own, which no stream of messages shows", async () => {
  const summarizer = fakeModel();
  for (let at = 0; at < 20; at++) summarizer.respond(new AIMessage("- read so far"));
  const model = fakeModel();
  for (let n = 0; n < 40; n++)
    model.respond(
      n === 39
        ? new AIMessage("done")
        : new AIMessage({ content: `step ${n}`, tool_calls: [{ id: `c${n}`, name: "read", args: {} }] }),
    );
  const runs = [];
  const callbacks = [
    {
      handleChatModelStart: (_model, _messages, _id, _parent, _extra, tags, metadata, name) =>
        runs.push({ tags, metadata, name }),
    },
  ];
  const read = tool(async () => text(1, 200), { name: "read", description: "reads", schema: z.object({}) });
  const middleware = compactionMiddleware({ contextWindow: 6_000, summarize: summarizer, prefer: "summarize" });
  const agent = createAgent({ model, tools: [read], middleware: [middleware] });
  await agent.invoke(
    { messages: [new HumanMessage("Read.")] },
    { callbacks, recursionLimit: 200, metadata: { user: "u1" } },
  );
  const own = runs.filter(({ metadata }) => metadata?.lc_source === "summarization");
  ok(own.length > 0);
  ok(own.every(({ tags, metadata }) => tags.includes("nostream") && metadata.user === "u1"));
  equal(runs.length - own.length, 40);
});

test("two chats at once, and one agent within another, share nothing", async () => {
  const middleware = compactionMiddleware({ contextWindow: 4_000, maxOutputTokens: 400 });
  const read = tool(async ({ path }) => `${path} ${text(1, 150)}`, {
    name: "read",
    description: "reads",
    schema: z.object({ path: z.string() }),
  });
  const run = async (name) => {
    const model = fakeModel();
    const sent = [];
    for (let n = 0; n < 30; n++)
      model.respond((messages) => {
        sent.push(JSON.stringify(messages.map(({ content }) => content)));
        return n === 29
          ? new AIMessage(`${name} done`)
          : new AIMessage({
              content: `${name} ${n}`,
              tool_calls: [{ id: `c${n}`, name: "read", args: { path: `${name}-${n}` } }],
            });
      });
    const agent = createAgent({ model, tools: [read], middleware: [middleware] });
    await agent.invoke({ messages: [new HumanMessage(`I am ${name}.`)] }, { recursionLimit: 200 });
    return sent;
  };
  const [one, other] = await Promise.all([run("Alice"), run("Bob")]);
  ok(one.every((prompt) => prompt.includes("Alice") && !prompt.includes("Bob")));
  ok(other.every((prompt) => prompt.includes("Bob") && !prompt.includes("Alice")));
});
