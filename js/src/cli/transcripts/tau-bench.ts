import { openaiChat } from "precis/formats";
import {
  type Conversation,
  isMessage,
  isObject,
  type JsonObject,
  type Message,
  makerOf,
  recordedUsage,
} from "./conversation.ts";
import type { TranscriptReader } from "./reader.ts";

/** Result files of tau-bench (a list of tasks with a `traj`) and of tau2-bench (`simulations`). */
export const tauBench: TranscriptReader = {
  title: "tau-bench",
  owns: ({ traj, simulations }) => Array.isArray(traj) || Array.isArray(simulations),
  read: ({ file, values }) =>
    values.flatMap((value) => (Array.isArray(value.traj) ? [fromTask(file, value)] : fromResults(file, value))),
};

function fromTask(file: string, task: JsonObject): Conversation {
  const messages = (task.traj as unknown[]).filter(isMessage);
  return {
    file,
    name: `task ${String(task.task_id)}`,
    shape: "tau-bench",
    format: openaiChat,
    messages,
    usageAfter: new Map(),
  };
}

/**
 * The policy under `info` is only a part of what the agent was told, its tools are not recorded: half a fixed cost is worse
 * than none, the recorded usage tells the whole.
 */
function fromResults(file: string, results: JsonObject): Conversation[] {
  const agent = isObject(results.info) ? results.info.agent_info : undefined;
  const model = isObject(agent) && typeof agent.llm === "string" ? agent.llm : undefined;
  return (results.simulations as unknown[]).filter(isObject).map((simulation) => {
    const recorded = (Array.isArray(simulation.messages) ? simulation.messages : [])
      .filter(isMessage)
      .filter(isSeenByAgent);
    const usageAfter = recordedUsage(recorded);
    for (const [at, { errors }] of recorded.entries()) if (isAskedAgain(errors)) usageAfter.delete(at);
    const messages = recorded.map(toOpenai);
    return {
      file,
      name: `task ${String(simulation.task_id)}`,
      shape: "tau-bench",
      format: openaiChat,
      messages,
      model,
      provider: makerOf(model),
      usageAfter,
    };
  });
}

/** A reply was refused and asked for again: the prompt that usage describes held it and its error, the recording does not. */
function isAskedAgain(errors: unknown): boolean {
  return Array.isArray(errors) && errors.length > 0;
}

/** In some domains the simulated user has tools too; the agent never sees those calls. */
function isSeenByAgent(message: Message): boolean {
  if (message.role === "tool") return message.requestor !== "user";
  return message.role !== "user" || !calls(message).length;
}

function toOpenai(message: Message): Message {
  if (message.role === "tool") return { role: "tool", tool_call_id: message.id, content: message.content };
  const { role, content } = message;
  const tool_calls = calls(message).map((call) => ({
    id: call.id,
    type: "function",
    function: { name: call.name, arguments: JSON.stringify(call.arguments) },
  }));
  return tool_calls.length ? { role, content, tool_calls } : { role, content };
}

function calls(message: Message): JsonObject[] {
  return Array.isArray(message.tool_calls) ? message.tool_calls.filter(isObject) : [];
}
