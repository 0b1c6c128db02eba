// What a program can ask of a run beside its steps: compact, plan, restore, and the wishes of a core call.
import { deepEqual, equal, match, notEqual, ok, rejects, throws } from "node:assert/strict";
import { test } from "node:test";
import { PrecisError, summaryOf } from "precis";
import { compaction, compactionOf, composePrepareSteps, recallTool, summarizeWith, toDataPart } from "precis/ai-sdk";
import { z } from "zod";
import { faults, OVERHEAD, projected, scripted, sdks, tokensOf, ways } from "./sdks.mjs";

const WINDOW = 6_000;
const REPLY = 400;
const LONG = "and so it went on for the rest of the day, as it always had. ".repeat(9);
const say = (text) => ({ content: [{ type: "text", text }] });
const past = (turns) =>
  Array.from({ length: turns * 2 }, (_, i) => ({
    role: i % 2 ? "assistant" : "user",
    content: `Message ${i}: ${LONG}`,
  }));
const chat = (turns) => [...past(turns), { role: "user", content: "Go on." }];
const step = (messages, more = {}) => ({ messages, steps: [], stepNumber: 0, model: "m", ...more });
const sent = async (run, messages, more) => (await run.prepareStep(step(messages, more)))?.messages ?? messages;
const small = { contextWindow: WINDOW, maxOutputTokens: REPLY };
/** Of a model with this name. */
const windows = { contextWindow: (model) => (model === "large" ? 100_000 : WINDOW), maxOutputTokens: REPLY };

/** A refusal with this code, at this path, whose advice says this. */
const refusal = (code, path, says) => (error) => {
  ok(error instanceof PrecisError, String(error));
  deepEqual([error.code, error.path], [code, path]);
  if (says) match(error.advice, says);
  return true;
};

function memoryStore({ keeps = false } = {}) {
  const [rows, all, saves] = [new Map(), new Map(), []];
  return {
    ...{ rows, saves },
    load: async (key, revision) => (keeps && revision !== undefined ? all.get(`${key}@${revision}`) : rows.get(key)),
    save: async (key, state, previous) => {
      saves.push([state.revision, previous]);
      if ((rows.get(key)?.revision ?? null) !== previous) return false;
      rows.set(key, structuredClone(state));
      all.set(`${key}@${state.revision}`, structuredClone(state));
    },
  };
}

test("compact: what was seen is compacted, and the next step sends that", async () => {
  const asked = [];
  const summarize = async ({ system, prompt }) => {
    asked.push(system + prompt);
    return "- a long day went by; nothing was decided";
  };
  const run = compaction({ ...windows, summarize }).run({ state: null });
  const messages = chat(12);
  equal(await run.prepareStep(step(messages, { model: "large" })), undefined);
  const before = run.usage.tokens;
  const report = await run.compact({ focus: "the zebra", keep: { messages: 4 } });
  equal(report.outcome, "compacted");
  equal(report.rung, "summarize");
  match(asked[0], /the zebra/);
  ok(run.usage.tokens < before / 2, `${run.usage.tokens} of ${before}`);
  equal(run.reports.at(-1), report);
  const view = await sent(
    run,
    [...messages, { role: "assistant", content: "Yes." }, { role: "user", content: "And?" }],
    {
      model: "large",
      steps: [{ usage: {} }],
    },
  ).catch((error) => error);
  // Another steps array while the first is open is another call; this one goes on from it.
  ok(Array.isArray(view), String(view));
  deepEqual(
    view
      .slice(-6)
      .map(({ content }) => content)
      .slice(0, 4),
    messages.slice(-4).map(({ content }) => content),
  );
  equal(view.length, 6 + view.indexOf(messages.at(-4)));
  ok(view.length < messages.length);
  equal(summaryOf(run.state).includes("nothing was decided"), true);
});

