/**
 * precis as a processor of Mastra's agents. Imports nothing of Mastra: what it needs is matched by its structure.
 *
 * @module precis/mastra
 */
import { type CompactNow, input, type ModelCall, type Report, type SessionState } from "precis";
import { Again } from "./adapter/again.ts";
import { Chat, type ChatCall, holding } from "./adapter/chat.ts";
import { type AdapterOptions, sharedOf } from "./adapter/options.ts";
import { aiSdk } from "./formats/ai-sdk.ts";
import { type SummaryAgent, summarizeWith } from "./mastra/summarize.ts";
import { loadState, saveState, type ThreadMemory } from "./mastra/threads.ts";

export type { AdapterOptions } from "./adapter/options.ts";
export { type SummaryAgent, summarizeWith } from "./mastra/summarize.ts";
export type { ThreadMemory } from "./mastra/threads.ts";

type Message = { readonly role: string; readonly content: unknown };

/** The options of {@link compactionProcessor}: those of a compactor; `summarize` may be an agent of Mastra's. */
export interface MastraOptions
  extends AdapterOptions<SummaryAgent>,
    Pick<ModelCall<Message>, "isTyped" | "mustKeep" | "pin"> {
  /**
   * The agent's memory. Then the state of a chat is in the metadata of its thread, and outlasts the run. Without it a state
   * lasts for one run.
   */
  readonly memory?: ThreadMemory | undefined;
}

/** A processor for `inputProcessors`, and for `errorProcessors`, so that what a provider calls too long is sent once more. */
export interface CompactionProcessor {
  readonly id: "precis";
  readonly name: "precis";
  // biome-ignore lint/suspicious/noExplicitAny: Mastra's own types differ from version to version.
  processInputStep(args: any): undefined;
  // biome-ignore lint/suspicious/noExplicitAny: as above.
  processLLMRequest(args: any): Promise<{ prompt: any } | undefined>;
  // biome-ignore lint/suspicious/noExplicitAny: as above.
  processLLMResponse(args: any): Promise<undefined>;
  // biome-ignore lint/suspicious/noExplicitAny: as above.
  processAPIError(args: any): Promise<{ retry: boolean } | undefined>;
  /** Has the next request of a thread compact before it is sent; of a run without a thread: the next request of all. */
  compactNext(options?: CompactNext): void;
  /** The state of a thread; null if it has none. Needs the option `memory`. */
  stateOf(threadId: string): Promise<SessionState | null>;
}

/** What {@link CompactionProcessor.compactNext} takes. */
export interface CompactNext extends CompactNow, Pick<ModelCall<Message>, "keep"> {
  readonly thread?: string | undefined;
}

/** What hooks are given, as far as it is used here. */
interface Hook {
  /** What Mastra keeps for this processor for the time of one run. */
  readonly state: { [RUN]?: Run };
  readonly requestContext?: { get(name: string): unknown } | undefined;
  readonly abortSignal?: AbortSignal | undefined;
}
interface Step extends Hook {
  readonly tools?: unknown;
  readonly modelSettings?: { readonly maxOutputTokens?: number } | undefined;
}
interface Request extends Hook {
  readonly prompt: readonly Message[];
  readonly model?: { readonly modelId?: string } | undefined;
}
interface Response extends Hook {
  readonly chunks: readonly Chunk[];
  readonly fromCache?: boolean;
}
interface Chunk {
  readonly type: string;
  readonly payload?: {
    readonly output?: { readonly usage?: { readonly raw?: unknown } };
    readonly stepResult?: { readonly reason?: string };
  };
}

/** The member under which a run is kept: no part of what is written anywhere. */
const RUN: unique symbol = Symbol("precis");

/** One run of an agent. */
interface Run {
  chat?: Chat<Message>;
  readonly again: Again<Message>;
  readonly thread: string | undefined;
  tools?: unknown;
  limit?: number | undefined;
  /** The revision that is stored. */
  stored: number;
}

/** Prompts below the SDK, whose content is always a list. */
const FORMAT: typeof aiSdk = {
  ...aiSdk,
  summary: (text: string) => ({ role: "user", content: [{ type: "text", text }] }),
};

