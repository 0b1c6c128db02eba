// Anthropic's own compaction, asked for by precis and judged by the court: the summary stands first and comes back letter for
// letter, and everything that can go wrong with it ends in another summary, or in the digest.
import { deepEqual, equal, ok } from "node:assert/strict";
import { test } from "node:test";
import { anthropic } from "../../pkg/formats.js";
import { createCompactor } from "../../pkg/index.js";
import { anthropicCompaction } from "../../pkg/native.js";
import { clients } from "./clients.mjs";
import { sdk, settings } from "./native-sdk.mjs";
import { createServer } from "./server.mjs";

const WORDS = "and so it went on for the rest of the day, as it always had. ";
const client = clients.anthropic;
const MODEL = "claude-opus-5-5";
const noted = (n) => `  - summary ${n}: files were read, one after the other, for invoice 4711\n`;

/** A chat of an agent; every request is judged. */
async function play({
  rounds = 110,
  reply = (n) => ({ text: noted(n) }),
  more = [],
  options = {},
  passesViews = false,
  model = MODEL,
  between,
} = {}) {
  const server = createServer("anthropic", {});
  const own = sdk(server, reply);
  const summarize = [anthropicCompaction(own), ...more];
  const make = () =>
    createCompactor({
      ...{ format: anthropic, contextWindow: 8_000, maxOutputTokens: 500, prefer: "summarize", summarize },
      summarizer: { contextWindow: 200_000 },
      ...options,
    });
  let compactor = make();
  const tools = client.request([], { tools: ["read"] }).body.tools;
  let history = [...client.user([{ text: "Read the files. Keep in mind that invoice 4711 must never be paid." }])];
  const found = { server, asked: own.asked, views: [], reports: [], state: null, history };
  for (let n = 0; n < rounds; n++) {
    const call = { messages: history, state: found.state, model, system: "Be brief.", tools };
    const { view, state, report } = await compactor.beforeModel(call);
    found.views.push(view);
    if (passesViews) history = [...view];
    found.reports.push(report);
    // Without what has invalid thinking left out: here it would be refused.
    const { betas } = settings(report);
    const request = client.request(view, { model, system: "Be brief.", tools: ["read"], betas });
    const said = { thought: `Thought ${n}.`, calls: [{ id: `c${n}`, name: "read", input: { n } }] };
    const answer = server.answer(request, said);
    ok(answer.ok, `request ${n}: ${answer.findings?.map(({ rule, text }) => `${rule}: ${text}`)}`);
    history.push(...answer.entries);
    const results = [{ id: `c${n}`, name: "read", output: `${n} ${WORDS.repeat(1 + (n % 9))}` }];
    history.push(...client.results(results, n % 10 === 5 ? [{ text: `Now the files of folder ${n}.` }] : []));
    // As a database gives it back, and as another process reads it.
    found.state = JSON.parse(JSON.stringify(compactor.afterModel(state, answer.body, report.request)));
    if (n % 10 === 9) compactor = make();
    between?.(found, n);
  }
  return found;
}

const blockOf = (view) =>
  Array.isArray(view[0].content) ? view[0].content.find(({ type }) => type === "compaction") : null;

test("the provider's summary stands first, comes back letter for letter, and is summarized in turn", async () => {
  const { server, asked, views, reports } = await play();
  equal(server.refused.length, 0);
  ok(asked.length > 1, `${asked.length} summaries`);
  const with_ = views.filter(blockOf);
  ok(with_.length > 30, `${with_.length} requests with a block`);
  for (const [at, view] of views.entries()) {
    const blocks = JSON.stringify(view).split('"type":"compaction"').length - 1;
    const block = blockOf(view);
    equal(blocks, block ? 1 : 0, `request ${at}`);
    if (!block) continue;
    const { content, signature } = block;
    ok(/^ {2}- summary \d+: .*\n$/.test(content) && typeof signature === "string", `request ${at}`);
    ok(reports[at].provider.headers["anthropic-beta"].split(",").includes("compact-2026-09-04"));
    // What code keeps stands behind it.
    ok(JSON.stringify(view.slice(1)).includes("must never be paid"), `request ${at}`);
    deepEqual(view[0].content, [block]);
    ok(reports[at].after.tokens + reports[at].after.bound <= 8_000);
  }
  // A later summary is made of the one before it and what came since.
  equal(blockOf(asked[1].messages)?.content, noted(1));
  ok(!JSON.stringify(asked[1].messages.slice(1)).includes('"0 and so it went'));
  for (const body of asked) {
    deepEqual(body.compaction, { type: "summarize" });
    equal(body.model, MODEL);
    equal(body.system, "Be brief.");
  }
});