test("compact: a chat that the run has not seen is given, and its state loaded and saved", async () => {
  const store = memoryStore();
  const c = compaction({ ...windows, store });
  await rejects(c.run({ chat: "a" }).compact(), refusal("invalid-call", "messages", /not seen the chat yet/));
  const run = c.run({ chat: "a" });
  const messages = chat(12);
  const report = await run.compact({ messages, model: { modelId: "large" } });
  equal(report.outcome, "compacted");
  equal(report.before.window, 100_000);
  equal(store.rows.get("main:a").revision, run.state.revision);
  ok(run.usage.tokens < report.before.tokens);
  match(await recallTool({ run }).execute({ query: "Message 3" }), /Message 3: and so/);
  const next = c.run({ chat: "a" });
  const view = await sent(next, messages, { model: "large" });
  ok(view.length < messages.length);
  equal(next.reports[0].outcome, "reused");
});

test("compact and plan refuse what they do not know, by its path", async () => {
  const run = compaction(small).run();
  await rejects(run.compact({ focsu: "x" }), refusal("invalid-call", "focsu", /mean "focus"/));
  await rejects(run.compact({ messages: "x" }), refusal("messages-not-array", "messages"));
  await rejects(run.compact({ messages: chat(2), keep: { messages: "x" } }), refusal("invalid-call", "keep.messages"));
  await rejects(run.compact({ messages: chat(2), focus: 5 }), (error) => error instanceof PrecisError);
  await rejects(run.compact("all"), refusal("invalid-call", "options", /an object/));
  await rejects(run.plan({ keep: {} }), refusal("invalid-call", "keep"));
  equal(run.state, null);
});

test("plan: what the next step would do, and nothing is done", async () => {
  const events = [];
  const run = compaction({
    ...small,
    summarize: async () => "- nothing",
    onEvent: (event) => events.push(event),
  }).run();
  equal(await run.plan(), null);
  const plan = await run.plan({ messages: chat(30) });
  ok(plan.requests.length > 0);
  ok(plan.covers.length > 0);
  equal(run.state, null);
  deepEqual(events, []);
  await sent(run, chat(4));
  const { state } = run;
  equal((await run.plan()).requests.length, 0);
  equal(run.state, state);
});

test("restore: everything is sent again where it fits, and compacted anew where it does not", async () => {
  const c = compaction(windows);
  const messages = chat(30);
  const first = c.run({ state: null });
  ok((await sent(first, messages, { model: "small" })).length < messages.length);
  // A larger window alone changes nothing: what is compacted stays so, and the provider's cache with it.
  const larger = c.run({ state: first.state });
  ok((await sent(larger, messages, { model: "large" })).length < messages.length);
  const restored = c.run({ state: first.state });
  const state = await restored.restore();
  equal(state.revision, first.state.revision + 1);
  deepEqual(await sent(restored, messages, { model: "large" }), messages);
  ok(restored.state.revision >= state.revision);
  const back = c.run({ state: restored.state });
  ok((await sent(back, messages, { model: "small" })).length < messages.length);
  ok(back.state.revision > state.revision);
});

test("restore: a revision of this run, with the messages that came later", async () => {
  const run = compaction(windows).run({ state: null });
  const messages = chat(12);
  const steps = [];
  await sent(run, messages, { steps, model: "large" });
  const untouched = run.state.revision;
  await run.compact({ keep: { messages: 2 } });
  const compacted = run.state.revision;
  notEqual(compacted, untouched);
  deepEqual(run.revisions, [untouched, compacted]);
  const later = [...messages, { role: "assistant", content: "Yes." }, { role: "user", content: "And?" }];
  ok((await sent(run, later, { steps, model: "large" })).length < later.length);
  const state = await run.restore(untouched);
  ok(state.revision > compacted);
  deepEqual(await sent(run, later, { steps, model: "large" }), later);
  await run.restore(compacted);
  ok((await sent(run, later, { steps, model: "large" })).length < later.length);
});

