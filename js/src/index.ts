/**
 * precis keeps a chat inside a model's context window.
 *
 * @packageDocumentation
 */

export type { ErrorCode, WarningCode } from "./codes.ts";
export { createCompactor } from "./compactor.ts";
export { PrecisError } from "./errors.ts";
export type { Format, MediaKind, ReadableFormat, Reader, Role } from "./format.ts";
export { attributes, checkMessages, summaryOf } from "./inspect.ts";
export { input } from "./members.ts";
export { createMeter, type MeterOptions } from "./meter.ts";
export type {
  CompactionEvent,
  CompactNow,
  Compactor,
  CompactorOptions,
  ContextUsage,
  ModelCall,
  Plan,
  Prepared,
  Report,
  SessionState,
  Summarize,
  SummarizerOptions,
  SummaryAnswer,
  SummaryOptions,
  SummaryRequest,
  SummaryStream,
  Todo,
  TokenOptions,
  Tuning,
  Warning,
} from "./types.ts";
