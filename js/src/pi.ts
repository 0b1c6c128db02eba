/**
 * precis in pi's agents (`@earendil-works/pi-agent-core`). Imports nothing of pi: what it needs is matched by its structure.
 *
 * @module precis/pi
 */

import { type ContextUsage, input, type ModelCall, type Report, type SessionState } from "precis";
import { Chat, type Compacting, holding } from "./adapter/chat.ts";
import { type AdapterOptions, sharedOf } from "./adapter/options.ts";
import type { Signal } from "./globals.ts";
import { isUnsent, type PiMessage, piFormat } from "./pi/format.ts";
import { asking } from "./pi/refusal.ts";
import { type PiSummarizer, summarizeWith, usageOf } from "./pi/summarize.ts";

export type { AdapterOptions } from "./adapter/options.ts";
export { type PiMessage, piFormat } from "./pi/format.ts";
export { type PiSummarizer, summarizeWith } from "./pi/summarize.ts";

// biome-ignore lint/suspicious/noExplicitAny: programs declare messages of their own.
type AnyMessage = any;

/** The options of {@link compaction}: those of a compactor; `summarize` may be a model with the function that asks it. */
export interface PiOptions
  extends AdapterOptions<PiSummarizer>,
    Pick<ModelCall<PiMessage>, "isTyped" | "mustKeep" | "pin"> {
  /** The state that you stored with the agent's messages; null for a new chat. */
  readonly state?: SessionState | null | undefined;
  /** The chat's id, which your server has checked: the state is bound to it. */
  readonly chat?: string | undefined;
  /** Called with each state that sends something else than the one before: store it with the agent's messages. */
  readonly onState?: ((state: SessionState) => void) | undefined;
  /** The agent's own, where a program has added messages: so these count as what is sent of them. */
  readonly convertToLlm?: ((messages: AnyMessage[]) => AnyMessage[]) | undefined;
}

/** What keeps the requests of one agent inside the window. */
export interface PiCompaction {
  /** For the option of this name of an `Agent`. Never rejects; where it could not decide, `problem` says why. */
  readonly transformContext: (messages: AnyMessage[], signal?: Signal) => Promise<AnyMessage[]>;
  /** The same stream function, which asks once more, with less, where the provider says that a request was too long. */
  streamFn<F extends (model: AnyMessage, context: AnyMessage, options?: AnyMessage) => AnyMessage>(stream: F): F;
  /** Compacts now. The next request sends what came of it. */
  compact(options?: Compacting<AnyMessage>): Promise<Report>;
  /** The state to store with the agent's messages; null before the first request. */
  readonly state: SessionState | null;
  /** How full the context is; null before the first request. */
  readonly usage: ContextUsage | null;
  /** The newest thousand reports, one for each request. */
  readonly reports: readonly Report[];
  /** Why the last request was sent as it was; null if it was decided. */
  readonly problem: unknown;
}

/**
 * Makes what keeps the requests of one agent of pi's inside the window. Make one for each agent.
 *
 * @throws PrecisError when an option is refused.
 */
export function compaction(options: PiOptions): PiCompaction {
  const { state, chat: name, onState, convertToLlm, isTyped, mustKeep, pin, ...rest } = (options ?? {}) as PiOptions;
  if (onState !== undefined) input.checkKind(input.FUNCTION, onState, "invalid-option", "onState");
  if (convertToLlm !== undefined) input.checkKind(input.FUNCTION, convertToLlm, "invalid-option", "convertToLlm");
  const format = piFormat(convertToLlm && ((message) => convertToLlm([message])[0]));
  const shared = sharedOf(rest as AdapterOptions<never>, format, (given) => summarizeWith(given as PiSummarizer));
  const flags = { ...(isTyped && { isTyped }), ...(mustKeep && { mustKeep }), ...(pin && { pin }) };
  const chat = new Chat(shared, holding(state, onState), name || undefined);
  let problem: unknown = null;
  /** Replies at whose usage was looked. */
  let seen = 0;

  const learn = (messages: readonly Reply[]) => {
    const reply = messages.slice(seen).findLast((message) => message?.role === "assistant" && !isUnsent(message));
    if (reply) chat.learn(usageOf(reply));
    seen = messages.length;
  };

  return {
    async transformContext(messages, signal) {
      try {
        learn(messages);
        const { model } = (messages as Reply[]).findLast((message) => message?.role === "assistant") ?? {};
        const { view } = await chat.prepare({ ...flags, messages, model, signal });
        problem = null;
        return view;
      } catch (error) {
        problem = error;
        return messages;
      }
    },
    streamFn: (stream) =>
      asking(stream, async (context, error, { model, signal, limit }) => {
        const call = { messages: context.messages, overflow: error, model, signal, maxOutputTokens: limit };
        const { view, report } = await shared.compactor.beforeModel(call);
        const isOther = report.warnings.some(({ code }) => code === "not-an-overflow");
        if (isOther || report.outcome === "infeasible" || view.length === 0) return null;
        // The limit is remembered with the next request, whose messages are the agent's own.
        chat.refuse(error);
        return { ...context, messages: view };
      }) as unknown as typeof stream,
    compact: (options = {}) => chat.compact({ ...flags, ...options }),
    get state() {
      return chat.state;
    },
    get usage() {
      return chat.usage;
    },
    get problem() {
      return problem;
    },
    reports: chat.reports,
  };
}

interface Reply {
  readonly role: string;
  readonly model?: string;
  readonly stopReason?: string;
  readonly usage?: unknown;
}
