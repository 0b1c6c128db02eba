// One line on the model: every call of a program is kept inside the window, and no chat touches another.
import { deepEqual, equal, notEqual, ok, rejects } from "node:assert/strict";
import { test } from "node:test";
import { PrecisError } from "precis";
import { compaction, summarizeWith } from "precis/ai-sdk";
import { z } from "zod";
import { cases } from "../suite/length.mjs";
import { faults, OVERHEAD, scripted, sdks, tokensOf, ways } from "./sdks.mjs";

const WINDOW = 6_000;
const REPLY = 400;
const LONG = "and so it went on for the rest of the day, as it always had. ".repeat(9);
const say = (text) => ({ content: [{ type: "text", text }] });
const use = (n, name = "read") => ({
  content: [
    { type: "text", text: `Step ${n}.` },
    { type: "tool-call", toolCallId: `c${n}`, toolName: name, input: { n } },
  ],
});

const past = (turns, name = "Message") =>
  Array.from({ length: turns * 2 }, (_, i) => ({
    role: i % 2 ? "assistant" : "user",
    content: `${name} ${i}: ${LONG}`,
  }));

const toolsOf = ({ ai }) => ({
  read: ai.tool({ inputSchema: z.object({ n: z.number() }), execute: async ({ n }) => `Page ${n}. ${LONG}` }),
});

const wrap = ({ ai }, model, ...middleware) => ai.wrapLanguageModel({ model, middleware });

function sound(requests, window = WINDOW, reply = REPLY) {
  for (const { prompt, at, maxOutputTokens } of requests) {
    deepEqual(faults(prompt), [], `request ${at}`);
    const tokens = tokensOf(prompt) + OVERHEAD;
    ok(tokens + (maxOutputTokens ?? reply) <= window, `request ${at}: ${tokens} of ${window}`);
  }
}

