import { chatOf, type Turn } from "./chat.ts";
import { isObject, type JsonObject } from "./conversation.ts";
import { type Piece, parsedValue } from "./pieces.ts";
import type { TranscriptReader } from "./reader.ts";

/**
 * ShareGPT's form, which many data sets for training have: `conversations` of `from` and `value`. Calls are turns of their own
 * (`function_call`, `observation`), or elements in the text of the model (`<tool_call>`, answered by `tool`).
 */
export const shareGpt: TranscriptReader = {
  title: "ShareGPT",
  owns: (value) => turnsIn(value) !== undefined,
  read: ({ file, values }) =>
    values.map((chat, at) => {
      const name = typeof chat.id === "string" ? chat.id : values.length > 1 ? `conversation ${at + 1}` : file;
      const tools = parsedValue(chat.tools);
      return {
        ...{ file, name, shape: "sharegpt", ...chatOf(turnsOf(turnsIn(chat) ?? [])) },
        ...(typeof chat.system === "string" && chat.system !== "" && { system: chat.system }),
        ...(Array.isArray(tools) && tools.length > 0 && { tools }),
      };
    }),
};

function turnsIn({ conversations, conversation, items }: JsonObject): JsonObject[] | undefined {
  const list = [conversations, conversation, items].find(Array.isArray);
  const isShared =
    list?.length && list.every((one) => isObject(one) && typeof one.from === "string" && typeof one.value === "string");
  return isShared ? list : undefined;
}

const ROLES: Readonly<Record<string, Turn["role"]>> = {
  human: "user",
  user: "user",
  gpt: "assistant",
  assistant: "assistant",
  chatgpt: "assistant",
  bing: "assistant",
  bard: "assistant",
  model: "assistant",
  function_call: "assistant",
  system: "system",
  observation: "tool",
  tool: "tool",
  function_response: "tool",
};

function turnsOf(recorded: readonly JsonObject[]): Turn[] {
  // Ids of calls are made of places, and each is answered by the next result.
  let open: string[] = [];
  return recorded.flatMap(({ from, value }, at): Turn[] => {
    const role = ROLES[String(from)] ?? "user";
    const text = String(value);
    if (role === "tool") {
      const id = open.shift();
      return [
        id === undefined
          ? { role: "user", parts: [{ kind: "text", text }] }
          : { role, parts: [{ kind: "result", id, output: text }] },
      ];
    }
    const parts =
      role === "assistant" ? saidAndCalled(text, at, from === "function_call") : [{ kind: "text" as const, text }];
    open = parts.flatMap((part) => (part.kind === "call" ? [part.id] : []));
    return [{ role, parts }];
  });
}

const CALL = /<tool_call>(?<call>[\s\S]*?)<\/tool_call>/g;

function saidAndCalled(text: string, at: number, isCall: boolean): Piece[] {
  const bodies = isCall
    ? [text.replaceAll(CALL, "$<call>")]
    : [...text.matchAll(CALL)].map(({ groups }) => groups?.call ?? "");
  const calls = bodies.flatMap((body) => callsIn(body));
  // What is no call stays what was said.
  if (calls.length === 0 || calls.length < bodies.length) return [{ kind: "text", text }];
  const said = isCall ? "" : text.replaceAll(CALL, "").trim();
  return [
    { kind: "text", text: said },
    ...calls.map((call, nth) => ({ kind: "call" as const, id: `call_${at}_${nth}`, ...call })),
  ];
}

function callsIn(body: string): { name: string; input: unknown }[] {
  const value = parsedValue(body.trim());
  return (Array.isArray(value) ? value : [value]).flatMap((one) => {
    if (!isObject(one) || typeof one.name !== "string") return [];
    return [{ name: one.name, input: parsedValue(one.arguments ?? one.parameters ?? {}) }];
  });
}
