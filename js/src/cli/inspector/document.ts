import type { Prices } from "../bill.ts";

/** All that the page shows: of one chat, and what each variant would have sent. Plain JSON, without the engine. */
export interface InspectorDocument {
  readonly precis: "inspector";
  readonly version: 1;
  readonly file: string;
  readonly name: string;
  readonly shape: string;
  readonly model: string | null;
  /** The messages of the chat; empty where a recording holds none. */
  readonly messages: readonly Displayed[];
  /** How many messages were there at each request. */
  readonly requests: readonly number[];
  readonly variants: readonly Trace[];
  readonly prices: Prices | null;
  readonly shortened?: Shortened;
}

/** What a report left out of a chat to stay small. Its figures are those of the whole chat. */
export interface Shortened {
  /** So many messages lack the middle of their text. */
  readonly texts: number;
  /** Characters that were left out, of so many. */
  readonly characters: number;
  readonly of: number;
  /** So many views lack their state. */
  readonly states: number;
}

/** A message as people see it. */
export interface Displayed {
  readonly role: string;
  readonly tools: readonly string[];
  readonly tokens: number;
  readonly text: string;
  /** It holds the result of a tool. */
  readonly result?: true;
}

export const PARTS = ["system", "tools", "summary", "user", "assistant", "toolResults", "media"] as const;
export type Part = (typeof PARTS)[number];

/** What a variant is: how the chat is kept inside its window. */
export interface Settings {
  readonly way: Way;
  readonly window: number;
  readonly reply?: number | undefined;
  readonly prefer?: "clear" | "summarize" | undefined;
  /** The share of the window at which compaction begins. */
  readonly trigger?: number | undefined;
  /** So many of the newest turns stay as they are. */
  readonly turns?: number | undefined;
  /** By the name of a tool. */
  readonly policies?: Readonly<Record<string, Policy>> | undefined;
  readonly estimator?: "lexical" | "bytes4" | undefined;
  /** Compaction begins where it pays. */
  readonly pays?: boolean | undefined;
}

export interface Policy {
  readonly keep?: number | "always" | undefined;
  readonly clear?: "first" | undefined;
  readonly clip?: number | undefined;
  readonly exclude?: true | undefined;
}

/** Strategies of precis, its preset, what is done without it, and what a recording says was done. */
export const WAYS = {
  tail: "precis, tail",
  full: "precis, full",
  "sliding-window": "precis, sliding-window",
  "last-tool-batch": "precis, last-tool-batch",
  contextguard: "precis, preset contextguard",
  everything: "send everything",
  newest: "keep the last 20 messages",
  cleared: "clear all but the last 10 results",
  recorded: "as recorded",
} as const;
export type Way = keyof typeof WAYS;

/** What one variant would have sent. Lists are as long as the requests that were played. */
export interface Trace {
  readonly settings: Settings;
  /** The tokens of each request as they are billed, by part: what an estimate lacks is beside the messages. */
  readonly parts: Readonly<Record<Part, readonly number[]>>;
  readonly tokens: readonly number[];
  /** Where compaction begins, of each request. */
  readonly trigger: readonly number[];
  /** Tokens of prompts, as a provider with prompt caching bills them, and of replies. */
  readonly cached: readonly number[];
  readonly written: readonly number[];
  readonly output: readonly number[];
  readonly compactions: readonly Compaction[];
  /** Views that do not go on from the one before; requests between them only add the messages that came since. */
  readonly views: readonly View[];
  /** Requests that begin otherwise than the one before. */
  readonly rewrites: number;
  /** Requests that lack what a person asked last. */
  readonly forgets: number;
  /** Requests between those that were played, whose sizes were calculated. */
  readonly calculated: number;
  /** Why it ended early. */
  readonly error?: string;
}

export interface Compaction {
  /** Index of the request. */
  readonly request: number;
  readonly outcome: string;
  readonly rung: string | null;
  readonly reason: string;
  readonly before: number;
  readonly after: number;
  readonly changes: readonly { readonly action: string; readonly rung: string; readonly count: number }[];
  readonly warnings: readonly string[];
}

/** A message of the history by its index; one that was clipped or cleared; one that precis wrote. */
export type Entry =
  | number
  | { readonly of: number; readonly fate: "clipped" | "cleared"; readonly shown: Displayed }
  | Displayed;

export interface View {
  /** The first request that it is of, and how many messages of the history it was made from. */
  readonly request: number;
  readonly end: number;
  readonly entries: readonly Entry[];
  readonly state: unknown;
  /** A report left it out. */
  readonly isStateless?: true;
  readonly summary: string | null;
}

/** What becomes of a message in a view. */
export type Fate = "kept" | "clipped" | "cleared" | "summarized" | "made";
