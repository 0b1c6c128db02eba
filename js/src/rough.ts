/**
 * How full the window is, without the engine: a quarter of the bytes of all that is sent. It decides nothing.
 */
import { PrecisError } from "./errors.ts";
import type { MediaKind, ReadableFormat, Reader, Role } from "./format.ts";
import { stateOf } from "./inspect.ts";
import { CALL, checkKind, checkMembers, WINDOW } from "./members.ts";
import { checkHistory, messageAt } from "./messages.ts";
import { holdsUnread, isForeign, wrongFormat } from "./shapes.ts";
import type { ContextUsage, MeterOptions, ModelCall } from "./types.ts";

/** What stands around a message. */
const AROUND = 4;
/** Of a picture, and of each page of a document. */
const PICTURE = 1_000;
/** Of sound, film and other files, of which nothing is looked at. */
const FILE = 2_000;
/** How much too low it may be: 95 of 100 texts of docs/tokens.md are within it. */
const BOUND = 0.52;

/** The members of a state that change what is sent, or say what was. */
const EDITS = ["checkpoints", "clips", "cleared", "failed", "thoughts", "stale", "media"];

type Parts = { -readonly [Name in keyof ContextUsage["parts"]]: number };

/** Counts what a format says of messages. */
class Counter implements Reader {
  readonly parts: Parts = { system: 0, tools: 0, user: 0, assistant: 0, toolResults: 0, media: 0, summary: 0 };
  private part: keyof Parts = "assistant";
  /** Whether a role was said since the message began. */
  isKnown = false;
  /** Whether it holds what its format does not know. */
  isPartly = false;

  /** A message begins: of one whose role is never said, the model may have said anything. */
  start(): void {
    this.part = "assistant";
    this.isKnown = this.isPartly = false;
    this.add("assistant", AROUND);
  }

  role(role: Role): void {
    const parts: Readonly<Record<Role, keyof Parts>> = {
      system: "system",
      user: "user",
      assistant: "assistant",
      tool: "toolResults",
    };
    const part = parts[role];
    if (part === undefined) return;
    this.add(this.part, -AROUND);
    this.part = part;
    this.isKnown = true;
    this.add(part, AROUND);
  }

  speaker(name: string): void {
    this.add(this.part, tokensOf(name));
  }

  text(_: number, text: string): void {
    this.add(this.part, tokensOf(text));
  }

  reasoning(text: string): void {
    this.add(this.part, tokensOf(text));
  }

  call(_: string | null | undefined, name: string, input: unknown): void {
    this.add(this.part, tokensOf(name) + tokensOf(input));
  }

  result(_: number, _id: string | null | undefined, output: unknown): void {
    this.add("toolResults", tokensOf(output));
  }

  media(kind: MediaKind): void {
    this.add("media", kind === "image" || kind === "pdf" ? PICTURE : FILE);
  }

  document(_: number, text: string): void {
    this.add(this.part, tokensOf(text));
  }

  approvalRequest(_: number, _id: string, value: unknown): void {
    this.add(this.part, tokensOf(value));
  }

  approvalResponse(_: number, _id: string, value: unknown): void {
    this.add(this.part, tokensOf(value));
  }

  compaction(_: number, text: string | undefined, value: unknown): void {
    this.add("summary", tokensOf(text ?? value));
  }

  opaque(value: unknown): void {
    if (value === undefined || value === null) return;
    this.isPartly = true;
    this.add(this.part, tokensOf(value));
  }

  add(part: keyof Parts, tokens: number): void {
    this.parts[part] += tokens;
  }
}

/**
 * Throws where a meter's options cannot be understood. Those of `tune` that are not used here are the engine's to check.
 */
export function checkRough(options: MeterOptions<never>): void {
  const { contextWindow, maxOutputTokens, tune } = options;
  checkKind(WINDOW, contextWindow, "invalid-window", "contextWindow");
  if (typeof contextWindow !== "function") windowOf(contextWindow);
  for (const [path, value] of [
    ["maxOutputTokens", maxOutputTokens],
    ["tune.reserve", tune?.reserve],
    ["tune.maxInputTokens", tune?.maxInputTokens],
  ] as const)
    if (value !== undefined && value !== null) checkKind(TOKENS, value, "invalid-option", path);
}

const isTokens = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) > 0;
const TOKENS = { expected: "a whole number of tokens above 0", fits: isTokens };

function windowOf(window: unknown): number {
  if (isTokens(window)) return window;
  throw new PrecisError(
    "invalid-window",
    "contextWindow",
    `Expected the model's context window in tokens, a whole number above 0, got ${String(window)}. Look it up in the provider's model list; it is never guessed.`,
  );
}

/**
 * Measures a call. `known`: messages that were counted for this meter.
 *
 * @throws PrecisError `needs-engine` where earlier compactions decide what is sent; and what any call is refused for.
 */
