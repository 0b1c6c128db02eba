// Pins: single messages that stay as they are in every view, whatever is summarized around them: `node pins.mjs`.
import { createCompactor } from "precis";
import { openaiChat } from "precis/formats";
import { chat, summarize } from "./support.mjs";

const compactor = createCompactor({
  format: openaiChat,
  contextWindow: 4_000,
  maxOutputTokens: 500,
  summarize,
  summarizer: { contextWindow: 64_000 },
});

const rules = { role: "user", content: "House rules: answer in Danish, and never promise a date." };
const messages = [...chat(10), rules, ...chat(60), { role: "user", content: "And now?" }];

/** What the person has pinned in the page: your app knows its messages by their ids. */
const pinned = new Set([rules]);
const pin = (message) => pinned.has(message);

let state = null;
for (let later = 1; later <= 3; later++) {
  const prepared = await compactor.beforeModel({ messages, state, pin });
  state = prepared.state; // pins are not part of it: give them with every call
  const { outcome } = prepared.report;
  console.log(
    `${outcome}: ${prepared.view.length} of ${messages.length} messages, the rules are ${place(prepared.view)}.`,
  );
  messages.push(...chat(60), { role: "user", content: "And later?" });
}

function place(view) {
  return view.includes(rules) ? "among them" : "gone";
}
