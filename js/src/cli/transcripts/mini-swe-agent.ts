import { openaiChat } from "precis/formats";
import {
  type Conversation,
  isMessage,
  isObject,
  type JsonObject,
  type Message,
  makerOf,
  type Usage,
  usageOf,
} from "./conversation.ts";
import type { Source } from "./source.ts";

/** `.traj.json` files of mini-swe-agent: what was sent, plus bookkeeping under `extra`. */
export function miniSweAgent({ file, values }: Source): Conversation[] | null {
  const [run] = values;
  if (values.length !== 1 || !isObject(run) || !Array.isArray(run.messages)) return null;
  if (
    !String(run.trajectory_format ?? "").startsWith("mini-swe-agent") &&
    !(isObject(run.info) && "mini_version" in run.info)
  )
    return null;
  const recorded = run.messages.filter(isMessage).filter(({ role }) => role !== "exit");
  const usageAfter = new Map<number, Usage>();
  let model: string | undefined;
  recorded.forEach(({ role, extra }, index) => {
    const response = isObject(extra) ? extra.response : undefined;
    const usage = role === "assistant" && isObject(response) ? usageOf(response.usage) : undefined;
    if (usage) usageAfter.set(index, usage);
    if (isObject(response) && typeof response.model === "string") model ??= response.model;
  });
  const messages = recorded.map(asSent);
  const provider = makerOf(model);
  return [{ file, name: file, shape: "mini-swe-agent", format: openaiChat, messages, model, provider, usageAfter }];
}

function asSent({ extra: _, provider_specific_fields: __, ...sent }: Message): Message {
  const present = Object.entries(sent as JsonObject).filter(([, value]) => value !== null);
  return { role: sent.role, ...Object.fromEntries(present) };
}
