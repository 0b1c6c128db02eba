import { type CoveredChat, input, PrecisError, type Summarize } from "precis";
import { isModel, noModel } from "./model.ts";
import { modelOf } from "./steps.ts";
import type { CompactionOptions, LanguageModel } from "./types.ts";

/** The summarizing model and how it is called: handed to `generateText` as they are. */
export interface SummarizerSettings {
  readonly model: unknown;
  readonly temperature?: number;
  readonly maxRetries?: number;
  readonly providerOptions?: unknown;
}

/**
 * A summarizer that asks through the AI SDK. `generateText` itself is handed in, so that this package imports nothing.
 *
 * @throws PrecisError `invalid-option` without the function or the model.
 *
 * An answer that did not end by itself (`length`, `content-filter`, `error`, …) is never stored.
 */
export function summarizeWith(
  // biome-ignore lint/suspicious/noExplicitAny: the parameter differs from version to version.
  generateText: (options: any) => PromiseLike<{
    readonly text: string;
    readonly finishReason: string;
    readonly usage: unknown;
  }>,
  settings: SummarizerSettings,
): Summarize {
  const call = "Call it as summarizeWith(generateText, { model }).";
  if (typeof generateText !== "function") {
    throw input.wrong("invalid-option", "generateText", "the AI SDK's function generateText", generateText, call);
  }
  const model: unknown = (settings as Partial<SummarizerSettings> | null | undefined)?.model;
  if (model === undefined || model === null) {
    throw input.wrong("invalid-option", "settings.model", "the model that writes summaries", model, call);
  }
  for (const name of ABOUT_SUMMARIES)
    if ((settings as unknown as Record<string, unknown>)[name] !== undefined) {
      const advice = `How summaries are written is set once, for every summarizer: pass it as \`summary: { ${name === "summary" ? "…" : name} }\` to \`compaction\`.`;
      throw new PrecisError("unknown-option", `settings.${name}`, advice);
    }
  return async ({ system, prompt, append, maxOutputTokens }, { signal }) => {
    const chat = ofModel(append, settings.model);
    const asked = chat ? callOf(chat) : { system, prompt };
    const answer = await generateText({ ...settings, ...asked, maxOutputTokens, abortSignal: signal });
    return { text: answer.text, finishReason: answer.finishReason, usage: answer.usage };
  };
}

/** Whether the model that writes the summary is the one that has the chat in its cache. */
function ofModel(append: CoveredChat | undefined, model: unknown): CoveredChat | undefined {
  return append?.model !== undefined && append.model === modelOf(model) ? append : undefined;
}

/** A chat as a call of generateText. Its tools are declared as they were, and none is run. */
export function callOf({ messages, system, tools }: CoveredChat): object {
  const declared = Object.entries((tools ?? {}) as Readonly<Record<string, object>>);
  return {
    messages,
    ...(system === undefined ? {} : { system }),
    ...(declared.length === 0
      ? {}
      : { tools: Object.fromEntries(declared.map(([name, tool]) => [name, { ...tool, execute: undefined }])) }),
  };
}

/** What belongs to the option `summary`; version 7 would take `instructions` for a system prompt. */
const ABOUT_SUMMARIES = ["summary", "instructions", "sections", "language", "frame"];

/** What messages are: those of the SDK's functions, or the prompts that it makes of them for a provider. */
export type Level = "messages" | "prompts";

/**
 * Summarizers as functions: models among them are asked directly. What is neither is left for the compactor to refuse.
 * A chat to which the request is appended is for those alone that take its messages: of prompts models, of messages functions.
 * `providerOptions` are those of the chat's own calls, which a provider's cache may depend on.
 *
 * @throws PrecisError `invalid-option` for the name of a model.
 */
export function summarizersOf(
  given: CompactionOptions["summarize"],
  level: Level,
  providerOptions?: unknown,
): Summarize | readonly Summarize[] | undefined {
  const all: readonly unknown[] = Array.isArray(given) ? given : [given];
  const functions = all.map((one, at) => {
    if (typeof one === "string")
      throw noModel(one, Array.isArray(given) ? `summarize[${at}]` : "summarize", "invalid-option");
    if (isModel(one)) return asking(one, at === all.length - 1 ? RETRIES : 0, { level, providerOptions });
    return typeof one === "function" && level === "prompts" ? withTranscripts(one as Summarize) : one;
  });
  return (Array.isArray(given) ? functions : functions[0]) as Summarize | readonly Summarize[] | undefined;
}

/** Of a model that nobody stands behind, as of the SDK's own functions. */
const RETRIES = 2;
/** Milliseconds before a model is asked again, doubled each time, where it does not say. */
const PAUSE = 2_000;

/** The same summarizer, which is always sent a transcript. */
const withTranscripts =
  (summarize: Summarize): Summarize =>
  ({ append: _, ...request }, context) =>
    summarize(request, context);

function asking(
  model: LanguageModel,
  retries: number,
  { level, providerOptions }: { readonly level: Level; readonly providerOptions: unknown },
): Summarize {
  return async ({ system, prompt, append, maxOutputTokens }, { signal }) => {
    const chat = level === "prompts" ? ofModel(append, model) : undefined;
    const asked = chat
      ? { prompt: [...(chat.system ?? []), ...chat.messages], tools: chat.tools, providerOptions }
      : {
          prompt: [
            { role: "system", content: system },
            { role: "user", content: [{ type: "text", text: prompt }] },
          ],
        };
    const request = { ...asked, maxOutputTokens, abortSignal: signal };
    for (let retry = 0; ; retry++) {
      try {
        return answerOf(await model.doGenerate(request));
      } catch (error) {
        if (retry === retries || (error as { isRetryable?: unknown } | null)?.isRetryable !== true) throw error;
        await pause(waitOf(error) ?? PAUSE * 2 ** retry, signal);
      }
    }
  };
}

/** What a model answered: its text, and how it ended, which has a word of the SDK's and one of the provider's since version 6. */
function answerOf(answer: unknown): { text: string; finishReason: string; usage: unknown } {
  const { content, finishReason, usage } = answer as { content?: unknown; finishReason?: unknown; usage?: unknown };
  const parts = Array.isArray(content) ? (content as readonly { type?: unknown; text?: unknown }[]) : [];
  const text = parts.flatMap(({ type, text }) => (type === "text" && typeof text === "string" ? [text] : [])).join("");
  const unified = (finishReason as { unified?: unknown } | null | undefined)?.unified ?? finishReason;
  return { text, finishReason: String(unified), usage };
}

/** The milliseconds that a provider asks to wait, by its headers. */
function waitOf(error: unknown): number | undefined {
  const headers = (error as { responseHeaders?: Readonly<Record<string, string | undefined>> }).responseHeaders;
  const wait = Number(headers?.["retry-after-ms"] ?? Number(headers?.["retry-after"]) * 1_000);
  return Number.isFinite(wait) && wait >= 0 ? wait : undefined;
}

/** Waits, or rejects with the signal's reason. */
function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const aborted = () => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener("abort", aborted);
      resolve();
    }, ms);
    signal.addEventListener("abort", aborted, { once: true });
    if (signal.aborted) aborted();
  });
}
