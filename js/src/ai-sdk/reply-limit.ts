import type { Report } from "precis";

/** The reply limit to send, where it is lower than the one the program sends. */
export function lowered(
  { outcome, replyRoom }: Report,
  limit: number | undefined,
): { readonly maxOutputTokens?: number } {
  // A request that does not fit is not helped by a shorter reply.
  return limit === undefined || replyRoom >= limit || outcome === "infeasible" ? {} : { maxOutputTokens: replyRoom };
}
