import type { Format, Reader } from "precis";
import { branched } from "./branched.ts";
import { type Conversation, isObject, type JsonObject, makerOf, type Usage, usageOf } from "./conversation.ts";
import type { TranscriptReader } from "./reader.ts";
import { asLines } from "./source.ts";
import { type Tree, treeOf } from "./tree.ts";

type Block =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "thinking"; readonly thinking: string; readonly thinkingSignature?: string }
  | { readonly type: "toolCall"; readonly id: string; readonly name: string; readonly arguments: unknown }
  | { readonly type: "image"; readonly data: string; readonly mimeType: string };

interface Spoken {
  readonly role: "user" | "assistant";
  readonly content: readonly Block[];
}

interface ToolResult {
  readonly role: "toolResult";
  readonly toolCallId: string;
  readonly toolName: string;
  readonly content: readonly Block[];
  readonly isError: boolean;
}

export type PiMessage = Spoken | ToolResult;

/** Messages of the pi coding agent, as its session files hold them. */
export const pi: Format<PiMessage> = {
  name: "pi",
  read(message, to) {
    if (message.role === "toolResult") {
      to.role("tool");
      const output = message.content.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n");
      to.result(0, message.toolCallId, output, message.isError);
    } else to.role(message.role);
    message.content.forEach((block, part) => {
      // What is inside a result has its number.
      if (message.role !== "toolResult") readBlock(block, part, to);
      else if (block.type !== "text") readBlock(block, 0, to);
    });
  },
  summary: (text) => ({ role: "user", content: [{ type: "text", text }] }),
  replace(message, part, text) {
    if (message.role === "toolResult") return { ...message, content: [{ type: "text", text }] };
    return { ...message, content: message.content.map((block, at) => (at === part ? shortened(block, text) : block)) };
  },
  result: (toolCallId, toolName, text) => ({
    ...{ role: "toolResult", toolCallId, toolName, isError: false },
    content: [{ type: "text", text }],
  }),
};

function shortened(block: Block, text: string): Block {
  return block.type === "toolCall" ? { ...block, arguments: JSON.parse(text) } : { type: "text", text };
}

function readBlock(block: Block, part: number, to: Reader): void {
  if (block.type === "text") to.text(part, block.text);
  else if (block.type === "thinking") to.reasoning(block.thinking, Boolean(block.thinkingSignature));
  else if (block.type === "toolCall") to.call(block.id, block.name, block.arguments, part);
  else if (block.type === "image") to.media("image", block.data, block.mimeType, part);
  else to.opaque(block);
}

/**
 * Sessions of the pi coding agent. Newer ones are trees: `/tree` goes back, and a new branch begins. What is sent begins with
 * the newest compaction, and with the messages that it kept.
 */
export const piSession: TranscriptReader = {
  title: "pi",
  owns: ({ type, message, sessionId, payload, data, role }) =>
    (type === "message" ? isObject(message) : KINDS.has(String(type))) &&
    [sessionId, payload, data, role].every((one) => one === undefined),
  read({ file, values }) {
    const [head] = values;
    // What stands before the first session is of another kind.
    if (!head || !values.some(({ type }) => type === "session")) return [];
    const tree = treeIn(values);
    const [newest] = tree.branches;
    const past = newest ? segments(newest(), values).slice(0, -1) : [];
    return [
      ...branched(tree, (way) => sessionOf(file, head, segments(way, values).at(-1) ?? [])),
      ...past.map((segment, at) => ({
        ...sessionOf(file, head, segment),
        ...{ name: `${file}, before compaction ${at + 1}`, aside: true },
      })),
    ];
  },
};

const isSpoken = ({ type, summary }: JsonObject) =>
  ["message", "compaction", "custom_message"].includes(String(type)) || (type === "branch_summary" && Boolean(summary));

const KINDS = new Set([
  ...["session", "compaction", "model_change", "thinking_level_change", "branch_summary"],
  ...["custom", "custom_message", "label", "session_info"],
]);

function treeIn(values: readonly JsonObject[]): Tree<JsonObject> {
  const entries = values.filter(({ type }) => type !== "session");
  if (!entries.some(({ parentId }) => typeof parentId === "string"))
    return { branches: [() => entries.filter(isSpoken)], doubts: [] };
  const nodes = entries.map((entry, at) => ({
    id: String(entry.id ?? at),
    parent: typeof entry.parentId === "string" ? entry.parentId : undefined,
    value: entry,
  }));
  return treeOf(nodes, { counts: isSpoken });
}

/**
 * What was sent before each compaction, and behind the newest. What was kept begins at an entry that need not be a message:
 * a change of the model just before one is as good. Lists name it by its place in the file.
 */
