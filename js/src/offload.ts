/**
 * Large tool results kept elsewhere: a file, a bucket, a sandbox. The request says where, shows the beginning, and a tool reads
 * any part of them back.
 *
 * @module precis/offload
 */

import { type Format, input, PrecisError } from "precis";
import { schemaOf } from "./ai-sdk/schema.ts";
import type { Signal } from "./globals.ts";
import { type PartOfResult, readPart } from "./offload/part.ts";
import { type Copies, type LargeResult, withResults } from "./offload/results.ts";
import { within } from "./offload/within.ts";

export type { PartOfResult } from "./offload/part.ts";

/** A result that is to be kept elsewhere. */
export interface OffloadedResult {
  /** The tool's name, if the history says it. */
  readonly tool: string | undefined;
  /** The call's id; empty if it has none. */
  readonly id: string;
  /** The index of its message in the history. */
  readonly index: number;
  /** Aborted when nobody waits for the reference any more. */
  readonly signal: Signal;
}

/** The options of {@link offloader}. */
export interface OffloadOptions<Base> {
  /** The shape of your messages. */
  // biome-ignore lint/suspicious/noExplicitAny: what a format makes is of its own type.
  readonly format: Format<Base, any>;
  /**
   * Stores the text of a result and returns how it is found again: a path, a key, a URL. The model sees it. A result whose
   * function throws, returns no text or takes more than `timeoutMs` is sent whole, now and later.
   */
  readonly offload: (text: string, result: OffloadedResult) => string | PromiseLike<string>;
  /** Characters above which a result is kept elsewhere. Default 20,000. */
  readonly over?: number | undefined;
  /** Characters of its beginning that are shown. Default 1,000. */
  readonly preview?: number | undefined;
  /** Milliseconds to wait for one reference. Default 5,000. */
  readonly timeoutMs?: number | undefined;
  /** What an earlier offloader of this chat knew: its `entries`. */
  readonly entries?: Readonly<Record<string, string | null>> | undefined;
}

/** What keeps the large results of one chat elsewhere. */
export interface Offloader<Base> {
  /**
   * Returns the messages with a notice in place of each large result; all others are the same objects. A result is decided
   * about when it is first seen, and never again, so what was sent stays as it was sent.
   */
  messages<M extends Base>(history: readonly M[]): Promise<M[]>;
  /** The same for `composePrepareSteps` of `precis/ai-sdk`: put it before that of precis. */
  readonly prepareStep: <M>(step: { readonly messages: readonly M[] }) => Promise<{ messages: M[] } | undefined>;
  /** What was decided, as plain data: the reference of each large result by its hash, or null where it is sent whole. Store it with the chat. */
  readonly entries: Readonly<Record<string, string | null>>;
  /** Why results could not be kept elsewhere, the newest last. */
  readonly failures: readonly string[];
}

const MOST_FAILURES = 100;

const OPTIONS: ReturnType<typeof input.table> = /* @__PURE__ */ input.table<OffloadOptions<never>>(
  {
    ...{ parameter: "options", code: "invalid-option", unknown: ["unknown-option", "option"] },
    owner: "the options of offloader",
  },
  {
    ...{ format: input.ANY, offload: input.FUNCTION, entries: input.ANY },
    ...{ over: input.ANY, preview: input.ANY, timeoutMs: input.ANY },
  },
);

/**
 * Makes what keeps the large results of one chat elsewhere.
 *
 * @throws PrecisError when an option is refused.
 */
export function offloader<Base>(options: OffloadOptions<Base>): Offloader<Base> {
  input.checkMembers(OPTIONS, options);
  const { format, offload, over = 20_000, preview = 1_000, timeoutMs = 5_000, entries: known = {} } = options;
  input.checkFormat(format);
  input.checkKind(input.FUNCTION, offload, "invalid-option", "offload");
  for (const [name, value, least] of [
    ["over", over, 1],
    ["preview", preview, 0],
    ["timeoutMs", timeoutMs, 1],
  ] as const)
    if (!Number.isSafeInteger(value) || value < least)
      throw input.wrong("invalid-option", name, `a whole number of at least ${least}`, value);
  if (preview >= over)
    throw new PrecisError("invalid-option", "preview", "What is shown must be less than `over`, or nothing is gained.");
  const entries: Record<string, string | null> = { ...known };
  const failures: string[] = [];
  const copies: Copies = new WeakMap();
  const waiting = new Map<string, Promise<string | null>>();

  /** The reference of a result; null if it is sent whole. Asked once, however many calls want to know. */
  const referenceOf = (result: LargeResult): Promise<string | null> => {
    const { key, text, tool, id, index } = result;
    if (Object.hasOwn(entries, key)) return Promise.resolve(entries[key] as string | null);
    let found = waiting.get(key);
    if (!found) {
      found = within(timeoutMs, (signal) => offload(text, { tool, id, index, signal })).then((reference) => {
        if (typeof reference !== "string" || reference === "") throw new TypeError("it returned no text");
        return reference;
      });
      found = found
        .catch((error: unknown) => {
          failures.push(`The result of ${tool ?? "a tool"} (message ${index}) is sent whole: ${messageOf(error)}`);
          if (failures.length > MOST_FAILURES) failures.shift();
          return null;
        })
        .then((reference) => {
          entries[key] = reference;
          waiting.delete(key);
          return reference;
        });
      waiting.set(key, found);
    }
    return found;
  };

  const messages = async <M extends Base>(history: readonly M[]): Promise<M[]> => {
    if (!Array.isArray(history)) throw input.wrong("messages-not-array", "history", "an array of messages", history);
    return withResults(history, format as Format<Base>, over, copies, async (result) => {
      const reference = await referenceOf(result);
      return reference === null ? null : noticeOf(result.text, reference, preview);
    });
  };
  return {
    messages,
    prepareStep: async (step) => {
      const given = step.messages as readonly unknown[] as readonly Base[];
      const kept = await messages(given);
      return kept.some((message, at) => message !== given[at]) ? { messages: kept as never[] } : undefined;
    },
    entries,
    failures,
  };
}

