import { type ContextUsage, createMeter, type Format, type ReadableFormat, type Reader, type Role } from "precis";
import type { Conversation } from "./transcripts/conversation.ts";

/** What the tokens of a request are spent on, largest first; they add up to `tokens` of the usage. */
export interface Share {
  readonly kind: Kind;
  /** The tool, where the kind has one. */
  readonly tool?: string;
  readonly tokens: number;
  /** How many such pieces there are. */
  readonly count: number;
}

export type Kind =
  | "system"
  | "tools"
  | "user"
  | "assistant"
  | "reasoning"
  | "tool inputs"
  | "tool results"
  | "media"
  | "summaries"
  | "other";

/** One message, for a list of the largest. */
export interface Weighed {
  readonly index: number;
  readonly role: Role | "unknown";
  /** The tools that it calls, or whose results it holds. */
  readonly tools: readonly string[];
  readonly tokens: number;
  readonly text: string;
}

/** Texts that are in the history more than once. */
export interface Duplicate {
  readonly indices: readonly number[];
  readonly what: string;
  /** Tokens of all but one. */
  readonly tokens: number;
  readonly text: string;
}

export interface Anatomy {
  readonly shares: readonly Share[];
  readonly messages: readonly Weighed[];
  readonly duplicates: readonly Duplicate[];
  /** Indices of messages that the format cannot read; they are counted as a whole and never changed. */
  readonly unread: readonly number[];
}

/** Shorter texts are repeated by chance, and cost little. */
const LEAST_DUPLICATE = 400;

/** Takes a conversation apart. `usage` is that of all its messages. */
export function anatomyOf(conversation: Conversation, usage: ContextUsage): Anatomy {
  const dissected = dissect(conversation);
  const weigh = scale(conversation.model);
  const messages = conversation.messages.map((message, index): Weighed => {
    const { role = "unknown", pieces } = dissected[index] as Dissected;
    const tools = [...new Set(pieces.flatMap(({ tool }) => tool ?? []))];
    const text = pieces.map((piece) => piece.text).find((text) => text.trim() !== "") ?? JSON.stringify(message);
    return { index, role, tools, tokens: weigh([{ role: role === "unknown" ? "user" : role, pieces }]), text };
  });
  return {
    shares: sharesOf(dissected, usage, weigh),
    messages,
    duplicates: duplicatesOf(dissected, weigh),
    unread: dissected.flatMap(({ role }, index) => (role === undefined ? [index] : [])),
  };
}

interface Piece {
  readonly kind: Kind;
  readonly tool?: string | undefined;
  readonly text: string;
  tell(to: Reader): void;
}

interface Dissected {
  readonly role: Role | undefined;
  readonly pieces: readonly Piece[];
}

/** Every message in its pieces, each of which can be counted by itself. */
function dissect({ messages, format }: Conversation): Dissected[] {
  const names = new Map<string, string>();
  return messages.map((message) => dissectOne(format, message, names));
}

function whole(message: object): Dissected {
  return { role: undefined, pieces: [{ kind: "other", text: "", tell: (to) => to.opaque(message) }] };
}

function pieces(format: Format<object>, message: object, names: Map<string, string>): Dissected {
  let role: Role | undefined;
  const found: Piece[] = [];
  // A file may hold anything where a format expects a text or a name.
  const add = (kind: Kind, text: unknown, tell: Piece["tell"], tool?: unknown) =>
    found.push({ kind, text: plain(text), tell, tool: typeof tool === "string" ? tool : undefined });
  format.read(message, {
    role(said) {
      role = said;
    },
    speaker: () => {},
    text: (part, text) => void add(SPOKEN[role ?? "user"], text, (to) => to.text(part, text)),
    reasoning: (text, signed) => void add("reasoning", text, (to) => to.reasoning(text, signed)),
    call(id, name, input, part, executed) {
      if (typeof name === "string") names.set(id ?? "", name);
      add("tool inputs", input, (to) => to.call(id, name, input, part, executed), name);
    },
    result(part, id, output, failed, name) {
      const tool = name ?? names.get(id ?? "") ?? "(unknown tool)";
      add("tool results", output, (to) => to.result(part, id, output, failed, name), tool);
    },
    media: (...given) => void add("media", "", (to) => to.media(...given)),
    document: (...given) => void add("media", given[1], (to) => to.document(...given)),
    approvalRequest: (...given) => void add("other", "", (to) => to.approvalRequest(...given)),
    approvalResponse: (...given) => void add("other", "", (to) => to.approvalResponse(...given)),
    compaction: (...given) => void add("summaries", given[1] ?? "", (to) => to.compaction(...given)),
    opaque: (value) => void add("other", "", (to) => to.opaque(value)),
  });
  return role === undefined ? whole(message) : { role, pieces: found };
}

const SPOKEN = { system: "system", user: "user", assistant: "assistant", tool: "tool results" } as const;

function plain(value: unknown): string {
  return typeof value === "string" ? value : (JSON.stringify(value) ?? "");
}

/** The tokens of single messages, estimated. */
export function weigher({ format, model }: Conversation): (message: object) => number {
  const weigh = scale(model);
  return (message) => weigh([dissectOne(format, message)]);
}

