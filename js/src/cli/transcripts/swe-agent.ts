import { openaiChat } from "precis/formats";
import { type Conversation, isMessage, isObject, type JsonObject, type Message } from "./conversation.ts";
import { type StepReader, without, withSteps } from "./prose.ts";
import type { RecordSource, TranscriptReader } from "./reader.ts";

/**
 * Runs of SWE-agent, one or several: the `history` that was sent, or the steps of the `trajectory` where it was not kept.
 * Commands that a model wrote as text are calls of `bash`.
 */
export const sweAgent: TranscriptReader = {
  title: "SWE-agent",
  owns: (value) => isRun(value),
  read: (source) => conversationsOf(source),
};

function conversationsOf({ file, values: runs }: RecordSource): Conversation[] {
  return runs.map((run, index) => {
    const { messages, read } = recordOf(run);
    const name = runs.length > 1 ? `conversation ${index + 1}` : file;
    const sent = { file, name, shape: "swe-agent", format: openaiChat, messages, usageAfter: new Map() } as const;
    const found = withSteps(sent, read) ?? sent;
    return {
      ...found,
      messages: (found.messages as Message[]).filter((one) => one.role !== "user" || one.content !== ""),
    };
  });
}

/** Other systems call their messages a history as well: SWE-agent's say which agent they are of. */
function isRun({ trajectory, history }: JsonObject): boolean {
  if (Array.isArray(trajectory)) return true;
  return Array.isArray(history) && history.length > 0 && history.every((one) => isMessage(one) && "agent" in one);
}

/** The messages that were sent, and how their steps are read. */
function recordOf({ trajectory, history }: JsonObject): { messages: Message[]; read: StepReader } {
  const sent = Array.isArray(history) ? history.filter(isMessage) : [];
  if (sent.length > 0 || !Array.isArray(trajectory))
    return { messages: sent.map(toOpenai), read: (said, answer, at) => stepOf(said, answer, sent[at]) };
  const steps = trajectory.filter(isObject);
  // Two messages a step: nothing in it may be left out.
  const messages = steps.flatMap(({ response, observation }) => [
    { role: "assistant", content: String(response ?? "") },
    { role: "user", content: String(observation ?? "") },
  ]);
  return { messages, read: (said, answer, at) => stepOf(said, answer, steps[at >> 1]) };
}

function toOpenai({ role, content, tool_calls, tool_call_ids }: Message): Message {
  if (role === "tool" && Array.isArray(tool_call_ids)) return { role, tool_call_id: tool_call_ids[0], content };
  return Array.isArray(tool_calls) && tool_calls.length ? { role, content, tool_calls } : { role, content };
}

/** The last block of code, or the last element `command`: the one that is run. */
const BLOCK = /^```[^\n]*\n(?<command>[\s\S]*?)^```[^\S\n]*$/gm;
const ELEMENT = /<command>(?<command>[\s\S]*?)<\/command>/g;

/** The recorded action, where it was recorded; else the one that the text holds. All that follows it came of it. */
function stepOf(said: string, answer: readonly string[], recorded: JsonObject | undefined): ReturnType<StepReader> {
  const found = [...said.matchAll(ELEMENT)].at(-1) ?? [...said.matchAll(BLOCK)].at(-1);
  const action = typeof recorded?.action === "string" ? recorded.action : found?.groups?.command;
  const command = action?.trim();
  if (!command) return null;
  const isIn = found?.groups?.command?.trim() === command;
  const text = isIn ? without(said, found.index, found.index + found[0].length) : said;
  return { said: text.trim(), calls: [{ name: "bash", input: { command }, output: answer.join("\n") }], rest: [] };
}
