import type { ModelCall, Prepared } from "precis";

/** Chats that are remembered at a time. */
const MOST_CHATS = 1_000;

interface Known {
  readonly messages: readonly unknown[];
  readonly beside: string;
  readonly revision: number;
}

/**
 * What a recording with texts holds of a request: messages that came since the one before, what stands beside them, and
 * where something was compacted the view and the state. Messages of the history are in a view by their index.
 */
export function chatTexts(): (chat: string, call: ModelCall<never>, prepared: Prepared<never>) => object[] {
  const chats = new Map<string, Known>();
  return (chat, call, { view, state }) => {
    const lines: object[] = [];
    const { offset = 0, system, tools, model } = call;
    const messages: readonly unknown[] = call.messages;
    const before = chats.get(chat);
    const beside = JSON.stringify({ system, tools, model });
    const known = before?.messages ?? [];
    let from = 0;
    while (from < messages.length && offset + from < known.length && equal(messages[from], known[offset + from]))
      from += 1;
    if (from < messages.length || beside !== before?.beside || offset + from < known.length)
      lines.push({
        type: "messages",
        from: offset + from,
        messages: messages.slice(from),
        ...(beside !== before?.beside && { beside: JSON.parse(beside) }),
      });
    if (state.revision !== before?.revision) {
      const places = new Map<unknown, number>(messages.map((message, index) => [message, offset + index]));
      lines.push({ type: "view", view: (view as readonly unknown[]).map((one) => places.get(one) ?? one), state });
    }
    chats.delete(chat);
    chats.set(chat, { messages: [...known.slice(0, offset), ...messages], beside, revision: state.revision });
    for (const oldest of chats.keys()) if (chats.size > MOST_CHATS) chats.delete(oldest);
    return lines;
  };
}

function equal(one: unknown, other: unknown): boolean {
  return one === other || JSON.stringify(one) === JSON.stringify(other);
}
