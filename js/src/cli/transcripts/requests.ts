import { chatOf, type Turn } from "./chat.ts";
import type { Conversation, Shape, Usage } from "./conversation.ts";

/** One call of a model: what was sent, and what came back. */
export interface Call {
  readonly name: string;
  readonly sent: readonly Turn[];
  readonly reply: readonly Turn[];
  readonly system?: unknown;
  readonly tools?: unknown;
  readonly model?: string | undefined;
  readonly usage?: Usage | undefined;
  /** Its place in a trace: what wraps another call is the same request once more. */
  readonly id?: unknown;
  readonly within?: unknown;
}

interface Open {
  call: Call;
  texts: readonly string[];
  /** What was reported for the reply that stands at this place. */
  readonly usages: Map<number, Usage>;
}

/** Calls in the order in which they were made, as conversations: those that go on from each other are one. */
export function joined(file: string, shape: Shape, calls: readonly Call[]): Conversation[] {
  const open: Open[] = [];
  const wrappers = new Set<unknown>(calls.map(({ within }) => within));
  for (const call of calls) {
    if (call.id !== undefined && wrappers.has(call.id)) continue;
    const texts = call.sent.map((turn) => JSON.stringify(turn.parts));
    if (texts.length === 0) continue;
    const before = open.findLast(
      (one) => one.texts.length < texts.length && one.texts.every((text, at) => text === texts[at]),
    );
    const usages = before?.usages ?? new Map<number, Usage>();
    if (call.usage) usages.set(texts.length, call.usage);
    if (before) Object.assign(before, { call, texts });
    else open.push({ call, texts, usages });
  }
  return open.map(({ call, usages }, at) => {
    const { sent, reply, system, tools, model } = call;
    const turns = [...sent, ...reply].map((turn, at): Turn => {
      const usage = turn.role === "assistant" ? usages.get(at) : undefined;
      return { ...turn, ...(usage && { usage }), ...(turn.role === "assistant" && { model }) };
    });
    const name = open.length > 1 ? `${call.name} ${at + 1}` : call.name;
    return {
      ...{ file, name, shape, ...chatOf(turns) },
      ...(system !== undefined && system !== null && { system }),
      ...(tools !== undefined && tools !== null && { tools }),
    };
  });
}
