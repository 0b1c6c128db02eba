/**
 * What the functions of this package may be given: the names of their members, and the kinds of those that never reach
 * the engine. What does reach it is checked there.
 */

import { hashing, hexOf, isStateOf, utf8 } from "./chat-name.ts";
import * as contract from "./contract.ts";
import { PrecisError } from "./errors.ts";
import type { Format } from "./format.ts";
import { unknownName } from "./names.ts";
import type { CompactNow, CompactorOptions, ModelCall } from "./types.ts";
import { unchanging } from "./unchanging.ts";

/** What a value may be. */
export interface Kind {
  /** In a message: "Expected …". */
  readonly expected: string;
  fits(value: unknown): boolean;
  /** Of errors about such values, if it is another than that of its table. */
  readonly code?: contract.ErrorCode;
  /** What to do about a value that does not fit, if it says what was meant. */
  remedy?(value: unknown): string | undefined;
}

/** What one function may be given, under one of its parameters. */
export interface Table {
  /** The parameter, as the path of an error about all of it. */
  readonly parameter: string;
  /** Of errors about a value. */
  readonly code: contract.ErrorCode;
  /** Of errors about a name, and what such a name is called. */
  readonly unknown: readonly [contract.ErrorCode, what: string];
  /** What these members belong to, for whoever puts one elsewhere. */
  readonly owner: string;
  readonly kinds: ReadonlyMap<string, Kind>;
  /** Where a name that does not exist here may belong. */
  readonly others: () => readonly Table[];
}

/** Anything, or what the engine checks. */
export const ANY: Kind = { expected: "anything", fits: () => true };

export const FUNCTION: Kind = { expected: "a function", fits: (value) => typeof value === "function" };

const SUMMARIZE: Kind = {
  expected: "a list of functions, or one function",
  fits: (value) =>
    FUNCTION.fits(value) || (Array.isArray(value) && value.length > 0 && value.every((one) => FUNCTION.fits(one))),
  remedy: () =>
    "Pass a function that asks your model: async ({ system, prompt, maxOutputTokens }) => ({ text, finishReason }).",
};

const FLAG: Kind = { expected: "true or false", fits: (value) => typeof value === "boolean" };

export const TIME: Kind = {
  expected: "milliseconds, more than 0",
  fits: (value) => typeof value === "number" && value > 0,
};

export const TEXT: Kind = { expected: "a string", fits: (value) => typeof value === "string" };

export const CHAT: Kind = {
  expected: "the id of the chat, a string that is not empty",
  fits: (value) => typeof value === "string" && value !== "",
};

/** The context window, of which nothing else is known. */
export const WINDOW: Kind = {
  code: "invalid-window",
  expected: "the model's context window as a number of tokens, or a function that returns it",
  fits: (value) => typeof value === "number" || typeof value === "function",
  remedy: (value) => {
    const [, digits, thousands] = (typeof value === "string" && /^(\d+)\s*(k?)$/i.exec(value)) || [];
    if (value === "auto")
      return 'Import `auto` from "precis/models" and spread it into the options: { ...auto(), … }. The table is bundled by who asks for it.';
    if (digits === undefined) return "Look it up in the provider's model list; it is never guessed.";
    return `Did you mean ${digits}${thousands === "" ? "" : "_000"}?`;
  },
};

export const SIGNAL: Kind = {
  expected: "an AbortSignal",
  fits: isSignal,
  remedy: (value) => (isSignal((value as { signal?: unknown }).signal) ? "Pass its member `signal`." : undefined),
};

function isSignal(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  const { aborted, throwIfAborted } = value as Partial<AbortSignal>;
  return typeof aborted === "boolean" && typeof throwIfAborted === "function" && "addEventListener" in value;
}

/** The kinds that the contract names. */
const KINDS = {
  any: ANY,
  chat: CHAT,
  function: FUNCTION,
  functions: SUMMARIZE,
  signal: SIGNAL,
  text: TEXT,
  window: WINDOW,
};

