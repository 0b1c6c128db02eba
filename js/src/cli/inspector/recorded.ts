import { type Format, type SessionState, summaryOf } from "precis";
import { changesOf } from "../changes.ts";
import { type Conversation, isObject, type JsonObject, TranscriptError } from "../transcripts/conversation.ts";
import { conversationsOf } from "../transcripts/detect.ts";
import { asRequests, type RecordedChat, recordedChats } from "../transcripts/recording.ts";
import { parse, type Source } from "../transcripts/source.ts";
import { type MessageDisplay, messageDisplay } from "./displayed.ts";
import {
  type Compaction,
  type Entry,
  type InspectorDocument,
  PARTS,
  type Part,
  type Trace,
  type View,
} from "./document.ts";

export interface Recorded {
  readonly document: InspectorDocument;
  /** The chat itself, where it was recorded with texts in a form that is known. */
  readonly conversation?: Conversation;
}

/** What a file holds that was played already: a recording, or what the inspector exported. Nothing if it is a transcript. */
export function recordedDocuments(
  file: string,
  text: string,
  skipped: (reason: string) => void,
): Recorded[] | undefined {
  const source = parse(file, text, skipped);
  const exported = source.values.find((value) => isObject(value) && value.precis === "inspector");
  if (exported) return [{ document: checked(file, exported as JsonObject) }];
  const chats = recordedChats(source);
  if (chats?.length === 0) throw new TranscriptError(`${file} is a recording in which there is no request.`);
  return chats?.map((chat) => documentOf(source, chat));
}

function documentOf(source: Source, chat: RecordedChat): Recorded {
  const { file } = source;
  const conversation = conversationIn(source, chat);
  const display = conversation && messageDisplay(conversation);
  const messages = display && conversation ? conversation.messages.map(display.of) : [];
  const requests: number[] = [];
  const { trace } = traced(chat.lines, requests, conversation, display);
  const model = typeof chat.beside.model === "string" ? chat.beside.model : null;
  const document: InspectorDocument = {
    ...{ precis: "inspector", version: 1, file, name: chat.name || file, shape: "recording", model },
    ...{ messages, requests, variants: [trace], prices: null },
  };
  return { document, ...(conversation && { conversation }) };
}

function conversationIn(source: Source, { messages, beside }: RecordedChat): Conversation | undefined {
  if (messages.length === 0) return undefined;
  try {
    return conversationsOf(asRequests({ file: source.file, values: [{ ...beside, messages }] }))[0];
  } catch (error) {
    if (error instanceof TranscriptError) return undefined;
    throw error;
  }
}

/** The trace of what was recorded: each report is a request. */
function traced(
  lines: readonly JsonObject[],
  requests: number[],
  conversation: Conversation | undefined,
  display: MessageDisplay | undefined,
): { trace: Trace } {
  const parts = Object.fromEntries(PARTS.map((part) => [part, [] as number[]])) as Record<Part, number[]>;
  const lists = { tokens: [] as number[], trigger: [] as number[], cached: [] as number[], written: [] as number[] };
  const output: number[] = [];
  const compactions: Compaction[] = [];
  const views: View[] = [];
  let window = 0;
  let end = 0;
  let rewrites = 0;
  let pending: JsonObject | undefined;
  for (const line of lines) {
    if (line.type === "messages") end = number(line.from) + (Array.isArray(line.messages) ? line.messages.length : 0);
    if (line.type === "view") pending = line;
    if (line.type === "usage" && output.length > 0) output[output.length - 1] = number(line.output);
    if (line.type !== "report") continue;
    const request = requests.push(end) - 1;
    const after = object(line.after);
    for (const part of PARTS) parts[part].push(number(object(after.parts)[part]));
    const tokens = number(after.tokens);
    // What stands before the first message that differs was there already.
    const same = typeof line.firstChanged === "number" ? share(line.firstChanged, conversation, display) : undefined;
    rewrites += Number(request > 0 && same !== undefined);
    const cached = Math.min(tokens, request === 0 ? 0 : (same ?? lists.tokens.at(-1) ?? 0));
    lists.tokens.push(tokens);
    lists.trigger.push(number(after.trigger));
    lists.cached.push(cached);
    lists.written.push(tokens - cached);
    output.push(0);
    window = Math.max(window, number(after.window));
    if (["compacted", "tight", "infeasible"].includes(String(line.outcome)))
      compactions.push(compactionOf(request, line));
    if (pending) views.push(viewOf(request, end, pending, conversation, display));
    pending = undefined;
  }
  const trace = {
    settings: { way: "recorded", window },
    parts,
    ...lists,
    output,
    compactions,
    views,
    rewrites,
    forgets: 0,
    calculated: 0,
  };
  return { trace: trace as Trace };
}

