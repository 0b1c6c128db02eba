/**
 * Providers' own compaction as a summarizer: asked when precis compacts, and never otherwise. What it returns stands first in the
 * view as it came; what code keeps stands behind it.
 *
 * @module precis/native
 */
import { input, type Summarize } from "precis";

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
  /** The model, which must be that of the chat. Default: the `model` of the call. */
  readonly model?: string | undefined;
  /** The reply limit of the request for a summary. Default 8,000. */
  readonly maxTokens?: number | undefined;
  /** What to write, in place of Anthropic's own instructions: at most 16,384 characters. */
  readonly instructions?: string | undefined;
  /** Other members of the request, the same as in those of the chat: `thinking`, `metadata`. */
  readonly request?: Readonly<Record<string, unknown>> | undefined;
}

const BETA = "compact-2026-09-04";

/**
 * Asks Anthropic for a summary on demand, of the conversation itself and with its cached prefix. Each request that holds the
 * summary needs the header that `report.provider.headers` names.
 *
 * It rejects where there is no such summary, so that the next summarizer of the list is asked, or code writes a digest: an answer
 * that ended otherwise (`max_tokens`, `refusal`, …), an overload, a past that is summarized in pieces.
 *
 * @throws PrecisError `invalid-option` without a client.
 */
export function anthropicCompaction(client: AnthropicClient, options: AnthropicCompactionOptions = {}): Summarize {
  if (typeof client?.beta?.messages?.create !== "function")
    throw input.wrong("invalid-option", "client", "a client of @anthropic-ai/sdk, with beta.messages.create", client);
  const { maxTokens = 8_000, instructions, request = {} } = options;
  return async (_, { signal, chat }) => {
    if (!chat)
      throw new Error("Only a whole conversation is summarized on demand, and this is a piece or a correction.");
    const { messages, system, tools } = chat;
    const model = options.model ?? chat.model;
    if (!model) throw new Error("Neither the call nor anthropicCompaction names the model.");
    const body = {
      ...request,
      ...{ model, messages, max_tokens: maxTokens, betas: [BETA] },
      ...(system === undefined ? {} : { system }),
      ...(tools === undefined ? {} : { tools }),
      compaction: { type: "summarize", ...(instructions === undefined ? {} : { instructions }) },
    };
    const answer = (await client.beta.messages.create(body, { signal })) as Answer;
    const block = answer.content?.find(({ type }) => type === "compaction");
    if (answer.stop_reason !== "compaction" || typeof block?.content !== "string")
      throw new Error(`The request for a summary ended with ${answer.stop_reason ?? "nothing"}.`);
    return {
      text: block.content,
      finishReason: "stop",
      usage: answer.usage,
      block: { ...block, content: block.content },
    };
  };
}

interface Answer {
  readonly content?: readonly { readonly type?: unknown; readonly content?: unknown }[];
  readonly stop_reason?: string | null;
  readonly usage?: unknown;
}
