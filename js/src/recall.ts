/**
 * Recall: what the view does not show whole is found again in the history that the host has.
 */
import { PrecisError } from "./errors.ts";
import { ANY, CALL, CHAT, checkMembers, FUNCTION, type Table, TEXT, TIME, table, wrong } from "./members.ts";
import { asked as ranked, type Said } from "./ranker.ts";
import type { Compactor, LoadMessages, Rank, RecallCall, Recalled } from "./types.ts";

const RECALL: Table = /* @__PURE__ */ table<RecallCall<never> & { load: unknown }>(
  {
    ...{ parameter: "call", code: "invalid-call", unknown: ["invalid-call", "member"] },
    ...{ owner: "the call of recall", others: () => [CALL] },
  },
  {
    ...{ messages: ANY, state: ANY, offset: ANY, query: ANY, reference: ANY, maxTokens: ANY },
    ...{
      chat: CHAT,
      model: TEXT,
      pin: FUNCTION,
      isTyped: FUNCTION,
      load: FUNCTION,
      rank: FUNCTION,
      rankTimeoutMs: TIME,
    },
  },
);

/**
 * Looks through a call's messages, and those that were loaded: messages of the history from the index `from` on. `more`:
 * whether a ranker is to be asked, or what it said.
 */
export type Look<M> = (from: number, loaded: readonly M[], more?: "candidates" | Said) => Found;

/** What was found, with what a ranker is to be asked about. */
export type Found = Recalled & { readonly candidates?: readonly string[] };

/** Answers a call, at once if nothing has to be loaded or ranked. `read` reads it. */
export function recall<M>(call: Recall<M>, read: (call: RecallCall<M>) => Look<M>): Recalled | Promise<Recalled> {
  const { load, rank } = (call ?? {}) as Partial<Recall<M>>;
  const begin = () => {
    checkMembers(RECALL, call);
    return read(call);
  };
  return typeof load === "function" || typeof rank === "function" ? later(begin, call) : begin()(0, []);
}

type Recall<M> = RecallCall<M> & { readonly load?: LoadMessages<M> | undefined };

async function later<M>(begin: () => Look<M>, { load, ...call }: Recall<M>): Promise<Recalled> {
  const look = begin();
  const asks = call.rank && "candidates";
  const found = look(0, [], asks);
  if (!found.missing || !load) return ranking(found, call, (said) => look(0, [], said));
  const { from, to } = found.missing;
  const loaded: unknown = await load(from, to);
  if (!Array.isArray(loaded)) throw wrong("messages-not-array", "load", "an array of messages", loaded);
  const all = loaded.slice(0, to - from);
  return ranking(look(from, all, asks), call, (said) => look(from, all, said));
}

/** Asks the ranker about what was found by words; what it says decides with them. */
async function ranking<M>(
  { candidates, ...found }: Found,
  { rank, query, rankTimeoutMs }: RecallCall<M>,
  look: (said: Said) => Found,
): Promise<Recalled> {
  if (!rank || !candidates) return found;
  const texts = candidates.length;
  const said = await ranked(rank, { query: query ?? "", texts: candidates }, rankTimeoutMs);
  if ("failed" in said) return { ...found, ranker: { texts, failed: said.failed } };
  return { ...look(said), ranker: { texts, failed: null } };
}

/**
 * What a model is told about a tool that recalls: its name, its description, and the JSON Schema of its arguments. Write it as
 * your provider wants tools written, and answer calls with {@link answerRecall}.
 */
export const recallDefinition = {
  name: "recall",
  description:
    "Looks up earlier parts of this conversation that are summarized, shortened or removed in what you see. Search by words, or read a place by its reference.",
  parameters: {
    type: "object",
    properties: {
      query: {
        type: "string",
        description: "What to search for: names, paths, ids, numbers or words as they were written.",
      },
      reference: {
        type: "string",
        description:
          'A place to read in full, such as "r12" (message 12), "r12.2" (its second part) or "r12+4000" (from byte 4000 on).',
      },
    },
    additionalProperties: false,
  },
} as const;

