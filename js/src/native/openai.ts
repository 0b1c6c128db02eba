import { type CoveredChat, input, type Summarize, type SummaryAnswer } from "precis";
import { coveredBy } from "./covered.ts";
import { askSdk, blockOf, isSdkModel, type SdkModel } from "./sdk.ts";

/** What {@link openaiCompaction} needs of `openai`. */
export interface OpenAIClient {
  readonly responses: {
    // biome-ignore lint/suspicious/noExplicitAny: its own types are not ours to name.
    create(body: any, options?: any): PromiseLike<any>;
    // biome-ignore lint/suspicious/noExplicitAny: as above.
    compact?(body: any, options?: any): PromiseLike<any>;
  };
}

/** The options of {@link openaiCompaction}. */
export interface OpenAICompactionOptions {
  /** The model, which must be that of the chat. Default: the `model` of the call. The AI SDK's models name themselves. */
  readonly model?: string | undefined;
  /**
   * `"trigger"`: a request of the chat that ends in a `compaction_trigger`, which finds the chat in the prompt cache.
   * `"compact"`: `POST /responses/compact`. Default `"trigger"`. The AI SDK has the first one alone.
   */
  readonly by?: "trigger" | "compact" | undefined;
  /** Other members of the request, the same as in those of the chat: `store`, `reasoning`, `include`. */
  readonly request?: Readonly<Record<string, unknown>> | undefined;
  /** With the AI SDK: the `providerOptions` of the chat's own calls. */
  // biome-ignore lint/suspicious/noExplicitAny: each provider has options of its own.
  readonly providerOptions?: any;
}

/**
 * Has OpenAI compact the conversation itself. What comes back is encrypted: it stands first in the view, and a digest by code
 * stands behind it, which is what other providers are sent. `given` is a client of `openai`, a model of the AI SDK for
 * {@link Compaction.model}, or `{ generateText, model }` for the runs of the AI SDK.
 *
 * It rejects where nothing was compacted, so that the next summarizer of the list is asked, or code writes a digest alone.
 *
 * @throws PrecisError `invalid-option` without a client or model.
 */
export function openaiCompaction(given: OpenAIClient | SdkModel, options: OpenAICompactionOptions = {}): Summarize {
  const ask = isSdkModel(given) ? throughSdk(given, options) : throughClient(clientOf(given, options), options);
  return async (_, { signal, chat }) => ask(coveredBy(chat), signal);
}

type Ask = (chat: CoveredChat, signal: AbortSignal) => Promise<SummaryAnswer>;

function clientOf(client: unknown, { by = "trigger" }: OpenAICompactionOptions): OpenAIClient {
  if (by !== "trigger" && by !== "compact")
    throw input.wrong("invalid-option", "options.by", '"trigger" or "compact"', by);
  const { responses } = (client ?? {}) as Partial<OpenAIClient>;
  const needed = by === "compact" ? responses?.compact : responses?.create;
  if (typeof needed === "function") return client as OpenAIClient;
  const method = by === "compact" ? "compact" : "create";
  const expected = `a client of openai, with responses.${method}, or a model of the AI SDK`;
  throw input.wrong("invalid-option", "client", expected, client);
}

function throughClient({ responses }: OpenAIClient, options: OpenAICompactionOptions): Ask {
  const { request = {}, by } = options;
  return async ({ messages, system, tools, ...chat }, signal) => {
    const model = options.model ?? chat.model;
    if (!model) throw new Error("Neither the call nor openaiCompaction names the model.");
    const body = { ...request, model, ...(system === undefined ? {} : { instructions: system }) };
    const declared = tools === undefined ? {} : { tools };
    const input = [...messages, { type: "compaction_trigger" }];
    const answer: Answer =
      by === "compact"
        ? await responses.compact?.({ ...body, input: messages }, { signal })
        : await responses.create({ ...body, ...declared, input }, { signal });
    const { output, status, incomplete_details, usage } = answer ?? {};
    const item = output?.findLast(({ type }) => type === "compaction");
    if ((status ?? "completed") !== "completed" || typeof item?.encrypted_content !== "string")
      throw ended(incomplete_details?.reason ?? status);
    return { text: "", finishReason: "stop", usage, block: item };
  };
}

function throughSdk(given: SdkModel, options: OpenAICompactionOptions): Ask {
  const { openai, ...others } = options.providerOptions ?? {};
  const providerOptions = { ...others, openai: { ...openai, compactionTrigger: true } };
  return async (chat, abortSignal) => {
    const { parts, finish, usage } = await askSdk(given, chat, { providerOptions, abortSignal });
    const part = parts.find(({ kind }) => kind === "openai.compaction");
    if (!part) throw ended(finish);
    return { text: "", finishReason: "stop", usage, block: blockOf(part) };
  };
}

const ended = (reason: string | null | undefined): Error =>
  new Error(`OpenAI compacted nothing: the request ended with ${reason ?? "nothing"}.`);

interface Answer {
  readonly output?: readonly { readonly type?: unknown; readonly encrypted_content?: unknown }[];
  readonly status?: string | null;
  readonly incomplete_details?: { readonly reason?: string } | null;
  readonly usage?: unknown;
}