/** The numbers of the thoughts in a view: the reply to each request holds one of its number. */
const thoughtsIn = (view) =>
  [...JSON.stringify(view).matchAll(/"thinking":"Thought (\d+)\."/g)].map(([, n]) => Number(n));
const nameOf = (view) => blockOf(view)?.signature;
const textOf = ({ content }) => (typeof content === "string" ? content : JSON.stringify(content));
const KEPT = "[Kept from the conversation that the summary stands for]";

for (const passesViews of [false, true])
  test(`the turns behind a summary keep their thinking: they follow it directly, and what code keeps stands behind them${passesViews ? ", also in a view that is passed back" : ""}`, async () => {
    const { server, views, reports } = await play({ passesViews });
    equal(server.refused.length, 0);
    let [since, least, kept] = [0, 0, 0];
    const forms = new Set();
    for (const [at, view] of views.entries()) {
      if (!nameOf(view)) continue;
      if (nameOf(view) !== nameOf(views[at - 1])) {
        since = at;
        [least] = thoughtsIn(view);
        // Those that were kept had been sent before, up to the newest.
        ok(least < at - 2, `request ${at}: thoughts from ${least}`);
        equal(view[1].role, "assistant");
        // Should the provider judge otherwise, it leaves out what it would refuse.
        deepEqual(reports[at].provider.body.thinking, { block_binding: { prefix_mismatch_behavior: "drop_block" } });
        const behind = view.slice(view.findIndex((message) => textOf(message).startsWith(KEPT))).map(textOf);
        forms.add(behind.length);
        const [kept, request, note] = behind;
        ok(kept.startsWith(KEPT), `request ${at}`);
        // Where the cut lies in the turn, its request and what has been done about it.
        ok(behind.length === 1 || request.includes("Now the files of folder"), `request ${at}`);
        ok(
          behind.length === 1 || note.startsWith("[Progress on the request above, which is given again"),
          `request ${at}`,
        );
      }
      // Later edits change what stands before: the thinking behind them goes.
      if (reports.slice(since + 1, at + 1).some(({ rung }) => rung !== "pass")) continue;
      const expected = Array.from({ length: at - least }, (_, n) => least + n);
      deepEqual(thoughtsIn(view), expected, `request ${at}, summary of request ${since}`);
      kept += expected.length;
    }
    ok(kept > 200, `${kept} thoughts`);
    deepEqual([...forms].sort(), [1, 3]);
  });

test("a view with a request without the results beside it may be passed back: the request is known by what was sent", async () => {
  const { server, views, reports } = await play({ passesViews: true, model: "claude-opus-4-8" });
  equal(server.refused.length, 0);
  ok(views.some(nameOf) && reports.every(({ diverged }) => !diverged));
});

test("where the turns behind a summary are rewound or edited, what code keeps stands before them, without their thinking", async () => {
  const { server, state, history } = await play({ rounds: 60 });
  const { covers, block } = state.checkpoints.at(-1);
  const [from, to] = [covers.count, block.tail.end.count];
  ok(to - from > 8);
  const given = { model: MODEL, system: "Be brief.", tools: ["read"] };
  const call = { ...given, tools: client.request([], given).body.tools, state };
  const rewound = history.slice(0, to - 4);
  const edited = history.map((message, at) =>
    at === from + 3 ? { ...message, content: [...message.content, { type: "text", text: "And be quick." }] } : message,
  );
  for (const messages of [rewound, edited]) {
    const compactor = createCompactor({ format: anthropic, contextWindow: 8_000, maxOutputTokens: 500 });
    const { view, report } = await compactor.beforeModel({ ...call, messages });
    const request = client.request(view, { ...given, betas: settings(report).betas });
    deepEqual(
      server.judge(request).map(({ rule }) => rule),
      [],
    );
    ok(blockOf(view) && textOf(view[1]).startsWith(KEPT));
    equal(thoughtsIn(view).length, 0);
  }
});

test("a model that does not bind thinking is asked for nothing but the summary's own header", async () => {
  const { state, history } = await play({ rounds: 60 });
  const compactor = createCompactor({ format: anthropic, contextWindow: 8_000, maxOutputTokens: 500 });
  const given = { model: "claude-opus-4-8", system: "Be brief.", tools: ["read"] };
  const call = { ...given, tools: client.request([], given).body.tools, state, messages: history };
  const { view, report } = await compactor.beforeModel(call);
  ok(blockOf(view) && view[1].role === "assistant");
  deepEqual(report.provider, { headers: { "anthropic-beta": "compact-2026-09-04" }, body: {} });
});