export function roughly<Base, M extends Base>(
  options: MeterOptions<Base>,
  call: ModelCall<M>,
  known: WeakMap<object, Counted>,
): ContextUsage {
  checkMembers(CALL, call);
  const { messages, state, model, maxOutputTokens, system, tools, schemas } = call;
  const { contextWindow, format, tune } = options;
  const window = windowOf(typeof contextWindow === "function" ? contextWindow(model) : contextWindow);
  const edited = EDITS.find((name) => isThere(stateOf(state)?.[name]));
  if (edited !== undefined || (call.offset ?? 0) !== 0) {
    throw new PrecisError(
      "needs-engine",
      edited === undefined ? "offset" : "state",
      "Part of this chat was compacted, and only the engine knows what is sent of it. Call `await load()` before you measure, or pass the whole history without a state.",
    );
  }
  const counter = new Counter();
  counted(counter, format, messages, known);
  counter.add("system", tokensOf(system) + tokensOf(schemas));
  counter.add("tools", tokensOf(tools));
  const { parts } = counter;
  const tokens = Object.values(parts).reduce((sum, part) => sum + part, 0);
  const bound = Math.ceil(tokens * BOUND);
  const trigger = triggerOf(window, parts, tune, maxOutputTokens ?? options.maxOutputTokens);
  const untilCompaction = Math.max(0, trigger - tokens - bound);
  return {
    tokens,
    raw: tokens,
    window,
    trigger,
    fraction: tokens / window,
    untilCompaction,
    source: "rough",
    bound,
    parts,
  };
}

function counted<Base>(
  counter: Counter,
  format: ReadableFormat<Base>,
  messages: unknown,
  known: WeakMap<object, Counted>,
): void {
  checkHistory(messages);
  let misread = 0;
  for (let at = 0; at < messages.length; at++) {
    const message = messageAt(messages, at);
    let one = known.get(message);
    if (!one || !isAsBefore(message, one.stamp)) {
      one = countedOf(format, message);
      known.set(message, one);
    }
    const { parts } = one;
    for (let i = 0; i < parts.length; i++) counter.add((parts[i] as Part)[0], (parts[i] as Part)[1]);
    if (one.isMisread) misread += 1;
  }
  const refused = misread > 0 ? wrongFormat(messages, misread, format) : null;
  if (refused) throw refused;
}

type Part = readonly [keyof Parts, number];

/** A message that was counted, and what it held. */
export interface Counted {
  readonly stamp: readonly unknown[];
  readonly parts: readonly Part[];
  readonly isMisread: boolean;
}

function countedOf<Base>(format: ReadableFormat<Base>, message: object): Counted {
  const counter = new Counter();
  counter.start();
  try {
    format.read(message as Base, counter);
  } catch (error) {
    if (error instanceof PrecisError) throw error;
    counter.isKnown = false;
  }
  const isUnread = !counter.isKnown || holdsUnread(message, format.name);
  if (isUnread) counter.add("assistant", tokensOf(message));
  const isMisread = isUnread || isForeign(message, format.name, counter.isPartly);
  const parts = (Object.entries(counter.parts) as Part[]).filter(([, tokens]) => tokens !== 0);
  return { stamp: stampOf(message), parts, isMisread };
}

/**
 * What a message and the parts of its lists hold; what lies deeper is compared by reference alone. {@link isAsBefore} goes the
 * same way, without making anything: it is asked of each message at each key stroke.
 */
function stampOf(message: object): unknown[] {
  const stamp: unknown[] = [];
  for (const value of Object.values(message)) {
    stamp.push(value);
    if (!Array.isArray(value)) continue;
    for (const item of value) stamp.push(...(typeof item === "object" && item !== null ? Object.values(item) : [item]));
    stamp.push(value.length);
  }
  return stamp;
}

function isAsBefore(message: object, stamp: readonly unknown[]): boolean {
  let at = 0;
  for (const name in message) {
    const value = (message as Record<string, unknown>)[name];
    if (value !== stamp[at++]) return false;
    if (typeof value !== "object" || !Array.isArray(value)) continue;
    for (let i = 0; i < value.length; i++) {
      const item = value[i];
      if (typeof item !== "object" || item === null) {
        if (item !== stamp[at++]) return false;
      } else for (const key in item) if (item[key] !== stamp[at++]) return false;
    }
    if (value.length !== stamp[at++]) return false;
  }
  return at === stamp.length;
}

/** Where compaction starts; what is fixed may leave so little room that only the window itself counts. */
function triggerOf(
  window: number,
  { system, tools }: Parts,
  tune: MeterOptions<never>["tune"],
  reply: number | undefined,
): number {
  const hard = Math.max(1, window - Math.max(64, Math.floor(window / 64)));
  const room = reply === undefined ? undefined : Math.min(reply + 1_024, Math.floor(window / 2));
  const reserve =
    room === undefined && tune?.reserve === undefined
      ? Math.min(Math.floor(window / 8), 20_000)
      : Math.max(tune?.reserve ?? 0, room ?? 0);
  const most = tune?.maxInputTokens;
  const input = most === undefined ? window : most - Math.floor(most / 50);
  const trigger = Math.min(hard, Math.max(1, Math.min(window - reserve, input)));
  return system + tools > trigger * 0.9 ? hard : trigger;
}

const isThere = (value: unknown): boolean =>
  Array.isArray(value) ? value.length > 0 : value !== undefined && value !== null && value !== 0;

/** A quarter of the bytes of a text, or of the JSON of anything else. */
function tokensOf(value: unknown): number {
  if (value === undefined || value === null) return 0;
  return Math.ceil(bytesOf(typeof value === "string" ? value : json(value)) / 4);
}

function json(value: unknown): string {
  try {
    return (
      JSON.stringify(value, (_, member) =>
        ArrayBuffer.isView(member) ? "" : typeof member === "bigint" ? String(member) : member,
      ) ?? ""
    );
  } catch {
    return "";
  }
}

/** Of the text in UTF-8. */
function bytesOf(text: string): number {
  let bytes = text.length;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    // Each half of a pair counts two: together they take four.
    if (unit >= 0x80) bytes += unit < 0x800 || (unit & 0xf800) === 0xd800 ? 1 : 2;
  }
  return bytes;
}
