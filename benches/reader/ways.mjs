// What a model is given of a chat: all of it, what others keep of it, and our view, without a model and with this one.
import { constant, sizeOfAll } from "../facts/chats.mjs";
import { peers, windowOf } from "../facts/peers.mjs";
import { replay } from "../facts/replay.mjs";

export async function ways(chat, fraction, reader) {
  const window = windowOf(chat, fraction);
  const digest = await replay(chat, window);
  const calls = [];
  const summarize = async ({ system, prompt, maxOutputTokens }) => {
    const answer = await reader.ask([system, prompt].filter(Boolean).join("\n\n"), maxOutputTokens);
    calls.push({ prompt, maxOutputTokens, ...answer });
    return answer;
  };
  const summary = await replay(chat, window, { summarize });
  const room = sizeOfAll(digest.view) + constant({ ...chat, messages: [] });
  const kept = async (name) => ({ way: name, view: await peers[name](chat, room) });
  return [
    { way: "the full chat", view: chat.messages },
    await kept("newest that fits"),
    await kept("LangChain trimMessages"),
    { way: "precis", view: digest.view, made: { compactions: digest.compactions } },
    { way: "precis with this model", view: summary.view, made: { compactions: summary.compactions, calls } },
  ];
}