test("a state whose turns behind the summary are forged is refused or read, never sent to the provider as valid", async () => {
  const { server, state, history } = await play({ rounds: 60 });
  const newest = state.checkpoints.at(-1);
  const { tail } = newest.block;
  const given = { model: MODEL, system: "Be brief.", tools: ["read"] };
  const forgeries = [
    { ...tail, prefix: "0".repeat(16) },
    { ...tail, before: "0".repeat(16) },
    { ...tail, end: { ...tail.end, count: 1e9 } },
    { ...tail, end: { ...tail.end, count: 0 } },
    { ...tail, end: { count: newest.covers.count + 1, chain: tail.end.chain } },
    { ...tail, end: null },
    { prefix: 1 },
    "tail",
  ];
  let refused = 0;
  for (const forged of forgeries) {
    const block = { ...newest.block, tail: forged };
    const checkpoints = [...state.checkpoints.slice(0, -1), { ...newest, block }];
    const compactor = createCompactor({ format: anthropic, contextWindow: 8_000, maxOutputTokens: 500 });
    const call = { ...given, tools: client.request([], given).body.tools, messages: history };
    try {
      const { view, report } = await compactor.beforeModel({ ...call, state: { ...state, checkpoints } });
      const request = client.request(view, { ...given, betas: settings(report).betas });
      deepEqual(
        server.judge(request).map(({ rule }) => rule),
        [],
        JSON.stringify(forged),
      );
    } catch (error) {
      equal(error.code, "invalid-state", String(error));
      refused += 1;
    }
  }
  ok(refused > 0 && refused < forgeries.length, `${refused} refused`);
});

const troubles = {
  "ends with max_tokens": () => ({ text: "cut", stop: "max_tokens" }),
  "is refused": () => ({ text: "no", stop: "refusal" }),
  "meets an overload": () => Object.assign(new Error("compaction_unavailable"), { status: 529 }),
};
for (const [what, reply] of Object.entries(troubles)) {
  test(`a request for a summary that ${what} makes way for the next summarizer`, async () => {
    let others = 0;
    const more = [
      async () => {
        others += 1;
        return "- files were read, one after the other, by another summarizer";
      },
    ];
    const { server, views, reports } = await play({ rounds: 55, reply, more });
    equal(server.refused.length, 0);
    ok(others > 0);
    ok(reports.some(({ rung }) => rung === "summarize"));
    ok(views.every((view) => !blockOf(view)));
  });

  test(`a request for a summary that ${what}, and nobody else to ask: code writes a digest`, async () => {
    const { server, views, reports } = await play({ rounds: 55, reply });
    equal(server.refused.length, 0);
    ok(reports.some(({ rung }) => rung === "digest"));
    ok(views.every((view) => !blockOf(view)));
  });
}

test("a summary that does not come back as it was made is sent as text, without a signature", async () => {
  let [changed, after] = [false, 0];
  const { server } = await play({
    rounds: 70,
    between(found, n) {
      const newest = found.state.checkpoints?.at(-1);
      if (!newest?.block || changed) {
        if (changed && found.views.at(-1) && !blockOf(found.views.at(-1))) after += 1;
        return;
      }
      // Somebody has written to the state: another hash, so another text.
      const block = { ...newest.block, text: "0".repeat(16) };
      found.state = { ...found.state, checkpoints: [...found.state.checkpoints.slice(0, -1), { ...newest, block }] };
      changed = n > 0;
    },
  });
  equal(server.refused.length, 0);
  ok(changed && after > 0);
});

test("a summary that the provider refuses is sent as text from then on", async () => {
  const { state, history } = await play({ rounds: 80 });
  ok(state.checkpoints.at(-1).block);
  const compactor = createCompactor({ format: anthropic, contextWindow: 8_000, maxOutputTokens: 500 });
  const call = { messages: history, model: MODEL, system: "Be brief." };
  const first = await compactor.beforeModel({ ...call, state });
  ok(blockOf(first.view));
  // Another account's server, which does not know the signature.
  const request = client.request(first.view, { model: MODEL, system: "Be brief.", betas: ["compact-2026-09-04"] });
  const answer = createServer("anthropic", {}).answer(request, {});
  equal(answer.findings[0].rule, "compaction-block-signature");
  const error = Object.assign(new Error(answer.findings[0].text), { status: 400, error: answer.body });
  const second = await compactor.beforeModel({ ...call, state: first.state, overflow: error });
  ok(!blockOf(second.view) && JSON.stringify(second.view[0]).includes("summary "));
  ok(second.report.warnings.every(({ code }) => code !== "not-an-overflow"));
  equal(second.state.revision, first.state.revision + 1);
  const third = await compactor.beforeModel({ ...call, state: second.state });
  equal(JSON.stringify(third.view), JSON.stringify(second.view));
});

