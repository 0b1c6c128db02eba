/**
 * The public types of `precis`.
 *
 * @module
 */
import type {
  CompactNow,
  LoadMessages,
  ModelCall,
  Prepared,
  Rank,
  RecallCall,
  Recalled,
  SessionState,
} from "./types/calls.ts";
import type { ContextUsage, Plan } from "./types/report.ts";
import type { SummaryAnswer, SummaryRequest } from "./types/summarize.ts";

export type * from "./types/calls.ts";
export type * from "./types/options.ts";
export type * from "./types/report.ts";
export type * from "./types/summarize.ts";

/**
 * Keeps chats inside the context window. It holds nothing but caches: one compactor serves any number of chats at once.
 *
 * Every method throws (or rejects with) a {@link PrecisError} when it refuses its input. Nothing has changed then.
 *
 * @typeParam M - the messages that are passed.
 * @typeParam Made - the messages that the format makes. With the formats of this package it is `any`, and so is the view, which
 * every client takes; name the type of your messages to have the view typed: `createCompactor<ModelMessage>(…)`.
 */
export interface Compactor<M, Made = M> {
  /** Returns the messages to send, compacted if necessary. Call it before every request to the model. */
  beforeModel(call: ModelCall<M>): Promise<Prepared<M | Made>>;
  /**
   * Learns from the usage that the provider reported, and returns the new state. It never throws because of `usage`: the
   * next report warns of a shape that it cannot read (`usage-unread`). Pass undefined where there is none.
   *
   * @param request - `report.request` of the request that the usage belongs to.
   */
  afterModel(state: SessionState, usage: unknown, request?: string): SessionState;
  /** Compacts now, whatever the size of the chat: everything but the newest turn, unless `keep` says otherwise. */
  compact(call: ModelCall<M> & CompactNow): Promise<Prepared<M | Made>>;
  /** Returns how full the context is. Cheap and synchronous. */
  usage(call: ModelCall<M>): ContextUsage;
  /** Returns what `beforeModel` would do, without doing it. */
  plan(call: ModelCall<M>): Plan;
  /** Returns the summarizer requests that a plan needs, with their full text. */
  requests(call: ModelCall<M>, plan: Plan): SummaryRequest<unknown>[];
  /**
   * Carries out `plan` with the answers to its requests, in their order; without answers, with a digest by code. Always
   * returns a view that fits, if there is one. A late answer replaces what code wrote in the meantime.
   */
  commit(
    call: ModelCall<M>,
    plan: Plan,
    results?: readonly (SummaryAnswer | { readonly error: unknown })[],
  ): Prepared<M | Made>;
  /**
   * Looks for something in what the view does not show whole: messages that are covered by a summary, results that were
   * cleared or cut. Searches by words, or reads what a reference names. It changes nothing and keeps no index.
   *
   * With `load` or `rank` it returns a promise. Without `load` it says what is `missing`.
   */
  recall(call: RecallCall<M> & { readonly load: LoadMessages<M> }): Promise<Recalled>;
  recall(call: RecallCall<M> & { readonly rank: Rank; readonly load?: LoadMessages<M> | undefined }): Promise<Recalled>;
  recall(call: RecallCall<M> & { readonly load?: undefined; readonly rank?: undefined }): Recalled;
  /**
   * Returns the first message that you must load for this state: the first that is still sent. System messages in `messages`
   * and pinned ones are always sent, so with one at the start it is 0. Pass the system prompt as `system` to load less.
   */
  keepFrom(state: SessionState | null | undefined): { readonly index: number; readonly id: string | null };
}