test("restore: a revision that does not exist, or is none, changes nothing", async () => {
  const store = memoryStore();
  for (const run of [compaction(small).run(), compaction({ ...small, store }).run({ chat: "a" })]) {
    equal(await run.restore(), null);
    await rejects(run.restore(3), refusal("invalid-call", "revision", /no state with revision 3.*this run has none/));
    await sent(run, chat(30));
    const { state } = run;
    await rejects(run.restore(99), refusal("invalid-call", "revision", /revision 99.*has 1/));
    for (const wrong of [-1, 1.5, "1", null, {}, Number.NaN])
      await rejects(run.restore(wrong), refusal("invalid-call", "revision", /run\.revisions/));
    equal(run.state, state);
  }
  equal(store.rows.get("main:a").revision, 1);
});

test("restore: a store that keeps earlier states is asked for them, one that does not is found out", async () => {
  for (const keeps of [true, false]) {
    const store = memoryStore({ keeps });
    const c = compaction({ ...windows, store });
    const messages = chat(12);
    const one = c.run({ chat: "a" });
    await sent(one, messages, { model: "large" });
    await one.compact({ keep: { messages: 8 } });
    const wanted = one.state.revision;
    await one.compact({ keep: { messages: 2 } });
    const other = c.run({ chat: "a" });
    if (!keeps) {
      await rejects(other.restore(wanted), refusal("invalid-call", "revision", /store returned no other/));
      continue;
    }
    const state = await other.restore(wanted);
    equal(store.rows.get("main:a").revision, state.revision);
    const view = await sent(other, messages, { model: "large" });
    ok(messages.slice(-8).every((message) => view.includes(message)));
    ok(!view.includes(messages.at(-12)));
  }
});

test("restore: who loses the race goes on from the newer state, under a revision of its own", async () => {
  const store = memoryStore();
  const c = compaction({ ...windows, store });
  const messages = chat(30);
  const one = c.run({ chat: "a" });
  await sent(one, messages, { model: "small" });
  const other = c.run({ chat: "a" });
  await sent(other, messages, { model: "small" });
  await other.compact({ keep: { messages: 2 } });
  const newer = store.rows.get("main:a").revision;
  ok(newer > one.state.revision);
  const state = await one.restore();
  equal(state.revision, newer + 1);
  equal(store.rows.get("main:a").revision, newer + 1);
  deepEqual(await sent(one, messages, { model: "large" }), messages);
});

test("compact: a store that always says that somebody else was first is left after three attempts", async () => {
  let saves = 0;
  const store = {
    load: async () => null,
    save: async () => {
      saves += 1;
      return false;
    },
  };
  const run = compaction({ ...windows, store }).run({ chat: "a" });
  const report = await run.compact({ messages: chat(12), model: "large" });
  equal(report.outcome, "compacted");
  equal(saves, 3);
  ok((await run.restore()) !== null);
});

test("a history that is not whole cannot be restored, and says so", async () => {
  const c = compaction(windows);
  const messages = chat(30);
  const first = c.run({ state: null });
  await sent(first, messages, { model: "small" });
  const { keepFrom } = first.reports[0];
  ok(keepFrom > 10);
  const run = c.run({ state: first.state, offset: keepFrom });
  await sent(run, messages.slice(keepFrom), { model: "small" });
  equal(run.reports[0].outcome, "reused");
  await rejects(run.restore(), refusal("invalid-call", "offset", /does not hold the first \d+ messages/));
});

test("offset and load: what was left out is looked up by the recall tool of the run", async () => {
  const c = compaction(windows);
  const messages = chat(30);
  messages[5] = { role: "assistant", content: "The walrus is called Antje." };
  const first = c.run({ state: null });
  await sent(first, messages, { model: "small" });
  const { keepFrom } = first.reports[0];
  const loads = [];
  const load = async (from, to) => {
    loads.push([from, to]);
    return messages.slice(from, to);
  };
  const run = c.run({ state: first.state, offset: keepFrom, load });
  await sent(run, messages.slice(keepFrom), { model: "small" });
  match(
    await recallTool({ run }).execute({ query: "walrus" }),
    /^\[r5: message 5, assistant\]\nThe walrus is called Antje\./,
  );
  deepEqual(loads, [[0, keepFrom]]);
});