/** What stands in place of a result. */
function noticeOf(text: string, reference: string, preview: number): string {
  const whole = `[${text.length} characters, kept whole at ${reference}. readResult reads any part of it.`;
  if (preview === 0) return `${whole}]`;
  // No half of a character.
  const shown = text.slice(0, preview).replace(/[\ud800-\udbff]$/, "");
  return `${whole} Its beginning:]\n${shown}`;
}

/** A tool as most SDKs define one. */
export const readResultDefinition: {
  readonly name: string;
  readonly description: string;
  readonly parameters: object;
} = {
  name: "readResult",
  description:
    "Reads a part of a tool result that was too large to show: lines from one number to another, or the lines that hold certain words.",
  parameters: {
    type: "object",
    properties: {
      reference: { type: "string", description: "Where the result is kept, as its notice says." },
      from: { type: "integer", description: "The first line, from 1." },
      to: { type: "integer", description: "The last line." },
      find: { type: "string", description: "Words that the lines must hold." },
    },
    required: ["reference"],
    additionalProperties: false,
  },
};

/** What {@link readResult} is given. */
export interface ReadResultOptions {
  /** Those whose results may be read. A reference that none of them has given out is refused, whatever a model writes. */
  readonly offloaders: Pick<Offloader<never>, "entries"> | readonly Pick<Offloader<never>, "entries">[];
  /** Returns the whole text behind a reference; null if it is gone. */
  readonly read: (reference: string) => string | null | undefined | PromiseLike<string | null | undefined>;
  /** The most characters of one answer. Default 8,000. */
  readonly most?: number | undefined;
}

/** Returns what a model's call of `readResult` asks for. Never rejects: where something is wrong, the text that it returns says so. */
export async function readResult(
  { offloaders, read, most = 8_000 }: ReadResultOptions,
  asked: unknown,
): Promise<string> {
  const { reference, ...part } = (asked ?? {}) as { readonly reference?: unknown } & PartOfResult;
  const all = Array.isArray(offloaders) ? offloaders : [offloaders];
  const isOurs = all.some(({ entries }) => Object.values(entries).includes(reference));
  if (typeof reference !== "string" || !isOurs)
    return `There is no result at ${JSON.stringify(reference)?.slice(0, 200)}. Use a reference from a notice.`;
  try {
    const text = await read(reference);
    if (typeof text !== "string") return "This result is no longer kept. Call the tool again if it matters.";
    return readPart(text, part, most);
  } catch (error) {
    return `The result could not be read: ${messageOf(error)}`;
  }
}

/** The same as a tool for the AI SDK. */
export function readResultTool(options: ReadResultOptions & { readonly description?: string | undefined }): {
  readonly description: string;
  // biome-ignore lint/suspicious/noExplicitAny: the SDK's own type of a schema differs from version to version.
  readonly inputSchema: any;
  readonly execute: (asked: { reference: string } & PartOfResult) => Promise<string>;
} {
  input.checkKind(input.FUNCTION, (options as Partial<typeof options>)?.read, "invalid-option", "read");
  return {
    description: options.description ?? readResultDefinition.description,
    inputSchema: schemaOf(readResultDefinition.parameters),
    execute: (asked) => readResult(options, asked),
  };
}

/** Of an error's message, as much as fits in a sentence. */
function messageOf(error: unknown): string {
  try {
    return String((error as { message?: unknown } | null)?.message ?? error).slice(0, 200);
  } catch {
    return "unknown";
  }
}
