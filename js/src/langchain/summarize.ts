import { input, type Summarize } from "precis";

/** A chat model of LangChain's, as far as it is used here. */
export interface ChatModel {
  // biome-ignore lint/suspicious/noExplicitAny: the parameters differ from version to version.
  invoke(messages: any, config?: any): PromiseLike<any>;
}

/** Of a run that no stream of messages shows: LangGraph's two names for it. */
const UNSEEN = ["nostream", "langsmith:nostream"];

/**
 * A summarizer that asks a chat model of LangChain's. Its tokens do not reach the agent's streams; tracers see the call, as
 * `summarization`.
 *
 * An answer that did not end by itself (`length`, `max_tokens`, …) is never stored.
 *
 * @param config - more of the config for `invoke`: `tags`, `metadata`, `callbacks`.
 * @throws PrecisError `invalid-option` without a model.
 */
export function summarizeWith(
  model: ChatModel,
  config: { readonly tags?: readonly string[]; readonly metadata?: object; readonly callbacks?: unknown } = {},
): Summarize {
  if (typeof (model as Partial<ChatModel> | null)?.invoke !== "function")
    throw input.wrong("invalid-option", "summarize", "a chat model of LangChain's, or a function", model);
  return async ({ system, prompt }, { signal }) => {
    const messages = [
      { role: "system", content: system },
      { role: "user", content: prompt },
    ];
    const answer = await model.invoke(messages, {
      ...config,
      signal,
      runName: "summarization",
      tags: [...(config.tags ?? []), ...UNSEEN],
      metadata: { ...config.metadata, lc_source: "summarization" },
    });
    const { content, usage_metadata } = (answer ?? {}) as { content?: unknown; usage_metadata?: unknown };
    return { text: textOf(content), finishReason: reasonOf(answer), usage: usage_metadata };
  };
}

function textOf(content: unknown): string {
  if (!Array.isArray(content)) return typeof content === "string" ? content : "";
  return content.map((block) => (typeof block === "string" ? block : String(block?.text ?? ""))).join("");
}

/** How an answer ended, as the providers' packages name it. One that says nothing has ended. */
function reasonOf(answer: unknown): string {
  const { response_metadata } = (answer ?? {}) as { response_metadata?: Readonly<Record<string, unknown>> };
  const { finish_reason, finishReason, stop_reason, stopReason, done_reason, incomplete_details } =
    response_metadata ?? {};
  const said = finish_reason ?? finishReason ?? stop_reason ?? stopReason ?? done_reason;
  if (typeof said === "string" && said !== "") return said;
  return incomplete_details ? "incomplete" : "stop";
}
