import type { CoveredChat } from "precis";

/**
 * The chat of a request for a whole summary.
 *
 * @throws Error of other requests, so that another summarizer is asked.
 */
export function coveredBy(chat: CoveredChat | undefined): CoveredChat {
  if (chat) return chat;
  throw new Error("Only a whole conversation is summarized on demand, and this is a piece or a correction.");
}
