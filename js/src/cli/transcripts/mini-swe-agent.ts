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
import { type Prose, without, withSteps } from "./prose.ts";
import type { TranscriptReader } from "./reader.ts";

/** `.traj.json` files of mini-swe-agent: what was sent, plus bookkeeping under `extra`. */
export const miniSweAgent: TranscriptReader = {
  title: "mini-swe-agent",
  owns: ({ messages, trajectory_format, info }) =>
    Array.isArray(messages) &&
    (String(trajectory_format ?? "").startsWith("mini-swe-agent") || (isObject(info) && "mini_version" in info)),
  read: ({ file, values }) =>
    values.map((run, at) => runOf(file, values.length > 1 ? `conversation ${at + 1}` : file, run)),
};

function runOf(file: string, name: string, run: JsonObject): Conversation {
  const recorded = (run.messages as unknown[]).filter(isMessage).filter(({ role }) => role !== "exit");
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
  const sent = {
    file,
    name,
    shape: "mini-swe-agent",
    format: openaiChat,
    messages,
    model,
    provider,
    usageAfter,
  } as const;
  return miniSweAgentText(sent) ?? sent;
}

/** The block of code that is run. More than one, or none, and nothing is. */
const COMMAND = /^```(?:mswea_bash_command|bash)[^\S\n]*\n(?<command>[\s\S]*?)\n```[^\S\n]*$/gm;

/** Without native calls, in a file of its own or as a plain list: a block of code, and what came of it behind its exit code. */
export const miniSweAgentText: Prose = (conversation) =>
  withSteps(conversation, (said, answer) => {
    const [block, ...more] = said.matchAll(COMMAND);
    const command = block?.groups?.command;
    const [first = ""] = answer;
    if (!block || command === undefined || more.length > 0 || !/^<returncode>-?\d+<\/returncode>/.test(first))
      return null;
    const text = without(said, block.index, block.index + block[0].length);
    return { said: text, calls: [{ name: "bash", input: { command }, output: answer.join("\n") }], rest: [] };
  });

function asSent({ extra: _, provider_specific_fields: __, ...sent }: Message): Message {
  const present = Object.entries(sent as JsonObject).filter(([, value]) => value !== null);
  return { role: sent.role, ...Object.fromEntries(present) };
}
