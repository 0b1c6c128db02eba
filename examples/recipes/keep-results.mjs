// The results of one tool stay whole in every view, whatever else is cleared or summarized: `node keep-results.mjs`.
import { createCompactor } from "precis";
import { openaiChat } from "precis/formats";
import { chat, looked, summarize } from "./support.mjs";

const compactor = createCompactor({ format: openaiChat, contextWindow: 4_000, maxOutputTokens: 500, summarize });

/** Call ids of the tool whose results are to stay. */
const keeps = new Set(["contract"]);
/** A pinned result keeps its call in the view, too. */
const pin = (message) => keeps.has(message.tool_call_id);

const contract = "§ 1 Refunds are made within 14 days.\n".repeat(10);
const messages = [
  { role: "user", content: "What does my contract say, and what is the weather?" },
  ...looked("contract", contract),
  ...looked("weather", "sunny\n".repeat(200)),
  ...chat(60),
  { role: "user", content: "So when do I get my money back?" },
];

const { view, report } = await compactor.beforeModel({ messages, pin });
const kept = view.some((message) => message.content === contract);
const gone = !view.some((message) => message.tool_call_id === "weather");
console.log(
  `${report.rung}: the contract is ${kept ? "whole" : "gone"}, the weather is ${gone ? "covered" : "still there"}.`,
);
