// Undo, edit and fork: take messages off the history and go on with the state as it is: `node undo.mjs`.
import { createCompactor } from "precis";
import { openaiChat } from "precis/formats";
import { chat, summarize } from "./support.mjs";

const compactor = createCompactor({
  format: openaiChat,
  contextWindow: 6_000,
  maxOutputTokens: 500,
  summarize,
  summarizer: { contextWindow: 64_000 },
});

const messages = chat(60);
const { state, report } = await compactor.beforeModel({ messages });
const [{ messages: covered }] = report.changes;
const end = covered.at(-1).to;
console.log(`Messages up to ${end - 1} are covered by a summary.`);

// Undo of the last turn: what is covered is untouched, so the summary stays.
const undone = await compactor.beforeModel({ messages: messages.slice(0, -2), state });
console.log(`After one undo: ${undone.report.diverged === null ? "the summary holds" : "the summary is dropped"}.`);

// Back to before the cut: that summary describes what no longer happened, so it is dropped. Nothing has to be repaired.
const rewound = await compactor.beforeModel({ messages: messages.slice(0, 8), state });
console.log(`Back at message 8: ${rewound.report.diverged ? "the summary is dropped" : "the summary holds"}.`);
console.log(`It sends ${rewound.view.length} messages as they were: ${!rewound.changed}.`);
