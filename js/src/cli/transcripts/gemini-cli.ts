import { gemini } from "precis/formats";
import { type Conversation, isObject, type JsonObject, makerOf, type Usage, usageOf } from "./conversation.ts";
import type { RecordSource, TranscriptReader } from "./reader.ts";

/**
 * Sessions of the Gemini CLI, as one document or one record a line (where a record that comes again replaces the first, and
 * `$rewindTo` takes back all from one on), and the checkpoints of `/chat save` and of tool calls.
 */
export const geminiCli: TranscriptReader = {
  title: "Gemini CLI",
  owns: (value) =>
    isSession(value) || isRecord(value) || isCheckpoint(value) || "$rewindTo" in value || "$set" in value,
  read(source) {
    const { sessions, loose } = collected(source.values);
    const checkpoints = source.values.filter(isCheckpoint).map((one) => checkpointOf(source, one));
    return [...sessions, ...(loose.length > 0 ? [loose] : [])]
      .map((messages) => sessionOf(source, messages))
      .concat(checkpoints);
  },
};

const SPOKEN = new Set(["user", "gemini", "model"]);
const KINDS = new Set([...SPOKEN, "info", "error", "warning"]);

const isSession = ({ sessionId, projectHash }: JsonObject) =>
  typeof sessionId === "string" && typeof projectHash === "string";
const isRecord = ({ id, timestamp, type, role, uuid }: JsonObject) =>
  typeof id === "string" &&
  timestamp !== undefined &&
  KINDS.has(String(type)) &&
  role === undefined &&
  uuid === undefined;
const isContents = (value: unknown) =>
  Array.isArray(value) && value.length > 0 && value.every((one) => isObject(one) && Array.isArray(one.parts));
const isCheckpoint = ({ history, clientHistory }: JsonObject) => isContents(clientHistory) || isContents(history);

/** Documents that hold their messages, and lines that are messages. */
function collected(values: readonly JsonObject[]): { sessions: JsonObject[][]; loose: JsonObject[] } {
  const sessions: JsonObject[][] = [];
  const loose = new Map<string, JsonObject>();
  for (const value of values) {
    const update = isObject(value.$set) ? value.$set : value;
    if (Array.isArray(update.messages)) sessions.push(update.messages.filter(isObject));
    else if (typeof value.$rewindTo === "string") {
      const ids = [...loose.keys()];
      for (const id of ids.slice(Math.max(0, ids.indexOf(value.$rewindTo)))) loose.delete(id);
    } else if (isRecord(value)) loose.set(String(value.id), value);
  }
  return { sessions, loose: [...loose.values()] };
}

function sessionOf({ file }: RecordSource, records: readonly JsonObject[]): Conversation {
  const messages: JsonObject[] = [];
  const usageAfter = new Map<number, Usage>();
  let model: string | undefined;
  for (const record of records) {
    if (!SPOKEN.has(String(record.type))) continue;
    const usage = record.type === "user" ? undefined : counted(record.tokens);
    const made = record.type === "user" ? [content("user", partsOf(record.content))] : replyOf(record);
    const present = made.filter(({ parts }) => parts.length > 0);
    if (usage && present.length > 0) usageAfter.set(messages.length, usage);
    messages.push(...present);
    if (typeof record.model === "string") model = record.model;
  }
  return {
    file,
    name: file,
    shape: "gemini-cli",
    format: gemini,
    messages,
    model,
    provider: makerOf(model),
    usageAfter,
  };
}

const content = (role: "user" | "model", parts: JsonObject[]) => ({ role, parts });

/** A `PartListUnion`: text, a part, or a list of both. */
function partsOf(value: unknown): JsonObject[] {
  const all = Array.isArray(value) ? value : [value];
  return all.flatMap((one) =>
    typeof one === "string" ? (one === "" ? [] : [{ text: one }]) : isObject(one) ? [one] : [],
  );
}

function replyOf({ content: said, parts, thoughts, toolCalls }: JsonObject): { role: string; parts: JsonObject[] }[] {
  const calls = (Array.isArray(toolCalls) ? toolCalls : []).filter(isObject);
  const thought = (Array.isArray(thoughts) ? thoughts : [])
    .filter(isObject)
    .map(({ subject, description }) => ({ text: [subject, description].filter(Boolean).join(": "), thought: true }));
  const called = calls.map(({ id, name, args }) => ({ functionCall: { id, name, args: args ?? {} } }));
  const results = calls.flatMap(({ id, name, result }) =>
    partsOf(result).map((part) =>
      isObject(part.functionResponse)
        ? part
        : { functionResponse: { id, name, response: { output: part.text ?? "" } } },
    ),
  );
  return [content("model", [...thought, ...partsOf(said ?? parts), ...called]), content("user", results)];
}

/** What was cached is part of the input; what was thought stands beside the output. */
function counted(tokens: unknown): Usage | undefined {
  if (!isObject(tokens)) return undefined;
  const { input, output, thoughts } = tokens;
  return usageOf({ promptTokenCount: input, candidatesTokenCount: output, thoughtsTokenCount: thoughts });
}

function checkpointOf({ file }: RecordSource, { history, clientHistory }: JsonObject): Conversation {
  const messages = (isContents(clientHistory) ? clientHistory : history) as JsonObject[];
  return { file, name: file, shape: "gemini-cli", format: gemini, messages, usageAfter: new Map() };
}
