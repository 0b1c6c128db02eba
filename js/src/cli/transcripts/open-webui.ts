import { branched } from "./branched.ts";
import { chatOf, type Turn } from "./chat.ts";
import { type Conversation, isObject, type JsonObject, usageOf } from "./conversation.ts";
import { type Piece, parsedValue } from "./pieces.ts";
import type { RecordSource, TranscriptReader } from "./reader.ts";
import { treeOf } from "./tree.ts";

/**
 * Chats that Open WebUI exports: a tree of messages. What the model thought and called stands in `output`, or as `<details>` in
 * the text of the reply.
 */
export const openWebui: TranscriptReader = {
  title: "Open WebUI",
  owns: (value) => historyOf(value) !== undefined,
  read: (source) => source.values.flatMap((chat) => chatOfExport(source, chat)),
};

function historyOf({ chat, history }: JsonObject): JsonObject | undefined {
  const found = isObject(chat) ? chat.history : history;
  return isObject(found) && isObject(found.messages) && "currentId" in found ? found : undefined;
}

function chatOfExport({ file }: RecordSource, chat: JsonObject): Conversation[] {
  const history = historyOf(chat) as JsonObject;
  const nodes = Object.values(history.messages as JsonObject)
    .filter(isObject)
    .map((message) => ({
      id: String(message.id),
      parent: typeof message.parentId === "string" ? message.parentId : undefined,
      value: message,
    }));
  const inner = isObject(chat.chat) ? chat.chat : chat;
  const name = String(chat.title ?? inner.title ?? file);
  const system = isObject(inner.params) && typeof inner.params.system === "string" ? inner.params.system : inner.system;
  const current = typeof history.currentId === "string" ? history.currentId : undefined;
  return branched(treeOf(nodes, { current }), (way) => ({
    ...{ file, name, shape: "open-webui" as const, ...chatOf(way.map(turnOf)) },
    ...(typeof system === "string" && system !== "" && { system }),
  }));
}

function turnOf(message: JsonObject): Turn {
  const { role, content, files, model, usage, info, output, id } = message;
  const text = typeof content === "string" ? content : "";
  if (role !== "assistant")
    return { role: role === "system" ? "system" : "user", parts: [...imagesOf(files), { kind: "text", text }] };
  const items = (Array.isArray(output) ? output : []).filter(isObject);
  const parts = items.length > 0 ? items.flatMap(itemPieces) : detailPieces(text, String(id));
  const named = typeof model === "string" ? model : undefined;
  // Beside calls the figures are those of several requests.
  const isOne = parts.every(({ kind }) => kind !== "call");
  return { role: "assistant", parts, model: named, usage: isOne ? (usageOf(usage) ?? counted(info)) : undefined };
}

/** Ollama's figures. */
const counted = (info: unknown) =>
  isObject(info) ? usageOf({ prompt_tokens: info.prompt_eval_count, completion_tokens: info.eval_count }) : undefined;

const imagesOf = (files: unknown): Piece[] =>
  (Array.isArray(files) ? files : [])
    .filter(isObject)
    .filter(({ type, url }) => type === "image" && typeof url === "string")
    .map(({ url }) => ({ kind: "image", data: url, type: undefined }));

function itemPieces({ type, call_id, name, arguments: input, output, content, summary }: JsonObject): Piece[] {
  if (type === "function_call")
    return [{ kind: "call", id: String(call_id), name: String(name), input: parsedValue(input) }];
  if (type === "function_call_output") return [{ kind: "result", id: String(call_id), output: textOf(output) }];
  if (type === "reasoning") return [{ kind: "reasoning", text: textOf(content ?? summary) }];
  return [{ kind: "text", text: textOf(content) }];
}

function textOf(value: unknown): string {
  if (typeof value === "string") return value;
  if (!Array.isArray(value)) return value === undefined || value === null ? "" : JSON.stringify(value);
  return value
    .map((one) => (isObject(one) && typeof one.text === "string" ? one.text : JSON.stringify(one)))
    .join("\n");
}

const DETAILS = /<details type="(?<type>reasoning|tool_calls)"(?<attributes>[^>]*)>(?<body>[\s\S]*?)<\/details>\s*/g;
const ATTRIBUTE = /(?<name>[\w-]+)="(?<value>[^"]*)"/g;

/** What older versions wrote into the text of the reply. */
function detailPieces(text: string, of: string): Piece[] {
  const found: Piece[] = [];
  let end = 0;
  for (const [at, match] of [...text.matchAll(DETAILS)].entries()) {
    found.push({ kind: "text", text: text.slice(end, match.index) });
    end = match.index + match[0].length;
    const { type, attributes = "", body = "" } = match.groups ?? {};
    const said = unescaped(body.replace(/<summary>[\s\S]*?<\/summary>/, "").trim());
    if (type === "reasoning") {
      found.push({ kind: "reasoning", text: said.replace(/^> ?/gm, "") });
      continue;
    }
    const given = Object.fromEntries(
      [...attributes.matchAll(ATTRIBUTE)].map(({ groups: { name = "", value = "" } = {} }) => [name, unescaped(value)]),
    );
    const id = given.id || `${of}_${at}`;
    const output = given.result === undefined || given.result === "" ? said : parsedValue(given.result);
    found.push({
      kind: "call",
      id,
      name: given.name || "tool",
      input: given.arguments ? parsedValue(given.arguments) : {},
    });
    found.push({ kind: "result", id, output });
  }
  return [...found, { kind: "text", text: text.slice(end) }];
}

const ENTITIES: Readonly<Record<string, string>> = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  "#x27": "'",
  "#39": "'",
  "#x2F": "/",
};
const unescaped = (text: string) => text.replace(/&(#?\w+);/g, (whole, name: string) => ENTITIES[name] ?? whole);
