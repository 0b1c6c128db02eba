// Messages for pruneMessages of the AI SDK, and back.
import { contentOf } from "../longterm/work.mjs";

/** A chat message as the AI SDK has it. `calls` are the calls of the history by their id. */
export function toModelMessage(message, calls) {
  const text = contentOf(message);
  if (message.role === "tool") {
    const { tool_call_id: toolCallId } = message;
    const toolName = calls.get(toolCallId)?.function.name ?? "tool";
    const output = { type: "text", value: text };
    return { role: "tool", content: [{ type: "tool-result", toolCallId, toolName, output }] };
  }
  if (message.role === "system") return { role: "system", content: text };
  const parts = (message.tool_calls ?? []).map(({ id, function: { name, arguments: input } }) => ({
    type: "tool-call",
    toolCallId: id,
    toolName: name,
    input: { text: input },
  }));
  return { role: message.role, content: [...(text ? [{ type: "text", text }] : []), ...parts] };
}

/** A message of the AI SDK, after pruning, as a chat message. */
export function fromModelMessage({ role, content }) {
  if (typeof content === "string") return { role, content };
  if (role === "tool") return { role, tool_call_id: content[0].toolCallId, content: content[0].output.value };
  const calls = content.filter(({ type }) => type === "tool-call");
  const text = content.flatMap(({ text = [] }) => text).join("\n");
  if (!calls.length) return { role, content: text };
  const tool_calls = calls.map(({ toolCallId: id, toolName: name, input }) => ({
    id,
    type: "function",
    function: { name, arguments: input.text },
  }));
  return { role, content: text || null, tool_calls };
}
