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
    return { ...second, content };
  },
} as const;

const partsOf = (content: unknown): readonly Part[] =>
  Array.isArray(content) ? content : [{ type: "text", text: content }];