/** How often a request is made shorter before the provider's error reaches the caller. */
const MOST_RETRIES = 2;

/**
 * A processor that keeps the requests of an agent inside the window. It works on the prompt of each call: what the agent's
 * memory holds stays as it is. One may serve any number of agents and threads.
 *
 * @throws PrecisError when an option is refused.
 */
export function compactionProcessor(options: MastraOptions): CompactionProcessor {
  const { memory, isTyped, mustKeep, pin, ...rest } = (options ?? {}) as MastraOptions;
  if (memory !== undefined && typeof memory?.getThreadById !== "function")
    throw input.wrong("invalid-option", "memory", "a memory of Mastra's", memory);
  const shared = sharedOf(rest as AdapterOptions<never>, FORMAT, (agent) => summarizeWith(agent as SummaryAgent));
  const flags = { ...(isTyped && { isTyped }), ...(mustKeep && { mustKeep }), ...(pin && { pin }) };
  const wishes = new Map<string | undefined, CompactNext>();

  const runOf = ({ state, requestContext }: Hook): Run => {
    const context = requestContext?.get("MastraMemory") as { thread?: { id?: string } } | undefined;
    state[RUN] ??= { again: new Again(), thread: context?.thread?.id, stored: 0 };
    return state[RUN];
  };
  const chatOf = async (run: Run): Promise<Chat<Message>> => {
    if (!run.chat) {
      const state = memory && run.thread ? await loadState(memory, run.thread) : null;
      run.stored = state?.revision ?? 0;
      const onReport = (report: Report) => shared.onReport?.(report, run.thread);
      run.chat ??= new Chat({ ...shared, onReport }, holding(state));
    }
    return run.chat;
  };
  const store = async ({ thread, chat, stored }: Run): Promise<number> => {
    const state = chat?.state;
    if (!memory || !thread || !state) return stored;
    return (await saveState(memory, thread, state, stored)) ? state.revision : stored;
  };

  return {
    id: "precis",
    name: "precis",

    /** The tools are shown here alone. */
    processInputStep(args: Step) {
      const run = runOf(args);
      run.tools = args.tools;
      run.limit = args.modelSettings?.maxOutputTokens;
      return undefined;
    },

    async processLLMRequest(args: Request) {
      const { prompt, model, abortSignal: signal } = args;
      const run = runOf(args);
      const chat = await chatOf(run);
      const from = prompt.findIndex(({ role }) => role !== "system");
      if (from < 0) return undefined;
      const [system, given] = [prompt.slice(0, from), prompt.slice(from)];
      const messages = run.again.of(given);
      const call: ChatCall<Message> = {
        ...flags,
        ...{ messages, system, tools: run.tools, model: model?.modelId, signal },
        maxOutputTokens: rest.maxOutputTokens === undefined ? run.limit : undefined,
      };
      const wish = wishes.get(run.thread) ?? wishes.get(undefined);
      if (wish) {
        const { thread, ...how } = wish;
        wishes.delete(thread);
        await chat.compact({ ...call, ...how });
      }
      const { view, state, changed } = await chat.prepare(call);
      if (state.revision !== run.stored) run.stored = await store(run);
      return changed ? { prompt: [...system, ...view] } : undefined;
    },

    async processLLMResponse(args: Response) {
      const run = runOf(args);
      const { payload } = args.chunks.findLast(({ type }) => type === "finish") ?? {};
      const usage = payload?.output?.usage;
      if (args.fromCache) return undefined;
      run.chat?.learn(usage?.raw ?? usage);
      // What was learned in a run is stored with its last word.
      if (payload?.stepResult?.reason !== "tool-calls") run.stored = await store(run);
      return undefined;
    },

    async processAPIError(args: Hook & { readonly error: unknown; readonly retryCount: number }) {
      const { chat } = runOf(args);
      if (!chat || args.retryCount >= MOST_RETRIES || !chat.canShorten(args.error)) return undefined;
      chat.refuse(args.error);
      return { retry: true };
    },

    compactNext(options: CompactNext = {}) {
      wishes.set(options.thread, options);
    },

    stateOf: async (threadId: string) => (memory ? loadState(memory, threadId) : null),
  };
}
