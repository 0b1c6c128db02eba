import { isJson, type Json, objects } from "./rule.ts";

/** A block of a message, and where it stands. */
export interface Block {
  readonly message: number;
  readonly index: number;
  readonly role: unknown;
  readonly block: Json;
}

/** Messages of one role that follow each other: the API takes them for one turn. */
export interface Turn {
  readonly role: unknown;
  readonly blocks: readonly Block[];
  /** The first and the last of its messages. */
  readonly first: number;
  readonly last: number;
}

/** Content as blocks; a text is a block of its own. */
export function contentOf({ content }: Json): Json[] {
  return typeof content === "string" ? [{ type: "text", text: content }] : objects(content);
}

export function blocksOf(body: Json): Block[] {
  return messagesOf(body).flatMap((message, at) =>
    contentOf(message).map((block, index) => ({ message: at, index, role: message.role, block })),
  );
}

export function turnsOf(body: Json): Turn[] {
  const turns: { role: unknown; blocks: Block[]; first: number; last: number }[] = [];
  messagesOf(body).forEach((message, at) => {
    const blocks = contentOf(message).map((block, index) => ({ message: at, index, role: message.role, block }));
    const before = turns.at(-1);
    if (before && before.role === message.role) {
      before.blocks.push(...blocks);
      before.last = at;
    } else turns.push({ role: message.role, blocks, first: at, last: at });
  });
  return turns;
}

export const messagesOf = ({ messages }: Json): Json[] =>
  Array.isArray(messages) ? messages.map((message) => (isJson(message) ? message : {})) : [];

export const isThinking = ({ type }: Json): boolean => type === "thinking" || type === "redacted_thinking";

/** What ties a block of thinking to the server that made it. */
export const signatureOf = ({ type, signature, data }: Json): string => {
  const value = type === "redacted_thinking" ? data : signature;
  return typeof value === "string" ? value : "";
};

export const pathOf = ({ message, index }: Block): string => `messages.${message}.content.${index}`;
