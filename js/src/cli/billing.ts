import type { Conversation, Usage } from "./transcripts/conversation.ts";

/** How far a recorded increment may lie from its estimate before it is taken for something else: a changed prompt, another model. */
const PLAUSIBLE = 5;

/**
 * What the provider would have counted for a view, worked out from what it did count for the recorded requests: the recorded
 * prompt, less the messages the view leaves out (by the increments between recorded prompts), plus what was put in their place
 * (by estimate, at the ratio of the record). A view that leaves nothing out costs exactly what was recorded.
 */
export function billing({ messages, usageAfter }: Conversation, estimate: (message: object) => number) {
  const { tokens, ratio } = weigh(messages.map(estimate), usageAfter);
  const position = new Map(messages.map((message, index) => [message, index]));
  const upTo = [0];
  for (const own of tokens) upTo.push((upTo.at(-1) ?? 0) + own);

  return (replyAt: number, view: readonly object[]): Usage | undefined => {
    const recorded = usageAfter.get(replyAt);
    if (!recorded) return undefined;
    let prompt = recorded.prompt_tokens - (upTo[replyAt] ?? 0);
    for (const message of view) {
      const index = position.get(message);
      prompt += index === undefined ? estimate(message) * ratio : (tokens[index] ?? 0);
    }
    return { prompt_tokens: Math.max(1, Math.round(prompt)), completion_tokens: recorded.completion_tokens };
  };
}

/** Spreads each increment between two recorded prompts over the messages that made it. */
function weigh(
  estimates: readonly number[],
  usageAfter: ReadonlyMap<number, Usage>,
): { tokens: number[]; ratio: number } {
  const sum = (from: number, to: number) => estimates.slice(from, to).reduce((total, one) => total + one, 0);
  const spans: { from: number; to: number; ratio: number }[] = [];
  let counted = 0;
  let estimated = 0;
  let previous: { at: number; prompt: number } | undefined;
  for (const [at, { prompt_tokens: prompt }] of usageAfter) {
    const expected = previous ? sum(previous.at, at) : 0;
    if (previous && expected > 0) {
      const ratio = (prompt - previous.prompt) / expected;
      if (ratio > 1 / PLAUSIBLE && ratio < PLAUSIBLE) {
        spans.push({ from: previous.at, to: at, ratio });
        counted += prompt - previous.prompt;
        estimated += expected;
      }
    }
    previous = { at, prompt };
  }
  const ratio = estimated > 0 ? counted / estimated : 1;
  const tokens = estimates.map((one) => one * ratio);
  for (const span of spans) for (let at = span.from; at < span.to; at++) tokens[at] = (estimates[at] ?? 0) * span.ratio;
  return { tokens, ratio };
}