test("pin, isTyped, todos, mustKeep, keep and toolPolicy of a run reach the compactor", async () => {
  const c = compaction(small);
  const messages = chat(30);
  const pinned = messages[7];
  const seen = [];
  const run = c.run({
    pin: (message, index) => {
      seen.push(index);
      return message === pinned;
    },
    todos: [{ content: "Feed the walrus", status: "pending" }],
    mustKeep: ["Message 11"],
  });
  const view = await sent(run, messages);
  ok(view.length < messages.length);
  ok(view.includes(pinned));
  ok(seen.includes(7) && seen.includes(60));
  match(JSON.stringify(view), /Feed the walrus/);
  match(JSON.stringify(view), /Message 11/);
  const kept = c.run({ keep: { messages: 9 } });
  const nine = await sent(kept, messages);
  ok(messages.slice(-9).every((message) => nine.includes(message)));
  const typed = c.run({ isTyped: (message) => message === messages[8] });
  ok((await sent(typed, messages)).includes(messages[8]));
  for (const [options, path] of [
    [{ pin: [7] }, "pin"],
    [{ isTyped: true }, "isTyped"],
    [{ load: "x" }, "load"],
  ])
    throws(() => c.run(options), refusal("invalid-call", path, /a function/));
  for (const [options, path] of [
    [{ offset: -1 }, "offset"],
    [{ todos: "all" }, "todos"],
    [{ keep: { turns: "x" } }, "keep.turns"],
    [{ mustKeep: [5] }, "mustKeep[0]"],
  ])
    await rejects(c.run(options).prepareStep(step(messages)), (error) => {
      ok(error instanceof PrecisError, String(error));
      equal(error.path, path);
      return true;
    });
  throws(() => c.run({ isTypd: () => true }), refusal("invalid-call", "isTypd", /mean "isTyped"/));
});