function segments(entries: readonly JsonObject[], values: readonly JsonObject[]): JsonObject[][] {
  const found: JsonObject[][] = [[]];
  const places = new Map(values.map((value, at) => [value, at]));
  const byId = new Map(values.map(({ id }, at) => [id, at]));
  for (const [at, entry] of entries.entries()) {
    if (entry.type !== "compaction") found.at(-1)?.push(entry);
    else {
      const { firstKeptEntryId: id, firstKeptEntryIndex: index } = entry;
      const from = (id === undefined ? index : byId.get(id)) ?? values.length;
      const kept = entries.slice(0, at).filter((one) => (places.get(one) ?? 0) >= Number(from) && !isCompaction(one));
      found.push([entry, ...kept.map(withoutUsage)]);
    }
  }
  return found;
}

const isCompaction = ({ type }: JsonObject) => type === "compaction";

/** What was counted of a request before a compaction says nothing of those behind it. */
const withoutUsage = (entry: JsonObject): JsonObject =>
  isObject(entry.message) ? { ...entry, message: { ...entry.message, usage: undefined } } : entry;

function sessionOf(file: string, head: JsonObject, entries: readonly JsonObject[]): Conversation {
  const messages: PiMessage[] = [];
  const usageAfter = new Map<number, Usage>();
  let model: string | undefined;
  for (const entry of entries) {
    const recorded = entry.type === "message" && isObject(entry.message) ? entry.message : undefined;
    const message = recorded ? toMessage(recorded) : standingFor(entry);
    if (!message) continue;
    messages.push(message);
    if (!recorded) continue;
    // The figures of an aborted reply are incomplete.
    const isWhole = recorded.stopReason === "stop" || recorded.stopReason === "toolUse";
    const usage = isWhole ? usageOf(recorded.usage) : undefined;
    if (usage) usageAfter.set(messages.length - 1, usage);
    if (typeof recorded.model === "string") model ??= recorded.model;
  }
  const provider = makerOf(model);
  const save = (messages: readonly object[]) =>
    asLines([head, ...messages.map((message) => ({ type: "message", message }))]);
  return { file, name: file, shape: "pi-session", format: pi, messages, model, provider, usageAfter, save };
}

/** The message that pi sends of an entry that is none: of a compaction, a branch that was left, or an extension. */
function standingFor(entry: JsonObject): PiMessage | null {
  const { type, summary } = entry;
  if (type === "compaction")
    return said(
      `The conversation history before this point was compacted into the following summary:\n\n<summary>\n${String(summary)}\n</summary>`,
    );
  if (type === "branch_summary")
    return said(
      `The following is a summary of a branch that this conversation came back from:\n\n<summary>\n${String(summary)}</summary>`,
    );
  return type === "custom_message" ? { role: "user", content: contentOf(entry) } : null;
}

function said(text: string): PiMessage {
  return { role: "user", content: [{ type: "text", text }] };
}

/** A command that a person ran. */
function ran({ command, output, cancelled, exitCode, truncated, fullOutputPath }: JsonObject): string {
  const failed = typeof exitCode === "number" && exitCode !== 0;
  return [
    `Ran \`${String(command)}\`\n${output ? `\`\`\`\n${String(output)}\n\`\`\`` : "(no output)"}`,
    cancelled === true ? "(command cancelled)" : failed && `Command exited with code ${exitCode}`,
    truncated === true && fullOutputPath && `[Output truncated. Full output: ${String(fullOutputPath)}]`,
  ]
    .filter(Boolean)
    .join("\n\n");
}

function toMessage(recorded: JsonObject): PiMessage | null {
  if (recorded.role === "bashExecution") return recorded.excludeFromContext === true ? null : said(ran(recorded));
  // What a reply called that broke off was never run, and pi does not send it: the next recorded prompt is without it.
  const broken = recorded.stopReason === "aborted" || recorded.stopReason === "error";
  const content = contentOf(recorded).filter(({ type }) => !(broken && type === "toolCall"));
  if (recorded.role === "toolResult") {
    const { toolCallId, toolName, isError } = recorded;
    return {
      role: "toolResult",
      toolCallId: String(toolCallId),
      toolName: String(toolName),
      content,
      isError: isError === true,
    };
  }
  // A reply aborted before its first word is empty, and pi does not send it.
  if (content.length === 0) return null;
  if (recorded.role === "user" || recorded.role === "assistant") return { role: recorded.role, content };
  // What an extension said, by its newer and its older name.
  return recorded.role === "custom" || recorded.role === "hookMessage" ? { role: "user", content } : null;
}

function contentOf({ content }: JsonObject): readonly Block[] {
  if (typeof content === "string") return [{ type: "text", text: content }];
  return Array.isArray(content) ? content.filter((block): block is Block => isObject(block)) : [];
}
