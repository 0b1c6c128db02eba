import {
  type Compactor,
  checkMessages,
  type Format,
  input,
  type Prepared,
  type Reader,
  type SessionState,
} from "precis";

/** Something that is wrong with a request. */
export interface Problem {
  /** Which request, from 0. */
  readonly request: number;
  /** What is broken: a rule of {@link check}, or one of those that {@link replay} names. */
  readonly rule: string;
  /** For people. */
  readonly message: string;
}

/** What came of a {@link replay}. */
export interface Replayed<M> {
  /** Empty when all is well. */
  readonly problems: readonly Problem[];
  /** What was sent at each request, and why. */
  readonly requests: readonly Prepared<M>[];
  /** The state after the last request. */
  readonly state: SessionState | null;
}

/**
 * Plays a recorded or made-up chat: before each message of the model, and at the end unless the model spoke last, a
 * request goes out for all that came before it, with the state of the request before. Of each view it is checked
 *
 * - that a provider would accept it, as far as it accepts the history ({@link check}),
 * - that the newest message is last, and the newest message a person wrote is in it, whole or cut (`newest-message`,
 *   `newest-user-message`),
 * - that it lies below the trigger (`over-trigger`), or, where the report says `tight`, below the window
 *   (`over-window`); `infeasible` where it cannot,
 * - that the history is as it was (`history-changed`).
 *
 * @param compactor - yours, as your app has it. @param format - the one it was made with.
 * @param usage - what a provider would report for a view, if the compactor is to learn from it.
 *
 * @example
 * ```ts
 * const { problems } = await replay(compactor, aiSdk, history(aiSdk, { seed: 7 }));
 * expect(problems).toEqual([]);
 * ```
 */
export async function replay<Base, M extends Base, Made = Base>(
  compactor: Compactor<Base, Made>,
  format: Format<Base, Made>,
  messages: readonly M[],
  usage?: (view: readonly M[]) => unknown,
): Promise<Replayed<M>> {
  const order = "Its parameters are replay(compactor, format, messages, usage?).";
  const { beforeModel, afterModel } = ((compactor as unknown) ?? {}) as Partial<typeof compactor>;
  if (typeof beforeModel !== "function" || typeof afterModel !== "function") {
    throw input.wrong("invalid-call", "compactor", "what createCompactor returned", compactor, order);
  }
  if (typeof (format as Partial<typeof format> | null | undefined)?.read !== "function") {
    throw input.wrong("invalid-call", "format", "the format that the compactor was made with", format, order);
  }
  if (!Array.isArray(messages)) {
    throw input.wrong("messages-not-array", "messages", "the history, an array of messages", messages, order);
  }
  if (usage !== undefined) input.checkKind(input.FUNCTION, usage, "invalid-call", "usage");
  // Every entry must be a message: the compactor would say so only when it comes to it.
  checkMessages(format, messages);
  const seen = messages.map((message) => seenBy(format, message));
  const before = JSON.stringify(messages);
  const problems: Problem[] = [];
  const requests: Prepared<M>[] = [];
  let state: SessionState | null = null;
  for (let end = 1; end <= messages.length; end++) {
    const goesOut = end < messages.length ? seen[end]?.role === "assistant" : seen[end - 1]?.role !== "assistant";
    if (!goesOut) continue;
    const input = messages.slice(0, end);
    const prepared = (await compactor.beforeModel({ messages: input, state })) as unknown as Prepared<M>;
    const request = requests.push(prepared) - 1;
    for (const [rule, message] of faults(format, input, seen, prepared)) problems.push({ request, rule, message });
    ({ state } = prepared);
    if (usage) state = compactor.afterModel(state, usage(prepared.view), prepared.report.request);
  }
  if (JSON.stringify(messages) !== before)
    problems.push({ request: requests.length - 1, rule: "history-changed", message: "A message was written to." });
  return { problems, requests, state };
}

function* faults<Base, M extends Base>(
  format: Format<Base, unknown>,
  input: readonly M[],
  seen: readonly Seen[],
  { view, report }: Prepared<M>,
): Iterable<[rule: string, message: string]> {
  const known = checkMessages(format, input).map(({ rule }) => rule);
  for (const { rule, message } of checkMessages(format, view)) {
    const at = known.indexOf(rule);
    if (at >= 0) known.splice(at, 1);
    else yield [rule, message];
  }
  const own = new Set<M>(input);
  const made = view.filter((message) => !own.has(message)).map((message) => seenBy(format, message));
  // A cut copy has the role and the first words of what it was made from.
  const isIn = (index: number) =>
    view.includes(input[index] as M) || made.some((copy) => isCopy(copy, seen[index] as Seen));
  const last = input.length - 1;
  const end = view.at(-1);
  if (end === undefined || (end !== input[last] && !isCopy(seenBy(format, end), seen[last] as Seen)))
    yield ["newest-message", "The newest message is not the last of the view."];
  const typed = seen.slice(0, input.length).findLastIndex(({ typed }) => typed);
  if (typed >= 0 && !isIn(typed))
    yield ["newest-user-message", `The last message that a person typed (messages[${typed}]) is not in the view.`];
  const { tokens, bound, trigger, window } = report.after;
  if (report.outcome === "infeasible") yield ["infeasible", report.reason];
  else if (report.outcome === "tight") {
    if (tokens + bound >= window) yield ["over-window", `${tokens} ± ${bound} of ${window} tokens.`];
  } else if (tokens + bound >= trigger) yield ["over-trigger", `${tokens} ± ${bound}, the trigger is ${trigger}.`];
}

/** What is looked at of a message. */
interface Seen {
  role: string;
  typed: boolean;
  /** The first words of its paragraphs: of messages that are joined, the texts are paragraphs of one. */
  starts: string[];
}

/** Where roles must alternate, a copy may hold another message as well. */
function isCopy(copy: Seen, { role, starts: [start] }: Seen): boolean {
  return copy.role === role && (start === undefined || copy.starts.includes(start));
}

/** Characters by which a copy is known; a cut leaves more of a text. */
const START = 12;

function seenBy<Base>(format: Format<Base, unknown>, message: Base): Seen {
  const seen: Seen = { role: "", typed: false, starts: [] };
  let results = false;
  const begin = (text: unknown) => {
    if (typeof text === "string" && text !== "") seen.starts.push(text.slice(0, START));
  };
  const reader: Reader = {
    role: (role) => {
      seen.role = role;
    },
    speaker: () => {},
    text: (_, text) => text.split("\n\n").forEach(begin),
    reasoning: () => {},
    call: () => {},
    result: (_, id) => {
      results = true;
      begin(id);
    },
    media: () => {},
    document: (_, text) => begin(text),
    approvalRequest: () => {},
    approvalResponse: () => {},
    compaction: (_, text) => begin(text),
    opaque: () => {},
  };
  format.read(message, reader);
  seen.typed = seen.role === "user" && !results && seen.starts.length > 0;
  return seen;
}
