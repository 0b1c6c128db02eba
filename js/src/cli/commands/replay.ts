import { COMMON, DEFAULT_WINDOW, LIMITS } from "../arguments.ts";
import { type Command, EXIT } from "../command.ts";
import { checkLimits } from "../compactors.ts";
import { compare } from "../comparing.ts";
import { pricesOf } from "../prices.ts";
import { readFiles } from "../reading.ts";
import { everyRequest, tell } from "../telling.ts";

export const replay: Command = {
  name: "replay",
  usage: "FILE… [options]",
  summary: "Replays recorded chats, request by request, through a context window.",
  about: [
    "Before each recorded reply the compactor sees all messages so far, and then the usage that was",
    "recorded. No LLM is called: code writes the summaries. A FILE may be a folder.",
  ],
  options: {
    window: { ...COMMON.windows, help: `${COMMON.windows.help} (default 128k)` },
    ...LIMITS,
    limit: { type: "string", value: "N", help: "stop after so many requests of a conversation" },
    requests: { type: "boolean", help: "a line for each request" },
    compare: { type: "boolean", help: "all strategies side by side, and common ways without a library" },
    prices: { type: "string", value: "P", help: "input,cached,write,output per million tokens: adds the bill" },
    conversation: COMMON.conversation,
    branch: COMMON.branch,
    strict: COMMON.strict,
    json: { ...COMMON.json, help: "one JSON object a line for each conversation and window, request, or way" },
    help: COMMON.help,
  },
  async run(given) {
    const windows = given.windows([DEFAULT_WINDOW]);
    const prices = pricesOf(given.text("prices"));
    for (const window of windows) checkLimits(given.limits(window));
    const { conversations, end } = await readFiles(given);
    if (given.flag("requests")) return end(await everyRequest(given, conversations, windows));
    if (given.flag("compare")) {
      await compare(given, conversations, windows, prices);
      return end(EXIT.done);
    }
    const code = await tell(given, conversations, windows);
    if (prices) await compare(given, conversations, windows, prices);
    return end(code);
  },
};
