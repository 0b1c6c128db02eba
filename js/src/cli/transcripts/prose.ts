import { type Conversation, isMessage, isObject, type JsonObject, type Message } from "./conversation.ts";

/** A call that an assistant's text makes, and the text that came of it. */
export interface ProseCall {
  readonly name: string;
  readonly input: JsonObject;
  readonly output: string;
}

/** An assistant's message and the one behind it, read as calls and results. */
export interface Step {
  /** What the assistant says beside its calls. */
  readonly said: string;
  readonly calls: readonly ProseCall[];
  /** What the message behind it says beside the results: who wrote it may be a person. */
  readonly rest: readonly string[];
}

/** Reads an assistant's text and the texts of the message behind it; null where one of them is only text. */
export type StepReader = (said: string, answer: readonly string[], at: number) => Step | null;

/** Turns what an agent writes and reads as text into calls and results; null where a conversation is of another agent. */
export type Prose = (conversation: Conversation) => Conversation | null;

/**
 * The conversation with its steps as calls and results, in the form of its messages. What is no step stays as it is. What
 * a provider counted is of the texts; as calls they come to about the same.
 */
export function withSteps(conversation: Conversation, read: StepReader): Conversation | null {
  const recorded = conversation.messages.filter(isMessage);
  if (recorded.length !== conversation.messages.length) return null;
  const write = conversation.format.name === "anthropic" ? asBlocks : asToolMessages;
  const messages: Message[] = [];
  const places: number[] = [];
  let steps = 0;
  for (let at = 0; at < recorded.length; at += 1) {
    const [message, answer] = recorded.slice(at, at + 2) as [Message, Message | undefined];
    places[at] = messages.length;
    const step = answer && isStep(message, answer) ? read(textsOf(message).join("\n"), textsOf(answer), at) : null;
    if (!answer || !step || step.calls.length === 0) {
      messages.push(message);
      continue;
    }
    steps += 1;
    messages.push(...write(message, answer, step, at));
    at += 1;
  }
  if (steps === 0) return null;
  const usageAfter = new Map([...conversation.usageAfter].map(([at, usage]) => [places[at] ?? messages.length, usage]));
  return { ...conversation, messages, usageAfter };
}

/** An assistant's message without calls, and one in the user's name without results. */
function isStep(message: Message, answer: Message): boolean {
  const calls = Array.isArray(message.tool_calls) && message.tool_calls.length > 0;
  const blocks = [...partsOf(message), ...partsOf(answer)].some(
    ({ type }) => type === "tool_use" || type === "tool_result",
  );
  return message.role === "assistant" && answer.role === "user" && !calls && !blocks;
}

/** The texts of a message: one, or that of each block. */
export function textsOf({ content }: Message): string[] {
  if (typeof content === "string") return [content];
  return partsOf({ content }).flatMap(({ type, text }) => (type === "text" && typeof text === "string" ? [text] : []));
}

function partsOf({ content }: JsonObject): JsonObject[] {
  return Array.isArray(content) ? content.filter(isObject) : [];
}

/** What a message holds that is no text. */
const othersOf = (message: Message) => partsOf(message).filter(({ type }) => type !== "text");
const asText = (text: string) => ({ type: "text", text });
const isSaid = (text: string) => text.trim() !== "";
/** Ids are made of places, and cannot be those of a provider. */
const idOf = (at: number, index: number) => `prose_${at}_${index}`;

function asToolMessages(message: Message, answer: Message, { said, calls, rest }: Step, at: number): Message[] {
  const tool_calls = calls.map(({ name, input }, index) => ({
    id: idOf(at, index),
    type: "function",
    function: { name, arguments: JSON.stringify(input) },
  }));
  const results = calls.map(({ output }, index) => ({ role: "tool", tool_call_id: idOf(at, index), content: output }));
  const left = rest.filter(isSaid);
  const others = othersOf(answer);
  const content = others.length > 0 ? [...left.map(asText), ...others] : left.join("\n");
  return [
    { ...message, content: isSaid(said) ? said : null, tool_calls },
    ...results,
    ...(content.length > 0 ? [{ ...answer, content }] : []),
  ];
}

function asBlocks(message: Message, answer: Message, { said, calls, rest }: Step, at: number): Message[] {
  const uses = calls.map(({ name, input }, index) => ({ type: "tool_use", id: idOf(at, index), name, input }));
  const results = calls.map(({ output }, index) => ({
    type: "tool_result",
    tool_use_id: idOf(at, index),
    content: output,
  }));
  const text = isSaid(said) ? [asText(said)] : [];
  return [
    { ...message, content: [...othersOf(message), ...text, ...uses] },
    { ...answer, content: [...results, ...rest.filter(isSaid).map(asText), ...othersOf(answer)] },
  ];
}

/** A text without the stretch of it that was read as a call. */
export function without(text: string, from: number, to: number): string {
  return [text.slice(0, from).trimEnd(), text.slice(to).trim()].filter(Boolean).join("\n\n");
}
