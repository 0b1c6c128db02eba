import { openaiResponses } from "precis/formats";
import { blocks } from "./conversation.ts";
import type { Dialect } from "./dialect.ts";
import { isItem } from "./records.ts";

const BLOCKS = /^(input|output)_(text|image|file)$/;

/** Input items of Responses: calls and results that are no messages, or the names of its blocks. */
export const openaiResponsesDialect: Dialect = {
  shape: "openai-responses",
  accepts: ({ messages }) =>
    messages.some((message) => isItem(message) || blocks(message).some(({ type }) => BLOCKS.test(String(type)))),
  convert: (record) => ({ ...record, format: openaiResponses }),
};
