/** What all who take messages of OpenAI's Chat Completions API refuse, in their words. */
import { type Breach, isJson, type Json, listed, objects, type Rule } from "./rule.ts";

export const messagesOf = ({ messages }: Json): Json[] =>
  Array.isArray(messages) ? messages.map((message) => (isJson(message) ? message : {})) : [];

export const callsOf = (message: Json): Json[] => objects(message.tool_calls);

/** The results that follow the message at `at`, up to the next message that is none. */
export function resultsAfter(messages: readonly Json[], at: number): Json[] {
  const rest = messages.slice(at + 1);
  const end = rest.findIndex(({ role }) => role !== "tool");
  return rest.slice(0, end < 0 ? undefined : end);
}

/** The message whose calls a result may belong to: the one before the run of results that it stands in. */
export function callerOf(messages: readonly Json[], at: number): Json | undefined {
  const caller = messages.slice(0, at).findLast(({ role }) => role !== "tool");
  return caller?.role === "assistant" ? caller : undefined;
}

export interface PairWords {
  readonly source: string;
  readonly orphanSource?: string;
  open(ids: string, at: number): string;
  orphan(id: string, at: number): string;
}

/** Each call has its result behind it, before anything else, and each result its call. */
export function pairRules({ source, orphanSource = source, open, orphan }: PairWords): Rule[] {
  return [
    {
      id: "unanswered-call",
      about: "The results of a message's calls follow it at once, one for each call.",
      source,
      *find({ body }) {
        const messages = messagesOf(body);
        for (const [at, message] of messages.entries()) {
          if (message.role !== "assistant") continue;
          const answered = resultsAfter(messages, at).map(({ tool_call_id }) => tool_call_id);
          const missing = callsOf(message).filter(({ id }) => !take(answered, id));
          if (missing.length > 0) yield { at, text: open(listed(missing.map(({ id }) => id)), at) };
        }
      },
    },
    {
      id: "orphan-result",
      about: "A result stands behind the message that made its call.",
      source: orphanSource,
      *find({ body }) {
        const messages = messagesOf(body);
        for (const [at, { role, tool_call_id: id }] of messages.entries()) {
          const caller = role === "tool" ? callerOf(messages, at) : undefined;
          if (role === "tool" && !(caller && callsOf(caller).some((call) => call.id === id)))
            yield { at, text: orphan(String(id), at) };
        }
      },
    },
  ];
}

/** Takes one of equal entries out of a list, as one result answers one call. */
function take(list: unknown[], one: unknown): boolean {
  const at = list.indexOf(one);
  if (at >= 0) list.splice(at, 1);
  return at >= 0;
}

/** Members of an assistant's message that replace its content. */
const BESIDE = ["tool_calls", "function_call", "refusal", "audio"];

export function roleRule(roles: readonly string[], source: string): Rule {
  const supported = roles.map((role) => `'${role}'`);
  return {
    id: "roles",
    about: `A role is one of ${roles.join(", ")}.`,
    source,
    *find({ body }) {
      for (const [at, { role }] of messagesOf(body).entries())
        if (!roles.includes(String(role)))
          yield {
            at,
            text: `Invalid value: '${String(role)}'. Supported values are: ${supported.slice(0, -1).join(", ")}, and ${supported.at(-1)}.`,
          };
    },
  };
}

export function contentRule(source: string): Rule {
  return {
    id: "empty-content",
    about: "A message has content; of the assistant's, only one with calls or a refusal may have none.",
    source,
    *find({ body }) {
      for (const [at, message] of messagesOf(body).entries()) {
        const none = message.content === undefined || message.content === null;
        const beside = message.role === "assistant" && BESIDE.some((name) => isFilled(message[name]));
        if ((none && !beside) || (Array.isArray(message.content) && message.content.length === 0 && !beside))
          yield {
            at,
            text: `Invalid value for 'content': expected a string, got ${none ? "null" : "an empty array"}.`,
          };
      }
    },
  };
}

const isFilled = (value: unknown): boolean =>
  Array.isArray(value) ? value.length > 0 : value !== undefined && value !== null && value !== "";

/** Messages of the assistant that a rule about reasoning looks at. */
export function* assistants(body: Json): Iterable<readonly [at: number, message: Json]> {
  for (const [at, message] of messagesOf(body).entries()) if (message.role === "assistant") yield [at, message];
}

/** One breach for the first place that is found: a server names one. */
export function* firstOf(places: Iterable<Breach>): Iterable<Breach> {
  for (const place of places) {
    yield place;
    return;
  }
}