/** What single messages add to each part of the context, estimated; together it is what {@link weigher} says. */
export function partsWeigher({ format, model }: Conversation): (message: object) => ContextUsage["parts"] {
  const meter = meterOf();
  const parts = (messages: readonly Dissected[]) => meter.usage({ messages, model }).parts;
  const around = parts([]);
  return (message) => {
    const { system, tools, user, assistant, toolResults, media, summary } = parts([dissectOne(format, message)]);
    return {
      system: system - around.system,
      tools: tools - around.tools,
      user: user - around.user,
      assistant: assistant - around.assistant,
      toolResults: toolResults - around.toolResults,
      media: media - around.media,
      summary: summary - around.summary,
    };
  };
}

/** A message's pieces for people: what each is, whose tool it is of, and its text. */
export function piecesReader({ format }: Conversation) {
  const names = new Map<string, string>();
  return (message: object): { role: Role | undefined; pieces: readonly Pick<Piece, "kind" | "tool" | "text">[] } =>
    dissectOne(format, message, names);
}

function dissectOne(format: Format<object>, message: object, names: Map<string, string> = new Map()): Dissected {
  try {
    return pieces(format, message, names);
  } catch {
    return whole(message);
  }
}

/** The tokens of instructions and tools that are sent beside the messages, estimated. */
export function weightBeside({ system, tools, model }: Conversation): number {
  return meterOf().usage({ messages: [], system, tools, model }).tokens;
}

type Scale = (messages: readonly Dissected[]) => number;

/** The tokens of messages by themselves. What they lack (a call, a result) stays lacking. */
function scale(model: string | undefined): Scale {
  const meter = meterOf();
  const tokens: Scale = (messages) => meter.usage({ messages, model }).tokens;
  const around = tokens([]);
  return (messages) => Math.max(0, tokens(messages) - around);
}

function meterOf() {
  const format: ReadableFormat<Dissected> = {
    name: "pieces",
    read({ role, pieces }, to) {
      if (role) to.role(role);
      for (const piece of pieces) piece.tell(to);
    },
  };
  return createMeter({ format, contextWindow: 1_000_000_000, repair: false });
}

/** Which part of the usage a kind is counted in, by the role of its message. */
function partOf(kind: Kind, role: Role | undefined): keyof ContextUsage["parts"] {
  if (kind === "media") return "media";
  if (kind === "summaries") return "summary";
  if (kind === "tool results" || role === "tool") return "toolResults";
  return role ?? "user";
}

/** Each part of the usage, divided among the kinds that it is made of as they weigh. */
function sharesOf(dissected: readonly Dissected[], { parts }: ContextUsage, weigh: Scale): Share[] {
  const groups = new Map<string, Group>();
  for (const { role = "user", pieces } of dissected) {
    const touched = new Map<Group, Piece[]>();
    for (const piece of pieces) {
      const { kind, tool } = piece;
      const part = partOf(kind, role);
      const key = JSON.stringify([part, kind, tool]);
      const group = groups.get(key) ?? { part, kind, tool, of: [], count: 0 };
      groups.set(key, group);
      group.count += 1;
      const own = touched.get(group) ?? [];
      own.push(piece);
      touched.set(group, own);
    }
    for (const [group, own] of touched) group.of.push({ role, pieces: own });
  }
  const shares: Share[] = [];
  for (const [part, tokens] of Object.entries(parts)) {
    const own = [...groups.values()].filter((group) => group.part === part);
    const weights = own.map(({ of }) => weigh(of));
    for (const [at, share] of divide(tokens, weights).entries()) {
      const { kind, tool, count } = own[at] as Group;
      if (share > 0) shares.push({ kind, ...(tool && { tool }), tokens: share, count });
    }
    if (own.length === 0 && tokens > 0)
      shares.push({ kind: part === "system" || part === "tools" ? part : "other", tokens, count: 0 });
  }
  return shares.sort((one, other) => other.tokens - one.tokens);
}

interface Group {
  readonly part: string;
  readonly kind: Kind;
  readonly tool: string | undefined;
  readonly of: Dissected[];
  count: number;
}

/** Divides a whole as the weights stand to each other; what rounding leaves goes to the largest. */
function divide(whole: number, weights: readonly number[]): number[] {
  const sum = weights.reduce((total, weight) => total + weight, 0);
  const shares = weights.map((weight) => (sum > 0 ? Math.floor((whole * weight) / sum) : 0));
  const largest = weights.indexOf(Math.max(...weights));
  const rest = whole - shares.reduce((total, share) => total + share, 0);
  return shares.map((share, at) => (at === largest ? share + rest : share));
}

/** Equal texts of some length: results that were read again, files that were pasted twice. The most costly first. */
function duplicatesOf(dissected: readonly Dissected[], weigh: Scale): Duplicate[] {
  const known = new Map<string, { piece: Piece; role: Role; indices: number[] }>();
  for (const [index, { role = "user", pieces }] of dissected.entries()) {
    for (const piece of pieces) {
      if (piece.text.length < LEAST_DUPLICATE) continue;
      const found = known.get(piece.text) ?? { piece, role, indices: [] };
      known.set(piece.text, found);
      found.indices.push(index);
    }
  }
  return [...known.values()]
    .filter(({ indices }) => indices.length > 1)
    .map(({ piece, role, indices }) => ({
      indices,
      what: piece.tool ? `${piece.kind} of ${piece.tool}` : piece.kind,
      tokens: weigh([{ role, pieces: [piece] }]) * (indices.length - 1),
      text: piece.text,
    }))
    .sort((one, other) => other.tokens - one.tokens);
}
