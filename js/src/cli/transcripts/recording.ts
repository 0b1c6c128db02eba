import { isObject, type JsonObject, NoConversation } from "./conversation.ts";
import type { Source } from "./source.ts";

/** What `recorder()` of `precis/testing` wrote of one chat, in the order in which it came. */
export interface RecordedChat {
  readonly name: string;
  readonly lines: readonly JsonObject[];
  /** The messages at the end; empty where it was recorded without texts. */
  readonly messages: readonly unknown[];
  /** Instructions, tools and model, as far as they were recorded. */
  readonly beside: JsonObject;
}

/** The chats of a recording; nothing if it is another file. */
export function recordedChats({ values }: Source): RecordedChat[] | undefined {
  if (!values.some(isLine)) return undefined;
  const chats = new Map<string, JsonObject[]>();
  for (const line of values) {
    if (!isLine(line)) continue;
    const name = typeof line.chat === "string" ? line.chat : "";
    const own = chats.get(name) ?? [];
    chats.set(name, own);
    own.push(line);
  }
  // Events are of no chat by themselves.
  const found = [...chats].map(([name, lines]) => ({ name, lines, ...restored(lines) }));
  return found.filter(({ lines }) => lines.some(({ type }) => type === "report"));
}

/** Messages as they were when the recording ended. */
function restored(lines: readonly JsonObject[]): Pick<RecordedChat, "messages" | "beside"> {
  let messages: readonly unknown[] = [];
  let beside: JsonObject = {};
  for (const line of lines) {
    if (line.type !== "messages" || !Array.isArray(line.messages)) continue;
    messages = [...messages.slice(0, Number(line.from) || 0), ...line.messages];
    if (isObject(line.beside)) ({ beside } = line as { beside: JsonObject });
  }
  return { messages, beside };
}

/** A recording with texts as requests, which are read like any others. */
export function asRequests(source: Source): Source {
  const chats = recordedChats(source);
  if (!chats) return source;
  const values = chats.flatMap(({ messages, beside }) => (messages.length > 0 ? [{ ...beside, messages }] : []));
  if (values.length > 0) return { file: source.file, values };
  throw new NoConversation(
    `${source.file} is a recording without texts, so it cannot be played: precis inspect ${source.file} --html OUT.html shows what was recorded.`,
  );
}

function isLine(value: unknown): value is JsonObject {
  return isObject(value) && value.precis === "recording";
}