/**
 * Answers a model's call of the tool {@link recallDefinition}: the excerpts as text, each below its reference and place.
 * What is wrong with the model's arguments is an answer, too, for the model to read.
 *
 * @param call - as for {@link Compactor.recall}, without what the model asks for. With `load` or `rank` the answer is a promise.
 * @param args - the arguments of the model's call: an object, or its JSON.
 */
export function answerRecall<Base, M extends Base>(
  compactor: Pick<Compactor<Base>, "recall">,
  call: Omit<RecallCall<M>, "query" | "reference"> & { readonly load: LoadMessages<M> },
  args: unknown,
): Promise<string>;
export function answerRecall<Base, M extends Base>(
  compactor: Pick<Compactor<Base>, "recall">,
  call: Omit<RecallCall<M>, "query" | "reference"> & {
    readonly rank: Rank;
    readonly load?: LoadMessages<M> | undefined;
  },
  args: unknown,
): Promise<string>;
export function answerRecall<Base, M extends Base>(
  compactor: Pick<Compactor<Base>, "recall">,
  call: Omit<RecallCall<M>, "query" | "reference"> & { readonly load?: undefined; readonly rank?: undefined },
  args: unknown,
): string;
export function answerRecall<Base, M extends Base>(
  compactor: Pick<Compactor<Base>, "recall">,
  call: Omit<RecallCall<M>, "query" | "reference"> & { readonly load?: LoadMessages<M> | undefined },
  args: unknown,
): string | Promise<string> {
  const given = parsed(args);
  if (given === undefined) return call.load || call.rank ? Promise.resolve(NO_JSON) : NO_JSON;
  try {
    const found: Recalled | Promise<Recalled> = compactor.recall({ ...call, ...asked(given) } as RecallCall<M> & {
      rank: Rank;
    });
    return found instanceof Promise ? found.then(written, refused) : written(found);
  } catch (error) {
    return refused(error);
  }
}

const NO_JSON =
  'The arguments are not JSON. Write an object such as {"query": "words to look for"} or {"reference": "r12"}.';

/** The arguments of a call; undefined if they are a text that is not JSON. Some providers write none as an empty text. */
function parsed(args: unknown): unknown {
  if (typeof args !== "string") return args ?? null;
  try {
    return args.trim() === "" ? null : JSON.parse(args);
  } catch {
    return undefined;
  }
}

/** What a model asks for; whatever else it wrote is nothing. */
function asked(given: unknown): Pick<RecallCall<never>, "query" | "reference"> {
  const { query, reference } = (given ?? {}) as Record<string, unknown>;
  return {
    query: typeof query === "string" ? query : undefined,
    reference: typeof reference === "string" ? reference : undefined,
  };
}

function refused(error: unknown): string {
  if (error instanceof PrecisError && (error.code === "empty-query" || error.code === "unknown-reference"))
    return error.advice;
  throw error;
}

/** What stands in an excerpt must not pass for the head of another, or for what is said behind them. */
const HEAD = /(^|[\p{Cc}\p{Zl}\p{Zp}])\[(?=r\d|Messages \d|Nothing earlier matches|\d+ more match)/gu;

/** What a tool's name has that no provider allows in one, and that could end the head of an excerpt. */
const UNUSUAL = /[^\p{L}\p{N}_.'@+#:/$-]+/gu;
const LONGEST_NAME = 64;

/** A tool's name as the head of an excerpt has it: on one line, and without what ends a head. */
const label = (tool: string) => [...tool.replace(UNUSUAL, " ")].slice(0, LONGEST_NAME).join("").trim();

function written({ excerpts, more, missing }: Recalled): string {
  const blocks = excerpts.map(({ reference, index, role, tool, from, text, next }) => {
    const who = tool === undefined ? role : `${role}, ${label(tool)}`;
    const start = from === undefined ? "" : `, from byte ${from}`;
    return `[${reference}: message ${index}, ${who}${start}${next === undefined ? "" : `; goes on at ${next}`}]\n${text.replace(HEAD, "$1 [")}`;
  });
  if (missing) blocks.push(`[Messages ${missing.from} to ${missing.to - 1} could not be looked at.]`);
  else if (excerpts.length === 0) blocks.push("[Nothing earlier matches. Try other words.]");
  if (more > 0) blocks.push(`[${more} more match: ask more narrowly to see them.]`);
  return blocks.join("\n\n");
}
