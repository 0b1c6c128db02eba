// Thinking that is bound, with the AI SDK and Anthropic's own package: a server behind `fetch` remembers what was sent when a
// block was produced, and refuses what was changed since.
import { deepEqual, equal, ok, rejects } from "node:assert/strict";
import { test } from "node:test";
import { compaction } from "precis/ai-sdk";
import { z } from "zod";
import { createServer } from "../../providers/server.mjs";
import { sdks } from "./sdks.mjs";

const sdk = sdks.find(({ version }) => version === 7);
const LONG = "and so it went on for the rest of the day, as it always had. ".repeat(12);
const DROP = { block_binding: { prefix_mismatch_behavior: "drop_block" } };

if (!sdk) test("version 7 of the AI SDK needs Node 22", { skip: true }, () => {});
else {
  const { createAnthropic } = await import("@ai-sdk/anthropic");

  /** An agent of `steps` steps against a server; every step but the last calls a tool. */
  const agent = async ({
    server,
    run,
    steps = 30,
    messages,
    thinking,
    wrap = (model) => model,
    offset = 0,
    stream = false,
  }) => {
    const script = (_, n) =>
      n - offset < steps - 1
        ? { thought: `Thought ${n}.`, calls: [{ id: `c${n}`, name: "read", input: {} }] }
        : { thought: `Thought ${n}.`, text: "Done." };
    let asked = -1;
    const fetch = server.fetch(() => script(null, offset + ++asked));
    const model = wrap(createAnthropic({ apiKey: "none", fetch })("claude-fable-5-2"));
    const options = {
      ...{ model, messages: messages ?? [{ role: "user", content: "Begin." }], maxRetries: 0 },
      tools: { read: sdk.ai.tool({ inputSchema: z.object({}), execute: async () => LONG }) },
      stopWhen: sdk.stepCountIs(steps + 10),
      ...(run && { prepareStep: run.prepareStep, onStepFinish: run.onStepFinish }),
      ...(thinking !== null && { providerOptions: { anthropic: { thinking: thinking ?? { type: "adaptive" } } } }),
    };
    if (!stream) return sdk.ai.generateText(options);
    const result = sdk.ai.streamText({ ...options, onError: () => {} });
    return { text: await result.text, response: await result.response };
  };
  const bodies = ({ requests }) => requests.map(({ body }) => body);
  const blocks = (body) => JSON.stringify(body.messages).split('"type":"thinking"').length - 1;
  const make = (more = {}) => compaction({ contextWindow: 6_000, maxOutputTokens: 400, ...more });

  for (const stream of [false, true]) {
    test(`a long run is never refused, and keeps what was thought last (${stream ? "streamText" : "generateText"})`, async () => {
      const server = createServer("anthropic");
      const run = make().run({});
      const { text } = await agent({ server, run, stream });
      equal(text, "Done.");
      equal(server.refused.length, 0);
      const all = bodies(server);
      equal(all.length, 30);
      ok(blocks(all.at(-1)) > 0 && blocks(all.at(-1)) < 29, `${blocks(all.at(-1))}`);
      // As soon as something is left out, and not before, the provider is asked to leave out what nobody saw.
      const asks = all.map(({ thinking }) => thinking.block_binding !== undefined);
      const first = run.reports.findIndex(({ thinking }) => thinking !== null);
      ok(first > 0);
      deepEqual(
        asks,
        all.map((_, n) => n >= first),
      );
      deepEqual(all.at(-1).thinking, { type: "adaptive", ...DROP });
    });
  }

  test("a caller's own setting is not touched", async () => {
    for (const thinking of [{ type: "between_tools" }, { type: "disabled" }]) {
      const server = createServer("anthropic");
      const providerOptions = { anthropic: { thinking } };
      const run = make().run({ providerOptions });
      await agent({ server, run, thinking });
      equal(server.refused.length, 0);
      ok(bodies(server).every((body) => body.thinking?.block_binding === undefined));
    }
  });

  test("a middleware does the same without a run", async () => {
    const server = createServer("anthropic");
    const { middleware } = make();
    const wrap = (model) => sdk.ai.wrapLanguageModel({ model, middleware });
    const { text } = await agent({ server, wrap });
    equal(text, "Done.");
    equal(server.refused.length, 0);
    ok(bodies(server).at(-1).thinking.block_binding);
  });

  test("a request that is refused for its thinking is sent once more, without it, and that is remembered", async () => {
    const server = createServer("anthropic");
    const first = make().run({});
    const { response } = await agent({ server, run: first });
    const messages = [{ role: "user", content: "Begin." }, ...response.messages, { role: "user", content: "Go on." }];
    // The state is lost: nobody knows what its thinking was produced behind.
    const run = make({ contextWindow: 200_000 }).run({});
    const { text } = await agent({ server, run, messages, steps: 4, offset: 30, wrap: (model) => run.model(model) });
    equal(text, "Done.");
    equal(server.refused.length, 1);
    equal(run.reports.at(-1).thinking.source, "learned");
    // What was produced since is sent.
    ok(blocks(bodies(server).at(-1)) >= 2, `${blocks(bodies(server).at(-1))}`);
  });

  test("a provider that refuses twice is believed: the error is the caller's", async () => {
    const error = {
      type: "error",
      error: {
        type: "invalid_request_error",
        message:
          "messages.1.content.0: Invalid `signature` in `thinking` block. The block is bound to a different conversation.",
      },
    };
    let asked = 0;
    const fetch = async () => {
      asked += 1;
      return new Response(JSON.stringify(error), { status: 400, headers: { "content-type": "application/json" } });
    };
    const reasoning = { type: "reasoning", text: "Hm.", providerOptions: { anthropic: { signature: "s" } } };
    const messages = [
      { role: "user", content: "Begin." },
      { role: "assistant", content: [reasoning, { type: "text", text: "Well." }] },
      { role: "user", content: "Go on." },
    ];
    const ask = (messages) => {
      const run = make().run({});
      const model = run.model(createAnthropic({ apiKey: "none", fetch })("claude-fable-5-2"));
      return sdk.ai.generateText({ model, messages, prepareStep: run.prepareStep, maxRetries: 0 });
    };
    await rejects(ask(messages), /different conversation/);
    equal(asked, 2, "once more, and not again");
    await rejects(ask([{ role: "user", content: "Nothing to leave out." }]), /different conversation/);
    equal(asked, 3);
  });

  test("what the provider did to thinking is in the report", async () => {
    const transformations = [
      { type: "thinking_dropped", path: "messages.1.content.0", reason: "prefix_binding_mismatch" },
    ];
    const fetch = async () =>
      new Response(
        JSON.stringify({
          ...{ id: "msg_1", type: "message", role: "assistant", model: "claude-fable-5-2", stop_reason: "end_turn" },
          content: [{ type: "text", text: "Done." }],
          usage: { input_tokens: 100, output_tokens: 2 },
          input_transformations: transformations,
        }),
        { headers: { "content-type": "application/json" } },
      );
    const run = make().run({});
    const model = createAnthropic({ apiKey: "none", fetch })("claude-fable-5-2");
    const { prepareStep, onStepFinish } = run;
    await sdk.ai.generateText({ model, messages: [{ role: "user", content: "Hi." }], prepareStep, onStepFinish });
    deepEqual(run.reports[0].thinking.transformations, transformations);
    // From then on the provider is asked to go on so.
    const step = { messages: [{ role: "user", content: "Hi." }], steps: [], stepNumber: 0, model };
    const next = await make().run({ state: run.state }).prepareStep(step);
    deepEqual(next.providerOptions, {
      anthropic: { thinking: { blockBinding: { prefixMismatchBehavior: "drop_block" } } },
    });
  });
}
