/**
 * precis keeps a chat inside a model's context window.
 *
 * @module precis
 */

export { checkMessages } from "./check.ts";
export { createCompactor } from "./compactor.ts";
export type { ErrorCode, Rung, Strategy, WarningCode } from "./contract.ts";
export { PrecisError } from "./errors.ts";
export type { Format, MediaKind, ReadableFormat, Reader, Role } from "./format.ts";
export { attributes, describe, summaryOf } from "./inspect.ts";
export { type LoadOptions, load } from "./loading.ts";
export { input } from "./members.ts";
export { createMeter } from "./meter.ts";
export { answerRecall, recallDefinition } from "./recall.ts";
export type {
  Change,
  CompactionEvent,
  CompactNow,
  Compactor,
  CompactorOptions,
  ContextUsage,
  Cost,
  CoveredChat,
  Excerpt,
  Keep,
  LoadMessages,
  MeterOptions,
  ModelCall,
  NativeBlock,
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
