import { anthropic } from "precis/formats";
import { branched } from "./branched.ts";
import {
  blocks,
  type Conversation,
  isMessage,
  isObject,
  type JsonObject,
  type Message,
  makerOf,
  type Usage,
  usageOf,
} from "./conversation.ts";
import type { RecordSource, TranscriptReader } from "./reader.ts";
import { type Node, treeOf } from "./tree.ts";

/**
 * Claude Code's session logs. A line for each content block; lines of one reply share its id. Each line names the line it
 * follows, so a log is a tree: a rewind begins a new branch. Sub-agents are trees of their own.
 */
export const claudeCode: TranscriptReader = {
  title: "Claude Code",
  owns: (value) =>
    isSpoken(value) ||
    (typeof value.type === "string" &&
      !("payload" in value) &&
      ["sessionId", "leafUuid", "uuid", "snapshot"].some((name) => name in value)),
  read(source) {
    const lines = source.values.filter((line) => isSpoken(line) || typeof line.uuid === "string");
    const titles = titlesOf(source.values);
    const chats = [...chatsOf(lines).values()];
    const isOnly = chats.every(({ side }) => side);
    return chats.flatMap(({ nodes, side }) =>
      branched(treeOf(nodes, { counts: isSent }), (way) =>
        sessionOf(source, way.flat(), titles, side && !isOnly),
      ).flatMap(withEarlier),
    );
  },
};

function isSpoken(line: JsonObject): boolean {
  return (line.type === "user" || line.type === "assistant") && isMessage(line.message);
}

type Group = JsonObject[];

/** Lines that were said, and where a compaction began again; all others only stand between them. */
const isSent = (group: Group) => group.some((line) => isSpoken(line) || isBoundary(line));
const isBoundary = ({ type, subtype }: JsonObject) => type === "system" && subtype === "compact_boundary";

interface Chat {
  readonly nodes: Node<Group>[];
  /** What a sub-agent did. */
  readonly side: boolean;
}

/** The lines of a file as the trees of its sessions and sub-agents. */
function chatsOf(lines: readonly JsonObject[]): Map<string, Chat> {
  const { groups, groupOf } = grouped(lines);
  const parents = new Map<string, string | undefined>();
  for (const [id, lines] of groups) {
    const followed = lines.flatMap(({ parentUuid, logicalParentUuid }) => parentUuid ?? logicalParentUuid ?? []);
    const others = followed.map((parent) => groupOf.get(String(parent)) ?? String(parent));
    parents.set(
      id,
      others.find((parent) => parent !== id),
    );
  }
  // A log most of whose lines name no parents is a list: a tree has a beginning, and one more for each that was rewound to.
  const beginnings = [...parents.values()].filter((parent) => parent === undefined);
  const isList = beginnings.length * 2 > groups.size;
  const chats = new Map<string, Chat>();
  const chatOf = new Map<string, string>();
  let before: string | undefined;
  for (const [id, group] of groups) {
    const parent = isList ? before : parents.get(id);
    const [line = {}] = group;
    const side = line.isSidechain === true;
    const own = side ? `side ${String(line.agentId ?? id)}` : `session ${String(line.sessionId)}`;
    // What follows a message is of its chat, under whatever session it was written.
    const key = (parent !== undefined ? chatOf.get(parent) : undefined) ?? own;
    const chat = chats.get(key) ?? { nodes: [], side };
    chats.set(key, chat);
    chatOf.set(id, key);
    chat.nodes.push({ id, parent, value: group });
    before = id;
  }
  return chats;
}

/**
 * A reply with all its results is one node, whichever of its lines the next one follows: the results of parallel calls
 * hang beside each other in the log.
 */
function grouped(lines: readonly JsonObject[]): { groups: Map<string, Group>; groupOf: Map<string, string> } {
  const groups = new Map<string, Group>();
  const groupOf = new Map<string, string>();
  const callOf = new Map<string, string>();
  for (const [at, line] of lines.entries()) {
    const own = typeof line.uuid === "string" ? line.uuid : `line ${at}`;
    const message = (isObject(line.message) ? line.message : {}) as Message;
    const answered = blocks(message).flatMap(({ type, tool_use_id }) =>
      type === "tool_result" && typeof tool_use_id === "string" ? (callOf.get(tool_use_id) ?? []) : [],
    );
    const reply = typeof message.id === "string" && line.type === "assistant" ? `reply ${message.id}` : undefined;
    const key = reply ?? (line.type === "user" ? answered[0] : undefined) ?? own;
    const group = groups.get(key) ?? [];
    groups.set(key, group);
    group.push(line);
    groupOf.set(own, key);
    for (const { type, id } of blocks(message)) if (type === "tool_use" && typeof id === "string") callOf.set(id, key);
  }
  return { groups, groupOf };
}

