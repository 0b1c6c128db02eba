import { chatOf, type Turn } from "./chat.ts";
import { type Conversation, isObject, type JsonObject, type Usage, usageOf } from "./conversation.ts";
import type { Piece } from "./pieces.ts";
import type { RecordSource, TranscriptReader } from "./reader.ts";

/**
 * opencode: what `opencode export` writes, and the files of its storage: sessions, messages and their parts, each in a file of
 * its own, tied by ids. A finished summary takes the place of all before it.
 */
export const opencode: TranscriptReader = {
  title: "opencode",
  owns: (value) => isExport(value) || isSession(value) || isInfo(value) || isPart(value),
  read(source) {
    const { sessions, messages } = tables(source.values);
    return [...sessions].flatMap(([id, session]) => {
      const own = messages.get(id) ?? [];
      return own.length > 0 ? sessionOf(source, session, own) : [];
    });
  },
};

const isExport = ({ info, messages }: JsonObject) =>
  isObject(info) && Array.isArray(messages) && messages.every((one) => isObject(one) && isObject(one.info));
const isSession = ({ id, projectID, directory, title }: JsonObject) =>
  typeof id === "string" &&
  typeof title === "string" &&
  (typeof projectID === "string" || typeof directory === "string");
const isInfo = ({ id, sessionID, role }: JsonObject) =>
  typeof id === "string" && typeof sessionID === "string" && (role === "user" || role === "assistant");
const isPart = ({ type, messageID, id }: JsonObject) =>
  typeof type === "string" && typeof messageID === "string" && typeof id === "string";

interface Recorded {
  readonly info: JsonObject;
  readonly parts: readonly JsonObject[];
}

interface Tables {
  readonly sessions: Map<string, JsonObject>;
  readonly messages: Map<string, Recorded[]>;
}

function tables(values: readonly JsonObject[]): Tables {
  const sessions = new Map<string, JsonObject>();
  const parts = new Map<string, JsonObject[]>();
  const rows: JsonObject[] = [];
  const messages = new Map<string, Recorded[]>();
  for (const value of values) {
    if (isExport(value)) {
      const info = value.info as JsonObject;
      const id = String(info.id);
      sessions.set(id, info);
      const whole = (value.messages as JsonObject[]).map(({ info, parts }) => ({
        info: info as JsonObject,
        parts: (Array.isArray(parts) ? parts : []).filter(isObject),
      }));
      messages.set(id, whole);
    } else if (isPart(value)) {
      const of = String(value.messageID);
      parts.set(of, [...(parts.get(of) ?? []), value]);
    } else if (isInfo(value)) rows.push(value);
    else sessions.set(String(value.id), value);
  }
  const started = ({ time }: JsonObject) => (isObject(time) ? Number(time.created) : 0);
  for (const info of rows.sort((one, other) => started(one) - started(other))) {
    const session = String(info.sessionID);
    if (!sessions.has(session)) sessions.set(session, { id: session });
    const own = parts.get(String(info.id)) ?? [];
    messages.set(session, [...(messages.get(session) ?? []), { info, parts: own }]);
  }
  return { sessions, messages };
}

function sessionOf({ file }: RecordSource, session: JsonObject, recorded: readonly Recorded[]): Conversation[] {
  const title = typeof session.title === "string" ? session.title : file;
  const parts = segments(recorded);
  return parts
    .map((segment, at): Conversation => {
      const isLast = at === parts.length - 1;
      const name = isLast ? title : `${title}, before compaction ${at + 1}`;
      const isAside = !isLast || typeof session.parentID === "string";
      return { file, name, shape: "opencode", ...chatOf(segment.flatMap(turnsOf)), ...(isAside && { aside: true }) };
    })
    .reverse();
}

/**
 * A compaction is asked for by a message of its own. Once its summary is finished, what is sent begins with both; behind them
 * stands what the compaction retained of the messages before it, then what came later.
 */
function segments(recorded: readonly Recorded[]): Recorded[][] {
  const compactions = recorded.flatMap((message, at) => {
    const part = message.info.role === "user" ? message.parts.find(({ type }) => type === "compaction") : undefined;
    const summary = part ? recorded.findIndex((answer) => isSummaryOf(message, answer)) : -1;
    if (summary < at) return [];
    const id = part?.tail_start_id;
    const tail = id === undefined ? at : recorded.findIndex(({ info }) => info.id === id);
    return [{ at, summary, retained: tail < 0 ? [] : recorded.slice(tail, at).map(withoutUsage) }];
  });
  const ends = [...compactions.map(({ at }) => at), recorded.length];
  const found = [
    recorded.slice(0, ends[0]),
    ...compactions.map(({ at, summary, retained }, nth) => [
      ...recorded.slice(at, summary + 1),
      ...retained,
      ...recorded.slice(summary + 1, ends[nth + 1]),
    ]),
  ];
  return found.filter(({ length }) => length > 0);
}

