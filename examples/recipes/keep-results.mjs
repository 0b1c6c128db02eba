// The results of one tool stay whole in every view, for ever, and those of another are the first to go: `node keep-results.mjs`.
import { createCompactor } from "precis";
import { openaiChat } from "precis/formats";
import { chat, looked, summarize } from "./support.mjs";

const compactor = createCompactor({
  format: openaiChat,
  contextWindow: 4_000,
  maxOutputTokens: 500,
  summarize,
  toolPolicy: { read_contract: { keep: "always" }, look_up: { clear: "first" } },
});

const contract = "§ 1 Refunds are made within 14 days.\n".repeat(10);
const messages = [
  { role: "user", content: "What does my contract say, and what is the weather?" },
  ...looked("contract", contract, "read_contract"),
  ...looked("weather", "sunny\n".repeat(200)),
];

let state = null;
for (let day = 1; day <= 8; day++) {
  messages.push(...chat(20), { role: "user", content: `Day ${day}: when do I get my money back?` });
  const prepared = await compactor.beforeModel({ messages, state });
  state = prepared.state;
  const whole = (result) => prepared.view.some(({ content }) => content === result);
  const place = (result) => (whole(result) ? "whole" : "gone");
  console.log(`day ${day}: the contract is ${place(contract)}, the weather is ${place("sunny\n".repeat(200))}.`);
}
