// What compaction costs and what it saves, request by request: `node cost.mjs`. Prices are yours to fill in.
import { createCompactor } from "precis";
import { openaiChat } from "precis/formats";
import { chat, summarize } from "./support.mjs";

/** Dollars for a million tokens. */
const price = { input: 3, summaryInput: 0.25, summaryOutput: 2 };
const account = { requests: 0, sent: 0, saved: 0, summaries: 0 };

const compactor = createCompactor({
  format: openaiChat,
  contextWindow: 8_000,
  maxOutputTokens: 500,
  summarizer: { contextWindow: 64_000 },
  // Each answer is counted here: a past in pieces takes several.
  summarize: async (request) => {
    const answer = await summarize(request);
    const { prompt_tokens, completion_tokens } = answer.usage;
    account.summaries += (prompt_tokens * price.summaryInput + completion_tokens * price.summaryOutput) / 1e6;
    return answer;
  },
});

const messages = chat(300);
let state = null;
for (let at = 1; at <= messages.length; at += 2) {
  const prepared = await compactor.beforeModel({ messages: messages.slice(0, at), state });
  state = prepared.state;
  account.requests += 1;
  account.sent += prepared.report.after.tokens;
  account.saved += prepared.report.saved; // tokens that this request does without
}

const dollars = (tokens) => (tokens / 1e6) * price.input;
console.log(`${account.requests} requests sent ${account.sent} tokens: $${dollars(account.sent).toFixed(2)}.`);
console.log(`Compaction kept ${account.saved} out of them: $${dollars(account.saved).toFixed(2)}.`);
console.log(`The summaries cost $${account.summaries.toFixed(4)}.`);
