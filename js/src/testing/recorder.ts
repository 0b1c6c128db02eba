import {
  type CompactionEvent,
  type Compactor,
  type ContextUsage,
  input,
  type ModelCall,
  type Prepared,
  type Report,
  type SessionState,
} from "precis";
import { readUsage } from "../usage.ts";
import { chatTexts } from "./texts.ts";

/** Options of {@link recorder}. */
export interface RecorderOptions {
  /** Called with each line, which ends with a line feed. Without it, lines are kept for {@link Recorder.text}. */
  readonly write?: ((line: string) => void) | undefined;
  /** Whether to record messages, summaries, states and sentences, too. Default false: numbers and codes alone. */
  readonly texts?: boolean | undefined;
  /** The time, written on each line as `at`: `Date.now`. precis reads no clock. */
  readonly now?: (() => number) | undefined;
}

/** What {@link recorder} returns. Its functions need no `this`, and never throw once it is made. */
export interface Recorder {
  /** For `onEvent` of a compactor or of a call. */
  readonly onEvent: (event: CompactionEvent) => void;
  /** For each report: that of `beforeModel`, or `onReport` of `precis/ai-sdk`. `chat` says of which chat it is. */
  readonly onReport: (report: Report, chat?: string) => void;
  /** For the usage that the provider reported of the request before. */
  readonly onUsage: (usage: unknown, chat?: string) => void;
  /**
   * The same compactor, of which reports, usage and (with `texts`) messages and states are recorded without further calls.
   *
   * @param chat - returns the name of a call's chat, if the compactor serves several. `afterModel` is matched by its request.
   */
  readonly watch: <M, Made>(
    compactor: Compactor<M, Made>,
    chat?: (call: ModelCall<never>) => string | undefined,
  ) => Compactor<M, Made>;
  /** All lines, if nobody else was given them. */
  readonly text: () => string;
}

/** Requests whose usage is awaited, of all chats together. */
const MOST_OPEN = 1_000;

/**
 * Records what a compactor decides as JSON lines, for the inspector: sizes, what was done to which messages, warnings by
 * their codes. By default no text of the chat is in it, nor the name of a tool or model.
 *
 * @example
 * ```ts
 * const recording = recorder({ write: (line) => appendFileSync("chats.jsonl", line), now: Date.now });
 * const compactor = recording.watch(createCompactor({ format, contextWindow: 200_000 }));
 * ```
 */
export function recorder(options: RecorderOptions = {}): Recorder {
  if (typeof options !== "object" || options === null)
    throw input.wrong("invalid-call", "options", "an object", options);
  const { write, texts = false, now } = options;
  for (const [name, value] of Object.entries({ write, now }))
    if (value !== undefined) input.checkKind(input.FUNCTION, value, "invalid-call", name);
  const kept: string[] = [];
  const chats = new Map<string, string | undefined>();
  const textsOf = chatTexts();
  const numbered = numbers();

  /** Recording must never cost the request that is recorded. */
  const put = (make: () => object, chat: string | undefined): void => {
    try {
      const said = { precis: "recording", ...(now && { at: now() }), ...(chat !== undefined && { chat }), ...make() };
      const line = `${JSON.stringify(said)}\n`;
      if (write) write(line);
      else kept.push(line);
    } catch {}
  };
  const onReport: Recorder["onReport"] = (report, chat) =>
    put(() => ({ type: "report", ...ofReport(report), ...(texts && inWords(report)) }), chat);
  const onUsage: Recorder["onUsage"] = (usage, chat) =>
    put(() => ({ type: "usage", prompt: null, output: null, ...readUsage(usage) }), chat);
  const onEvent: Recorder["onEvent"] = (event) => {
    // Each piece of a stream would be a line.
    if (event.type !== "progress" || event.text === "") put(() => ofEvent(event, numbered(event), texts), undefined);
  };

  const watch: Recorder["watch"] = (compactor, chatOf) => {
    const { beforeModel, compact, commit, afterModel } = compactor as unknown as Compactor<never>;
    const noted = (call: ModelCall<never>, prepared: Prepared<never>): Prepared<never> => {
      const chat = nameOf(call, chatOf);
      if (texts) for (const line of textsOf(chat ?? "", call, prepared)) put(() => line, chat);
      onReport(prepared.report, chat);
      chats.set(prepared.report.request, chat);
      for (const oldest of chats.keys()) if (chats.size > MOST_OPEN) chats.delete(oldest);
      return prepared;
    };
    return {
      ...compactor,
      beforeModel: async (call: never) => noted(call, await beforeModel(call)),
      compact: async (call: never) => noted(call, await compact(call)),
      commit: (call: never, ...rest: [never]) => noted(call, commit(call, ...rest)),
      afterModel: (state: SessionState, usage: unknown, request?: string) => {
        onUsage(usage, request === undefined ? undefined : chats.get(request));
        return afterModel(state, usage, request);
      },
    } as unknown as typeof compactor;
  };
  return { onEvent, onReport, onUsage, watch, text: () => kept.join("") };
}

