import type { Answer } from "./boundary/glue.ts";
import { COMPLETE } from "./contract.ts";
import { patienceOf, reasonOf, timeoutError } from "./host-function.ts";
import { shown } from "./members.ts";
import { quiet } from "./quiet.ts";
import type { CoveredChat, Summarize, SummaryRequest } from "./types.ts";

/** A stream that goes on and on is cut off here, in UTF-16 units; an item counts for at least so many. */
const LONGEST_STREAM = 2 ** 24;
const ITEM = 64;
/** Questions that are out at the same time: a long past comes in dozens of pieces, and providers limit rates. */
const AT_ONCE = 8;
const UNFINISHED =
  "The summarizer's stream ended without saying how: its last item must be { finishReason }, or the text may be cut off.";

/** How one call of the compactor asks the host's summarizer. */
export interface AskOptions {
  /** Of a list, each is asked when the one before it has failed. */
  readonly summarize: Summarize | readonly Summarize[] | undefined;
  readonly timeoutMs?: number | undefined;
  /** The call's own signal. */
  readonly signal?: AbortSignal | undefined;
  /** What a stream has just added. */
  readonly progress?: (text: string) => void;
  /** An answer is complete, whatever it is. */
  readonly answered?: () => void;
}

/** A request, and the conversation that a whole summary is to stand for. */
export interface Asked {
  readonly request: SummaryRequest<unknown>;
  readonly chat: CoveredChat | undefined;
}

export type Ask = (requests: readonly Asked[]) => Promise<Answer[]>;

/**
 * Makes the function that asks the host's summarizer during one call: the requests of a round beside each other, up to
 * eight at a time, and none twice. Whatever the summarizer does becomes an answer; only the call's own signal makes it
 * reject, with the signal's reason.
 */
export function asking(options: AskOptions): Ask {
  const asked = new Map<string, Promise<Answer>>();
  const once = (one: Asked, attempt: number): Promise<Answer> => {
    let answer = asked.get(one.request.id);
    if (!answer) {
      answer = askInTurn(options, one, attempt);
      asked.set(one.request.id, answer);
    }
    return answer;
  };
  let attempt = 0;
  return (requests) => {
    // The pieces of a text and their merges are one attempt.
    if (attempt === 0 || requests.some(({ request: { kind } }) => kind === "summary" || kind === "correction"))
      attempt += 1;
    const answers: Promise<Answer>[] = [];
    for (const request of requests) {
      const before = answers[answers.length - AT_ONCE];
      answers.push(before ? before.then(() => once(request, attempt)) : once(request, attempt));
    }
    return Promise.all(answers);
  };
}

/**
 * Whether an answer ended by itself: the engine uses no other. The engine is not called for it, since a trap between two
 * steps of a call must not end the call.
 */
function isComplete(answer: Answer): boolean {
  return "text" in answer && (COMPLETE as readonly string[]).includes(answer.finish.toLowerCase());
}

/** Asks the summarizer of this attempt, and those after it for as long as one fails. */
async function askInTurn(options: AskOptions, asked: Asked, attempt: number): Promise<Answer> {
  const all = typeof options.summarize === "function" ? [options.summarize] : (options.summarize ?? []);
  const first = Math.min(attempt, all.length) - 1;
  let answer: Answer = { error: "There is no summarizer." };
  for (const [at, summarize] of all.slice(Math.max(first, 0)).entries()) {
    answer = await askOne({ ...options, summarize }, asked, attempt + at);
    if (isComplete(answer)) break;
  }
  options.answered?.();
  return answer;
}

