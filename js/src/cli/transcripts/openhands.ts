import { type Conversation, isObject, type JsonObject, type Message } from "./conversation.ts";
import { type Prose, textsOf, withSteps } from "./prose.ts";

/** OpenHands without native tool calls: `<function=NAME>` with `<parameter=NAME>`, and what came of it in the user's name. */
export const openhands: Prose = (conversation) => {
  const found = withSteps(conversation, (said, answer) => {
    const call = callIn(said, conversation.tools);
    const [first = "", ...rest] = answer;
    const result = RESULT.exec(first);
    if (!call || result?.groups?.name !== call.name) return null;
    const output = first.slice(result[0].length);
    return { said: call.said, calls: [{ name: call.name, input: call.input, output }], rest };
  });
  if (!found) return null;
  const messages = (found.messages as Message[]).map(withoutManual(found));
  // What a provider counted held the manual.
  const isShorter = messages.some((message, index) => message !== found.messages[index]);
  return isShorter ? { ...found, messages, usageAfter: new Map() } : found;
};

const CALL = /<function=(?<name>[^>\n]+)>\n(?<body>[\s\S]*?)(?:<\/function>|$)/;
const PARAMETER = /<parameter=(?<name>[^>\n]+)>(?<value>[\s\S]*?)<\/parameter>/g;
const RESULT = /^EXECUTION RESULT of \[(?<name>[^\]\n]+)\]:\n/;

function callIn(text: string, tools: unknown): { name: string; input: JsonObject; said: string } | null {
  const call = CALL.exec(text);
  const { name, body = "" } = call?.groups ?? {};
  if (!call || !name || text.slice(call.index + call[0].length).trim() !== "") return null;
  const types = typesOf(tools, name);
  const values = [...body.matchAll(PARAMETER)].map(({ groups: { name = "", value = "" } = {} }) => [
    name,
    parameterOf(value.replace(/^\n/, "").replace(/\n$/, ""), types[name]),
  ]);
  return { name, input: Object.fromEntries(values), said: text.slice(0, call.index).trim() };
}

/** The types of a tool's parameters, as far as the request declares it. */
function typesOf(tools: unknown, name: string): Record<string, unknown> {
  const declared = (Array.isArray(tools) ? tools : []).filter(isObject).map((tool) => tool.function);
  const tool = declared.filter(isObject).find((one) => one.name === name);
  const properties = isObject(tool?.parameters) ? tool.parameters.properties : undefined;
  if (!isObject(properties)) return {};
  return Object.fromEntries(
    Object.entries(properties).map(([key, one]) => [key, isObject(one) ? one.type : undefined]),
  );
}

/** A parameter is text, unless its tool declares another type and it is a value of JSON. */
function parameterOf(text: string, type: unknown): unknown {
  if (type === undefined || type === "string") return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

const MANUAL = "You have access to the following functions:\n\n---- BEGIN FUNCTION #1";
const TASK = /^-+ NEW TASK DESCRIPTION -+\n([\s\S]*?)\n-+ END OF NEW TASK DESCRIPTION -+$/m;

/**
 * Without what explains to a model how to write calls as text, where the request declares its tools besides: the manual at the
 * end of the system prompt, and the example around the first request.
 */
function withoutManual({ tools }: Conversation): (message: Message, index: number, all: readonly Message[]) => Message {
  return (message, index, all) => {
    if (!Array.isArray(tools) || tools.length === 0) return message;
    const text = textsOf(message).join("\n");
    if (message.role === "system" && text.includes(MANUAL))
      return { ...message, content: text.slice(0, text.indexOf(MANUAL)).trimEnd() };
    const task = TASK.exec(text)?.[1];
    const isFirst = all.findIndex(({ role }) => role === "user") === index;
    return isFirst && message.role === "user" && task !== undefined ? { ...message, content: task.trim() } : message;
  };
}
