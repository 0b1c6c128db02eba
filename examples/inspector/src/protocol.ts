import type { Detail, Mode, Overview, Page, Remembered } from "../../../js/src/cli/inspector/book.ts";
import type { InspectorDocument, Settings, Shortened } from "../../../js/src/cli/inspector/document.ts";

/** One conversation of a file. */
export interface Opened {
  readonly file: string;
  readonly name: string;
  readonly shape: string;
  readonly model: string | null;
  readonly messages: number;
  readonly requests: number;
  /** Names of the tools that were called, the most costly first. */
  readonly tools: readonly string[];
  /** All conversations of the file. */
  readonly conversations: readonly string[];
  readonly picked: number;
  /** Lines that could not be read, and the like. */
  readonly notes: readonly string[];
  /** What it was played with, where that is done already. */
  readonly variants?: readonly Settings[];
  /** It can be played with other settings. */
  readonly live: boolean;
  readonly shortened?: Shortened;
}

export interface Prices {
  readonly input: number;
  readonly cached: number;
  readonly write: number;
  readonly output: number;
}

/** What one variant has come to; `done` is null when it is complete, else the part that is. */
export type Update = (variant: number, overview: Overview, done: number | null) => void;

/** Where the page has its figures from: the worker, or what lies in a report. All answers are small. */
export interface Source {
  plan(variants: readonly Settings[], prices: Prices | null, update: Update): void;
  page(variant: number, request: number, mode: Mode, from: number, to: number): Promise<Page>;
  detail(variant: number, request: number, mode: Mode, at: number): Promise<Detail | undefined>;
  place(variant: number, request: number, mode: Mode, index: number): Promise<number>;
  remembered(variant: number, request: number): Promise<Remembered>;
  /** The document as JSON, for an export; with `most`, as much of its texts as a report of so many characters holds. */
  exported(prices: Prices | null, most?: number): Promise<string>;
}

export type { Detail, InspectorDocument, Mode, Overview, Page, Remembered, Settings };
