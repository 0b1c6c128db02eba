// One chat through models with 200,000, 32,000 and again 200,000 tokens, and a sub-agent with a small window of its own:
// `node models.mjs`.
import { createCompactor } from "precis";
import { openaiChat } from "precis/formats";
import { chat, summarize } from "./support.mjs";

const windows = { large: 200_000, small: 32_000, tiny: 8_000 };
const compactor = createCompactor({
  format: openaiChat,
  contextWindow: (model) => windows[model],
  maxOutputTokens: 2_000,
  summarize,
  summarizer: { contextWindow: 200_000 },
});

const messages = chat(600, 800);
let state = null;
for (const model of ["large", "small", "large"]) {
  const prepared = await compactor.beforeModel({ messages, state, model });
  state = prepared.state;
  const { outcome, after, saved } = prepared.report;
  console.log(`${model}: ${outcome}, ${after.tokens} of ${after.window} tokens, ${saved} saved.`);
}

// What was covered for the small model stays covered: the summary is paid for, and the prompt cache holds. To show the large
// model everything again, begin from no state: the history is yours and whole.
const whole = await compactor.beforeModel({ messages, model: "large" });
console.log(`large, from no state: ${whole.report.outcome}, ${whole.view.length} of ${messages.length} messages.`);

// A sub-agent has a history and a state of its own. Its parent gets what it found, not how.
const task = [
  { role: "user", content: "Find order 4712." },
  ...chat(80).slice(1),
  { role: "user", content: "Report." },
];
const agent = await compactor.beforeModel({ messages: task, model: "tiny" });
console.log(`sub-agent: ${agent.report.after.tokens} of ${agent.report.after.window} tokens.`);
