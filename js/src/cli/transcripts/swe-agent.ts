import { openaiChat } from "precis/formats";
import { type Conversation, isMessage, isObject, type JsonObject, type Message } from "./conversation.ts";
import type { Source } from "./source.ts";

/** Runs of SWE-agent, one or several: the `history` that was sent, or the steps of the `trajectory` where it was not kept. */
export function sweAgent({ file, values }: Source): Conversation[] | null {
  const runs = values.filter(isObject).filter(isRun);
  if (runs.length === 0 || runs.length !== values.length) return null;
  return runs.map((run, index) => ({
    file,
    name: runs.length > 1 ? `conversation ${index + 1}` : file,
    shape: "swe-agent",
    format: openaiChat,
    messages: messagesOf(run),
    usageAfter: new Map(),
  }));
}

/** Other systems call their messages a history as well: SWE-agent's say which agent they are of. */
function isRun({ trajectory, history }: JsonObject): boolean {
  if (Array.isArray(trajectory)) return true;
  return Array.isArray(history) && history.length > 0 && history.every((one) => isMessage(one) && "agent" in one);
}

function messagesOf({ trajectory, history }: JsonObject): Message[] {
  const sent = Array.isArray(history) ? history.filter(isMessage).map(toOpenai) : [];
  return sent.length > 0 || !Array.isArray(trajectory) ? sent : trajectory.filter(isObject).flatMap(step);
}

function toOpenai({ role, content, tool_calls, tool_call_ids }: Message): Message {
  if (role === "tool" && Array.isArray(tool_call_ids)) return { role, tool_call_id: tool_call_ids[0], content };
  return Array.isArray(tool_calls) && tool_calls.length ? { role, content, tool_calls } : { role, content };
}

function step({ response, observation }: JsonObject): Message[] {
  const assistant = { role: "assistant", content: String(response ?? "") };
  return observation ? [assistant, { role: "user", content: String(observation) }] : [assistant];
}
