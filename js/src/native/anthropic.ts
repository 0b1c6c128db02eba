import { type CoveredChat, input, type Summarize, type SummaryAnswer } from "precis";
import { coveredBy } from "./covered.ts";
import { askSdk, blockOf, isSdkModel, type SdkModel, saidOf } from "./sdk.ts";

/** What {@link anthropicCompaction} needs of `@anthropic-ai/sdk`. */
export interface AnthropicClient {
  readonly beta: {
    readonly messages: {
      // biome-ignore lint/suspicious/noExplicitAny: its own types are not ours to name.
      create(body: any, options?: any): PromiseLike<any>;
    };
  };
}

/** The options of {@link anthropicCompaction}. */
export interface AnthropicCompactionOptions {
  /** The model, which must be that of the chat. Default: the `model` of the call. The AI SDK's models name themselves. */
  readonly model?: string | undefined;
  /** The reply limit of the request for a summary. Default 8,000. */
  readonly maxTokens?: number | undefined;
  /** What to write, in place of Anthropic's own instructions: at most 16,384 characters. */
  readonly instructions?: string | undefined;
  /** Other members of the request, the same as in those of the chat: `thinking`, `metadata`. */
  readonly request?: Readonly<Record<string, unknown>> | undefined;
  /** With the AI SDK: the `providerOptions` of the chat's own calls. */
  // biome-ignore lint/suspicious/noExplicitAny: each provider has options of its own.
  readonly providerOptions?: any;
}

const BETA = "compact-2026-09-04";

/**
 * Asks Anthropic for a summary on demand, of the conversation itself and with its cached prefix. `given` is a client of
 * `@anthropic-ai/sdk`, a model of the AI SDK for {@link Compaction.model}, or `{ generateText, model }` for the runs of the AI
 * SDK. With a client, each request that holds the summary needs the header that `report.provider.headers` names.
 *
 * It rejects where there is no such summary, so that the next summarizer of the list is asked, or code writes a digest: an answer
 * that ended otherwise (`max_tokens`, `refusal`, …), an overload, a past that is summarized in pieces.
 *
 * @throws PrecisError `invalid-option` without a client or model.
 */
export function anthropicCompaction(
  given: AnthropicClient | SdkModel,
  options: AnthropicCompactionOptions = {},
): Summarize {
  const { maxTokens = 8_000 } = options;
  const ask = isSdkModel(given) ? throughSdk(given, options) : throughClient(clientOf(given), options);
  return async (_, { signal, chat }) => ask(coveredBy(chat), { maxTokens, signal });
}

type Ask = (
  chat: CoveredChat,
  limits: { readonly maxTokens: number; readonly signal: AbortSignal },
) => Promise<SummaryAnswer>;

function clientOf(client: unknown): AnthropicClient {
  const { beta } = (client ?? {}) as Partial<AnthropicClient>;
  if (typeof beta?.messages?.create === "function") return client as AnthropicClient;
  const expected = "a client of @anthropic-ai/sdk, with beta.messages.create, or a model of the AI SDK";
  throw input.wrong("invalid-option", "client", expected, client);
}

function throughClient(client: AnthropicClient, options: AnthropicCompactionOptions): Ask {
  const { request = {} } = options;
  return async ({ messages, system, tools, ...chat }, { maxTokens, signal }) => {
    const model = options.model ?? chat.model;
    if (!model) throw new Error("Neither the call nor anthropicCompaction names the model.");
    const body = {
      ...request,
      ...{ model, messages, max_tokens: maxTokens, betas: [BETA], compaction: asked(options) },
      ...(system === undefined ? {} : { system }),
      ...(tools === undefined ? {} : { tools }),
    };
    const { content, stop_reason, usage } = (await client.beta.messages.create(body, { signal })) as Answer;
    const block = content?.find(({ type }) => type === "compaction");
    if (stop_reason !== "compaction" || typeof block?.content !== "string") throw ended(stop_reason);
    return { text: block.content, finishReason: "stop", usage, block: { ...block, content: block.content } };
  };
}

function throughSdk(given: SdkModel, options: AnthropicCompactionOptions): Ask {
  const { anthropic, ...others } = options.providerOptions ?? {};
  const providerOptions = { ...others, anthropic: { ...anthropic, compaction: asked(options) } };
  return async (chat, { maxTokens, signal }) => {
    const settings = { providerOptions, maxOutputTokens: maxTokens, abortSignal: signal };
    const { parts, finish, usage } = await askSdk(given, chat, settings);
    const part = parts.find((part) => part.type === "text" && saidOf(part).type === "compaction");
    const block = part && blockOf(part);
    if ((finish ?? "compaction") !== "compaction" || !block?.content) throw ended(finish);
    return { text: block.content, finishReason: "stop", usage, block };
  };
}

const asked = ({ instructions }: AnthropicCompactionOptions) => ({
  type: "summarize",
  ...(instructions === undefined ? {} : { instructions }),
});

const ended = (reason: string | null | undefined): Error =>
  new Error(`The request for a summary ended with ${reason ?? "nothing"}.`);

interface Answer {
  readonly content?: readonly { readonly type?: unknown; readonly content?: unknown }[];
  readonly stop_reason?: string | null;
  readonly usage?: unknown;
}
