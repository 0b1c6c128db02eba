/**
 * precis in the OpenAI Agents SDK, whatever model is behind it. Imports nothing of the SDK: what it needs is matched by its
 * structure.
 *
 * @module precis/openai-agents
 */
import { type CompactNow, type ContextUsage, input, type ModelCall, type Report, type SessionState } from "precis";
import { Chat, type Holder, holding } from "./adapter/chat.ts";
import { type AdapterOptions, sharedOf } from "./adapter/options.ts";
import { type AgentItem, openaiAgents } from "./openai-agents/format.ts";
import { Lanes } from "./openai-agents/lanes.ts";
import { type Keeping, keptModel } from "./openai-agents/model.ts";
import { type AgentModel, summarizeWith } from "./openai-agents/summarize.ts";

export type { AdapterOptions } from "./adapter/options.ts";
export { type AgentItem, openaiAgents } from "./openai-agents/format.ts";
export { type AgentModel, summarizeWith } from "./openai-agents/summarize.ts";

/** The options of {@link compaction}: those of a compactor; `summarize` may be a model object of the SDK's. */
export interface AgentsOptions extends AdapterOptions<AgentModel> {}

/** The options of one chat. */
export interface AgentsChatOptions extends Pick<ModelCall<AgentItem>, "isTyped" | "mustKeep" | "pin"> {
  /** The chat's id, which your server has checked: the state is bound to it. */
  readonly chat?: string | undefined;
  /** The state that you stored with the chat; null for a new one. */
  readonly state?: SessionState | null | undefined;
  /**
   * The object that you pass to `run` as `context`, instead of `state`. The state is its member `precis` then: it is in
   * `result.state.toString()` with the rest of the run, and whoever resumes the run has it.
   */
  readonly context?: object | undefined;
  /** Called with each state that sends something else than the one before. */
  readonly onState?: ((state: SessionState) => void) | undefined;
}

/** Messages and policy for {@link AgentsChat.compact}. */
export interface CompactChat extends CompactNow, Pick<ModelCall<AgentItem>, "keep" | "signal"> {
  /** The chat as it is (`result.history`), where no request was sent through this handle, or more was said since. */
  // biome-ignore lint/suspicious/noExplicitAny: every version declares items of its own.
  readonly messages?: readonly any[] | undefined;
}

/** What the SDK passes to a `callModelInputFilter`. */
interface Filtered<I> {
  readonly modelData: { input: I[]; instructions?: string };
}

/** One chat: its runs, one after another, and the agents that its agents call as tools. */
export interface AgentsChat {
  /** The same model, kept inside the window: give it to an agent, or to the runner. */
  model<M extends AgentModel>(model: M): M;
  /** The same provider, whose models are kept inside the window: `new Runner({ modelProvider })`. */
  modelProvider<P extends object>(provider: P): P;
  /**
   * For `run(agent, input, { callModelInputFilter })`, where no model can be wrapped. The SDK shows a filter neither tools nor
   * usage, no signal and no refusal, and stores in a session what it returns: prefer {@link model}.
   */
  readonly callModelInputFilter: {
    // biome-ignore lint/suspicious/noExplicitAny: every version declares items of its own.
    (args: Filtered<any>): Promise<{ input: any[]; instructions?: string }>;
    preserveInputIdentity: boolean;
  };
  /** With the filter: learns from the usage of a finished run's last request. */
  // biome-ignore lint/suspicious/noExplicitAny: as above.
  learn(result: { readonly rawResponses: readonly any[] }): void;
  /** Compacts now. The next request sends what came of it. */
  compact(options?: CompactChat): Promise<Report>;
  /** The state to store with the chat; null before the first request. */
  readonly state: SessionState | null;
  /** How full the context is; null before the first request. */
  readonly usage: ContextUsage | null;
  /** The newest thousand reports of the chat, one for each request. */
  readonly reports: readonly Report[];
}

/** What {@link compaction} returns. */
export interface AgentsCompaction {
  /** Begins or goes on with one chat. */
  chat(options?: AgentsChatOptions): AgentsChat;
}

/** Checks the options of a chat. Made when one is begun: a program that uses the format alone has no use for it. */
function checkChat(given: unknown): void {
  const table = input.table<AgentsChatOptions>(
    {
      ...{ parameter: "options", code: "invalid-call", unknown: ["invalid-call", "member"] },
      owner: "the options of chat",
    },
    {
      ...{ chat: input.TEXT, state: input.ANY, mustKeep: input.ANY, isTyped: input.FUNCTION, pin: input.FUNCTION },
      onState: input.FUNCTION,
      context: {
        expected: "the object that is passed to `run` as context",
        fits: (value) => typeof value === "object",
      },
    },
  );
  input.checkMembers(table, given);
}

/**
 * Makes what keeps the chats of a program with the Agents SDK inside the window. Make one and keep it.
 *
 * @throws PrecisError when an option is refused.
 */
export function compaction(options: AgentsOptions): AgentsCompaction {
  const shared = sharedOf(options as AdapterOptions<never>, openaiAgents, (model) =>
    summarizeWith(model as AgentModel),
  );
  const { maxOutputTokens: limit } = options;
  return {
    chat(given: AgentsChatOptions = {}) {
      checkChat(given);
      const { isTyped, mustKeep, pin, context, state, onState } = given;
      const flags = { ...(isTyped && { isTyped }), ...(mustKeep && { mustKeep }), ...(pin && { pin }) };
      const holder = context ? within(context, onState) : holding(state, onState);
      const chat = new Chat(shared, holder, given.chat || undefined);
      const lanes = new Lanes(shared, chat);
      const keeping: Keeping = { of: (messages) => lanes.of(messages), flags, limit };
      const filter = async ({ modelData }: Filtered<AgentItem>) => {
        const { chat, messages } = lanes.of(modelData.input);
        const { view } = await chat.prepare({ ...flags, messages, system: modelData.instructions });
        return { ...modelData, input: view };
      };
      return {
        model: (model) => keptModel(model, keeping),
        modelProvider: (provider) => keptProvider(provider, keeping),
        callModelInputFilter: Object.assign(filter, { preserveInputIdentity: true }),
        learn: ({ rawResponses }) => chat.learn(rawResponses.at(-1)?.usage),
        compact: (options: CompactChat = {}) => chat.compact({ ...flags, ...options }),
        get state() {
          return chat.state;
        },
        get usage() {
          return chat.usage;
        },
        reports: chat.reports,
      };
    },
  };
}

/** The state as a member of the run's context. */
function within(context: object, onState: AgentsChatOptions["onState"]): Holder {
  const holder = context as { precis?: SessionState | null };
  const noticing = holding(holder.precis, onState);
  return {
    get: () => holder.precis,
    set: (state) => {
      holder.precis = state;
      noticing.set(state);
    },
  };
}

function keptProvider<P extends object>(provider: P, keeping: Keeping): P {
  return new Proxy(provider, {
    get(target, key) {
      const value: unknown = Reflect.get(target, key, target);
      if (typeof value !== "function") return value;
      const own = value.bind(target);
      if (key !== "getModel") return own;
      return async (name?: string) => keptModel((await own(name)) as AgentModel, keeping, name);
    },
  });
}
