// What a view is refused for and its history is not, by whoever takes messages of that shape.
import { rules } from "./rules.mjs";

const { findings, isNative, providers, requestOf } = rules;

/** A pair that a history brings broken may be broken elsewhere in the view: of two calls with one id, one may be covered. */
const PAIRS = new Set(["unanswered-call", "orphan-result", "equal-pairs", "call-order", "role-order"]);
/** Those who are asked about messages of no provider, which clients write again for each. */
const ANYBODY = new Set(["anthropic", "openai", "openai-responses"]);

/** `provider rule: text` of what is new. Places where roles take turns are the format's to ask for. */
export function newlyRefused(format, history, view) {
  const native = providers.filter((one) => isNative(one, format) && !one.rules.some(({ id }) => id === "alternation"));
  const judges = native.length > 0 ? native : providers.filter(({ name }) => ANYBODY.has(name));
  return judges.flatMap((provider) => {
    const known = new Set(found(provider, format, history).map(kindOf));
    return found(provider, format, view)
      .filter((one) => !known.has(kindOf(one)))
      .map(({ rule, text }) => `${provider.name} ${rule}: ${text}`);
  });
}

const found = (provider, format, messages) =>
  findings(provider, { body: requestOf(provider, { format, messages }).body });
const kindOf = ({ rule }) => (PAIRS.has(rule) ? "pairs" : rule);
