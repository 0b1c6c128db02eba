import { chatOf, type Turn } from "./chat.ts";
import { type Conversation, isObject, type JsonObject, type Usage, usageOf } from "./conversation.ts";
import type { Piece } from "./pieces.ts";
import type { RecordSource, TranscriptReader } from "./reader.ts";

/** Session events of the GitHub Copilot CLI. What a sub-agent says names the call that started it. */
export const copilotCli: TranscriptReader = {
  title: "Copilot CLI",
  owns: ({ type, data, id }) =>
    typeof id === "string" &&
    isObject(data) &&
    /^(abort$|(session|user|assistant|tool|system|subagent|hook|skill)\.)/.test(String(type)),
  read(source) {
    const main: JsonObject[] = [];
    const agents = new Map<string, JsonObject[]>();
    for (const event of source.values) {
      const { parentToolCallId: parent } = event.data as JsonObject;
      if (typeof parent === "string") agents.set(parent, [...(agents.get(parent) ?? []), event]);
      else main.push(event);
    }
    const asides = [...agents].map(([id, events]) => ({
      ...sessionOf(source, `sub-agent of ${id}`, events),
      aside: true,
    }));
    return [sessionOf(source, source.file, main), ...asides];
  },
};

function sessionOf({ file }: RecordSource, name: string, events: readonly JsonObject[]): Conversation {
  let model: string | undefined;
  const turns: Turn[] = [];
  const usages = usagesOf(events);
  for (const { type, data } of events as { type: unknown; data: JsonObject }[]) {
    const told = data.model ?? data.selectedModel ?? data.newModel;
    if (typeof told === "string" && told !== "auto") model = told;
    turns.push(...turnOf(type, data, model, usages));
  }
  return { file, name, shape: "copilot-cli", ...chatOf(turns) };
}

function turnOf(type: unknown, data: JsonObject, model: string | undefined, usages: Map<unknown, Usage>): Turn[] {
  const text = (value: unknown): Piece[] => (typeof value === "string" ? [{ kind: "text", text: value }] : []);
  if (type === "system.message") return [{ role: "system", parts: text(data.content) }];
  if (type === "user.message") return [{ role: "user", parts: text(data.transformedContent ?? data.content) }];
  if (type === "assistant.message") {
    const thought = data.reasoningText;
    const reasoning: Piece[] = typeof thought === "string" ? [{ kind: "reasoning", text: thought }] : [];
    const parts = [...reasoning, ...text(data.content), ...callsOf(data)];
    return [{ role: "assistant", parts, model, usage: usages.get(data.apiCallId) }];
  }
  if (type !== "tool.execution_complete") return [];
  const { result, error, toolCallId } = data;
  const failure = isObject(error) ? error.message : error;
  const output = isObject(result) ? (result.content ?? failure) : (result ?? failure);
  return [{ role: "tool", parts: [{ kind: "result", id: String(toolCallId), output: output ?? "" }] }];
}

function callsOf({ toolRequests }: JsonObject): Piece[] {
  return (Array.isArray(toolRequests) ? toolRequests : []).filter(isObject).map((request) => ({
    kind: "call",
    id: String(request.toolCallId),
    name: String(request.name),
    input: request.arguments ?? {},
  }));
}

/** Where the whole usage of a call was written down: only its output stands in the message. */
function usagesOf(events: readonly JsonObject[]): Map<unknown, Usage> {
  const found = new Map<unknown, Usage>();
  for (const { type, data } of events as { type: unknown; data: JsonObject }[]) {
    const usage = type === "assistant.usage" && data.apiCallId !== undefined ? usageOf(data) : undefined;
    if (usage) found.set(data.apiCallId, usage);
  }
  return found;
}