/** A summary that failed or was cut off stands for nothing. */
const isSummaryOf = ({ info: { id } }: Recorded, { info }: Recorded) =>
  info.role === "assistant" && info.parentID === id && info.summary === true && Boolean(info.finish) && !info.error;

/** What was counted of a request before the compaction says nothing of those behind it. */
const withoutUsage = ({ info, parts }: Recorded): Recorded => ({
  info: { ...info, tokens: undefined },
  parts: parts.filter(({ type }) => type !== "step-finish"),
});

/** A message of the assistant holds one or several steps, each a request of its own. */
function turnsOf({ info, parts }: Recorded): Turn[] {
  if (info.role === "user") return [{ role: "user", parts: parts.flatMap(pieceOf) }];
  if (isDropped(info, parts)) return [];
  const model = typeof info.modelID === "string" ? info.modelID : undefined;
  const steps: JsonObject[][] = [[]];
  for (const part of parts) {
    if (part.type === "step-start") steps.push([]);
    steps.at(-1)?.push(part);
  }
  return steps
    .filter(({ length }) => length > 0)
    .map((step, at, { length }) => ({
      role: "assistant",
      parts: [...step.flatMap(pieceOf), ...step.flatMap(resultOf)],
      usage: usageIn(step) ?? (at === length - 1 ? counted(info.tokens) : undefined),
      model,
    }));
}

/** A reply that failed is not sent; of one that was broken off, what there is. */
function isDropped({ error }: JsonObject, parts: readonly JsonObject[]): boolean {
  if (!isObject(error)) return false;
  return (
    error.name !== "MessageAbortedError" || parts.every(({ type }) => type === "step-start" || type === "reasoning")
  );
}

const usageIn = (step: readonly JsonObject[]) => counted(step.find(({ type }) => type === "step-finish")?.tokens);

/** What was read from the cache, and written to it, stands beside the input; reasoning beside the output. */
function counted(tokens: unknown): Usage | undefined {
  if (!isObject(tokens)) return undefined;
  const { input, output, reasoning, cache } = tokens;
  const { read, write } = isObject(cache) ? cache : ({} as JsonObject);
  const number = (value: unknown) => (typeof value === "number" ? value : 0);
  const prompt_tokens = number(input) + number(read) + number(write);
  const completion_tokens = number(output) + number(reasoning);
  return usageOf({
    prompt_tokens,
    completion_tokens,
    ...(number(reasoning) > 0 && { completion_tokens_details: { reasoning_tokens: number(reasoning) } }),
  });
}

function pieceOf(part: JsonObject): Piece[] {
  const { type, text, mime, url, callID, tool, state } = part;
  if (type === "text") return part.ignored === true ? [] : [{ kind: "text", text: String(text ?? "") }];
  if (type === "reasoning") return [{ kind: "reasoning", text: String(text ?? "") }];
  if (type === "compaction") return [{ kind: "text", text: "What did we do so far?" }];
  if (type === "tool")
    return [
      { kind: "call", id: String(callID), name: String(tool), input: isObject(state) ? (state.input ?? {}) : {} },
    ];
  // Text that was attached stands in a part of its own.
  if (type !== "file" || /^text\/plain|directory/.test(String(mime))) return [];
  return [{ kind: String(mime).startsWith("image/") ? "image" : "file", data: url, type: String(mime) }];
}

function resultOf({ type, callID, state }: JsonObject): Piece[] {
  if (type !== "tool" || !isObject(state)) return [];
  return [{ kind: "result", id: String(callID), output: outputOf(state) }];
}

/** What is sent of a call that did not end, or whose result was cleared, is what opencode writes instead. */
function outputOf({ status, output, error, metadata, time }: JsonObject): unknown {
  if (isObject(time) && time.compacted !== undefined) return "[Old tool result content cleared]";
  if (status === "pending" || status === "running") return "[Tool execution was interrupted]";
  return output ?? (isObject(metadata) && metadata.interrupted === true ? metadata.output : undefined) ?? error ?? "";
}