function nameOf(call: ModelCall<never>, chatOf: ((call: ModelCall<never>) => string | undefined) | undefined) {
  try {
    return chatOf?.(call);
  } catch {
    return undefined;
  }
}

/** A word of precis's own: an outcome, a rung, a code. Anything else is no word. */
function word(value: unknown): string | null {
  return typeof value === "string" && /^[a-z0-9-]{1,32}$/.test(value) ? value : null;
}

function number(value: unknown): number | null {
  return typeof value === "number" && Number.isFinite(value) ? value : null;
}

/** Numbers and words alone, by name: what a later version adds is not recorded unseen. */
function ofReport(report: Report) {
  const { before, after, changes, cost, summarizer, diverged, warnings } = report;
  return {
    request: word(report.request),
    outcome: word(report.outcome),
    rung: word(report.rung),
    before: ofUsage(before),
    after: ofUsage(after),
    replyRoom: number(report.replyRoom),
    saved: number(report.saved),
    ...(cost && { cost: { request: number(cost.request), without: number(cost.without) } }),
    changes: changes.map(({ action, rung, messages, count, tokens, after }) => ({
      action: word(action),
      rung: word(rung),
      messages: messages.map(({ from, to }) => [number(from), number(to)]),
      count: number(count),
      tokens: number(tokens),
      after: number(after),
    })),
    firstChanged: number(report.firstChanged),
    keepFrom: number(report.keepFrom),
    summarizer: {
      calls: number(summarizer.calls),
      failed: summarizer.failed !== null,
      usage: readUsage(summarizer.usage),
    },
    diverged: diverged && number(diverged.at),
    warnings: warnings.map(({ code }) => word(code)),
  };
}

const COUNTS = ["tokens", "raw", "window", "trigger", "fraction", "untilCompaction", "bound"] as const;
const PARTS = ["system", "tools", "user", "assistant", "toolResults", "media", "summary"] as const;

function ofUsage(usage: ContextUsage) {
  const counts = Object.fromEntries(COUNTS.map((name) => [name, number(usage[name])]));
  const parts = Object.fromEntries(PARTS.map((name) => [name, number(usage.parts[name])]));
  return { ...counts, source: word(usage.source), parts };
}

/** What is for people, and may name what is in the chat. */
function inWords({ reason, summarizer, diverged, warnings }: Report) {
  return {
    said: {
      reason,
      failed: summarizer.failed,
      diverged: diverged?.reason ?? null,
      warnings: warnings.map(({ path, advice }) => ({ path, advice })),
    },
  };
}

/** Compactions by number: their ids are made of what is in the chat. */
function numbers(): (event: CompactionEvent) => number {
  const open = new Map<string, number>();
  let last = 0;
  return ({ type, id }) => {
    const known = open.get(id);
    const number = known === undefined || type === "start" ? ++last : known;
    if (type === "done") open.delete(id);
    else open.set(id, number);
    for (const oldest of open.keys()) if (open.size > MOST_OPEN) open.delete(oldest);
    return number;
  };
}

function ofEvent(event: CompactionEvent, compaction: number, texts: boolean) {
  const { type } = event;
  const counts = type === "progress" ? { done: number(event.done), total: number(event.total) } : {};
  const request = type === "done" ? { request: word(event.report.request) } : {};
  const before = type === "start" ? { before: ofUsage(event.before) } : {};
  const said = texts && "reason" in event ? { said: { reason: event.reason } } : {};
  return { type: "event", event: word(type), compaction, ...counts, ...request, ...before, ...said };
}
