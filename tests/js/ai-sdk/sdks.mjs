// The AI SDK in three versions, behind one small face: each with its own mock model, fed by the same script.

import { deepEqual, ok } from "node:assert/strict";
import { aiSdk } from "precis/formats";
import { check } from "precis/testing";

const major = Number(process.versions.node.split(".")[0]);
/** Version 7 asks for Node 22. */
const supported = [
  [5, "ai5", "MockLanguageModelV2"],
  [6, "ai6", "MockLanguageModelV3"],
  ...(major >= 22 ? [[7, "ai", "MockLanguageModelV4"]] : []),
];
const wanted = process.env.PRECIS_SDKS === "newest" ? supported.slice(-1) : supported;

globalThis.AI_SDK_LOG_WARNINGS = false;

export const sdks = await Promise.all(
  wanted.map(async ([version, name, mock]) => {
    const ai = await import(name);
    const testing = await import(`${name}/test`);
    const Agent = ai.ToolLoopAgent ?? ai.Experimental_Agent;
    const stepCountIs = ai.stepCountIs ?? ai.isStepCount;
    return { version, name: `ai@${version}`, ai, Agent, stepCountIs, Mock: testing[mock] };
  }),
);

/** What the mock models take for tokens: another measure than any estimator of ours. */
export const tokensOf = (value) => Math.ceil(Buffer.byteLength(JSON.stringify(value)) / 3.3);
/** Unseen by whoever prepares a step: system prompt and tools. */
export const OVERHEAD = 120;

/**
 * A model of this version. `answer(prompt, n)` gives what the n-th request (from 0) is answered: `{ content }` with
 * parts of the provider's form, inputs as values; or an error to throw. `requests` holds what it was sent.
 */
export function scripted(sdk, answer, { fail, modelId = "scripted", delay } = {}) {
  const requests = [];
  const next = async (options) => {
    const { prompt, maxOutputTokens, abortSignal } = options;
    const n = requests.push({ prompt, maxOutputTokens, tools: options.tools, at: requests.length }) - 1;
    if (delay) await delay(n);
    abortSignal?.throwIfAborted();
    const error = fail?.(n, options);
    if (error) throw error;
    const given = await answer(prompt, n, options);
    const content = given.content.map((part) =>
      part.type === "tool-call" && typeof part.input !== "string"
        ? { ...part, input: JSON.stringify(part.input) }
        : part,
    );
    const input = given.inputTokens ?? tokensOf(prompt) + OVERHEAD;
    const output = given.outputTokens ?? tokensOf(content);
    const reason = given.finish ?? (content.some(({ type }) => type === "tool-call") ? "tool-calls" : "stop");
    return {
      content,
      finishReason: sdk.version === 5 ? reason : { unified: reason, raw: reason },
      usage:
        sdk.version === 5
          ? { inputTokens: input, outputTokens: output, totalTokens: input + output }
          : {
              inputTokens: { total: input, noCache: input, cacheRead: 0, cacheWrite: 0 },
              outputTokens: { total: output, text: output, reasoning: 0 },
            },
      warnings: [],
      ...(given.providerMetadata ? { providerMetadata: given.providerMetadata } : {}),
      ...(given.breaks ? { breaks: given.breaks } : {}),
    };
  };
  const model = new sdk.Mock({
    modelId,
    doGenerate: next,
    doStream: async (options) => ({ stream: streamOf(await next(options)) }),
  });
  return { model, requests };
}

function streamOf({ content, breaks, ...end }) {
  const parts = [{ type: "stream-start", warnings: [] }];
  content.forEach((part, index) => {
    const id = String(index);
    if (part.type === "text" || part.type === "reasoning") {
      const { type, text, ...rest } = part;
      parts.push({ type: `${type}-start`, id, ...rest });
      // Each piece is dozens of promises of the SDK: a long text comes in few large ones.
      const size = Math.max(40, Math.ceil(text.length / 40));
      for (let at = 0; at < text.length; at += size)
        parts.push({ type: `${type}-delta`, id, delta: text.slice(at, at + size) });
      parts.push({ type: `${type}-end`, id, ...rest });
    } else parts.push(part);
  });
  if (breaks) parts.push({ type: "error", error: breaks });
  else parts.push({ type: "finish", ...end });
  return new ReadableStream({
    start(controller) {
      for (const part of parts) controller.enqueue(part);
      controller.close();
    },
  });
}

/** Both ways to call a model, each giving what generateText gives as far as the tests look at it. */
export const ways = {
  generateText: (sdk, options) => sdk.ai.generateText(options),
  streamText: async (sdk, options) => {
    let failure;
    const result = sdk.ai.streamText({
      ...options,
      onError: ({ error }) => {
        failure ??= error;
      },
    });
    await result.consumeStream({ onError: () => {} });
    const get = (name) => Promise.resolve(result[name]).catch((error) => Promise.reject(failure ?? error));
    const [text, steps, finishReason, response] = await Promise.all(
      ["text", "steps", "finishReason", "response"].map(get),
    );
    return { text, steps, finishReason, response, failure };
  },
};

/** What a provider would refuse about a request. The SDK's prompts have the shape of its messages. */
export const faults = (prompt) => check(aiSdk, prompt);

/** Of each message its role, of each part what a model gets to see of it; results of one step as one message, as version 7 has them. */
export function projected(prompt) {
  const seen = [];
  for (const { role, content } of prompt) {
    const parts = typeof content === "string" ? [["text", content]] : content.map(projectedPart);
    if (role === "tool" && seen.at(-1)?.role === "tool") seen.at(-1).parts.push(...parts);
    else seen.push({ role, parts });
  }
  return seen;
}

function projectedPart({ type, text, toolCallId, toolName, input, output }) {
  return [type, text, toolCallId, toolName, input, output].map((value) => value ?? null);
}

/**
 * Prompts by script, so that those of all versions can be compared: each test of a script tells its requests, and the
 * test at the end of the file, made by `compare`, demands that all who reported a script were sent the same.
 */
export function scripts() {
  const told = new Map();
  return {
    /** `who`: a version, or a version and a way to call it. */
    tell(script, who, requests) {
      const prompts = requests.map(({ prompt, maxOutputTokens }) => ({ prompt: projected(prompt), maxOutputTokens }));
      told.set(script, (told.get(script) ?? new Map()).set(who, prompts));
    },
    /** `expected`: by script, who must have reported it. */
    async compare(expected, context) {
      deepEqual([...told.keys()].sort(), Object.keys(expected).sort());
      for (const [script, all] of told)
        await context.test(script, () => {
          deepEqual([...all.keys()].sort(), [...expected[script]].sort());
          const [[, first], ...others] = all;
          ok(first.length > 0);
          for (const [who, prompts] of others) deepEqual(prompts, first, who);
        });
    },
  };
}

/** Numbers from 0 to 1, the same for the same seed. */
export function random(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
