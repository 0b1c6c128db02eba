/** What can be refused; each has a heading in the documentation of errors. */
export type ErrorCode =
  | "boundary-mismatch"
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
  | "newer-state"
  | "preset-with-strategy"
  | "reserve-too-large"
  | "too-deep"
  | "unknown-option"
  | "unreadable-value";

/** What is worth telling although the call went through; each has a heading in the documentation of errors. */
export type WarningCode =
  | "counter-failed"
  | "duplicate-id"
  | "is-a-view"
  | "learned-limit"
  | "must-keep-lost"
  | "no-reply-limit"
  | "not-an-overflow"
  | "opaque-content"
  | "orphan-result"
  | "provider-compaction"
  | "squeezed"
  | "stale-plan"
  | "store-failed"
  | "summary-failed"
  | "unanswered-call"
  | "uncounted-tools";
