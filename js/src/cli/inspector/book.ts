import type { Displayed, Entry, Fate, InspectorDocument, Part, Settings, Trace, View } from "./document.ts";
import { PARTS } from "./document.ts";

/** What the page asks about a document; small answers, whatever the size of the chat. */
export interface Sums {
  readonly requests: number;
  readonly mean: number;
  readonly peak: number;
  readonly tooLong: number;
  readonly compactions: number;
  readonly rewrites: number;
  readonly forgets: number;
  readonly cached: number;
  readonly written: number;
  readonly output: number;
}

/** A chart's columns: of a long chat, each stands for several requests, and shows the largest. */
export interface Columns {
  /** The request that a column shows. */
  readonly request: readonly number[];
  readonly parts: Readonly<Record<Part, readonly number[]>>;
  readonly tokens: readonly number[];
  readonly trigger: readonly number[];
}

export interface Overview {
  readonly settings: Settings;
  readonly sums: Sums;
  readonly columns: Columns;
  readonly compactions: Trace["compactions"];
  readonly calculated: number;
  readonly error: string | null;
}

/** `sent`: the view. `history`: all messages, by what became of them. */
export type Mode = "sent" | "history";

export interface Row {
  readonly at: number;
  /** Index in the history; null for what precis wrote. */
  readonly index: number | null;
  readonly fate: Fate;
  readonly role: string;
  readonly tools: readonly string[];
  readonly tokens: number;
  readonly text: string;
}

export interface Page {
  readonly total: number;
  readonly rows: readonly Row[];
}

export interface Detail extends Row {
  /** What is sent; null if only the summary stands for it. */
  readonly sent: string | null;
  /** What stood there; null if it is sent as it is. */
  readonly original: string | null;
}

export interface Memory {
  readonly kind: string;
  readonly text: string;
  /** Index of the message that it comes from, if that is known. */
  readonly at: number | null;
  readonly note: string;
}

export interface Remembered {
  readonly summary: string | null;
  readonly memory: readonly Memory[];
  readonly state: unknown;
  /** Memory and state are those of an earlier request, because a report left out those of this one. */
  readonly isEarlier: boolean;
}

type Read = Pick<InspectorDocument, "messages" | "requests" | "variants">;

const COLUMNS = 600;
const PREVIEW = 160;
/** How many messages and results the plain ways keep, as in `ways.ts`. */
const NEWEST = 20;
const RESULTS = 10;
const OMITTED = "[Old tool result omitted]";

export function overviewOf(trace: Trace): Overview {
  const { settings, compactions, calculated, error = null } = trace;
  return { settings, sums: sumsOf(trace), columns: columnsOf(trace), compactions, calculated, error };
}

export function sumsOf(trace: Trace): Sums {
  const { tokens, cached, written, output, settings, compactions, rewrites, forgets } = trace;
  const total = (list: readonly number[]) => list.reduce((sum, one) => sum + one, 0);
  return {
    requests: tokens.length,
    mean: tokens.length > 0 ? total(tokens) / tokens.length : 0,
    peak: tokens.reduce((most, one) => Math.max(most, one), 0),
    tooLong: tokens.filter((one) => one > settings.window).length,
    compactions: compactions.length,
    rewrites,
    forgets,
    cached: total(cached),
    written: total(written),
    output: total(output),
  };
}

function columnsOf({ tokens, parts, trigger }: Trace): Columns {
  const count = Math.min(COLUMNS, tokens.length);
  const request = Array.from({ length: count }, (_, column) => {
    const from = Math.floor((column * tokens.length) / count);
    const to = Math.floor(((column + 1) * tokens.length) / count);
    let largest = from;
    for (let at = from; at < to; at++) if ((tokens[at] ?? 0) > (tokens[largest] ?? 0)) largest = at;
    return largest;
  });
  const pick = (list: readonly number[]) => request.map((at) => list[at] ?? 0);
  const own = Object.fromEntries(PARTS.map((part) => [part, pick(parts[part])])) as unknown as Columns["parts"];
  return { request, parts: own, tokens: pick(tokens), trigger: pick(trigger) };
}

/** A page of what one request of a variant holds. */
export function pageOf(document: Read, variant: number, request: number, mode: Mode, from: number, to: number): Page {
  const entries = entriesAt(document, variant, request, mode);
  const rows = entries.slice(from, to).map((entry, at) => rowOf(document, entry, from + at));
  return { total: entries.length, rows };
}

export function detailOf(document: Read, variant: number, request: number, mode: Mode, at: number): Detail | undefined {
  const entry = entriesAt(document, variant, request, mode)[at];
  if (entry === undefined) return undefined;
  const row = rowOf(document, entry, at);
  if (typeof entry === "number") return { ...row, sent: document.messages[entry]?.text ?? "", original: null };
  if (!("of" in entry)) return { ...row, sent: entry.text, original: null };
  const original = document.messages[entry.of]?.text ?? "";
  return { ...row, sent: entry.fate === "summarized" ? null : entry.shown.text, original };
}

export function rememberedOf({ variants }: Read, variant: number, request: number): Remembered {
  const view = viewAt(variants[variant], request);
  const state = viewAt(variants[variant], request, ({ isStateless }) => !isStateless)?.state ?? null;
  const isEarlier = view?.isStateless === true;
  return { summary: view?.summary ?? null, memory: memoryOf(state), state, isEarlier };
}

