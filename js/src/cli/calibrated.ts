import { createCompactor, type Format, type SessionState } from "precis";
import type { Conversation } from "./transcripts/conversation.ts";

/** No recorded report is above this. */
const ANY_WINDOW = 1_000_000_000;

/**
 * A state that has learned from the last usage that was recorded, if any: what the provider counted, with what it adds
 * unseen, is in every estimate made with it. Nothing was compacted in it.
 */
export async function calibrated(conversation: Conversation): Promise<SessionState | null> {
  const { messages, usageAfter, system, tools, model } = conversation;
  const last = [...usageAfter].findLast(([at]) => at > 0 && at < messages.length);
  if (!last) return null;
  const [at, usage] = last;
  const compactor = createCompactor<object>({
    format: conversation.format as Format<object>,
    contextWindow: ANY_WINDOW,
  });
  const { state, report } = await compactor.beforeModel({ messages: messages.slice(0, at), system, tools, model });
  return compactor.afterModel(state, usage, report.request);
}
