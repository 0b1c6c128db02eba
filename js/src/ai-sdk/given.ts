/**
 * What the functions of this entry may be given, and the checks of what never reaches a compactor.
 */
import { input, PrecisError, type SessionState } from "precis";
import type { ChatOptions, CompactionOptions, CompactOptions, RunOptions, StateStore } from "./types.ts";

type Table = ReturnType<typeof input.table>;

const { ANY, FUNCTION, SIGNAL, TEXT, table, wrong } = input;

/** An object with `load` and `save`. */
const STORE = {
  expected: "an object with the functions load and save",
  fits: (value: unknown) => isStore(value),
  remedy: (value: unknown) =>
    value instanceof Map
      ? "Wrap it: { load: async (key) => map.get(key), save: async (key, state) => { map.set(key, state); } }."
      : undefined,
};

const CHAT_OF_CONTEXT = {
  ...FUNCTION,
  expected: "a function that returns the chat of a call's context",
  remedy: (value: unknown) =>
    typeof value === "string" ? "To name the chat of one call, pass it to `run`: run({ chat })." : undefined,
};

const LIST = {
  ...{ code: "messages-not-array" as const, expected: "an array of messages" },
  fits: (value: unknown) => Array.isArray(value),
};

const RUN: Table = /* @__PURE__ */ table<RunOptions>(
  {
    ...{ parameter: "options", code: "invalid-call", unknown: ["invalid-call", "member"] },
    ...{ owner: "the options of run", others: () => [COMPACTION] },
  },
  {
    ...{
      chat: TEXT,
      state: ANY,
      system: ANY,
      tools: ANY,
      schemas: ANY,
      mustKeep: ANY,
      maxOutputTokens: ANY,
      providerOptions: ANY,
    },
    // What the compactor checks by itself.
    ...{ ...input.unchecked(input.OVERRIDES), offset: ANY, todos: ANY, recall: ANY },
    ...{ signal: SIGNAL, onEvent: FUNCTION, pin: FUNCTION, isTyped: FUNCTION, load: FUNCTION },
  },
);

const COMPACTION: Table = /* @__PURE__ */ table<CompactionOptions>(
  {
    ...{ parameter: "options", code: "invalid-option", unknown: ["unknown-option", "option"] },
    ...{ owner: "the options of compaction", others: () => [RUN] },
  },
  {
    // What the compactor checks by itself.
    ...input.unchecked(input.options.filter((name) => name !== "format")),
    ...{ agent: TEXT, scope: FUNCTION, store: STORE, chat: CHAT_OF_CONTEXT, providerOptions: ANY, onReport: FUNCTION },
  },
);

const CHAT = { messages: LIST, model: ANY };

const PLAN: Table = /* @__PURE__ */ table<ChatOptions>(
  {
    ...{ parameter: "options", code: "invalid-call", unknown: ["invalid-call", "member"] },
    ...{ owner: "the options of run.plan", others: () => [RUN] },
  },
  CHAT,
);

const COMPACT: Table = /* @__PURE__ */ table<CompactOptions>(
  {
    ...{ parameter: "options", code: "invalid-call", unknown: ["invalid-call", "member"] },
    ...{ owner: "the options of run.compact", others: () => [RUN] },
  },
  { ...CHAT, focus: ANY, focusBy: ANY, keep: ANY },
);

function isStore(value: unknown): value is StateStore {
  const { load, save } = (value ?? {}) as Partial<StateStore>;
  return typeof load === "function" && typeof save === "function";
}

/**
 * Checks the options of `compaction`, those of a compactor aside.
 *
 * @throws PrecisError naming the member that is wrong.
 */
export function checkCompaction(options: unknown): void {
  if ((options as { format?: unknown } | null | undefined)?.format !== undefined) {
    throw new PrecisError(
      "invalid-option",
      "format",
      "`compaction` takes the model messages that the SDK passes to `prepareStep`, so it needs no format. Leave it out.",
    );
  }
  input.checkMembers(COMPACTION, options);
}

/**
 * Checks the options of one run of a `compaction` with these options.
 *
 * @throws PrecisError naming the member that is wrong.
 */
export function checkRun(options: unknown, { store }: Pick<CompactionOptions, "store">): void {
  input.checkMembers(RUN, options);
  const { chat, state } = options as RunOptions;
  if (store && state === undefined) checkChatId(chat, "chat", "Pass `chat` to `run`: run({ chat })");
  if (chat !== undefined && chat !== null && state === undefined && !store) {
    throw new PrecisError(
      "invalid-call",
      "chat",
      "There is no store to load the state of this chat from, so it would be lost after the call. Pass `store` to `compaction`, or store the run's state yourself and pass it as `state` (null for a new chat).",
    );
  }
}

/**
 * Checks that a call whose state is stored says which chat it is of. `remedy`: how to say it.
 *
 * @throws PrecisError `no-chat-id` if it does not: under one key the chats of several people would be mixed.
 */
export function checkChatId(chat: unknown, path: string, remedy: string): void {
  if (typeof chat === "string" && chat !== "") return;
  throw new PrecisError(
    "no-chat-id",
    path,
    `There is a store, but nothing says which chat this call is of, and its state must not be stored where another chat's is. ${remedy}, with the id that you store the chat under.`,
  );
}

/**
 * Checks that a state is not bound to another chat.
 *
 * @throws PrecisError `other-chat` if it is.
 */
export function checkStateOf(state: SessionState, chat: string): void {
  if (input.isStateOf(state, chat)) return;
  throw new PrecisError(
    "other-chat",
    "state",
    "This state is bound to another chat. Look for what stores or loads states under the name of another chat.",
  );
}

/**
 * Checks the options of a run's `compact`, or of its `plan`.
 *
 * @throws PrecisError naming the member that is wrong.
 */
export function checkChat(method: "compact" | "plan", options: unknown): void {
  input.checkMembers(method === "compact" ? COMPACT : PLAN, options);
}

/**
 * Checks a revision.
 *
 * @throws PrecisError if it is none.
 */
export function checkRevision(revision: unknown): void {
  if (!Number.isSafeInteger(revision) || (revision as number) < 0) {
    const advice = "Pass one of `run.revisions`, or nothing to undo every compaction.";
    throw wrong("invalid-call", "revision", "the revision of an earlier state", revision, advice);
  }
}

/**
 * Checks what `prepareStep` was given, which the SDK may add members to.
 *
 * @throws PrecisError naming the member that is wrong.
 */
export function checkStep(step: unknown): void {
  const { messages, steps } = objectOf(step, "step", "what the AI SDK passes to prepareStep");
  if (!Array.isArray(steps)) {
    throw wrong("invalid-call", "step.steps", "the steps so far, an array", steps, "Let the AI SDK call prepareStep.");
  }
  if (!Array.isArray(messages)) throw noMessages("step.messages", messages);
}

/** The refusal of messages that are no list. */
export function noMessages(path: string, messages: unknown): PrecisError {
  return wrong("messages-not-array", path, "an array of messages", messages);
}

/** The members of an argument that must be an object. */
export function objectOf(value: unknown, parameter: string, expected: string): Readonly<Record<string, unknown>> {
  if (typeof value === "object" && value !== null) return value as Readonly<Record<string, unknown>>;
  throw wrong("invalid-call", parameter, expected, value);
}
