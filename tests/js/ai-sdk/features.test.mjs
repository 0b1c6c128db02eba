// What the AI SDK can do besides loops of tools, with compaction in the middle of it.
import { deepEqual, equal, ok, rejects } from "node:assert/strict";
import { test } from "node:test";
import { compaction, summarizeWith } from "precis/ai-sdk";
import { z } from "zod";
import { faults, OVERHEAD, projected, scripted, scripts, sdks, tokensOf, ways } from "./sdks.mjs";

const same = scripts();

const WINDOW = 5_000;
const REPLY = 400;
const LONG = "and so it went on for the rest of the day, as it always had. ".repeat(9);
const say = (text) => ({ type: "text", text });
const use = (id, toolName, input = {}) => ({ type: "tool-call", toolCallId: id, toolName, input });
const done = (text = "Done.") => ({ content: [say(text)] });

/** Twenty turns, far more than the window holds. */
const past = (turns = 20) =>
  Array.from({ length: turns * 2 }, (_, i) => ({
    role: i % 2 ? "assistant" : "user",
    content: `Message ${i}: ${LONG}`,
  }));

function sound(requests, window = WINDOW) {
  ok(requests.length > 0);
  for (const { prompt, at, maxOutputTokens } of requests) {
    deepEqual(faults(prompt), [], `request ${at}`);
    ok(tokensOf(prompt) + OVERHEAD + Math.min(REPLY, maxOutputTokens ?? REPLY) <= window, `request ${at}`);
  }
}

const toolsOf = ({ ai }, calls = []) => ({
  read: ai.tool({
    inputSchema: z.object({ path: z.string().optional() }),
    execute: async (_, { toolCallId }) => {
      calls.push(toolCallId);
      return LONG;
    },
  }),
});

const summarizer = (sdk, options) => {
  const { model, requests } = scripted(sdk, () => done("- it went on for days"), options);
  return { summarize: summarizeWith(sdk.ai.generateText, { model, maxRetries: 0 }), requests };
};

/** A run in a small window, and what one call of the SDK needs to use it. */
function bound({ run: options, ...more } = {}) {
  const run = compaction({ contextWindow: WINDOW, maxOutputTokens: REPLY, ...more }).run({ ...options });
  return { run, prepareStep: run.prepareStep, onStepFinish: run.onStepFinish, maxOutputTokens: REPLY };
}

