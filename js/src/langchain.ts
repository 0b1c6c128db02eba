/**
 * precis as a middleware of LangChain's agents (`createAgent`, `createDeepAgent`). Imports nothing of LangChain: what it needs
 * is matched by its structure.
 *
 * @module precis/langchain
 */
import type { CompactNow, ModelCall, Report, SessionState } from "precis";
import { Chat, type ChatCall, holding } from "./adapter/chat.ts";
import { type AdapterOptions, sharedOf } from "./adapter/options.ts";
import { type LangChainMessage, langchain } from "./langchain/format.ts";
import { withClasses } from "./langchain/messages.ts";
import { callOf, type Request, threadOf, usageOf } from "./langchain/request.ts";
import { KEY, STATE_SCHEMA, StateUpdate } from "./langchain/state.ts";
import { type ChatModel, summarizeWith } from "./langchain/summarize.ts";

export type { AdapterOptions } from "./adapter/options.ts";
export { type LangChainMessage, langchain } from "./langchain/format.ts";
export { type ChatModel, summarizeWith } from "./langchain/summarize.ts";

/** The options of {@link compactionMiddleware}: those of a compactor; `summarize` may be a chat model of LangChain's. */
export interface MiddlewareOptions
  extends AdapterOptions<ChatModel>,
    Pick<ModelCall<LangChainMessage>, "isTyped" | "mustKeep" | "pin"> {}

/** The values of an agent's state, as `agent.graph.getState(config)` has them. */
export interface AgentValues {
  // biome-ignore lint/suspicious/noExplicitAny: every version declares messages of its own.
  readonly messages: readonly any[];
}

/** What {@link CompactionMiddleware.compact} takes. */
export interface CompactAgent extends CompactNow, Pick<ModelCall<LangChainMessage>, "keep" | "signal"> {}

/** A middleware for the option of this name of `createAgent` and `createDeepAgent`. */
export interface CompactionMiddleware {
  /** That of LangChain's own, so that it replaces it in `createDeepAgent`, and stands beside it nowhere. */
  readonly name: "SummarizationMiddleware";
  // biome-ignore lint/suspicious/noExplicitAny: the state is private, so nothing is to be inferred from its schema.
  readonly stateSchema: any;
  // biome-ignore lint/suspicious/noExplicitAny: LangChain's own types differ from version to version.
  readonly wrapModelCall: (request: any, handler: any) => Promise<any>;
  /**
   * Compacts a chat now. Resolves to what to hand to `agent.graph.updateState(config, update)`, and what was done.
   *
   * @param values - the agent's state: `(await agent.graph.getState(config)).values`.
   */
  compact(values: AgentValues, options?: CompactAgent): Promise<{ readonly update: object; readonly report: Report }>;
  /** The state of the chat in an agent's state; null if it has none yet. */
  stateOf(values: AgentValues): SessionState | null;
}

/**
 * A middleware that keeps the requests of an agent inside the window. The messages in the agent's state stay as they are: what
 * a request leaves out is decided for each request, and what was decided is kept in the agent's state, with its checkpoints.
 *
 * @throws PrecisError when an option is refused.
 */
export function compactionMiddleware(options: MiddlewareOptions): CompactionMiddleware {
  const { isTyped, mustKeep, pin, ...rest } = (options ?? {}) as MiddlewareOptions;
  const shared = sharedOf(rest as AdapterOptions<never>, langchain, (model) => summarizeWith(model as ChatModel));
  const flags = { ...(isTyped && { isTyped }), ...(mustKeep && { mustKeep }), ...(pin && { pin }) };
  /** States that the framework did not take, by the message that was answered: it takes none beside a structured response. */
  const left = new WeakMap<object, SessionState>();

  const stateOf = (values: unknown): SessionState | null => {
    const { messages, [KEY]: kept } = (values ?? {}) as { messages?: readonly object[]; [KEY]?: SessionState | null };
    const answered = messages?.findLast((message) => left.has(message));
    const own = answered && left.get(answered);
    return own && own.revision > (kept?.revision ?? -1) ? own : (kept ?? null);
  };

  return {
    name: "SummarizationMiddleware",
    stateSchema: STATE_SCHEMA,
    stateOf,

    async wrapModelCall(request: Request, handler: (request: Request) => PromiseLike<unknown>) {
      const holder = holding(stateOf(request.state));
      const thread = threadOf(request);
      const onReport = (report: Report) => shared.onReport?.(report, thread);
      const chat = new Chat({ ...shared, onReport }, holder);
      const call: ChatCall<LangChainMessage> = { ...callOf(request, rest.maxOutputTokens), ...flags };
      const answer = await chat.ask(call, ({ view }) =>
        handler({ ...request, messages: withClasses(view, request.messages) }),
      );
      chat.learn(usageOf(answer));
      const state = holder.get() as SessionState;
      const { type, messages } = (answer ?? {}) as { type?: unknown; messages?: readonly object[] };
      if (type === "ai") return new StateUpdate(state);
      if (messages?.[0]) left.set(messages[0], state);
      return answer;
    },

    async compact(values, { keep, signal, ...now } = {}) {
      const holder = holding(stateOf(values));
      const report = await new Chat(shared, holder).compact({
        messages: values.messages,
        keep,
        signal,
        ...flags,
        ...now,
      });
      return { update: { [KEY]: holder.get() }, report };
    },
  };
}