for (const sdk of sdks) {
  const { ai, name } = sdk;
  const steps = 40;

  for (const way of Object.keys(ways))
    test(`${name}, ${way}: a long loop fits, is compacted seldom, and what was compacted stays so`, async () => {
      const reports = [];
      const c = compaction({
        contextWindow: WINDOW,
        maxOutputTokens: REPLY,
        onReport: (report) => reports.push(report),
      });
      const { model, requests } = scripted(sdk, (_, n) => (n < steps ? use(n) : say("Done.")));
      const result = await ways[way](sdk, {
        model: wrap(sdk, model, c.middleware),
        system: "You read pages.",
        prompt: "Read the pages, and tell me what invoice 4711 says.",
        tools: toolsOf(sdk),
        maxOutputTokens: REPLY,
        stopWhen: sdk.stepCountIs(steps + 5),
      });
      equal(result.text, "Done.");
      equal(requests.length, steps + 1);
      sound(requests);
      equal(reports.length, steps + 1);
      ok(reports.every(({ diverged }) => diverged === null));
      ok(reports.some(({ outcome }) => outcome === "compacted"));
      const compactions = reports.filter(({ outcome }) => outcome === "compacted").length;
      ok(compactions < steps / 4, `${compactions} compactions`);
      // Its usage is learned: what a report says is what the provider counted.
      equal(reports.at(-1).before.source, "reported");
      for (const { prompt } of requests) {
        equal(prompt[0].role, "system");
        ok(JSON.stringify(prompt).includes("4711"), "the request of the user is gone");
      }
    });

  test(`${name}: a system prompt that changes from call to call makes no other chat`, async () => {
    const reports = [];
    const c = compaction({ contextWindow: WINDOW, maxOutputTokens: REPLY, onReport: (report) => reports.push(report) });
    const { model, requests } = scripted(sdk, () => say(LONG));
    const wrapped = wrap(sdk, model, c.middleware);
    const messages = past(28);
    for (let turn = 0; turn < 3; turn++) {
      const { text } = await ai.generateText({ model: wrapped, system: `It is ${turn} o'clock.`, messages });
      messages.push({ role: "assistant", content: text }, { role: "user", content: `And then? ${turn}` });
      equal(requests[turn].prompt[0].content, `It is ${turn} o'clock.`);
    }
    deepEqual(
      reports.map(({ outcome }) => outcome),
      ["compacted", "reused", "reused"],
    );
    sound(requests);
  });

  test(`${name}: where the prompt is marked for the cache makes no other chat either`, async () => {
    const reports = [];
    const c = compaction({ contextWindow: WINDOW, maxOutputTokens: REPLY, onReport: (report) => reports.push(report) });
    const { model } = scripted(sdk, () => say("Well."));
    const wrapped = wrap(sdk, model, c.middleware);
    const history = past(28);
    for (let turn = 0; turn < 3; turn++) {
      const messages = history.map((message, at) =>
        at === history.length - 1
          ? { ...message, providerOptions: { anthropic: { cacheControl: { type: "ephemeral" } } } }
          : message,
      );
      const { text } = await ai.generateText({ model: wrapped, messages });
      history.push({ role: "assistant", content: text }, { role: "user", content: "And then?" });
    }
    deepEqual(
      reports.map(({ outcome }) => outcome),
      ["compacted", "reused", "reused"],
    );
  });

  test(`${name}: when nothing has to be done, the provider is asked what it was asked before`, async () => {
    const [one, other] = [scripted(sdk, () => say("Hello.")), scripted(sdk, () => say("Hello."))];
    const c = compaction({ contextWindow: 1_000_000 });
    const call = { system: "Be brief.", messages: past(4), tools: toolsOf(sdk), maxOutputTokens: 99 };
    await ai.generateText({ ...call, model: one.model });
    await ai.generateText({ ...call, model: wrap(sdk, other.model, c.middleware) });
    deepEqual(other.requests[0], one.requests[0]);
  });

  test(`${name}: many chats through one model, all at once, never touch`, async () => {
    const chats = cases(100, 20);
    const turns = 4;
    const asked = [];
    const finished = [];
    const summarize = async ({ prompt, kind }) => {
      asked.push(prompt);
      if (kind !== "chunk") finished.push(prompt);
      const secret = prompt.match(/secret-\d+/g) ?? [];
      return `- the chat is about ${[...new Set(secret)].join(" and ")}`;
    };
    const c = compaction({ contextWindow: WINDOW, maxOutputTokens: REPLY, summarize });
    const wait = (n) => new Promise((resolve) => setTimeout(resolve, (n * 7) % 5));
    const { model, requests } = scripted(sdk, () => say(LONG), { delay: wait });
    const wrapped = wrap(sdk, model, c.middleware);
    await Promise.all(
      Array.from({ length: chats }, async (_, chat) => {
        // They begin alike: only the third message tells them apart.
        const messages = [...past(1), { role: "user", content: `I am secret-${chat}. ${LONG}` }];
        for (const message of past(28, `secret-${chat}`)) messages.push(message);
        messages.push({ role: "user", content: `Go on, secret-${chat}.` });
        for (let turn = 0; turn < turns; turn++) {
          const { text } = await ways[turn % 2 ? "streamText" : "generateText"](sdk, { model: wrapped, messages });
          messages.push({ role: "assistant", content: text }, { role: "user", content: `More, secret-${chat}.` });
        }
      }),
    );
    equal(requests.length, chats * turns);
    sound(requests);
    for (const { prompt } of requests) {
      const secrets = new Set(JSON.stringify(prompt).match(/secret-\d+/g));
      equal(secrets.size, 1, [...secrets].join());
    }
    for (const prompt of asked) equal(new Set(prompt.match(/secret-\d+/g)).size, 1);
    // A chat goes on from its own summary: nobody summarizes the same again in every turn.
    equal(finished.length, chats);
  });

  test(`${name}: a chat that is rewound or forks is not continued from what it no longer is`, async () => {
    const reports = [];
    const c = compaction({ contextWindow: WINDOW, maxOutputTokens: REPLY, onReport: (report) => reports.push(report) });
    const { model, requests } = scripted(sdk, () => say("Well."));
    const wrapped = wrap(sdk, model, c.middleware);
    const ask = (messages) => ai.generateText({ model: wrapped, messages });
    const one = [...past(28), { role: "user", content: "On." }];
    await ask(one);
    const fork = [...one.slice(0, 6), { role: "user", content: "Something else altogether: zebra." }];
    await ask(fork);
    await ask([...one, { role: "assistant", content: "Well." }, { role: "user", content: "And?" }]);
    // The same request once more, as after a line that broke.
    await ask(one);
    deepEqual(
      reports.map(({ outcome, diverged }) => [outcome, diverged]),
      [
        ["compacted", null],
        ["unchanged", null],
        ["reused", null],
        ["reused", null],
      ],
    );
    ok(!JSON.stringify(requests[2].prompt).includes("zebra"));
    deepEqual(requests[3].prompt, requests[0].prompt);
  });

  test(`${name}: around itself, and around another of the same window, it compacts once`, async () => {
    const reports = { outer: [], inner: [] };
    const made = (who) =>
      compaction({
        ...{ contextWindow: WINDOW, maxOutputTokens: REPLY },
        onReport: (report) => reports[who].push(report.outcome),
      });
    const [outer, inner] = [made("outer"), made("inner")];
    const { model, requests } = scripted(sdk, (_, n) => (n < 30 ? use(n) : say("Done.")));
    const alone = scripted(sdk, (_, n) => (n < 30 ? use(n) : say("Done.")));
    const call = { prompt: "Read.", tools: toolsOf(sdk), maxOutputTokens: REPLY, stopWhen: sdk.stepCountIs(40) };
    await ai.generateText({ ...call, model: wrap(sdk, model, outer.middleware, outer.middleware, inner.middleware) });
    await ai.generateText({ ...call, model: wrap(sdk, alone.model, made("inner").middleware) });
    deepEqual(requests, alone.requests);
    equal(reports.outer.length, 31);
    // Only those of the one that was alone.
    equal(reports.inner.length, 31);
    sound(requests);
  });

  test(`${name}: around another with a smaller window, what is sent fits the smaller one`, async () => {
    const outer = compaction({ contextWindow: WINDOW * 3, maxOutputTokens: REPLY });
    const inner = compaction({ contextWindow: WINDOW, maxOutputTokens: REPLY });
    const { model, requests } = scripted(sdk, (_, n) => (n < 60 ? use(n) : say("Done.")));
    await ai.generateText({
      model: wrap(sdk, model, outer.middleware, inner.middleware),
      ...{ prompt: "Read.", tools: toolsOf(sdk), maxOutputTokens: REPLY, stopWhen: sdk.stepCountIs(70) },
    });
    equal(requests.length, 61);
    sound(requests);
  });

  test(`${name}: below a prepareStep of precis, what fits is left alone`, async () => {
    const outcomes = [];
    const c = compaction({ contextWindow: WINDOW, maxOutputTokens: REPLY });
    const below = compaction({
      ...{ contextWindow: WINDOW, maxOutputTokens: REPLY },
      onReport: ({ outcome, warnings }) => outcomes.push([outcome, ...warnings.map(({ code }) => code)].join()),
    });
    const tools = toolsOf(sdk);
    const run = c.run({ tools });
    const { model, requests } = scripted(sdk, (_, n) => (n < 40 ? use(n) : say("Done.")));
    await ai.generateText({
      ...{ prompt: "Read.", tools, maxOutputTokens: REPLY, stopWhen: sdk.stepCountIs(50) },
      ...{ prepareStep: run.prepareStep, onStepFinish: run.onStepFinish },
      model: wrap(sdk, model, below.middleware),
    });
    sound(requests);
    const compacted = outcomes.filter((outcome) => outcome.startsWith("compacted"));
    ok(compacted.length <= 1, `compacted twice: ${compacted}`);
  });

  for (const way of Object.keys(ways))
    test(`${name}, ${way}: what the provider refuses as too long is sent once more, shorter, and the limit is kept`, async () => {
      let refused = 0;
      const { model, requests } = scripted(sdk, (_, n) => (n < 30 ? use(n) : say("Done.")), {
        fail: (_, { prompt }) => {
          const tokens = tokensOf(prompt) + OVERHEAD;
          if (tokens <= WINDOW) return undefined;
          refused += 1;
          return Object.assign(new Error(`prompt is too long: ${tokens} tokens > ${WINDOW} maximum`), {
            statusCode: 400,
          });
        },
      });
      const c = compaction({ contextWindow: 200_000, maxOutputTokens: REPLY });
      const { text } = await ways[way](sdk, {
        ...{ model: wrap(sdk, model, c.middleware), messages: past(4), maxRetries: 0, maxOutputTokens: REPLY },
        ...{ tools: toolsOf(sdk), stopWhen: sdk.stepCountIs(60) },
      });
      equal(text, "Done.");
      equal(refused, 1, "the limit was not remembered");
      for (const { prompt, at } of requests) deepEqual(faults(prompt), [], `request ${at}`);
    });

  test(`${name}: another error is the caller's, and nothing is sent twice`, async () => {
    const { model, requests } = scripted(sdk, () => say(""), { fail: () => new Error("Invalid API key.") });
    const reports = [];
    const c = compaction({ contextWindow: WINDOW, onReport: (report) => reports.push(report) });
    const call = { model: wrap(sdk, model, c.middleware), maxRetries: 0, messages: past(30) };
    await rejects(ai.generateText(call), /Invalid API key/);
    equal(requests.length, 1);
    equal(reports.length, 1);
  });

  test(`${name}: who is refused twice gets the second refusal`, async () => {
    const fail = () => Object.assign(new Error("prompt is too long: 9000 tokens > 6000 maximum"), { statusCode: 400 });
    const { model, requests } = scripted(sdk, () => say(""), { fail });
    const c = compaction({ contextWindow: 200_000, maxOutputTokens: REPLY });
    const call = { model: wrap(sdk, model, c.middleware), maxRetries: 0, messages: past(30) };
    await rejects(ai.generateText(call), /too long/);
    equal(requests.length, 2);
    ok(tokensOf(requests[1].prompt) < tokensOf(requests[0].prompt));
  });

  for (const stream of [false, true])
    test(`${name}: the summarizer may be the model that is wrapped${stream ? ", as a stream" : ""}`, async () => {
      const { model, requests } = scripted(sdk, () => say("- the day went on and on"));
      let wrapped;
      const asked = [];
      const summarize = stream
        ? async function* ({ system, prompt }) {
            asked.push(prompt);
            const { textStream } = ai.streamText({ model: wrapped, system, prompt });
            yield* textStream;
            yield { finishReason: "stop" };
          }
        : (request, context) => {
            asked.push(request.prompt);
            return summarizeWith(ai.generateText, { model: wrapped })(request, context);
          };
      const c = compaction({ contextWindow: WINDOW, maxOutputTokens: REPLY, summarize });
      wrapped = wrap(sdk, model, c.middleware);
      await ai.generateText({ model: wrapped, messages: [...past(40), { role: "user", content: "On." }] });
      // Each question of the summarizer reached the provider once, as it was, and no question was asked about questions.
      equal(requests.length, asked.length + 1);
      for (const prompt of asked)
        ok(
          requests.some(({ prompt: sent }) => sent.at(-1).content[0].text === prompt),
          "a question was changed",
        );
      sound(requests.slice(-1));
    });

  test(`${name}: a provider that compacts by itself is left to do so`, async () => {
    const { model, requests } = scripted(sdk, () => say("Well."));
    const c = compaction({ contextWindow: WINDOW, maxOutputTokens: REPLY });
    const messages = past(30);
    const edits = [{ type: "compact_20260112" }];
    await ai.generateText({
      ...{ model: wrap(sdk, model, c.middleware), messages },
      providerOptions: { anthropic: { contextManagement: { edits } } },
    });
    equal(requests[0].prompt.length, messages.length);
  });

  test(`${name}: an abort ends a compaction, and the next call decides anew`, async () => {
    const stop = new AbortController();
    const { model, requests } = scripted(sdk, () => say("Well."));
    const c = compaction({
      ...{ contextWindow: WINDOW, maxOutputTokens: REPLY },
      summarize: async (_, { signal }) => {
        stop.abort(new Error("stopped"));
        signal.throwIfAborted();
        return "- nothing";
      },
    });
    const call = { model: wrap(sdk, model, c.middleware), messages: past(30), maxRetries: 0 };
    await rejects(ai.generateText({ ...call, abortSignal: stop.signal }), /stopped/);
    equal(requests.length, 0);
    await ai.generateText(call);
    equal(requests.length, 1);
    sound(requests);
  });

  test(`${name}: a chat that was compacted is remembered however many short ones come between`, async () => {
    const outcomes = [];
    const c = compaction({
      ...{ contextWindow: WINDOW, maxOutputTokens: REPLY },
      onReport: ({ outcome }) => outcomes.push(outcome),
    });
    const { model } = scripted(sdk, () => say("Well."));
    const wrapped = wrap(sdk, model, c.middleware);
    const ask = (messages) => wrapped.doGenerate({ prompt: messages.map(provider), tools: [] });
    const first = [...past(28), { role: "user", content: "On." }];
    await ask(first);
    for (let n = 0; n < 1_100; n++) await ask([{ role: "user", content: `Chat ${n}` }]);
    await ask([...first, { role: "assistant", content: "Well." }, { role: "user", content: "And?" }]);
    equal(outcomes[0], "compacted");
    equal(outcomes.at(-1), "reused");
  });
}