for (const sdk of sdks) {
  const { ai, version, name } = sdk;
  const only = (from, title, work) => test(`${name}: ${title}`, { skip: version < from }, work);

  for (const way of Object.keys(ways)) {
    test(`${name}, ${way}: an aborted summary rejects with the abort, and nothing has changed`, async () => {
      const stop = new AbortController();
      const small = summarizer(sdk, {
        delay: async () => {
          stop.abort();
          await new Promise((resolve) => setTimeout(resolve, 5));
        },
      });
      const big = scripted(sdk, () => done());
      // One question, however small the window of the chat is.
      const large = { contextWindow: 200_000 };
      const { run, ...options } = bound({
        ...{ summarize: small.summarize, summarizer: large, run: { signal: stop.signal } },
      });
      const messages = past();
      const before = JSON.stringify(messages);
      const call = ways[way](sdk, { ...options, model: big.model, messages, abortSignal: stop.signal });
      if (way === "generateText") await rejects(call, { name: "AbortError" });
      else await call.catch(() => {});
      equal(small.requests.length, 1);
      equal(big.requests.length, 0);
      equal(run.state, null);
      equal(JSON.stringify(messages), before);
      const again = bound({ summarize: summarizer(sdk).summarize });
      const result = await ways[way](sdk, { ...again, model: big.model, messages });
      equal(result.text, "Done.");
      sound(big.requests);
      same.tell("an abort in the middle of a summary", `${name}, ${way}`, big.requests);
    });
  }

  test(`${name}: an error in the middle of a stream; the next request goes on from there`, async () => {
    const { model, requests } = scripted(sdk, (_, n) => ({
      content: n < 2 ? [say("I look into it."), use(`c${n}`, "read")] : [say("I was about to")],
      ...(n === 2 ? { breaks: new Error("The line is dead.") } : {}),
    }));
    const tools = toolsOf(sdk);
    const first = bound();
    const messages = past();
    const broken = await ways
      .streamText(sdk, { ...first, model, messages, tools, stopWhen: sdk.stepCountIs(5) })
      .catch((error) => ({ error }));
    ok(/line is dead/.test(String(broken.failure?.message ?? broken.error?.message)));
    const { state } = first.run;
    ok(state.revision > 0);
    const second = bound({ run: { state } });
    await ways.generateText(sdk, { ...second, model, messages, tools });
    equal(second.run.reports[0].diverged, null);
    equal(second.run.reports[0].outcome, "reused");
    sound(requests);
    same.tell("an error in the middle of a stream", name, requests);
  });

  for (const way of Object.keys(ways)) {
    test(`${name}, ${way}: structured output after a loop of tools`, async () => {
      const { model, requests } = scripted(sdk, (_, n) =>
        n < 12 ? { content: [use(`c${n}`, "read")] } : done(JSON.stringify({ city: "Paris" })),
      );
      const output = ai.Output.object({ schema: z.object({ city: z.string() }) });
      const result = await ways[way](sdk, {
        ...bound(),
        model,
        ...(version === 5 ? { experimental_output: output } : { output }),
        messages: [{ role: "user", content: "Which city?" }],
        tools: toolsOf(sdk),
        stopWhen: sdk.stepCountIs(20),
      });
      deepEqual(JSON.parse(result.text), { city: "Paris" });
      if (way === "generateText")
        deepEqual(version === 5 ? result.experimental_output : result.output, { city: "Paris" });
      equal(requests.length, 13);
      sound(requests);
      same.tell("structured output", `${name}, ${way}`, requests);
    });

    test(`${name}, ${way}: stop conditions see every step`, async () => {
      const { model, requests } = scripted(sdk, (_, n) => ({ content: [use(`c${n}`, n < 30 ? "read" : "finish")] }));
      const tools = { ...toolsOf(sdk), finish: ai.tool({ inputSchema: z.object({}) }) };
      const seen = [];
      const result = await ways[way](sdk, {
        ...bound(),
        model,
        tools,
        messages: [{ role: "user", content: "Go on." }],
        stopWhen: [
          (ai.hasToolCall ?? ai.isToolCall)("finish"),
          ({ steps }) => {
            seen.push(steps.length);
            return false;
          },
        ],
      });
      equal(result.steps.length, 31);
      deepEqual(
        seen,
        Array.from({ length: seen.length }, (_, i) => i + 1),
      );
      sound(requests);
      same.tell("stop conditions", `${name}, ${way}`, requests);
    });

    test(`${name}, ${way}: tools that throw, inputs that are wrong, a tool nobody has`, async () => {
      // Input that is no JSON is sent as text by version 5 and as an empty object by later ones: see stored.test.mjs.
      const calls = [
        (n) => use(`c${n}`, "broken", { path: `${n}.ts` }),
        (n) => use(`c${n}`, "read", { path: n }),
        (n) => use(`c${n}`, "unheard", { path: "a.ts" }),
        (n) => use(`c${n}`, "read", { path: "a.ts" }),
      ];
      const { model, requests } = scripted(sdk, (_, n) =>
        n < 30 ? { content: [say(`Step ${n}. ${LONG.slice(0, 200)}`), calls[n % calls.length](n)] } : done(),
      );
      const broken = ai.tool({
        inputSchema: z.object({ path: z.string() }),
        execute: async ({ path }) => {
          throw new Error(`${path}: the disk is gone. ${LONG}`);
        },
      });
      const { run, ...options } = bound();
      const result = await ways[way](sdk, {
        ...{ ...options, model, messages: past(1), tools: { ...toolsOf(sdk), broken } },
        stopWhen: sdk.stepCountIs(40),
      });
      equal(result.text, "Done.");
      equal(requests.length, 31);
      ok(run.reports.some(({ outcome }) => outcome === "compacted"));
      ok(run.reports.every(({ diverged }) => diverged === null));
      sound(requests);
      // Version 7 words differently what a tool threw.
      same.tell(`tools that fail${version < 7 ? "" : " (7)"}`, `${name}, ${way}`, requests);
    });
  }

  for (const way of ["generate", "stream"]) {
    test(`${name}: an agent, ${way}`, async () => {
      const { model, requests } = scripted(sdk, (_, n) =>
        n < 25 ? { content: [say(LONG), use(`c${n}`, "read")] } : done(),
      );
      const calls = [];
      const small = summarizer(sdk);
      const c = compaction({ contextWindow: WINDOW, maxOutputTokens: REPLY, summarize: small.summarize });
      const agent = new sdk.Agent({
        ...{ model, tools: toolsOf(sdk, calls), maxOutputTokens: REPLY, prepareStep: c.prepareStep },
        stopWhen: sdk.stepCountIs(40),
      });
      const result = await agent[way]({ prompt: "Look into everything." });
      equal(await result.text, "Done.");
      equal(calls.length, 25);
      ok(small.requests.length > 0);
      sound(requests);
      same.tell("an agent", `${name}, ${way}`, requests);
    });
  }

  for (const way of Object.keys(ways))
    test(`${name}, ${way}: signed reasoning goes whole or stays whole; files stay the same bytes`, async () => {
      const bytes = new Uint8Array(600).fill(7);
      const image = { type: "file", mediaType: "image/png", data: bytes };
      const signed = (n) => ({
        type: "reasoning",
        text: `Thought ${n}: ${LONG}`,
        providerMetadata: { maker: { signature: `signature-${n}` } },
      });
      const { model, requests } = scripted(sdk, (prompt, n) => ({
        content: n < 14 ? [signed(n), use(`c${n}`, "read")] : [signed(n), say("Done.")],
        // Versions write files differently; a provider counts them the same.
        inputTokens: tokensOf(projected(prompt)) + OVERHEAD,
      }));
      await ways[way](sdk, {
        ...bound(),
        model,
        messages: [...past(), { role: "user", content: [say("What is this?"), image] }],
        tools: toolsOf(sdk),
        stopWhen: sdk.stepCountIs(20),
      });
      equal(requests.length, 15);
      for (const { prompt, at } of requests) {
        deepEqual(faults(prompt), [], `request ${at}`);
        const thoughts = prompt
          .flatMap(({ content }) => (Array.isArray(content) ? content : []))
          .filter(({ type }) => type === "reasoning");
        for (const { text, providerOptions } of thoughts) {
          const [, n] = /^Thought (\d+)/.exec(text);
          deepEqual({ text, providerOptions }, { text: signed(n).text, providerOptions: signed(n).providerMetadata });
        }
        const question = prompt.find(({ content }) => content.some?.(({ type }) => type === "file"));
        const { data } = question.content.find(({ type }) => type === "file");
        deepEqual(Buffer.from(data.data ?? data), Buffer.from(bytes));
      }
      same.tell("reasoning and files", `${name}, ${way}`, requests);
    });

  only(6, "a reply limit that no longer fits is lowered, and only then", async () => {
    const { model, requests } = scripted(sdk, () => done());
    // The mock's tokens are smaller than English ones are: the first estimate has to be a careful one.
    const tune = { reserve: 100, maxInputTokens: 4_900, tokens: { estimator: "bytes4" } };
    const more = { tune, maxOutputTokens: 3_000 };
    const { run, ...options } = bound(more);
    await ai.generateText({ ...options, model, maxOutputTokens: 3_000, messages: past(3) });
    await ai.generateText({ ...bound(more), model, maxOutputTokens: 3_000, prompt: "Hello" });
    for (const { prompt, maxOutputTokens } of requests)
      ok(tokensOf(prompt) + OVERHEAD + maxOutputTokens <= WINDOW, `${maxOutputTokens}`);
    equal(requests[0].maxOutputTokens, Math.min(3_000, run.reports[0].replyRoom));
    ok(requests[0].maxOutputTokens < 3_000, `${requests[0].maxOutputTokens}`);
    equal(requests[1].maxOutputTokens, 3_000);
    same.tell("a lower reply limit", name, requests);
  });

  only(6, "an approval is asked for, answered and carried out across compactions", async () => {
    const calls = [];
    const { model, requests } = scripted(sdk, (_, n) =>
      n === 0 ? { content: [say("May I?"), use("c0", "read")] } : done(),
    );
    const tools = { read: { ...toolsOf(sdk, calls).read, needsApproval: true } };
    const messages = past();
    const first = bound();
    const asked = await ai.generateText({ ...first, model, tools, messages, stopWhen: sdk.stepCountIs(5) });
    equal(calls.length, 0);
    const request = asked.content.find(({ type }) => type === "tool-approval-request");
    messages.push(...asked.response.messages);
    for (const approved of [true, false]) {
      const answer = {
        role: "tool",
        content: [{ type: "tool-approval-response", approvalId: request.approvalId, approved }],
      };
      const second = bound({ run: { state: first.run.state } });
      const result = await ai.generateText({
        ...second,
        model,
        tools,
        messages: [...messages, answer],
        stopWhen: sdk.stepCountIs(5),
      });
      equal(result.text, "Done.");
      deepEqual(calls, approved ? ["c0"] : ["c0"]);
      equal(second.run.reports[0].diverged, null);
      const { prompt } = requests.at(-1);
      ok(JSON.stringify(prompt).includes('"toolCallId":"c0"'));
      // A denied call has no result in a prompt of version 6: that is how the SDK sends it.
      if (approved) sound([requests.at(-1)]);
    }
    same.tell("approvals", name, requests);
  });

  only(7, "steering messages are delivered as they are", async () => {
    const steering = ai.experimental_createSteering();
    const outcomes = [];
    const text = `Use Paris, Texas instead. ${LONG.repeat(3)}`;
    const { model, requests } = scripted(sdk, (_, n) => {
      if (n === 5) outcomes.push(steering.steer(text));
      return n < 12 ? { content: [use(`c${n}`, "read")] } : done();
    });
    const { run, ...options } = bound();
    await ai.generateText({
      ...{ ...options, model, tools: toolsOf(sdk), prompt: "The weather?" },
      stopWhen: sdk.stepCountIs(20),
      experimental_steering: steering,
    });
    const [outcome] = await Promise.all(outcomes);
    equal(outcome.type, "delivered");
    equal(requests[6].prompt.findLast(({ role }) => role === "user").content[0].text, text);
    ok(run.reports.every(({ diverged }) => diverged === null));
    sound(requests);
  });

  test(`${name}: what belongs to a provider is sent as it is or not at all`, async () => {
    const own = [
      {
        role: "assistant",
        content: [
          { type: "text", text: "Summary of its own", providerOptions: { anthropic: { type: "compaction" } } },
          { type: "tool-call", toolCallId: "s1", toolName: "search", input: { q: "a" }, providerExecuted: true },
          {
            type: "tool-result",
            toolCallId: "s1",
            toolName: "search",
            output: { type: "json", value: [{ url: "b" }] },
          },
          ...(version === 7
            ? [{ type: "custom", kind: "openai.compaction", providerOptions: { openai: { itemId: "i1" } } }]
            : []),
          { type: "text", text: "Found." },
        ],
      },
    ];
    const { model, requests } = scripted(sdk, () => done());
    const messages = [...past(), { role: "user", content: "Search." }, ...own, { role: "user", content: "And now?" }];
    await ai.generateText({ ...bound(), model, messages, allowSystemInMessages: true });
    await ai.generateText({
      ...bound(),
      model,
      messages: [...messages, { role: "assistant", content: "No." }, ...past()],
    });
    const parts = (prompt) => prompt.flatMap(({ role, content }) => (role === "assistant" ? content : []));
    const sent = parts(requests[0].prompt).map((part) => JSON.stringify(part));
    const raw = scripted(sdk, () => done());
    await ai.generateText({ model: raw.model, messages: own.concat({ role: "user", content: "x" }) });
    for (const part of parts(raw.requests[0].prompt)) ok(sent.includes(JSON.stringify(part)), part.type);
    sound(requests);
  });

  for (const [title, given] of Object.entries({
    "Anthropic's": { providerOptions: { anthropic: { contextManagement: { edits: [{ type: "compact_20260112" }] } } } },
    "OpenAI's": { providerOptions: { openai: { contextManagement: [{ type: "compaction", compactThreshold: 9 }] } } },
  })) {
    test(`${name}: where ${title} own compaction is configured nothing is done, and that is said`, async () => {
      const { model, requests } = scripted(sdk, () => done());
      const messages = past();
      for (const more of [given, { run: given }]) {
        const { run, ...options } = bound(more);
        await ai.generateText({ ...options, model, messages });
        equal(requests.at(-1).prompt.length, messages.length);
        const [report] = run.reports;
        deepEqual([report.outcome, report.rung], ["unchanged", "pass"]);
        ok(report.warnings.some(({ code }) => code === "provider-compaction"));
        ok(run.usage.fraction > 1);
        equal(run.state, null);
      }
    });
  }

  test(`${name}: a finished step shows the provider's own compaction, edits that only clear do not`, async () => {
    const edits = { clear: "clear_tool_uses_20250919", compact: "compact_20260112" };
    for (const [kind, type] of Object.entries(edits)) {
      const { model, requests } = scripted(sdk, (_, n) => ({
        content: n < 3 ? [say(LONG), use(`c${n}`, "read")] : [say("Done.")],
        providerMetadata: { anthropic: { contextManagement: { appliedEdits: [{ type }] } } },
      }));
      const { run, ...options } = bound();
      await ai.generateText({ ...options, model, tools: toolsOf(sdk), messages: past(), stopWhen: sdk.stepCountIs(9) });
      const warned = run.reports.map(({ warnings }) => warnings.some(({ code }) => code === "provider-compaction"));
      deepEqual(warned, [false, ...Array(3).fill(kind === "compact")]);
      equal(requests.length, 4);
    }
  });

  test(`${name}: after the answer, ahead() summarizes past the soft mark, and the next request does not wait`, async () => {
    const { model, requests } = scripted(sdk, () => done());
    const small = summarizer(sdk);
    const messages = [];
    let state = null;
    for (let turn = 0; turn < 30 && small.requests.length === 0; turn++) {
      messages.push({ role: "user", content: `Question ${turn}: ${LONG.slice(0, 200)}` });
      const { run, ...options } = bound({ summarize: small.summarize, run: { state } });
      const result = await ai.generateText({ ...options, model, messages });
      equal(small.requests.length, 0, "a request had to wait");
      messages.push(...result.response.messages);
      state = await run.ahead();
      equal(state, run.state);
    }
    equal(small.requests.length, 1);
    messages.push({ role: "user", content: "And now?" });
    const { run, ...options } = bound({ summarize: small.summarize, run: { state } });
    await ai.generateText({ ...options, model, messages });
    equal(small.requests.length, 1);
    equal(run.reports[0].diverged, null);
    equal(run.reports[0].outcome, "reused");
    same.tell("compacted after the answer", name, requests);
  });

  test(`${name}: when the summarizer fails, ahead() changes nothing`, async () => {
    const { model } = scripted(sdk, () => ({ ...done(), inputTokens: 7_200 }));
    const failing = scripted(sdk, () => done(), { fail: () => new Error("overloaded") });
    const summarize = summarizeWith(ai.generateText, { model: failing.model, maxRetries: 0 });
    const { run, ...options } = bound({ summarize, contextWindow: 9_000 });
    // One report this far from the estimate is not believed, the second is.
    for (let report = 0; report < 2; report++) await ai.generateText({ ...options, model, messages: past(9) });
    const before = run.state;
    equal(run.reports[0].outcome, "unchanged");
    deepEqual(await run.ahead(), before);
    ok(failing.requests.length > 0, "the soft mark was not crossed");
  });
}

test("the same script gives the same prompts in every version and both ways", async (context) => {
  const from = (least) => sdks.filter(({ version }) => version >= least).map(({ name }) => name);
  const bothWays = from(5).flatMap((name) => Object.keys(ways).map((way) => `${name}, ${way}`));
  const expected = {
    "an abort in the middle of a summary": bothWays,
    "an error in the middle of a stream": from(5),
    "structured output": bothWays,
    "stop conditions": bothWays,
    "tools that fail": bothWays.filter((who) => !who.startsWith("ai@7")),
    "tools that fail (7)": bothWays.filter((who) => who.startsWith("ai@7")),
    "an agent": from(5).flatMap((name) => ["generate", "stream"].map((way) => `${name}, ${way}`)),
    "reasoning and files": bothWays,
    "a lower reply limit": from(6),
    approvals: from(6),
    "compacted after the answer": from(5),
  };
  // A short run has the newest version alone, so not every script was played.
  const played = Object.entries(expected).filter(([, by]) => by.length > 0);
  await same.compare(Object.fromEntries(played), context);
});
