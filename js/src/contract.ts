/**
 * The names that the engine and TypeScript share. Written from the engine, never by hand:
 * `PRECIS_RECORD=1 cargo test --test rust contract`. Internal.
 */

/** A reason to refuse a call. Each has a heading in the documentation of errors. */
export type ErrorCode =
  | "boundary-mismatch"
  | "empty-query"
  | "engine-load"
  | "engine-trap"
  | "format-answer"
  | "history-gap"
  | "invalid-call"
  | "invalid-option"
  | "invalid-plan"
  | "invalid-state"
  | "invalid-window"
  | "message-hole"
  | "messages-not-array"
  | "needs-engine"
  | "newer-state"
  | "no-chat-id"
  | "other-chat"
  | "preset-with-strategy"
  | "reserve-too-large"
  | "run-in-use"
  | "seal-broken"
  | "too-deep"
  | "unknown-option"
  | "unknown-reference"
  | "unreadable-value"
  | "wrong-format";

/** Something to know about a call that succeeded. Each has a heading in the documentation of errors. */
export type WarningCode =
  | "assistant-first"
  | "compaction-lost"
  | "counter-failed"
  | "duplicate-id"
  | "empty-compaction"
  | "empty-message"
  | "is-a-view"
  | "keep-lost"
  | "learned-limit"
  | "must-keep-lost"
  | "no-reply-limit"
  | "not-an-overflow"
  | "opaque-content"
  | "orphan-approval"
  | "orphan-result"
  | "outputs-changed"
  | "provider-compaction"
  | "reply-limit-too-large"
  | "requirements-cut"
  | "small-window"
  | "stale-plan"
  | "store-failed"
  | "summary-failed"
  | "summary-limited"
  | "tight"
  | "unanswered-call"
  | "uncounted-tools"
  | "usage-doubted"
  | "usage-unread";

/** A rung of the ladder, the lowest first. */
export type Rung =
  | "pass"
  | "drop-reasoning"
  | "clip"
  | "clear"
  | "summarize"
  | "digest"
  | "clip-results"
  | "trim"
  | "clip-all";

/** What came of a call. */
export type Outcome = "unchanged" | "reused" | "compacted" | "tight" | "infeasible";

/** What a rung does to messages. */
export type Action = "cover" | "clear" | "clip";

/** How the rule of thinking is known. */
export type ThinkingSource = "learned" | "host" | "model" | "default";

/** What the engine's measure of a request is based on. */
export type Source = "reported" | "estimated";

/** What a compaction keeps, by name. */
export const STRATEGIES = ["tail", "full", "sliding-window", "last-tool-batch"] as const;

/** The same as a union. */
export type Strategy = (typeof STRATEGIES)[number];

/** The options of `createCompactor`, and how each is checked. */
export const OPTIONS = {
  format: "any",
  contextWindow: "window",
  maxOutputTokens: "any",
  summary: "any",
  summarizer: "any",
  summaryRequest: "any",
  repair: "any",
  toolPolicy: "any",
  trigger: "any",
  target: "any",
  keep: "any",
  prefer: "any",
  reasoning: "any",
  systemMessages: "any",
  thinking: "any",
  tune: "any",
  summarize: "functions",
  countTokens: "function",
  onEvent: "function",
} as const;

/** Options at which `true` stands for a function. */
export const FUNCTIONS = ["contextWindow", "toolPolicy", "summarize", "onEvent", "tune.tokens.estimator"] as const;

/** Options whose functions the engine never sees. */
export const ASKED = ["trigger", "countTokens"] as const;

/** The members of a call, and how each is checked. */
export const CALL = {
  messages: "any",
  state: "any",
  offset: "any",
  maxOutputTokens: "any",
  system: "any",
  tools: "any",
  schemas: "any",
  mustKeep: "any",
  todos: "any",
  toolPolicy: "any",
  trigger: "any",
  target: "any",
  keep: "any",
  prefer: "any",
  reasoning: "any",
  systemMessages: "any",
  thinking: "any",
  threshold: "any",
  inFlight: "any",
  overflow: "any",
  recall: "any",
  providerCompacts: "any",
  chat: "chat",
  model: "text",
  pin: "function",
  isTyped: "function",
  signal: "signal",
  onEvent: "function",
} as const;

/** What `compact` takes as well. */
export const COMPACT = {
  focus: "any",
  focusBy: "any",
} as const;

/** Options about compactions that a call may override. */
export const OVERRIDES = [
  "toolPolicy",
  "trigger",
  "target",
  "keep",
  "prefer",
  "reasoning",
  "systemMessages",
  "thinking",
] as const;

/** The members of a call that the engine is given. */
export const PASSED = [
  "state",
  "offset",
  "maxOutputTokens",
  "mustKeep",
  "todos",
  "toolPolicy",
  "trigger",
  "target",
  "keep",
  "prefer",
  "reasoning",
  "systemMessages",
  "thinking",
  "threshold",
  "inFlight",
  "overflow",
  "recall",
  "providerCompacts",
  "chat",
  "model",
] as const;

/** What the engine is given beside them. */
export const FOUND = [
  "options",
  "window",
  "uncountedTools",
  "asksPolicies",
  "compact",
  "ids",
  "unreadable",
  "counterFailed",
  "strict",
  "opensWithUser",
  "continues",
  "takesEmpty",
  "leavesOut",
  "signsFreely",
  "before",
  "asking",
] as const;

/** What the tokens of a request consist of. */
export const PARTS = ["system", "tools", "user", "assistant", "toolResults", "media", "summary"] as const;

/** Finish reasons of a complete answer, in lower case. */
export const COMPLETE = ["stop", "end_turn", "completed"] as const;

/** A history is refused if more than one in so many of its messages cannot be read. */
export const MISREAD = 2;

/** Characters of a wrong value that a message repeats. */
export const SHOWN = 40;

/** The members of what stands within an option, by its path. */
export interface Groups {
  readonly tune:
    | "preset"
    | "strategy"
    | "reserve"
    | "maxInputTokens"
    | "tokens"
    | "shares"
    | "memory"
    | "prices"
    | "slice";
  readonly "tune.tokens": "family" | "estimator" | "overhead";
  readonly "tune.shares": "target" | "tail" | "part" | "clear" | "accept" | "typed" | "facts" | "soft" | "fresh";
  readonly "tune.prices": "input" | "cachedRead" | "cacheWrite" | "output";
  readonly summarizer: "contextWindow" | "maxOutputTokens" | "maxCalls" | "timeoutMs";
  readonly summary: "language" | "instructions" | "sections" | "frame";
  readonly "summary.frame": "before" | "after";
  readonly toolPolicy: "keep" | "clear" | "inputs" | "exclude" | "clip" | "rerun";
  readonly keep: "turns" | "messages" | "results";
  readonly trigger: "tokens" | "share" | "messages";
}

/** The words that an option may be, by its path. */
export interface Words {
  readonly prefer: "clear" | "summarize";
  readonly reasoning: "keep" | "drop-old";
  readonly systemMessages: "keep" | "drop-old";
  readonly thinking: "free" | "bound";
  readonly summaryRequest: "transcript" | "append";
  readonly "tune.tokens.estimator": "lexical" | "bytes4";
}