const provider = ({ role, content }) => ({ role, content: [{ type: "text", text: content }] });

test("bytes, addresses and members in another order: a history is known again, and another one is not", async () => {
  const reports = [];
  const c = compaction({ contextWindow: 100_000, onReport: (report) => reports.push(report) });
  const model = { modelId: "m", doGenerate: async () => ({ usage: { inputTokens, outputTokens: 5 } }) };
  let inputTokens = 1_000;
  const ask = async (content, more = []) => {
    await c.middleware.wrapGenerate({ params: { prompt: [{ role: "user", content }, ...more] }, model });
    return reports.at(-1).before.source;
  };
  const more = [
    { role: "assistant", content: [{ type: "text", text: "Well." }] },
    { role: "user", content: [{ type: "text", text: "On." }] },
  ];
  const file = (data, rest = {}) => [{ type: "file", mediaType: "image/png", data, ...rest }];
  const bytes = (last) => Uint8Array.from({ length: 1_001 }, (_, at) => (at === 1_000 ? last : at % 251));
  equal(await ask(file(bytes(1))), "estimated");
  equal(await ask(file(bytes(1)), more), "reported");
  equal(await ask(file(bytes(2)), more), "estimated");
  equal(await ask(file(new URL("https://example.com/a.png"))), "estimated");
  equal(await ask(file(new URL("https://example.com/a.png")), more), "reported");
  equal(await ask(file(new URL("https://example.com/b.png")), more), "estimated");
  inputTokens = 40;
  equal(
    await ask([
      { type: "text", text: "a" },
      { type: "text", text: "b" },
    ]),
    "estimated",
  );
  equal(
    await ask(
      [
        { text: "a", type: "text" },
        { type: "text", text: "b", providerOptions: { x: {} } },
      ],
      more,
    ),
    "reported",
  );
  equal(
    await ask(
      [
        { type: "text", text: "ab" },
        { type: "text", text: "" },
      ],
      more,
    ),
    "estimated",
  );
});

test("what is no call of the SDK is refused by name", async () => {
  const { middleware } = compaction({ contextWindow: WINDOW });
  const model = { modelId: "m", doGenerate: async () => ({}), doStream: async () => ({}) };
  for (const wrapping of [middleware.wrapGenerate, middleware.wrapStream])
    for (const [given, code, path] of [
      [undefined, "invalid-call", "options"],
      [{}, "invalid-call", "options.params"],
      [{ params: {}, model }, "messages-not-array", "options.params.prompt"],
      [{ params: { prompt: "Hello" }, model }, "messages-not-array", "options.params.prompt"],
      [
        { params: { prompt: [{ role: "user", content: [] }, null] }, model },
        "invalid-call",
        "options.params.prompt[1]",
      ],
      [{ params: { prompt: [] } }, "invalid-call", "options.model"],
    ])
      await rejects(
        wrapping(given),
        (error) => error instanceof PrecisError && error.code === code && error.path === path,
      );
  notEqual(middleware.specificationVersion, undefined);
});