for (const sdk of sdks) {
  const { ai, name } = sdk;
  const toolsOf = () => ({
    read: ai.tool({ inputSchema: z.object({ n: z.number() }), execute: async ({ n }) => `Page ${n}. ${LONG}` }),
  });
  const use = (n) => ({ content: [{ type: "tool-call", toolCallId: `c${n}`, toolName: "read", input: { n } }] });

  test(`${name}: a pinned message stays, also when the provider refuses the request`, async () => {
    const refuse = (_, { prompt }) => {
      const tokens = tokensOf(prompt) + OVERHEAD;
      if (tokens <= WINDOW) return undefined;
      return Object.assign(new Error(`prompt is too long: ${tokens} tokens > ${WINDOW} maximum`), { statusCode: 400 });
    };
    const { model, requests } = scripted(sdk, (_, n) => (n < 6 ? use(n) : say("Done.")), { fail: refuse });
    const messages = chat(30);
    const pinned = messages[4];
    const seen = new Set();
    const run = compaction({ contextWindow: 200_000, maxOutputTokens: REPLY }).run({
      pin: (message) => {
        seen.add(message);
        return message === pinned;
      },
    });
    await ai.generateText({
      ...{
        model: run.model(model),
        system: "Read.",
        messages,
        tools: toolsOf(),
        maxRetries: 0,
        maxOutputTokens: REPLY,
      },
      ...{ prepareStep: run.prepareStep, onStepFinish: run.onStepFinish, stopWhen: sdk.stepCountIs(20) },
    });
    ok(requests.length > 6);
    for (const { prompt } of requests) ok(JSON.stringify(prompt).includes(pinned.content.slice(0, 40)), "gone");
    // It was asked about the host's own messages.
    for (const message of messages) ok(seen.has(message));
    for (const message of seen)
      ok(messages.includes(message) || message.role !== "user", JSON.stringify(message).slice(0, 99));
  });

  for (const way of Object.keys(ways))
    test(`${name}, ${way}: compact and restore in the middle of a call, by a tool`, async () => {
      const run = compaction({ contextWindow: 50_000, maxOutputTokens: REPLY }).run();
      const { model, requests } = scripted(sdk, (_, n) => (n < 16 ? use(n) : say("Done.")));
      const does = { 8: () => run.compact({ keep: { messages: 2 } }), 12: () => run.restore() };
      const tools = {
        read: ai.tool({
          inputSchema: z.object({ n: z.number() }),
          execute: async ({ n }) => {
            await does[n]?.();
            return `Page ${n}. ${LONG}`;
          },
        }),
      };
      const { text } = await ways[way](sdk, {
        ...{ model, prompt: "Read.", tools, maxOutputTokens: REPLY, stopWhen: sdk.stepCountIs(30) },
        ...{ prepareStep: run.prepareStep, onStepFinish: run.onStepFinish },
      });
      equal(text, "Done.");
      const results = requests.map(
        ({ prompt }) =>
          JSON.stringify(prompt).match(/"Page \d+\. and so it went on[^"]*as it always had/g)?.length ?? 0,
      );
      equal(results[8], 8);
      ok(results[9] <= 2, `${results}`);
      equal(results[13], 13);
      equal(results[16], 16);
      for (const { prompt, at } of requests) deepEqual(faults(prompt), [], `request ${at}`);
    });

  test(`${name}: prepareSteps are asked in their order, see what those before them returned, and are merged`, async () => {
    const c = compaction(small);
    const run = c.run();
    const { model, requests } = scripted(sdk, (_, n) => (n < 3 ? use(n) : say("Done.")));
    const seen = [];
    const prepareStep = composePrepareSteps(
      ({ messages, stepNumber }) => ({
        messages: stepNumber === 0 ? messages.slice(2) : undefined,
        temperature: 0.5,
        maxOutputTokens: 300,
        providerOptions: { maker: { a: 1, b: 1 }, other: { c: 1 } },
      }),
      false,
      undefined,
      run.prepareStep,
      async ({ messages }) => {
        seen.push(messages.length);
        return { temperature: 0.7, maxOutputTokens: 350, providerOptions: { maker: { b: 2 } } };
      },
      () => undefined,
    );
    const answers = [];
    const messages = chat(3);
    const { text } = await ai.generateText({
      ...{ model, messages, tools: toolsOf(), maxOutputTokens: REPLY, stopWhen: sdk.stepCountIs(9) },
      onStepFinish: run.onStepFinish,
      prepareStep: async (step) => {
        answers.push(await prepareStep(step));
        return answers.at(-1);
      },
    });
    equal(text, "Done.");
    equal(answers[0].messages.length, messages.length - 2);
    equal(seen[0], messages.length - 2);
    deepEqual(
      { ...answers[0], messages: null },
      {
        messages: null,
        temperature: 0.7,
        maxOutputTokens: 300,
        providerOptions: { maker: { a: 1, b: 2 }, other: { c: 1 } },
      },
    );
    equal(requests.length, 4);
    equal(await composePrepareSteps()(step(messages)), undefined);
    equal(await composePrepareSteps(run.prepareStep, null)(step(chat(1))).catch(({ code }) => code), undefined);
    throws(() => composePrepareSteps(run.prepareStep, run), refusal("invalid-option", "steps[1]", /a function/));
  });

  test(`${name}: composed or alone, what is sent is the same`, async () => {
    const sentBy = async (compose) => {
      const run = compaction(small).run();
      const { model, requests } = scripted(sdk, (_, n) => (n < 40 ? use(n) : say("Done.")));
      await ai.generateText({
        ...{ model, prompt: "Read.", tools: toolsOf(), maxOutputTokens: REPLY, stopWhen: sdk.stepCountIs(50) },
        ...{ prepareStep: compose(run.prepareStep), onStepFinish: run.onStepFinish },
      });
      ok(run.reports.some(({ outcome }) => outcome === "compacted"));
      return requests.map(({ prompt, maxOutputTokens }) => [projected(prompt), maxOutputTokens]);
    };
    deepEqual(
      await sentBy((own) =>
        composePrepareSteps(
          () => ({}),
          own,
          () => null,
        ),
      ),
      await sentBy((own) => own),
    );
  });

  test(`${name}: a model that is passed by one prepareStep is the one the next one counts for`, async () => {
    const run = compaction({ ...windows }).run();
    const { model: large, requests } = scripted(sdk, () => say("Done."), { modelId: "large" });
    const { model } = scripted(sdk, () => say("Done."), { modelId: "small" });
    const messages = chat(30);
    const prepareStep = composePrepareSteps(() => ({ model: large }), run.prepareStep);
    await ai.generateText({ model, messages, prepareStep });
    equal(requests[0].prompt.length, messages.length);
    equal(run.reports[0].before.window, 100_000);
  });

  test(`${name}: the data part has the summary and the message before which a divider belongs`, async () => {
    const { model } = scripted(sdk, (prompt) => {
      const since = prompt.slice(prompt.findLastIndex(({ role }) => role === "user"));
      const done = since.filter(({ role }) => role === "assistant").length;
      return done < 2 ? use(prompt.length) : say(`That is all. ${LONG}`);
    });
    const tools = toolsOf();
    const small = scripted(sdk, () => say("- pages were read"));
    const c = compaction({
      ...{ contextWindow: 5_000, maxOutputTokens: REPLY },
      summarize: summarizeWith(ai.generateText, { model: small.model }),
    });
    let [ui, state] = [[], null];
    const found = [];
    for (let turn = 0; turn < 12; turn++) {
      ui = [...ui, { id: `u${turn}`, role: "user", parts: [{ type: "text", text: `Question ${turn}?` }] }];
      const events = [];
      const run = c.run({ state, tools, onEvent: (event) => events.push(event) });
      const stream = ai.createUIMessageStream({
        ...{ originalMessages: ui, generateId: () => `a${turn}` },
        execute: async ({ writer }) => {
          const history = await ai.convertToModelMessages(ui, { tools });
          const result = ai.streamText({
            ...{ model, tools, messages: history, maxOutputTokens: REPLY, stopWhen: sdk.stepCountIs(9) },
            ...{ prepareStep: run.prepareStep, onStepFinish: run.onStepFinish },
          });
          writer.merge(result.toUIMessageStream());
          await result.consumeStream();
          for (const event of events.filter(({ type }) => type !== "progress")) {
            const part = toDataPart(event, { summary: true, messages: ui });
            writer.write(part);
            if (event.type !== "done" || event.report.rung !== "summarize") continue;
            const { covered, summary } = event;
            equal(part.data.summary, summary);
            match(summary, /pages were read/);
            // The message that the divider stands before is the first that has something after the summary.
            const counts = [];
            for (const message of ui) counts.push((await ai.convertToModelMessages([message], { tools })).length);
            let at = 0;
            const first = ui.findIndex((_, index) => {
              at += counts[index];
              return at > covered.messages;
            });
            equal(part.data.messageId, ui[first]?.id ?? null, `turn ${turn}, ${covered.messages}`);
            found.push(part.data.messageId);
            equal("messageId" in toDataPart(event).data, false);
            equal("summary" in toDataPart(event).data, false);
          }
        },
        onFinish: ({ messages }) => {
          ui = messages;
        },
      });
      for await (const _ of stream);
      state = run.state;
      const shown = ui.map(compactionOf);
      if (events.some(({ type }) => type === "done")) {
        equal(shown.at(-1).status, "done");
        ok(shown.at(-1).after < shown.at(-1).before);
      } else equal(shown.at(-1), null);
    }
    ok(found.length > 0, "nothing was summarized");
    ok(found.some((id) => id !== null));
  });

  test(`${name}: how summaries are written is an option of compaction, and reaches the summarizer`, async () => {
    const { model } = scripted(sdk, () => say("Done."));
    const small = scripted(sdk, () => say("- ein langer Tag verging, und nichts wurde entschieden"));
    const run = compaction({
      ...{ contextWindow: WINDOW, maxOutputTokens: REPLY },
      summarize: summarizeWith(ai.generateText, { model: small.model }),
      summary: { language: "German", instructions: "Name every walrus.", sections: ["Animals", "Plans"] },
    }).run();
    await ai.generateText({ model, messages: chat(30), prepareStep: run.prepareStep });
    const asked = JSON.stringify(small.requests.map(({ prompt }) => prompt));
    for (const text of ["German", "Name every walrus.", "Animals", "Plans"]) ok(asked.includes(text), text);
  });

  test(`${name}: when the small model fails, the large one is asked`, async () => {
    const { model } = scripted(sdk, () => say("Done."));
    const fail = () => new Error("overloaded");
    const first = scripted(sdk, () => say(""), { fail });
    const second = scripted(sdk, () => say("- nothing was decided"));
    const run = compaction({
      ...{ contextWindow: WINDOW, maxOutputTokens: REPLY, summarizer: { contextWindow: 50_000 } },
      summarize: [first, second].map(({ model }) => summarizeWith(ai.generateText, { model, maxRetries: 0 })),
    }).run();
    await ai.generateText({ model, messages: chat(30), prepareStep: run.prepareStep });
    equal(run.reports[0].rung, "summarize");
    deepEqual([first.requests.length, second.requests.length], [1, 1]);
    deepEqual(first.requests[0].prompt, second.requests[0].prompt);
  });
}

