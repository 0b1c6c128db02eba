import {
  answerRecall,
  type Compactor,
  input,
  type LoadMessages,
  type Rank,
  type RecallCall,
  recallDefinition,
  type SessionState,
} from "precis";
import { schemaOf } from "./schema.ts";

type Message = { role: string; content: unknown };

/** What {@link recallTool} looks through: a run, or a compactor and where its chat is. */
export type RecallToolOptions<M extends Message = Message> = (
  | {
      /** Looks through the messages of the call that this run was last used for. */
      readonly run: Recalling;
      readonly compactor?: undefined;
      readonly messages?: undefined;
      readonly offset?: undefined;
      readonly state?: undefined;
      readonly chat?: undefined;
      readonly model?: undefined;
    }
  | {
      readonly run?: undefined;
      /** A compactor with the format `aiSdk`. */
      readonly compactor: Pick<Compactor<Message>, "recall">;
      /** Returns the history. If it does not begin with the first message, give `offset`, too. */
      readonly messages: () => readonly M[];
      /** Returns how many messages at the start `messages` leaves out. */
      readonly offset?: (() => number) | undefined;
      /** Returns the chat's newest state. */
      readonly state: () => SessionState | null | undefined;
      /** The chat's id: see {@link RecallCall}. */
      readonly chat?: string | undefined;
      /** The model's name, if the compactor's `contextWindow` is a function. */
      readonly model?: string | undefined;
    }
) & {
  /** Loads messages that were left out: see {@link Compactor.recall}. Default: the `load` of the run. */
  readonly load?: LoadMessages<M> | undefined;
  /** The most tokens that one answer may have. Default 1,000. */
  readonly maxTokens?: number | undefined;
  /** Ranks what a query may find, beside its words: see {@link RecallCall.rank}. */
  readonly rank?: Rank | undefined;
  /** Milliseconds that `rank` may take. Default 30,000. */
  readonly rankTimeoutMs?: number | undefined;
  /** What the model is told about the tool. Default: the description of `recallDefinition`. */
  readonly description?: string | undefined;
};

/** What a run has for {@link recallTool}. */
export interface Recalling {
  /** Called when a {@link recallTool} is made for it. */
  offerRecall?(): void;
  /** The chat of the call that the run was last used for. */
  recalled(): Pick<RecallCall<Message>, "chat" | "offset" | "pin" | "isTyped"> & {
    readonly compactor: Pick<Compactor<Message>, "recall">;
    readonly messages: readonly Message[];
    readonly state: SessionState | null;
    readonly model: string | undefined;
    readonly load?: LoadMessages<Message> | undefined;
  };
}

/** A tool as the AI SDK takes it. */
export interface RecallTool {
  readonly description: string;
  // biome-ignore lint/suspicious/noExplicitAny: the SDK's own type of a schema differs from version to version.
  readonly inputSchema: any;
  readonly execute: (given: { query?: string; reference?: string }) => Promise<string>;
}

const FUNCTION = input.FUNCTION;

const RECALL_TOOL: ReturnType<typeof input.table> = /* @__PURE__ */ input.table<Record<string, unknown>>(
  {
    ...{ parameter: "options", code: "invalid-option", unknown: ["unknown-option", "option"] },
    owner: "the options of recallTool",
  },
  {
    ...{
      run: /* @__PURE__ */ having("recalled", "a run of `compaction`"),
      compactor: /* @__PURE__ */ having("recall", "a compactor"),
    },
    ...{
      messages: FUNCTION,
      offset: FUNCTION,
      state: FUNCTION,
      load: FUNCTION,
      chat: input.TEXT,
      model: input.TEXT,
      description: input.TEXT,
      maxTokens: input.ANY,
      rank: FUNCTION,
      rankTimeoutMs: input.ANY,
    },
  },
);

/** An object with a method of this name. */
function having(method: string, expected: string): typeof FUNCTION {
  const fits = (value: unknown) => typeof (value as Record<string, unknown> | null)?.[method] === "function";
  return { expected, fits };
}

/**
 * A tool by which the model looks up what it no longer sees: what is summarized, shortened or removed. Its answer is text,
 * each excerpt below its reference and place.
 *
 * @throws PrecisError when an option is refused.
 */
export function recallTool<M extends Message>(options: RecallToolOptions<M>): RecallTool {
  input.checkMembers(RECALL_TOOL, options);
  const { run, compactor, messages, offset, state, chat, model, description, ...given } = options as Partial<
    typeof options
  >;
  const { load, maxTokens, rank, rankTimeoutMs } = given;
  if (!run && !(compactor && messages && state)) {
    throw input.wrong("invalid-option", "run", "a run, or a compactor with the functions messages and state", run);
  }
  run?.offerRecall?.();
  const where = () =>
    run?.recalled() ?? { compactor, messages: messages?.() ?? [], offset: offset?.(), state: state?.(), chat, model };
  return {
    description: description ?? recallDefinition.description,
    inputSchema: schemaOf(recallDefinition.parameters),
    execute: async (args) => {
      const { compactor, load: own, ...rest } = where() as ReturnType<Recalling["recalled"]>;
      const loads = (load as LoadMessages<Message> | undefined) ?? own;
      const call = { ...rest, maxTokens, rankTimeoutMs };
      if (loads) return answerRecall(compactor, { ...call, rank, load: loads }, args);
      return rank ? answerRecall(compactor, { ...call, rank }, args) : answerRecall(compactor, call, args);
    },
  };
}