function share(
  first: number,
  conversation: Conversation | undefined,
  display: MessageDisplay | undefined,
): number | undefined {
  if (!conversation || !display) return 0;
  return conversation.messages.slice(0, first).reduce((sum: number, message) => sum + display.of(message).tokens, 0);
}

function compactionOf(request: number, line: JsonObject): Compaction {
  const said = object(line.said);
  const changes = (Array.isArray(line.changes) ? line.changes : []).map(object);
  const codes = Array.isArray(line.warnings) ? line.warnings.map(String) : [];
  return {
    request,
    outcome: String(line.outcome),
    rung: typeof line.rung === "string" ? line.rung : null,
    reason: typeof said.reason === "string" ? said.reason : "",
    before: number(object(line.before).tokens),
    after: number(object(line.after).tokens),
    changes: changes.map(({ action, rung, count }) => ({
      action: String(action),
      rung: String(rung),
      count: number(count),
    })),
    warnings: codes.filter((code) => code !== "no-reply-limit"),
  };
}

function viewOf(
  request: number,
  end: number,
  { view, state }: JsonObject,
  conversation: Conversation | undefined,
  display: MessageDisplay | undefined,
): View {
  const listed: readonly unknown[] = Array.isArray(view) ? view : [];
  return {
    ...{ request, end, state, summary: summaryIn(state) },
    entries: conversation && display ? entriesOf(listed, end, conversation, display) : [],
  };
}

function entriesOf(
  listed: readonly unknown[],
  end: number,
  conversation: Conversation,
  display: MessageDisplay,
): Entry[] {
  const history = conversation.messages.slice(0, end);
  const view = listed.flatMap((one) => (typeof one === "number" ? (history[one] ?? []) : isObject(one) ? one : []));
  const { copies, cleared } = changesOf(conversation.format as Format<object>, history, view as object[]);
  const places = new Map(history.map((message, index) => [message, index]));
  const origins = new Map([...copies].map(([index, copy]) => [copy, index]));
  return (view as object[]).map((message) => {
    const index = places.get(message);
    if (index !== undefined) return index;
    const shown = display.of(message);
    const of = origins.get(message);
    return of === undefined ? shown : { of, fate: cleared.includes(of) ? "cleared" : "clipped", shown };
  });
}

function summaryIn(state: unknown): string | null {
  try {
    return summaryOf(state as SessionState);
  } catch {
    return null;
  }
}

/** A document that somebody hands in is looked at before it is shown. */
function checked(file: string, value: JsonObject): InspectorDocument {
  const { version, messages, requests, variants } = value;
  const isWhole =
    version === 1 &&
    Array.isArray(messages) &&
    messages.every((one) => isObject(one) && typeof one.text === "string" && Array.isArray(one.tools)) &&
    Array.isArray(requests) &&
    requests.every((one) => typeof one === "number") &&
    Array.isArray(variants) &&
    variants.every(isTrace);
  if (!isWhole)
    throw new TranscriptError(`${file} is an export of the inspector that is damaged, or of another version.`);
  return value as unknown as InspectorDocument;
}

function isTrace(value: unknown): boolean {
  if (!isObject(value) || !isObject(value.settings) || !isObject(value.parts)) return false;
  const lists = ["tokens", "trigger", "cached", "written", "output", "compactions", "views"].map((name) => value[name]);
  return [...lists, ...PARTS.map((part) => object(value.parts)[part])].every(Array.isArray);
}

function object(value: unknown): JsonObject {
  return isObject(value) ? value : {};
}

function number(value: unknown): number {
  return typeof value === "number" && Number.isFinite(value) ? value : 0;
}
