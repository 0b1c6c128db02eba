import { openaiChat } from "precis/formats";
import { type Conversation, isMessage, isObject, type JsonObject, type Message } from "./conversation.ts";
import type { Source } from "./source.ts";

/** `.traj` files of SWE-agent: the `history` that was sent, or the steps where it was not kept. */
export function sweAgent({ file, values }: Source): Conversation[] | null {
  const [run] = values;
  if (values.length !== 1 || !isObject(run) || !Array.isArray(run.trajectory)) return null;
  const history = Array.isArray(run.history) ? run.history.filter(isMessage).map(toOpenai) : [];
  const messages = history.length ? history : run.trajectory.filter(isObject).flatMap(step);
  return [{ file, name: file, shape: "swe-agent", format: openaiChat, messages, usageAfter: new Map() }];
}

function toOpenai({ role, content, tool_calls, tool_call_ids }: Message): Message {
  if (role === "tool" && Array.isArray(tool_call_ids)) return { role, tool_call_id: tool_call_ids[0], content };
  return Array.isArray(tool_calls) && tool_calls.length ? { role, content, tool_calls } : { role, content };
}

function step({ response, observation }: JsonObject): Message[] {
  const assistant = { role: "assistant", content: String(response ?? "") };
  return observation ? [assistant, { role: "user", content: String(observation) }] : [assistant];
}
