/**
 * precis keeps a chat inside a model's context window.
 *
 * @module precis
 */

export type { ErrorCode, WarningCode } from "./codes.ts";
export { createCompactor } from "./compactor.ts";
export { PrecisError } from "./errors.ts";
export type { Format, MediaKind, ReadableFormat, Reader, Role } from "./format.ts";
export { attributes, checkMessages, describe, summaryOf } from "./inspect.ts";
export { input } from "./members.ts";
export { createMeter, type MeterOptions } from "./meter.ts";
export { answerRecall, recallDefinition } from "./recall.ts";
export type {
  Change,
  CompactionEvent,
  CompactNow,
  Compactor,
  CompactorOptions,
  ContextUsage,
  Cost,
  Excerpt,
  Keep,
  LoadMessages,
  ModelCall,
  Plan,
  Prepared,
  Prices,
  Rank,
  RankAnswer,
  RankRequest,
  RecallCall,
  Recalled,
  Report,
  SessionState,
  Shares,
  Size,
  Summarize,
  SummarizerOptions,
  SummaryAnswer,
  SummaryOptions,
  SummaryRequest,
  SummaryStream,
  Todo,
  TokenOptions,
  ToolPolicies,
  ToolPolicy,
  Tuning,
  Warning,
} from "./types.ts";
