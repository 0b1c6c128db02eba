/**
 * What the SDK shows of its steps, and what it makes of messages on their way to a provider.
 */

export type Message = { readonly role: string; readonly content: unknown };

/** The name of the model of a step: it is a name, or an object that has one. */
export function modelOf(model: unknown): string | undefined {
  const name = typeof model === "object" && model !== null ? (model as { modelId?: unknown }).modelId : model;
  return typeof name === "string" ? name : undefined;
}

/**
 * The messages a step has added. In versions 5 and 6 it lists those of the steps before it, too; a step answers one
 * message, and perhaps the results of its calls.
 */
export function replyOf(step: unknown): readonly Message[] {
  const { content, response } = step as { content?: unknown; response?: { messages?: unknown } };
  const messages = response?.messages;
  if (!Array.isArray(messages) || (Array.isArray(content) && content.length === 0)) return [];
  const from = messages.findLastIndex((message: Message | null) => message?.role === "assistant");
  return from < 0 ? [] : messages.slice(from);
}

/** Whether messages begin with those of an earlier call, perhaps in other objects. */
export function goesOnFrom(earlier: readonly Message[], messages: readonly Message[]): boolean {
  try {
    const front = messages.slice(0, earlier.length);
    return isSame(earlier, front) || JSON.stringify(earlier) === JSON.stringify(front);
  } catch {
    return false;
  }
}

/** Whether messages share one with a chat, perhaps in another object. An edit or a rewind leaves some; another chat has none. */
export function isOfChat(messages: readonly Message[], chat: readonly Message[]): boolean {
  const known = new Set<unknown>(chat);
  if (messages.some((message) => known.has(message))) return true;
  try {
    const texts = new Set(chat.filter(isSaid).map((message) => JSON.stringify(message)));
    return messages.some((message) => isSaid(message) && texts.has(JSON.stringify(message)));
  } catch {
    return false;
  }
}

const isSaid = ({ role }: Message): boolean => role !== "system";

export const isSame = (one: readonly unknown[], other: readonly unknown[]): boolean =>
  one.length === other.length && one.every((item, index) => item === other[index]);

/**
 * Of each message of a prompt those that the SDK made it of: it puts the system prompt before them, and joins results that
 * follow one another. Null if a prompt was made in another way.
 */
export function sourcesOf(prompt: readonly Message[], messages: readonly Message[]): Map<Message, Message[]> | null {
  const sources = new Map<Message, Message[]>();
  const from = prompt.findIndex(({ role }) => role !== "system");
  const rest = messages.filter(({ role }) => role !== "system");
  let at = 0;
  for (const message of from < 0 ? [] : prompt.slice(from).filter(({ role }) => role !== "system")) {
    const own = rest[at++];
    if (own?.role !== message.role) return null;
    const all = [own];
    for (let next = rest[at]; message.role === "tool" && next?.role === "tool"; next = rest[++at]) all.push(next);
    sources.set(message, all);
  }
  return at === rest.length ? sources : null;
}

/** The text of a message that has nothing else. */
export function textOf(message: Message | undefined): string {
  const { content } = message ?? {};
  if (typeof content === "string") return content;
  if (!Array.isArray(content) || content.length !== 1) return "";
  const { text } = content[0] as { text?: unknown };
  return typeof text === "string" ? text : "";
}
