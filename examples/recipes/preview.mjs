// What compaction will do, before it is done: show it, ask, and then do it or leave it: `node preview.mjs`.
import { createCompactor, describe } from "precis";
import { openaiChat } from "precis/formats";
import { chat, summarize } from "./support.mjs";

const compactor = createCompactor({
  format: openaiChat,
  contextWindow: 4_000,
  maxOutputTokens: 500,
  summarize,
  summarizer: { contextWindow: 64_000 },
});
const call = { messages: chat(60), state: null };

const plan = compactor.plan(call); // nobody is asked, nothing is changed
console.log(describe(plan));
for (const { action, rung, count, tokens, after } of [...plan.covers, ...plan.clears, ...plan.clips])
  console.log(`${action} (${rung}): ${count} messages, ${tokens} → ${after} tokens`);

// The person agrees: the plan is carried out. Without answers code would write the summary.
const answers = await Promise.all(compactor.requests(call, plan).map(summarize));
const { report } = compactor.commit(call, plan, answers);
console.log(describe(report));
