/**
 * What the functions of this entry may be given, and the checks of what never reaches a compactor.
 */
import { input, PrecisError } from "precis";
import type { CompactionOptions, RunOptions, StateStore } from "./types.ts";

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
    typeof value === "string" ? "To name the chat of one call, give it to `run`: run({ chat })." : undefined,
};

const RUN: Table = /* @__PURE__ */ table<RunOptions>(
  {
    ...{ parameter: "options", code: "invalid-call", unknown: ["invalid-call", "member"] },
    ...{ owner: "the options of run", others: () => [COMPACTION] },
  },
  {
    ...{ chat: TEXT, state: ANY, system: ANY, tools: ANY, mustKeep: ANY, maxOutputTokens: ANY, providerOptions: ANY },
    ...{ signal: SIGNAL, onEvent: FUNCTION },
  },
);

const COMPACTION: Table = /* @__PURE__ */ table<CompactionOptions>(
  {
    ...{ parameter: "options", code: "invalid-option", unknown: ["unknown-option", "option"] },
    ...{ owner: "the options of compaction", others: () => [RUN] },
  },
  {
    // What the compactor checks by itself.
    ...{
      contextWindow: ANY,
      maxOutputTokens: ANY,
      summarize: ANY,
      summary: ANY,
      summarizer: ANY,
      onEvent: ANY,
      repair: ANY,
      tune: ANY,
    },
    ...{ agent: TEXT, store: STORE, chat: CHAT_OF_CONTEXT, providerOptions: ANY, onReport: FUNCTION },
  },
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
      "`compaction` takes the model messages that the SDK gives to `prepareStep`, so it needs no format: leave it out.",
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
  if (chat !== undefined && chat !== null && state === undefined && !store) {
    throw new PrecisError(
      "invalid-call",
      "chat",
      "There is no store to load the state of this chat from, so it would be lost after the call: give `store` to compaction, or store the run's state yourself and pass it as `state` (null for a new chat).",
    );
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
  if (!Array.isArray(messages)) throw wrong("messages-not-array", "step.messages", "an array of messages", messages);
}

/** The members of an argument that must be an object. */
export function objectOf(value: unknown, parameter: string, expected: string): Readonly<Record<string, unknown>> {
  if (typeof value === "object" && value !== null) return value as Readonly<Record<string, unknown>>;
  throw wrong("invalid-call", parameter, expected, value);
}
