/**
 * What every adapter may be given, and how a compactor is made of it.
 */
import {
  type CompactorOptions,
  createCompactor,
  type Format,
  input,
  PrecisError,
  type Report,
  type Summarize,
} from "precis";
import type { Shared } from "./chat.ts";

/** The options of every adapter: those of a compactor, whose format is the framework's own. `Model`: what may write summaries. */
export interface AdapterOptions<Model> extends Omit<CompactorOptions<never>, "format" | "summarize"> {
  /**
   * Writes summaries: a model of the framework's, a function, or a list of either, of which the next one is asked when one
   * fails. Without it, code writes a digest. See {@link CompactorOptions.summarize}.
   */
  readonly summarize?: Model | Summarize | readonly (Model | Summarize)[] | undefined;
  /** Called with the report of every request, for logs, and the name of its chat. Errors that it throws are ignored. */
  readonly onReport?: ((report: Report, chat: string | undefined) => void) | undefined;
}

/** Makes a function that asks one of the framework's models. */
export type AskModel = (model: object) => Summarize;

/**
 * What the chats of one adapter have in common.
 *
 * @throws PrecisError when an option is refused.
 */
export function sharedOf<M extends object>(
  options: AdapterOptions<never>,
  // biome-ignore lint/suspicious/noExplicitAny: a format's messages are of the framework.
  format: Format<M, any>,
  ask: AskModel,
): Shared<M> {
  const given = options as { readonly format?: unknown } | null | undefined;
  if (given?.format !== undefined) {
    const advice = "The messages are those of the framework, so no format is needed. Leave it out.";
    throw new PrecisError("invalid-option", "format", advice);
  }
  const { onReport, summarize, ...rest } = (options ?? {}) as AdapterOptions<object>;
  if (onReport !== undefined) input.checkKind(input.FUNCTION, onReport, "invalid-option", "onReport");
  const compactor = createCompactor<M>({
    ...(rest as Omit<CompactorOptions<M>, "format">),
    format,
    summarize: summarizersOf(summarize, ask),
  });
  return { compactor, onReport };
}

/** Functions as they are, models as functions. What is neither is left for the compactor to refuse. */
function summarizersOf(
  given: AdapterOptions<object>["summarize"],
  ask: AskModel,
): CompactorOptions<never>["summarize"] {
  const one = (given: object): Summarize =>
    typeof given === "object" && given !== null ? ask(given) : (given as Summarize);
  if (given === undefined || given === null) return undefined;
  return Array.isArray(given) ? given.map(one) : one(given);
}