function askOne(
  { summarize, timeoutMs, signal, progress }: AskOptions & { readonly summarize: Summarize },
  { request, chat }: Asked,
  attempt: number,
): Promise<Answer> {
  return new Promise<Answer>((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const stop = new AbortController();
    const patience = patienceOf(timeoutMs);
    const timer = setTimeout(() => {
      const late = `The summarizer took more than ${patience} ms (summarizer.timeoutMs).`;
      settle({ error: late }, timeoutError(late));
    }, patience);
    const aborted = () => {
      reject(signal?.reason);
      settle(undefined, signal?.reason);
    };
    signal?.addEventListener("abort", aborted);

    let settled = false;
    function settle(answer: Answer | undefined, reason?: unknown): void {
      if (settled) return;
      settled = true;
      clearTimeout(timer);
      signal?.removeEventListener("abort", aborted);
      if (answer) resolve(answer);
      if (reason !== undefined) stop.abort(reason);
    }

    // In a task of its own: the summarizer may call the compactor, and whatever it throws is an answer.
    Promise.resolve()
      .then((): unknown => summarize(request, { signal: stop.signal, attempt, chat }))
      .then((answer) =>
        isStream(answer) ? readStream(answer, stop.signal, (text) => settled || progress?.(text)) : answerOf(answer),
      )
      .then(settle, (error: unknown) => settle({ error: `The summarizer threw ${quoted(error)}` }));
  });
}

async function readStream(
  stream: AsyncIterable<unknown>,
  signal: AbortSignal,
  progress: (text: string) => void,
): Promise<Answer> {
  const iterator = stream[Symbol.asyncIterator]();
  const cancel = () => quiet(iterator.return?.());
  signal.addEventListener("abort", cancel);
  let text = "";
  let end: { finish: string; usage: unknown } | undefined;
  for (let size = 0; size < LONGEST_STREAM; ) {
    const { done, value } = await iterator.next();
    if (done) {
      signal.removeEventListener("abort", cancel);
      return end ? { text, ...end, usage: plain(end.usage) } : { error: UNFINISHED };
    }
    if (typeof value === "string") {
      end = undefined;
      text += value;
      size += value.length + ITEM;
      progress(value);
    } else {
      const { finishReason, usage } = (value ?? {}) as { finishReason?: unknown; usage?: unknown };
      if (typeof finishReason !== "string") {
        cancel();
        return { error: `The summarizer's stream held ${shown(value)}: yield text, and at last { finishReason }.` };
      }
      end = { finish: finishReason, usage };
      size += ITEM;
    }
  }
  cancel();
  return { error: "The summarizer's stream did not end: it was closed after 16 million characters." };
}

/** An answer as it was promised, or as `commit` was given it. */
export function answerOf(answer: unknown): Answer {
  try {
    if (typeof answer === "string") return { text: answer, finish: "stop" };
    if (typeof answer === "object" && answer !== null) {
      const { text, finishReason, usage, error, block } = answer as {
        text?: unknown;
        finishReason?: unknown;
        usage?: unknown;
        error?: unknown;
        block?: unknown;
      };
      if (typeof text === "string" && typeof finishReason === "string")
        return {
          ...{ text, finish: finishReason, usage: plain(usage) },
          ...(block === undefined ? {} : { block: plain(block) }),
        };
      if (error !== undefined && typeof text !== "string") return { error: reasonOf(error) };
      if (typeof text === "string") {
        return {
          error: `The summarizer's answer has ${shown(finishReason)} as finishReason: say how it ended ("stop").`,
        };
      }
      return {
        error: `The summarizer's answer has ${shown(text)} as text: return its text, or { text, finishReason }.`,
      };
    }
    return { error: `The summarizer returned ${shown(answer)}: return its text, or { text, finishReason }.` };
  } catch (error) {
    return { error: `The summarizer's answer cannot be read; reading it threw ${quoted(error)}` };
  }
}

function isStream(answer: unknown): answer is AsyncIterable<unknown> {
  return (
    typeof answer === "object" &&
    answer !== null &&
    typeof (answer as Partial<AsyncIterable<unknown>>)[Symbol.asyncIterator] === "function"
  );
}

/** What was thrown, as a quotation with its name: it is the summarizer's own, whatever it looks like. */
function quoted(error: unknown): string {
  const said = reasonOf(error);
  try {
    const name: unknown = typeof error === "object" && error !== null ? (error as { name?: unknown }).name : undefined;
    return typeof name === "string" && name !== "" ? `${name.slice(0, 60)}: “${said}”.` : `“${said}”.`;
  } catch {
    return `“${said}”.`;
  }
}

/** What a provider said as plain data, whatever class it came in. */
function plain(usage: unknown): unknown {
  try {
    return usage === undefined ? null : JSON.parse(JSON.stringify(usage));
  } catch {
    return null;
  }
}
