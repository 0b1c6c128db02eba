// A provider's own compaction through the AI SDK: its real packages for Anthropic and OpenAI, whose servers refuse what the
// providers refuse. What was compacted stands first in what the packages send, as the provider made it.
import { equal, ok } from "node:assert/strict";
import { test } from "node:test";
import { createAnthropic } from "@ai-sdk/anthropic";
import { createOpenAI } from "@ai-sdk/openai";
import { compaction } from "precis/ai-sdk";
import { anthropicCompaction, openaiCompaction } from "precis/native";
import { z } from "zod";
import { createServer } from "../../providers/server.mjs";
import { sdks } from "./sdks.mjs";

const LONG = "and so it went on for the rest of the day, as it always had. ".repeat(9);
const STEPS = 60;
const apiKey = "a key";
const sdk = sdks.at(-1);
/** What older versions of the SDK do with a model of the newest is theirs. */
const skip = sdk.version < 7 && "version 7 asks for Node 22";
const options = {
  ...{ contextWindow: 8_000, maxOutputTokens: 500, prefer: "summarize", summarizer: { contextWindow: 200_000 } },
};

const PROVIDERS = {
  anthropic: {
    server: "anthropic",
    model: (fetch) => createAnthropic({ apiKey, fetch })("claude-opus-5-5"),
    providerOptions: { anthropic: { thinking: { type: "adaptive" } } },
    native: anthropicCompaction,
    asks: (body) => body.compaction !== undefined,
    summary: (n) => ({ text: `  - summary ${n}: files were read, one after the other, for invoice 4711\n` }),
    /** The block of a request, and what stands behind it. */
    read: ({ messages: [first, ...others] }) => {
      const [block, ...rest] = Array.isArray(first.content) ? first.content : [];
      return block?.type === "compaction"
        ? { block: `${block.content}${block.signature}`, behind: [rest, others] }
        : null;
    },
    made: ({ content }) => `${content[0].content}${content[0].signature}`,
    /** What was thought directly behind the block, before what code keeps. */
    thoughts: ({ messages }) => {
      const kept = messages.findIndex((message) => JSON.stringify(message).includes("[Kept from the conversation"));
      return JSON.stringify(messages.slice(0, kept)).split('"type":"thinking"').length - 1;
    },
  },
  openai: {
    server: "openai-responses",
    model: (fetch) => createOpenAI({ apiKey, fetch }).responses("gpt-6"),
    providerOptions: { openai: { store: false, include: ["reasoning.encrypted_content"] } },
    native: openaiCompaction,
    asks: ({ input }) => input.at(-1).type === "compaction_trigger",
    summary: () => ({}),
    read: ({ input }) => {
      const at = input.findIndex(({ type }) => type === "compaction");
      return at < 0 || at > 1 ? null : { block: input[at].encrypted_content, behind: input.slice(at + 1, at + 3) };
    },
    made: ({ output }) => output[0].encrypted_content,
  },
};

/** How the model is kept inside the window: around the model, or in the steps of a run. */
const WAYS = {
  "compaction(…).model(…)": (model, native, { providerOptions, more }) => ({
    model: compaction({ ...options, ...more, summarize: native(model, { providerOptions }), providerOptions }).model(
      model,
    ),
  }),
  "run.prepareStep": (model, native, { providerOptions, more, tools, system }) => {
    const summarize = native({ generateText: sdk.ai.generateText, model }, { providerOptions });
    const { prepareStep } = compaction({ ...options, ...more, summarize, providerOptions }).run({ tools, system });
    return { model, prepareStep };
  },
};

for (const [name, provider] of Object.entries(PROVIDERS))
  for (const [way, keeping] of Object.entries(WAYS)) {
    /** Plays an agent; `stop` ends every request for a compaction. */
    const play = async (stop) => {
      const server = createServer(provider.server);
      const [made, asked] = [[], []];
      let step = 0;
      const answers = server.fetch(({ body }) => {
        if (provider.asks(body)) return stop ? { stop, text: "no" } : provider.summary(asked.push(body));
        step += 1;
        if (step >= STEPS) return { thought: "That is all.", text: "Done." };
        return { thought: `Thought ${step}.`, calls: [{ id: `c${step}`, name: "read", input: { n: step } }] };
      });
      const fetch = async (url, init) => {
        const response = await answers(url, init);
        if (provider.asks(JSON.parse(init.body)) && !stop) made.push(provider.made(await response.clone().json()));
        return response;
      };
      const model = provider.model(fetch);
      const system = "Be brief.";
      const reports = [];
      const execute = async ({ n }) => `Page ${n}. ${LONG}`;
      const tools = { read: sdk.ai.tool({ inputSchema: z.object({ n: z.number() }), execute }) };
      const { providerOptions } = provider;
      const more = { onReport: (report) => reports.push(report) };
      const { text } = await sdk.ai.generateText({
        ...{
          system,
          tools,
          providerOptions,
          maxOutputTokens: 500,
          maxRetries: 0,
          stopWhen: sdk.stepCountIs(STEPS + 5),
        },
        prompt: "Read the pages. Keep in mind that invoice 4711 must never be paid.",
        ...keeping(model, provider.native, { providerOptions, more, tools, system }),
      });
      equal(text, "Done.");
      equal(server.refused.length, 0, JSON.stringify(server.refused[0]));
      const sent = server.requests.map(({ body }) => body).filter((body) => !provider.asks(body));
      return { asked, made, reports, sent };
    };

    test(`${name}, ${way}: the provider's own summary comes back as it was made, and is summarized in turn`, {
      skip,
    }, async () => {
      const { asked, made, reports, sent } = await play();
      ok(asked.length > 1, `${asked.length} compactions`);
      const held = sent.map(provider.read).filter(Boolean);
      ok(held.length > 20, `${held.length} requests with a summary`);
      for (const { block, behind } of held) {
        ok(made.includes(block));
        ok(JSON.stringify(behind).includes("must never be paid"));
      }
      if (provider.thoughts)
        for (const body of sent.filter(provider.read))
          ok(provider.thoughts(body) > 1, "the turns behind it keep theirs");
      ok(made.includes(provider.read(asked[1]).block));
      ok(reports.some(({ rung }) => rung === "summarize"));
      for (const { after } of reports) ok(after.tokens + after.bound <= options.contextWindow);
    });

    test(`${name}, ${way}: where nothing comes of it, code writes a digest`, { skip }, async () => {
      const { reports, sent } = await play(name === "anthropic" ? "max_tokens" : "max_output_tokens");
      ok(sent.every((body) => provider.read(body) === null));
      ok(reports.some(({ rung }) => rung === "digest"));
    });
  }
