// What the built package counts for a text.
import { at } from "../../js/scripts/common.mjs";

export const families = ["o200k", "cl100k", "claude", "gemini"];

/** Counts one text as a user message's, without what stands around the message. */
export async function ours(family, estimator = "lexical") {
  const { createCompactor } = await import(at("pkg/index.js"));
  const { openaiChat } = await import(at("pkg/formats.js"));
  const tokens = estimator === "lexical" && family ? { estimator, family } : { estimator };
  const compactor = createCompactor({ format: openaiChat, contextWindow: 2 ** 40, tune: { tokens } });
  const empty = compactor.usage({ messages: [{ role: "user", content: "" }] }).raw;
  return (text) => compactor.usage({ messages: [{ role: "user", content: text }] }).raw - empty;
}