/** Members that are checked elsewhere: by the engine, or by a compactor that is given them. */
export function unchecked<Name extends string>(names: readonly Name[]): Readonly<Record<Name, Kind>> {
  return Object.fromEntries(names.map((name) => [name, ANY])) as Record<Name, Kind>;
}

/** A table of all members of `T`: each with its kind, or the name that the contract has for it. */
export function table<T>(
  head: Omit<Table, "kinds" | "others"> & { readonly others?: Table["others"] },
  kinds: Readonly<Record<keyof T & string, Kind | keyof typeof KINDS>>,
): Table {
  const all = Object.entries<Kind | keyof typeof KINDS>(kinds);
  const kindOf = (kind: Kind | keyof typeof KINDS) => (typeof kind === "string" ? KINDS[kind] : kind);
  return { others: () => [], ...head, kinds: new Map(all.map(([name, kind]) => [name, kindOf(kind)])) };
}

/** The options of `createCompactor`. */
export const OPTIONS: Table = /* @__PURE__ */ table<CompactorOptions<never>>(
  {
    ...{ parameter: "options", code: "invalid-option", unknown: ["unknown-option", "option"] },
    ...{ owner: "the options of createCompactor", others: () => [CALL] },
  },
  contract.OPTIONS,
);

/** The call of every method but `compact`. */
export const CALL: Table = /* @__PURE__ */ table<ModelCall<never>>(
  {
    ...{ parameter: "call", code: "invalid-call", unknown: ["invalid-call", "member"] },
    ...{ owner: "the call of a method", others: () => [COMPACT, OPTIONS] },
  },
  contract.CALL,
);

/** The call of `compact`. */
export const COMPACT: Table = /* @__PURE__ */ table<ModelCall<never> & CompactNow>(
  {
    ...{ parameter: "call", code: "invalid-call", unknown: ["invalid-call", "member"] },
    ...{ owner: "the call of compact", others: () => [OPTIONS] },
  },
  { ...contract.CALL, ...contract.COMPACT },
);

const FORMAT: Table = /* @__PURE__ */ table<Format<never>>(
  {
    ...{ parameter: "format", code: "invalid-option", unknown: ["unknown-option", "member"] },
    owner: "a format",
  },
  {
    ...{ name: TEXT, read: FUNCTION, summary: FUNCTION, replace: FUNCTION, result: FUNCTION, block: FUNCTION },
    ...{ id: FUNCTION, merge: FUNCTION, without: FUNCTION, continues: FLAG, takesEmpty: FLAG },
    opening: { expected: '"any" or "user"', fits: (value) => value === "any" || value === "user" },
    thinking: { expected: '"bound" or "free"', fits: (value) => value === "bound" || value === "free" },
    alternation: { expected: '"free" or "strict"', fits: (value) => value === "free" || value === "strict" },
  },
);

/** Members that are left out; who passes them on may write them so. */
const isMissing = (value: unknown): boolean => value === undefined || value === null;

/**
 * Checks the names and kinds of what a function was given.
 *
 * @throws PrecisError naming the first member that is wrong or does not exist.
 */
export function checkMembers(known: Table, given: unknown): void {
  if (typeof given !== "object" || given === null || Array.isArray(given)) {
    const isHistory = Array.isArray(given) && known.kinds.has("messages");
    const remedy = isHistory ? "Pass the history as its member: { messages }." : undefined;
    throw wrong(known.code, known.parameter, "an object", given, remedy);
  }
  for (const name in given) {
    const kind = known.kinds.get(name);
    const value = (given as Record<string, unknown>)[name];
    if (kind && isPromise(value)) throw wrong(known.code, name, "a value", value, "Await it first.");
    if (kind === ANY) continue;
    if (isMissing(value)) continue;
    if (kind) checkKind(kind, value, known.code, name);
    else if (Object.hasOwn(given, name)) throw unknown(known, name);
  }
}

