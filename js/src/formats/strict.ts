import type { Part } from "./parts.ts";

/**
 * For endpoints where roles must alternate and a user's message comes first (Mistral, Bedrock, many local chat templates): to be spread over one of the formats.
 *
 * ```ts
 * createCompactor({ format: { ...openaiChat, ...strict }, contextWindow: 32_768 });
 * ```
 */
export const strict = {
  alternation: "strict",
  opening: "user",

  merge<M extends { content?: unknown }>(first: M, second: M): M {
    const contents = [first.content, second.content];
    const texts = contents.filter((content) => typeof content === "string");
    const content = texts.length === 2 ? texts.join("\n\n") : contents.flatMap(partsOf);
    const speakers = [first, second].map((message) => (message as Part).name);
    // A message has one name: what somebody else said, or what nobody by name did, must not stand under it.
    const { name: _, ...nameless } = second as M & Part;
    return (
      speakers[0] === speakers[1] ? { ...second, content } : { ...nameless, content: named([first, second]) }
    ) as M;
  },
} as const;

/** The contents of both as parts; before those of a message with a name stands who said them. */
const named = (messages: readonly { content?: unknown }[]): readonly Part[] =>
  messages.flatMap((message) => {
    const { name, content } = message as Part;
    const parts = partsOf(content);
    return typeof name === "string" ? [{ type: "text", text: `${JSON.stringify(name)} says:` }, ...parts] : parts;
  });

/** Of a message that only calls there is no content. */
const partsOf = (content: unknown): readonly Part[] => {
  if (Array.isArray(content)) return content;
  return typeof content === "string" && content !== "" ? [{ type: "text", text: content }] : [];
};
