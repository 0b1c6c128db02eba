/**
 * What a provider refuses about the history of a request, as data: each rule has its words and its source.
 *
 * @module
 */

export type Json = Readonly<Record<string, unknown>>;

/** A request as it goes over the wire, as far as a rule may look at it. */
export interface Asked {
  readonly body: Json;
  /** Headers by their names in lower case. Unknown where a request was recorded without them: then no rule asks for one. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** What is done with it: answered, counted, or put into a batch. Default `"answer"`. */
  readonly use?: "answer" | "count" | "batch" | undefined;
  /** What the server remembers of the replies it made. Without it the rules that need it find nothing. */
  readonly memory?: Memory | undefined;
}

/** What a server remembers. Each kind of record belongs to the rules of one provider, which say what is in it. */
export interface Memory {
  /** What the server noted under a signature, an id, or a ciphertext when it made it. */
  recall<Kind extends keyof Notes>(kind: Kind, key: string): Notes[Kind] | undefined;
  /** A digest of a text; equal texts have equal ones. */
  digest(text: string): string;
  /** The server's account: whether it was made since thinking is bound, and its name. */
  readonly account: { readonly name: string; readonly isNew: boolean };
}

/** The kinds of notes; each provider's file adds its own. */
// biome-ignore lint/suspicious/noEmptyInterface: files that know a kind add it by declaration merging
export interface Notes {}

/** One place where a request breaks a rule. */
export interface Breach {
  /** The message, item or content, counted from 0; `null` where it is the request as a whole. */
  readonly at: number | null;
  /** The provider's words. */
  readonly text: string;
  /** HTTP status, 400 unless said. */
  readonly status?: number | undefined;
  /** The provider's code for it, where it has one. */
  readonly code?: string | undefined;
}

export interface Rule {
  readonly id: string;
  /** What has to hold, in a sentence. */
  readonly about: string;
  /** Where a provider, its SDK or its users say so. */
  readonly source: string;
  /** True where only a server can tell, by what it remembers of its own replies. */
  readonly remembers?: boolean | undefined;
  find(asked: Asked): Iterable<Breach>;
}

/** One who accepts or refuses requests. */
export interface Provider {
  /** The name for `--provider`. */
  readonly name: string;
  /** The name for people. */
  readonly title: string;
  /** The member of the body that holds the history. */
  readonly list: "messages" | "contents" | "input";
  /** How its messages are written. */
  readonly wire: "chat" | "anthropic" | "gemini" | "responses" | "converse";
  readonly rules: readonly Rule[];
}

/** A breach and the rule that it breaks. */
export interface Finding extends Breach {
  readonly rule: string;
  readonly source: string;
  readonly status: number;
}

/** All that is wrong with a request, in the order of its messages. */
export function findings({ rules }: Provider, asked: Asked): Finding[] {
  const found = rules.flatMap(({ id, source, remembers, find }) =>
    remembers && !asked.memory
      ? []
      : [...find(asked)].map((breach) => ({ ...breach, status: breach.status ?? 400, rule: id, source })),
  );
  return found.sort((one, other) => (one.at ?? -1) - (other.at ?? -1));
}

export function isJson(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The entries of a list that are objects; none where there is no list. */
export function objects(value: unknown): Json[] {
  return Array.isArray(value) ? value.filter(isJson) : [];
}

/** A member that is an object; an empty one where it is not. */
export function inner(value: unknown, name: string): Json {
  const member = isJson(value) ? value[name] : undefined;
  return isJson(member) ? member : {};
}

export const isBlank = (text: unknown): boolean => typeof text === "string" && text.trim() === "";

/** Ids as a provider lists them. */
export const listed = (ids: readonly unknown[]): string => ids.map(String).join(", ");