/** No member takes a promise, and the engine would see an object without members. No member of the value is read: it may throw. */
const isPromise = (value: unknown): boolean => value instanceof Promise;

/** Checks one value. */
export function checkKind(kind: Kind, value: unknown, code: contract.ErrorCode, path: string): void {
  if (!kind.fits(value)) throw wrong(kind.code ?? code, path, kind.expected, value, kind.remedy?.(value));
}

/** Checks a format that must write: what it must have, and the kinds of what it may have. It may have members of its own. */
export function checkFormat(format: unknown): void {
  const { read, summary, replace, name } = (format ?? {}) as Partial<Format<unknown>>;
  if (typeof read !== "function" || typeof summary !== "function" || typeof replace !== "function") {
    throw new PrecisError(
      "invalid-option",
      "format",
      typeof read === "function" && name === "ai-sdk-ui"
        ? "UI messages can only be read, but a compactor must write messages. Convert them with `convertToModelMessages` and use the format `aiSdk`. To measure them unchanged, use `createMeter`."
        : `Expected the format of your messages: one of precis/formats, or an object with read, summary and replace, got ${shown(format)}.`,
    );
  }
  checkFormatKinds(format);
}

/** Checks a format that need only read. */
export function checkReadable(format: unknown): void {
  if (typeof (format as Partial<Format<unknown>> | null | undefined)?.read !== "function") {
    throw new PrecisError(
      "invalid-option",
      "format",
      `Expected the format of your messages: one of precis/formats, or an object with a name and read, got ${shown(format)}.`,
    );
  }
  checkFormatKinds(format);
}

function checkFormatKinds(format: unknown): void {
  for (const [name, kind] of FORMAT.kinds) {
    const value = (format as Record<string, unknown>)[name];
    if (!isMissing(value)) checkKind(kind, value, FORMAT.code, `format.${name}`);
  }
}

/** The error about a value of the wrong kind. */
export function wrong(
  code: contract.ErrorCode,
  path: string,
  expected: string,
  got: unknown,
  remedy?: string,
): PrecisError {
  return new PrecisError(code, path, `Expected ${expected}, got ${shown(got)}.${remedy ? ` ${remedy}` : ""}`);
}

function unknown({ unknown: [code, what], kinds, others }: Table, name: string): PrecisError {
  const advice = unknownName(name, [...kinds.keys()], what);
  const other = others().find((table) => table.kinds.has(name));
  return new PrecisError(code, name, other ? `${advice} "${name}" belongs to ${other.owner}.` : advice);
}

/** A value for a message. */
export function shown(value: unknown): string {
  switch (typeof value) {
    case "string":
      return `the string "${value.length > contract.SHOWN ? `${value.slice(0, contract.SHOWN)}…` : value}"`;
    case "function":
      return "a function";
    case "symbol":
      return "a symbol";
    case "bigint":
      return `the BigInt ${value}`;
    case "object":
      return value === null ? "null" : Array.isArray(value) ? "an array" : shownObject(value);
    default:
      return String(value);
  }
}

function shownObject(value: object): string {
  try {
    const name: unknown = value.constructor?.name;
    if (typeof name !== "string" || name === "" || name === "Object") return "an object";
    return `${/^[AEIOU]/i.test(name) ? "an" : "a"} ${name}`;
  } catch {
    return "an object";
  }
}

/** For the other entries of this package, which know this one by its name. @internal */
export const input = {
  ANY,
  CALL,
  FUNCTION,
  OPTIONS,
  OVERRIDES: contract.OVERRIDES,
  SIGNAL,
  TEXT,
  checkFormat,
  checkKind,
  checkMembers,
  checkReadable,
  hashing,
  hexOf,
  isStateOf,
  options: /* @__PURE__ */ Object.keys(contract.OPTIONS) as (keyof typeof contract.OPTIONS)[],
  table,
  unchanging,
  unchecked,
  utf8,
  wrong,
};
