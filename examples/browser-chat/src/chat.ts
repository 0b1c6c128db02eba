// One turn: the question is stored, the view decided, the answer streamed and stored, the usage learned.
import { type CompactionEvent, createCompactor, type SessionState } from "precis";
import { openaiChat } from "precis/formats";
import { z } from "zod";
import { answerTo, summarize, type Usage } from "./model.ts";
import { append, load, replace } from "./store.ts";

const SYSTEM = "You are a patient librarian. Answer in a few sentences.";
const MAX_OUTPUT_TOKENS = 300;
/** What is stored goes to the model with every later request: it is parsed before. */
const Text = z.string().max(16_000, "A message may have 16,000 characters.").regex(/\S/, "A message says something.");

/** What the page is told about a compaction. */
export const watch: { onEvent: (event: CompactionEvent) => void } = { onEvent: () => {} };

export const compactor = createCompactor({
  format: openaiChat,
  contextWindow: 8_000,
  maxOutputTokens: MAX_OUTPUT_TOKENS,
  summarize,
  onEvent: (event) => watch.onEvent(event),
});

export async function turn(chat: string, text: string, onText: (piece: string) => void): Promise<void> {
  await append(chat, { role: "user", content: Text.parse(text) });
  const { view, request, replyRoom } = await decide(chat);
  let answer = "";
  let usage: Usage | null = null;
  const messages = [{ role: "system", content: SYSTEM }, ...view];
  for await (const piece of answerTo(messages, Math.min(MAX_OUTPUT_TOKENS, replyRoom))) {
    if (typeof piece === "string") {
      answer += piece;
      onText(piece);
    } else usage = piece;
  }
  await append(chat, { role: "assistant", content: answer });
  await change(chat, (state) => compactor.afterModel(state, usage, request));
}

/** How full the context is. */
export async function meter(chat: string) {
  const { messages, state } = await load(chat);
  return { messages, state, usage: compactor.usage({ messages, state, system: SYSTEM }) };
}

/** What to send. If another tab stored a state in the meantime, it is decided again from that one. */
async function decide(chat: string) {
  for (;;) {
    const { messages, state, version } = await load(chat);
    const prepared = await compactor.beforeModel({ messages, state, system: SYSTEM });
    if (prepared.report.outcome === "infeasible") throw new Error(prepared.report.reason);
    const { view, report } = prepared;
    if (await replace(chat, version, prepared.state)) return { view, ...report };
  }
}

async function change(chat: string, next: (state: SessionState) => SessionState): Promise<void> {
  for (;;) {
    const { state, version } = await load(chat);
    if (!state || (await replace(chat, version, next(state)))) return;
  }
}
