// Two tabs, or two servers, work on one chat: compare-and-set on the state's revision, and nothing is lost:
// `node two-tabs.mjs`.
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

/** A table with one row; `version` counts what was written. In SQL: `update … where id = $1 and version = $2`. */
const row = { messages: chat(59), state: null, version: 0 };
const load = async () => ({ ...row, messages: [...row.messages] });
async function save({ messages, state }, version) {
  if (row.version !== version) return false;
  Object.assign(row, { messages, state, version: version + 1 });
  return true;
}

/** Adds what a person typed, sends it, and stores what came of it. Whoever is late starts over from what is stored. */
async function send(text) {
  for (let tries = 1; ; tries++) {
    const { version, ...stored } = await load();
    const messages = [...stored.messages, { role: "user", content: text }];
    const { view, state, report } = await compactor.beforeModel({ messages, state: stored.state });
    // Stored before the request goes out: the state belongs to what is sent.
    if (!(await save({ messages, state }, version))) continue;
    return { tries, sent: view.length, rung: report.rung };
  }
}

const tabs = await Promise.all([send("Where is my money?"), send("And order 4712?"), send("Hello?")]);
for (const { tries, sent, rung } of tabs) console.log(`stored at try ${tries}: ${sent} messages sent, ${rung}`);
const typed = row.messages.slice(59).map(({ content }) => content);
console.log(`${typed.length} of 3 messages are stored, in ${row.version} writes: ${typed.join(" ")}`);
