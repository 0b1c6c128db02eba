/**
 * precis as a middleware of TanStack AI's `chat`. Imports nothing of it: what it needs is matched by its structure.
 *
 * @module precis/tanstack
 */
import { input, type ModelCall, type Report, type SessionState } from "precis";
import { Again } from "./adapter/again.ts";
import { Chat, holding } from "./adapter/chat.ts";
import { type AdapterOptions, sharedOf } from "./adapter/options.ts";
import { type TanStackMessage, tanstack } from "./tanstack/format.ts";

export type { AdapterOptions } from "./adapter/options.ts";
export { type TanStackMessage, tanstack } from "./tanstack/format.ts";

/** The options of {@link compactionMiddleware}: those of a compactor, and where states are kept. */
export interface TanStackOptions
  extends AdapterOptions<never>,
    Pick<ModelCall<TanStackMessage>, "isTyped" | "mustKeep" | "pin"> {
  /** Returns the state that was saved for a thread, or null. Without it a state lasts for one call of `chat`. */
  readonly load?: ((threadId: string) => SessionState | null | PromiseLike<SessionState | null>) | undefined;
  /** Saves the state of a thread: before the request that it decides about goes out, and at the end of a run. */
  readonly save?: ((threadId: string, state: SessionState) => unknown) | undefined;
}

/** A middleware for the option of this name of `chat`. */
export interface CompactionMiddleware {
  readonly name: "precis";
  // biome-ignore lint/suspicious/noExplicitAny: the library's own types differ from version to version.
  onConfig(context: any, config: any): Promise<{ providerMessages: any[] } | undefined>;
  // biome-ignore lint/suspicious/noExplicitAny: as above.
  onUsage(context: any, usage: any): void;
  // biome-ignore lint/suspicious/noExplicitAny: as above.
  onFinish(context: any, info: any): Promise<void>;
  // biome-ignore lint/suspicious/noExplicitAny: as above.
  onAbort(context: any, info: any): Promise<void>;
  // biome-ignore lint/suspicious/noExplicitAny: as above.
  onError(context: any, info: any): Promise<void>;
}

/** What hooks are given, as far as it is used here. */
interface Context {
  /** Of one call of `chat`. */
  readonly requestId: string;
  readonly threadId: string;
  readonly phase: string;
  readonly model?: string;
  readonly signal?: AbortSignal | undefined;
}
interface Config {
  readonly messages: readonly TanStackMessage[];
  readonly systemPrompts?: readonly (string | { readonly content?: unknown })[];
  readonly tools?: readonly object[];
}

/** One call of `chat`. */
interface Run {
  readonly chat: Chat<TanStackMessage>;
  readonly again: Again<TanStackMessage>;
}

/** Threads whose last request was refused. */
const MOST_REFUSED = 1_024;
/** Calls that are open: those whose stream nobody reads to its end never close. */
const MOST_RUNS = 10_000;

/**
 * A middleware that keeps the requests of `chat` inside the window. It sets what the provider gets (`providerMessages`); the
 * conversation stays as it is. One may serve any number of threads.
 *
 * @throws PrecisError when an option is refused.
 */
export function compactionMiddleware(options: TanStackOptions): CompactionMiddleware {
  const { load, save, isTyped, mustKeep, pin, ...rest } = (options ?? {}) as TanStackOptions;
  for (const [name, given] of Object.entries({ load, save }))
    if (given !== undefined) input.checkKind(input.FUNCTION, given, "invalid-option", name);
  const shared = sharedOf(rest as AdapterOptions<never>, tanstack, (model) => {
    throw input.wrong("invalid-option", "summarize", "a function, or a list of functions", model);
  });
  const flags = { ...(isTyped && { isTyped }), ...(mustKeep && { mustKeep }), ...(pin && { pin }) };
  const runs = new Map<string, Run>();
  const refused = new Map<string, unknown>();

  const begin = async ({ requestId, threadId }: Context): Promise<Run> => {
    const known = runs.get(requestId);
    if (known) return known;
    const onReport = (report: Report) => shared.onReport?.(report, threadId);
    const chat = new Chat({ ...shared, onReport }, holding((await load?.(threadId)) ?? null));
    if (refused.has(threadId)) chat.refuse(refused.get(threadId));
    refused.delete(threadId);
    const run = { chat, again: new Again<TanStackMessage>() };
    runs.set(requestId, run);
    if (runs.size > MOST_RUNS) runs.delete(runs.keys().next().value as string);
    return run;
  };
  const end = async ({ requestId, threadId }: Context): Promise<void> => {
    const state = runs.get(requestId)?.chat.state;
    runs.delete(requestId);
    if (state) await save?.(threadId, state);
  };

  return {
    name: "precis",

    async onConfig(context: Context, { messages, systemPrompts, tools }: Config) {
      if (context.phase !== "beforeModel") return undefined;
      const { chat, again } = await begin(context);
      const before = chat.state?.revision ?? 0;
      const { model, signal, threadId } = context;
      const { view, state, changed } = await chat.prepare({
        ...flags,
        ...{ messages: again.of(messages), system: systemPrompts, tools, model, signal },
      });
      if (state.revision !== before) await save?.(threadId, state);
      return changed ? { providerMessages: view } : undefined;
    },

    onUsage({ requestId }: Context, usage: { readonly promptTokens?: unknown; readonly completionTokens?: unknown }) {
      const { promptTokens, completionTokens } = usage ?? {};
      runs.get(requestId)?.chat.learn({ prompt_tokens: promptTokens, completion_tokens: completionTokens });
    },

    onFinish: end,
    onAbort: end,

    /** The hook cannot send a request again: the next one of the thread answers what the provider has refused. */
    async onError(context: Context, { error }: { readonly error: unknown }) {
      if (runs.get(context.requestId)?.chat.canShorten(error)) {
        refused.set(context.threadId, error);
        if (refused.size > MOST_REFUSED) refused.delete(refused.keys().next().value as string);
      }
      await end(context);
    },
  };
}
