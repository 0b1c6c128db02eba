import type { Format } from "precis";
import { anthropic, gemini, strict } from "precis/formats";
import { UsageError } from "./arguments.ts";
import type { Conversation, Shape } from "./transcripts/conversation.ts";

/** What a provider asks of the order of messages, beyond what all of them ask. */
type Rules = Pick<Format<never>, "alternation" | "opening" | "takesEmpty">;

const rulesOf = ({ alternation, opening, takesEmpty }: Rules): Rules => ({
  alternation: alternation ?? "free",
  opening: opening ?? "any",
  takesEmpty: takesEmpty ?? false,
});

const STRICT = rulesOf(strict);
/** By the name for `--provider`. Strict are those of whom docs/formats.md says that roles must alternate. */
const PROVIDERS: Readonly<Record<string, Rules>> = {
  openai: rulesOf({}),
  "openai-responses": rulesOf({ takesEmpty: true }),
  anthropic: rulesOf(anthropic),
  gemini: rulesOf(gemini),
  mistral: STRICT,
  bedrock: STRICT,
  local: STRICT,
};

const BY_SHAPE: Partial<Record<Shape, string>> = {
  anthropic: "anthropic",
  gemini: "gemini",
  "openai-responses": "openai-responses",
};

export const providerNames = Object.keys(PROVIDERS).join(", ");

/** The provider that was named, or the one whose messages these are, and the format with its rules. */
export function providerFor(conversation: Conversation, named: string | undefined) {
  const name = named ?? BY_SHAPE[conversation.shape] ?? "openai";
  const rules = rulesFor(name);
  return { name, format: { ...mergeOf(rules), ...conversation.format, ...rules } as Format<object> };
}

/** Refuses a name that is not known. */
export function rulesFor(name: string): Rules {
  const rules = PROVIDERS[name];
  if (!rules) throw new UsageError(`--provider takes one of ${providerNames}, not "${name}".`);
  return rules;
}

/** A format that is strict has to say how two messages become one. */
const mergeOf = ({ alternation }: Rules) => (alternation === "strict" ? { merge: strict.merge } : {});
