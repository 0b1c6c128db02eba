import type { Format } from "precis";
import { gemini, strict } from "precis/formats";
import { findings, isNative, type Provider, providers, requestOf } from "../providers/index.ts";
import { UsageError } from "./arguments.ts";
import { outliner } from "./recognise.ts";
import type { Conversation } from "./transcripts/conversation.ts";

/** What a format says about the provider that reads its messages, where that is more than nothing. */
type Habits = Pick<Format<never>, "alternation" | "opening" | "takesEmpty">;

const habitsOf = ({ alternation, opening, takesEmpty }: Habits): Habits => ({
  alternation: alternation ?? "free",
  opening: opening ?? "any",
  takesEmpty: takesEmpty ?? false,
});

const NONE = habitsOf({});
const STRICT = habitsOf(strict);
/** By the name of a provider. Strict are those of whom docs/formats.md says that roles must alternate. */
const HABITS: Readonly<Record<string, Habits>> = {
  "openai-responses": habitsOf({ takesEmpty: true }),
  gemini: habitsOf(gemini),
  mistral: STRICT,
  bedrock: STRICT,
  local: STRICT,
};

/** Whose API has messages of this form. */
const BY_FORMAT: Readonly<Record<string, string>> = {
  anthropic: "anthropic",
  gemini: "gemini",
  "openai-responses": "openai-responses",
};

export const providerNames = providers.map(({ name }) => name).join(", ");

/** The provider that was named, or the one whose messages these are, and the format as it is used with that provider. */
export function providerFor(conversation: Conversation, named: string | undefined) {
  const provider = providerNamed(named ?? BY_FORMAT[conversation.format.name] ?? "openai");
  const habits = HABITS[provider.name] ?? NONE;
  const merge = habits.alternation === "strict" ? { merge: strict.merge } : {};
  return { provider, format: { ...merge, ...conversation.format, ...habits } as Format<object> };
}

/** Refuses a name that is not known. */
export function providerNamed(name: string): Provider {
  const found = providers.find((one) => one.name === name);
  if (!found) throw new UsageError(`--provider takes one of ${providerNames}, not "${name}".`);
  return found;
}

/**
 * What the provider would refuse of these messages, by the place of the message in them; -1 for the request as a whole.
 * Calls at the end wait for their results: nobody sends a request before they are there.
 */
export function refusedBy(provider: Provider, conversation: Conversation, messages: readonly object[]) {
  const { format, system, tools, model } = conversation;
  // Another provider has no model of that name.
  const chat = { format, messages, system, tools, ...(isNative(provider, format) && { model }) };
  const { body, origin } = requestOf(provider, chat);
  const outline = outliner(format);
  const isBatch = (message: object) => outline(message).ids.length > 0 || outline(message).role === "tool";
  const waits = messages.findLastIndex((message) => !isBatch(message)) + 1;
  return findings(provider, { body })
    .filter(({ rule, at }) => !isAboutOpenCalls(rule) || (origin[at ?? -1] ?? -1) < waits)
    .map(({ rule, source, text, status, at }) => ({
      rule,
      index: origin[at ?? -1] ?? -1,
      message: text,
      source,
      status,
    }))
    .sort((one, other) => one.index - other.index);
}

const isAboutOpenCalls = (rule: string): boolean => rule === "unanswered-call" || rule === "equal-pairs";