test("a block that is no block, or is too large, is a summary of text", async () => {
  const odd = [
    { content: "", signature: "s" },
    { content: 7 },
    null,
    "block",
    { content: "- files were read, one after the other", signature: "s".repeat(25_000) },
  ];
  for (const block of odd) {
    const compactor = createCompactor({
      ...{ format: anthropic, contextWindow: 3_000, maxOutputTokens: 200, summarizer: { contextWindow: 200_000 } },
      summarize: async () => ({ text: "- files were read, one after the other", finishReason: "stop", block }),
    });
    const messages = Array.from({ length: 61 }, (_, i) => ({
      role: i % 2 ? "assistant" : "user",
      content: `${i} ${WORDS.repeat(3)}`,
    }));
    const { view, state, report } = await compactor.beforeModel({ messages });
    equal(report.rung, "summarize");
    ok(!JSON.stringify(view).includes('"type":"compaction"') && !("block" in state.checkpoints[0]));
  }
});

test("what is pinned comes first, and the summary then as text: the provider takes a block in no other place", async () => {
  const server = createServer("anthropic", {});
  const own = sdk(server, (n) => ({ text: noted(n) }));
  const compactor = createCompactor({
    ...{
      format: anthropic,
      contextWindow: 8_000,
      maxOutputTokens: 500,
      prefer: "summarize",
      summarizer: { contextWindow: 200_000 },
    },
    summarize: anthropicCompaction(own),
  });
  const messages = Array.from({ length: 121 }, (_, i) => ({
    role: i % 2 ? "assistant" : "user",
    content: `${i} ${WORDS.repeat(5)}`,
  }));
  const pin = (_, index) => index === 0;
  const { view } = await compactor.beforeModel({ messages, pin, model: MODEL });
  equal(view[0], messages[0]);
  ok(!JSON.stringify(view).includes('"type":"compaction"'));
  ok(JSON.stringify(view).includes("summary 1"));
});

test("a summary that was made while the chat went on takes up the turns that it knew of, and nothing is refused", async () => {
  const server = createServer("anthropic", {});
  const own = sdk(server, (n) => ({ text: noted(n) }));
  const compactor = createCompactor({
    ...{ format: anthropic, contextWindow: 8_000, maxOutputTokens: 500, prefer: "summarize" },
    ...{ summarize: anthropicCompaction(own), summarizer: { contextWindow: 200_000 } },
  });
  const given = { model: MODEL, system: "Be brief.", tools: ["read"] };
  const tools = client.request([], given).body.tools;
  const history = [...client.user([{ text: "Read the files. Keep in mind that invoice 4711 must never be paid." }])];
  let [state, ahead, taken] = [null, null, 0];
  for (let n = 0; n < 120; n++) {
    const call = { messages: history, model: MODEL, system: "Be brief.", tools };
    if (!ahead) {
      const { report, ...prepared } = await compactor.beforeModel({ ...call, state, threshold: "soft" });
      if (report.rung === "summarize") ahead = { ...prepared, at: n };
    }
    // What was prepared is stored while requests are on their way that know nothing of it.
    const isTaken = ahead && n >= ahead.at + 5;
    if (isTaken) state = JSON.parse(JSON.stringify(ahead.state));
    const { view, report, ...done } = await compactor.beforeModel({ ...call, state });
    const request = client.request(view, { ...given, betas: settings(report).betas });
    const said = { thought: `Thought ${n}.`, calls: [{ id: `c${n}`, name: "read", input: { n } }] };
    const answer = server.answer(request, said);
    ok(answer.ok, `request ${n}: ${answer.findings?.map(({ rule, text }) => `${rule}: ${text}`)}`);
    if (isTaken) {
      // Those that were thought before it was made, and none of those that were thought meanwhile.
      const thoughts = thoughtsIn(view);
      ok(thoughts.length > 1, `${thoughts.length} thoughts`);
      equal(thoughts.at(-1), ahead.at - 1);
      taken += 1;
      ahead = null;
    }
    history.push(...answer.entries);
    history.push(...client.results([{ id: `c${n}`, name: "read", output: `${n} ${WORDS.repeat(1 + (n % 9))}` }]));
    state = compactor.afterModel(done.state, answer.body, report.request);
  }
  equal(server.refused.length, 0);
  ok(taken > 1, `${taken} taken`);
});
