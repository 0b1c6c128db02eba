/**
 * Holds the declared types against the contract: a name that stands in one of them alone does not compile. Nothing imports
 * this file.
 */

import type { CallInput, Given } from "./boundary/glue.ts";
import type { CALL, COMPACT, FOUND, Groups, OPTIONS, Words } from "./contract.ts";
import type {
  CompactNow,
  CompactorOptions,
  Keep,
  ModelCall,
  Prices,
  Shares,
  Size,
  SummarizerOptions,
  SummaryOptions,
  TokenOptions,
  ToolPolicy,
  Tuning,
} from "./types.ts";

type None<_ extends never> = true;
/** The names that only one of two unions has. */
type Differing<One, Other> = Exclude<One, Other> | Exclude<Other, One>;
/** The texts of a member that may be other things as well. */
type Texts<T> = Extract<T, string>;
type Options = CompactorOptions<never>;

export type Declared = [
  None<Differing<keyof Options, keyof typeof OPTIONS>>,
  None<Differing<keyof ModelCall<never>, keyof typeof CALL>>,
  None<Differing<keyof CompactNow, keyof typeof COMPACT>>,
  // What TypeScript alone compares or passes as records.
  None<Differing<Exclude<keyof CallInput, keyof Given | "system" | "tools" | "policies">, (typeof FOUND)[number]>>,
  None<Differing<keyof Tuning, Groups["tune"]>>,
  None<Differing<keyof TokenOptions, Groups["tune.tokens"]>>,
  None<Differing<keyof Shares, Groups["tune.shares"]>>,
  None<Differing<keyof Prices, Groups["tune.prices"]>>,
  None<Differing<keyof SummarizerOptions, Groups["summarizer"]>>,
  None<Differing<keyof SummaryOptions, Groups["summary"]>>,
  None<Differing<keyof NonNullable<SummaryOptions["frame"]>, Groups["summary.frame"]>>,
  None<Differing<keyof ToolPolicy, Groups["toolPolicy"]>>,
  None<Differing<keyof Keep, Groups["keep"]>>,
  None<Differing<keyof Exclude<Size, number>, Groups["trigger"]>>,
  None<Differing<Options["prefer"], Words["prefer"] | undefined>>,
  None<Differing<Options["reasoning"], Words["reasoning"] | undefined>>,
  None<Differing<Options["systemMessages"], Words["systemMessages"] | undefined>>,
  None<Differing<Options["thinking"], Words["thinking"] | undefined>>,
  None<Differing<Options["summaryRequest"], Words["summaryRequest"] | undefined>>,
  None<Differing<Texts<TokenOptions["estimator"]>, Words["tune.tokens.estimator"]>>,
];
