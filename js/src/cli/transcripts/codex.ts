import { openaiResponses } from "precis/formats";
import {
  type Conversation,
  isMessage,
  isObject,
  type JsonObject,
  makerOf,
  type Usage,
  usageOf,
} from "./conversation.ts";
import type { RecordSource, TranscriptReader } from "./reader.ts";
import { isItem } from "./records.ts";

/**
 * Rollouts of the Codex CLI: items of the Responses API as they came, and events about them. A compaction replaces all
 * items before it; a rollback takes the newest turns away again.
 */
export const codex: TranscriptReader = {
  title: "Codex",
  owns: ({ type, payload, record_type }) =>
    record_type === "state" ||
    (isObject(payload) &&
      /^(session_meta|turn_context|response_item|event_msg|compacted|world_state)$/.test(String(type))),
  read: (source) => read(source),
};

interface Open {
  items: JsonObject[];
  usageAfter: Map<number, Usage>;
}

function read({ file, values }: RecordSource): Conversation[] {
  const past: Open[] = [];
  const undone: Open[] = [];
  let open: Open = { items: [], usageAfter: new Map() };
  let model: string | undefined;
  let system: unknown;
  for (const { type, payload } of values as { type: unknown; payload?: JsonObject }[]) {
    if (!payload) continue;
    if (type === "session_meta") system ??= instructionsOf(payload);
    else if (type === "turn_context" && typeof payload.model === "string") model = payload.model;
    else if (type === "response_item") {
      if (isMessage(payload) || isItem(payload)) open.items.push(payload);
    } else if (type === "compacted") {
      past.push(open);
      open = { items: replacedBy(payload), usageAfter: new Map() };
    } else if (payload.type === "token_count") note(open, payload);
    else if (payload.type === "thread_rolled_back") {
      undone.push(open);
      open = before(open, Number(payload.num_turns ?? 1));
    }
  }
  const conversation = ({ items, usageAfter }: Open, name: string): Conversation => ({
    ...{ file, name, shape: "codex", format: openaiResponses, messages: items, usageAfter },
    ...{ system, model, provider: makerOf(model) },
  });
  const branches = undone.reverse().map((one) => () => conversation(one, file));
  return [
    { ...conversation(open, file), branches },
    ...past.map((one, at) => ({ ...conversation(one, `${file}, before compaction ${at + 1}`), aside: true })),
  ];
}

function instructionsOf({ base_instructions, instructions }: JsonObject): unknown {
  const base = isObject(base_instructions) ? base_instructions.text : base_instructions;
  return base ?? instructions ?? undefined;
}

/** The history that a compaction leaves: as it was recorded, or its message. */
function replacedBy({ replacement_history, message }: JsonObject): JsonObject[] {
  if (Array.isArray(replacement_history)) return replacement_history.filter((one) => isMessage(one) || isItem(one));
  const content = [{ type: "input_text", text: String(message ?? "") }];
  return message ? [{ type: "message", role: "user", content }] : [];
}

const isReply = ({ type, role }: JsonObject) =>
  role === "assistant" || type === "reasoning" || String(type).endsWith("_call");

/** The usage is of the newest reply; where it is reported again, nothing was asked in between. */
function note({ items, usageAfter }: Open, { info }: JsonObject): void {
  const usage = isObject(info) ? usageOf(info.last_token_usage) : undefined;
  let end = items.length - 1;
  while (end >= 0 && String(items[end]?.type).endsWith("_output")) end -= 1;
  let start = end;
  while (start > 0 && isReply(items[start - 1] as JsonObject)) start -= 1;
  if (usage && end >= 0 && isReply(items[end] as JsonObject) && !usageAfter.has(start)) usageAfter.set(start, usage);
}

/** Without the newest turns: each begins with what a person typed. */
function before({ items, usageAfter }: Open, turns: number): Open {
  let left = turns;
  let end = items.length;
  while (left > 0 && end > 0) {
    end -= 1;
    if (items[end]?.role === "user") left -= 1;
  }
  return { items: items.slice(0, end), usageAfter: new Map([...usageAfter].filter(([at]) => at < end)) };
}