/** Which row shows a message of the history, or -1. */
export function placeOf(document: Read, variant: number, request: number, mode: Mode, index: number): number {
  return entriesAt(document, variant, request, mode).findIndex((entry) => indexOf(entry) === index);
}

/** An entry of a view, or a message for which only the summary stands. */
type Shown = Entry | { readonly of: number; readonly fate: "summarized" };

function indexOf(entry: Shown): number | null {
  return typeof entry === "number" ? entry : "of" in entry ? entry.of : null;
}

function rowOf({ messages }: Read, entry: Shown, at: number): Row {
  const index = indexOf(entry);
  const fate: Fate = typeof entry === "number" ? "kept" : "of" in entry ? entry.fate : "made";
  const original = index === null ? undefined : messages[index];
  const shown: Displayed | undefined =
    typeof entry === "number" ? original : "shown" in entry ? entry.shown : "of" in entry ? original : entry;
  const { role = "unknown", tools = [], tokens = 0, text = "" } = shown ?? {};
  return { at, index, fate, role, tools, tokens, text: text.slice(0, PREVIEW).replace(/\s+/g, " ") };
}

const cache = new WeakMap<Trace, { key: string; entries: readonly Shown[] }>();

function entriesAt(document: Read, variant: number, request: number, mode: Mode): readonly Shown[] {
  const trace = document.variants[variant];
  if (!trace) return [];
  const key = `${request} ${mode}`;
  const known = cache.get(trace);
  if (known?.key === key) return known.entries;
  const sent = sentAt(document, trace, request);
  const entries = mode === "sent" ? sent : historyOf(sent, document.requests[request] ?? 0);
  cache.set(trace, { key, entries });
  return entries;
}

/** The view of a request: the last one that was rebuilt, and what came since. */
function sentAt({ messages, requests }: Read, trace: Trace, request: number): readonly Entry[] {
  const end = requests[request] ?? 0;
  const { way } = trace.settings;
  if (way === "newest" || way === "cleared") return plainAt(messages, way, end);
  const view = viewAt(trace, request);
  const added = Array.from({ length: Math.max(0, end - (view?.end ?? 0)) }, (_, at) => at + (view?.end ?? 0));
  return [...(view?.entries ?? []), ...added];
}

function viewAt(trace: Trace | undefined, request: number, isWanted = (_: View) => true): View | undefined {
  return trace?.views.findLast((view) => view.request <= request && isWanted(view));
}

function plainAt(messages: readonly Displayed[], way: "newest" | "cleared", end: number): Entry[] {
  const all = Array.from({ length: end }, (_, index) => index);
  if (way === "newest") {
    const isSystem = (index: number) => messages[index]?.role === "system";
    const kept = all.filter((index) => !isSystem(index)).slice(-NEWEST);
    const from = kept.findIndex((index) => !messages[index]?.result);
    return [...all.filter(isSystem), ...kept.slice(Math.max(0, from))];
  }
  let left = all.filter((index) => messages[index]?.result).length - RESULTS;
  return all.map((index) => {
    const message = messages[index];
    if (!message?.result || left-- <= 0) return index;
    return { of: index, fate: "cleared", shown: { ...message, tokens: OMITTED.length >> 2, text: OMITTED } };
  });
}

/** All messages in their order; what precis wrote stands before the first that it stands for. */
function historyOf(sent: readonly Entry[], end: number): Shown[] {
  const kept = new Map<number, Entry>();
  const made = sent.filter((entry) => indexOf(entry) === null);
  for (const entry of sent) {
    const index = indexOf(entry);
    if (index !== null) kept.set(index, entry);
  }
  const all: Shown[] = Array.from({ length: end }, (_, of) => kept.get(of) ?? { of, fate: "summarized" });
  const first = all.findIndex((entry) => typeof entry !== "number" && "of" in entry && entry.fate === "summarized");
  all.splice(Math.max(0, first), 0, ...made);
  return all;
}

/** The entries of a state's memory, with where each came from. A state is what it says it is, so nothing is relied on. */
function memoryOf(state: unknown): Memory[] {
  const memory = object(object(state).memory);
  const rows = (name: string) => list(memory[name]).map(list);
  const from = (at: unknown) => (typeof at === "number" ? at : null);
  return [
    ...rows("units").map(([at, , kind, text, speaker, tool, header]) => ({
      kind: plain(kind),
      text: plain(text),
      at: from(at),
      note: [speaker, tool, header].filter(Boolean).map(plain).join(" · "),
    })),
    ...rows("files").map(([path, edits, at]) => ({
      kind: "changed",
      text: plain(path),
      at: from(at),
      note: `${plain(edits)}×`,
    })),
    ...rows("checks").map(([command, verdict, at]) => ({
      kind: "check",
      text: plain(command),
      at: from(at),
      note: plain(verdict),
    })),
    ...rows("commits").map(([subject, at]) => ({ kind: "commit", text: plain(subject), at: from(at), note: "" })),
    ...rows("names").map(([name, context, at, , seen]) => ({
      kind: "name",
      text: typeof context === "string" ? context.replace("\u0001", plain(name)) : plain(name),
      at: from(at),
      note: `in ${plain(seen)} message${seen === 1 ? "" : "s"}`,
    })),
  ];
}

function object(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
}

function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : value === undefined || value === null ? [] : [value];
}

function plain(value: unknown): string {
  return typeof value === "string" ? value : (JSON.stringify(value) ?? "");
}
