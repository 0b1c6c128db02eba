// What else is done without a model, at the same size: each gets a chat and a number of tokens.
import { AIMessage, HumanMessage, SystemMessage, ToolMessage, trimMessages } from "@langchain/core/messages";
import { pruneMessages } from "ai";
import { fromModelMessage, toModelMessage } from "../bill/prune.mjs";
import { constant, sizeOf, sizeOfAll, textOf } from "./chats.mjs";

/** Messages whose calls pruneMessages leaves as they are. */
const UNPRUNED = 10;

export const peers = {
  "newest that fits": newest,
  "drop oldest": dropOldest,
  "LangChain trimMessages": trimmed,
  "AI SDK pruneMessages": pruned,
};

const isSystem = ({ role }) => role === "system";

/** System first, then the newest messages that fit; one is kept even if it does not. */
function newest({ messages }, tokens) {
  const system = messages.filter(isSystem);
  const rest = messages.filter((message) => !isSystem(message));
  let room = tokens - sizeOfAll(system);
  let from = rest.length;
  while (from > 0 && (from === rest.length || sizeOf(rest[from - 1]) <= room)) room -= sizeOf(rest[--from]);
  return [...system, ...rest.slice(from)];
}

/** Whole turns, from a user's message to the next, are dropped from the front until the rest fits. */
function dropOldest({ messages }, tokens) {
  const system = messages.filter(isSystem);
  let rest = messages.filter((message) => !isSystem(message));
  while (sizeOfAll(system) + sizeOfAll(rest) > tokens) {
    const next = rest.findIndex(({ role }, index) => index > 0 && role === "user");
    if (next < 0) break;
    rest = rest.slice(next);
  }
  return [...system, ...rest];
}

async function trimmed({ messages }, tokens) {
  const kept = await trimMessages(messages.map(toLangChain), {
    maxTokens: tokens,
    // It asks for a message that is not there when nothing is left.
    tokenCounter: (some) => some.reduce((sum, one) => sum + (one ? sizeOf(messages[Number(one.id)]) : 0), 0),
    strategy: "last",
    includeSystem: true,
    startOn: ["human", "ai"],
  });
  return kept.filter(Boolean).map(({ id }) => messages[Number(id)]);
}

function toLangChain(message, index) {
  const fields = { id: String(index), content: textOf(message) };
  if (isSystem(message)) return new SystemMessage(fields);
  if (message.role === "tool") return new ToolMessage({ ...fields, tool_call_id: message.tool_call_id });
  if (message.role !== "assistant") return new HumanMessage(fields);
  const tool_calls = (message.tool_calls ?? []).map(({ id, function: { name } }) => ({ id, name, args: {} }));
  return new AIMessage({ ...fields, tool_calls });
}

/** The function has no budget: it takes old calls and results out, and the newest of the rest are what fits. */
function pruned(chat, tokens) {
  const calls = new Map(chat.messages.flatMap(({ tool_calls = [] }) => tool_calls.map((call) => [call.id, call])));
  const messages = pruneMessages({
    messages: chat.messages.map((message) => toModelMessage(message, calls)),
    reasoning: "all",
    toolCalls: `before-last-${UNPRUNED}-messages`,
    emptyMessages: "remove",
  });
  return newest({ ...chat, messages: messages.map(fromModelMessage) }, tokens);
}

/** The window that is this fraction of a chat, at least 1,000 tokens, with what is in every request on top. */
export function windowOf(chat, fraction) {
  const fixed = constant(chat);
  const all = sizeOfAll(chat.messages) + (chat.tools ? fixed - sizeOfAll(chat.messages.filter(isSystem)) : 0);
  return Math.max(1_000, Math.round((all - fixed) * fraction) + fixed);
}