interface Session extends Conversation {
  /** What was said before each compaction. */
  readonly earlier: readonly Conversation[];
}

function withEarlier(conversation: Conversation): Conversation[] {
  const { earlier, ...session } = conversation as Session;
  return [session, ...earlier];
}

function sessionOf({ file }: RecordSource, lines: readonly JsonObject[], titles: Titles, aside: boolean): Session {
  const parts = segments(lines);
  const [{ sessionId, agentId } = {} as JsonObject] = lines.filter(isSpoken);
  const title = titles.find(([of]) => lines.some(({ uuid, sessionId }) => of === uuid || of === sessionId))?.[1];
  const name = aside ? `sub-agent ${String(agentId ?? sessionId)}` : (title ?? file);
  const conversations = parts.map((segment, at): Conversation => {
    const isLast = at === parts.length - 1;
    return {
      file,
      name: isLast ? name : `${name}, before compaction ${at + 1}`,
      shape: "claude-code",
      format: anthropic,
      ...messagesOf(segment),
      ...((aside || !isLast) && { aside: true }),
    };
  });
  const [last, ...earlier] = conversations.reverse() as [Conversation, ...Conversation[]];
  return { ...last, earlier: earlier.reverse() };
}

/** What was sent at a time: a compaction replaces all before it, but what it says it has preserved. */
function segments(lines: readonly JsonObject[]): JsonObject[][] {
  const found: JsonObject[][] = [[]];
  for (const line of lines) {
    const current = found.at(-1) as JsonObject[];
    if (isBoundary(line)) found.push(preserved(line, current));
    else if (isSpoken(line) && !isUnsent(line)) current.push(line);
  }
  return found.filter((segment, at) => segment.length > 0 || at === found.length - 1);
}

function preserved({ compactMetadata }: JsonObject, before: readonly JsonObject[]): JsonObject[] {
  const kept = isObject(compactMetadata) ? compactMetadata.preservedSegment : undefined;
  if (!isObject(kept)) return [];
  const [from, to] = [kept.headUuid, kept.tailUuid].map((id) => before.findIndex(({ uuid }) => uuid === id));
  return from !== undefined && to !== undefined && from >= 0 && to >= from ? before.slice(from, to + 1) : [];
}

/** What the program says in the model's place is not sent. */
function isUnsent({ message, isApiErrorMessage }: JsonObject): boolean {
  return isApiErrorMessage === true || (isObject(message) && message.model === "<synthetic>");
}

function messagesOf(lines: readonly JsonObject[]) {
  const messages: Message[] = [];
  const usageAfter = new Map<number, Usage>();
  let openId: unknown;
  let model: string | undefined;
  for (const { message } of lines as unknown as { message: Message }[]) {
    const last = messages.at(-1);
    const continued = message.id !== undefined && message.id === openId && last?.role === "assistant";
    if (last && (continued || (isResults(last) && isResults(message)))) {
      messages[messages.length - 1] = { ...last, content: [...blocks(last), ...blocks(message)] };
    } else messages.push({ role: message.role, content: message.content });
    openId = message.id;
    const usage = usageOf(message.usage);
    if (usage) usageAfter.set(messages.length - 1, usage);
    if (typeof message.model === "string") model = message.model;
  }
  return { messages, usageAfter, model, provider: makerOf(model) };
}

function isResults(message: Message): boolean {
  const all = blocks(message);
  return all.length > 0 && all.every((block) => block.type === "tool_result");
}

type Titles = readonly (readonly [unknown, string])[];

/** Titles of sessions, by the id of the session or of its last line; what a person chose goes before what a model wrote. */
function titlesOf(values: readonly JsonObject[]): Titles {
  const title = ({ customTitle, summary, aiTitle }: JsonObject) => customTitle ?? summary ?? aiTitle;
  return values
    .filter((line) => typeof title(line) === "string" && !isSpoken(line))
    .sort((one, other) => Number("customTitle" in other) - Number("customTitle" in one))
    .map((line) => [line.leafUuid ?? line.sessionId, String(title(line))]);
}
