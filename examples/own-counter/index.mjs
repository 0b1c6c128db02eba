// Tokens counted by gpt-tokenizer, which has the vocabulary of GPT-4o and GPT-5, instead of precis's own estimate:
// `npm install && npm start`. It brings 2 MB, and is exact on text; what the provider adds around messages, precis knows.
import { encode } from "gpt-tokenizer/encoding/o200k_base";
import { createCompactor } from "precis";
import { openaiChat } from "precis/formats";

/** In a chat, "<|endoftext|>" is text like any other; unless told so, the tokenizer throws on it. */
const disallowedSpecial = new Set();

export const count = (text) => encode(text, { disallowedSpecial }).length;

/** Each text is counted once, when its message is new; what was counted is kept. */
export const compactor = createCompactor({
  format: openaiChat,
  contextWindow: 4_000,
  maxOutputTokens: 500,
  tune: { tokens: { estimator: count } },
});

const messages = [];
let state = null;
for (let turn = 1; turn <= 30; turn++) {
  messages.push({
    role: "user",
    content: `Question ${turn}: what does parse_date do with "2026-0${1 + (turn % 9)}-01"?`,
  });
  const prepared = await compactor.beforeModel({ messages, state, model: "gpt-5.6" });
  state = prepared.state;
  const { outcome, after } = prepared.report;
  // 4 tokens around each message; the request itself has 2 with GPT-5 and later, 3 with the models before.
  const exact = prepared.view.reduce((sum, { content }) => sum + 4 + count(content), 2);
  console.log(`turn ${turn}: ${prepared.view.length} messages, ${outcome}, ${after.tokens} tokens, by hand ${exact}`);
  messages.push({
    role: "assistant",
    content: `Answer ${turn}: it reads the date as UTC. ${"The fixture expects that. ".repeat(12)}`,
  });
}
