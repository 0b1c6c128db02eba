// A summary with headings of your own, and the command `/compact focus on …`: `node sections.mjs`.
import { createCompactor, summaryOf } from "precis";
import { openaiChat } from "precis/formats";
import { chat } from "./support.mjs";

const compactor = createCompactor({
  format: openaiChat,
  contextWindow: 32_000,
  maxOutputTokens: 1_000,
  summary: {
    sections: ["Customer", "Orders", "Promises we made"],
    instructions: "Give amounts with their currency.",
  },
  // A stand-in: it writes the headings that it is asked for, and shows that it was told the focus.
  summarize: async ({ system, prompt }) => {
    const headings = ["Customer", "Orders", "Promises we made"].filter((heading) => system.includes(heading));
    const orders = prompt.match(/order \d+/g) ?? [];
    const focus = system.includes("refunds") || prompt.includes("refunds");
    const text = headings.map((heading, at) => `## ${heading}\n- ${orders[at]}${focus ? ", above all refunds" : ""}`);
    return { text: text.join("\n\n"), finishReason: "stop" };
  },
});

/** What a person typed: a command for the app, or a message for the model. */
async function typed(text, chat) {
  const command = text.match(/^\/compact(?:\s+focus on\s+(.+))?$/);
  if (!command) return { ...chat, messages: [...chat.messages, { role: "user", content: text }] };
  const { state } = await compactor.compact({ ...chat, focus: command[1] });
  return { ...chat, state };
}

let session = { messages: chat(40), state: null };
session = await typed("/compact focus on refunds", session);
session = await typed("Thank you.", session);
console.log(summaryOf(session.state));