test("what a summarizer is given that belongs to `summary` is refused, with where it belongs", () => {
  for (const name of ["summary", "instructions", "sections", "language", "frame"])
    throws(
      () => summarizeWith(async () => {}, { model: "m", [name]: "x" }),
      refusal("unknown-option", `settings.${name}`, /`summary: \{ .* \}` to `compaction`/),
    );
});

test("data parts: wrong options and messages are refused, and an event of the compactor has no place", async () => {
  const before = { tokens: 9, window: 10 };
  const report = { outcome: "compacted", before, after: { tokens: 1, window: 10 } };
  const done = { type: "done", id: "x", report };
  const messages = [{ id: "u", role: "user", parts: [] }];
  deepEqual(toDataPart(done, { summary: true, messages }).data, {
    ...{ status: "done", before: 9, after: 1, window: 10 },
    ...{ summary: null, messageId: null },
  });
  deepEqual(toDataPart({ type: "start", id: "x", before }, { summary: true, messages }).data, {
    ...{ status: "running", before: 9, after: null, window: 10 },
  });
  for (const [options, path] of [
    [{ summary: "yes" }, "summary"],
    [{ messages: [{ role: "user", content: "Hello" }] }, "messages"],
    [{ ui: messages }, "ui"],
    ["x", "options"],
  ])
    throws(() => toDataPart(done, options), refusal("invalid-call", path));
  throws(() => compactionOf(), refusal("invalid-call", "message"));
  throws(() => compactionOf({ parts: "x" }), refusal("invalid-call", "message.parts"));
  const part = (data) => ({ type: "data-compaction", data });
  const data = { status: "done", before: 9, after: 1, window: 10 };
  equal(compactionOf({ parts: [] }), null);
  equal(compactionOf({ parts: [null, "x", part(null), part({ status: "done" })] }), null);
  equal(compactionOf({ parts: [part({ ...data, before: 5 }), part(data), { type: "text", text: "x" }] }), data);
});

test("a listener of a run that throws or rejects disturbs nothing, and is told in order", async () => {
  const types = [];
  const run = compaction({ ...small, summarize: async () => "- nothing was decided" }).run({
    onEvent: (event) => {
      types.push(event.type);
      if (event.type === "done") return Promise.reject(new Error("no"));
      throw new Error("no");
    },
  });
  await sent(run, chat(30));
  equal(types[0], "start");
  equal(types.at(-1), "done");
  equal(types.filter((type) => type === "done").length, 1);
});

test("what is asked of a run at the same time is done one by one", async () => {
  const run = compaction(windows).run({ state: null });
  const messages = chat(12);
  await sent(run, messages, { model: "large" });
  run.onStepFinish({ usage: {} });
  const revision = run.state.revision;
  const [compacted, state, plan] = await Promise.all([
    run.compact({ keep: { messages: 2 } }),
    run.restore(),
    run.plan(),
  ]);
  equal(compacted.outcome, "compacted");
  equal(state.revision, revision + 2);
  equal(plan.report.outcome, "unchanged");
});
