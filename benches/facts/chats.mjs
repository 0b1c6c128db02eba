// The chats with facts, their sizes, and chats joined to one history. benches/facts/chats/README.md has the format.
import { readdirSync, readFileSync } from "node:fs";
import { tokensOf } from "../recall/session.mjs";

/** Tokens that chat APIs add to each message and to each call. */
const MESSAGE = 4;
const CALL = 8;
/** Chats are joined until they come to as many tokens, so that no window of the measure holds them all. */
const JOINED = 8_000;
const CLOSING = "Here it is, as discussed. Let me know if anything should change.";
const RETURN = "Thanks. Now let's come back to the first topic.";

export const SETS = ["given", "open", "held out"];

/** All chats in the order of their names, each with the set it belongs to. */
export function chats() {
  const folder = new URL("chats/", import.meta.url);
  const files = readdirSync(folder).filter((name) => name.endsWith(".json"));
  return files.sort().map((file) => {
    const chat = JSON.parse(readFileSync(new URL(file, folder), "utf8"));
    return { ...chat, set: chat.heldout ? "held out" : chat.kind ? "open" : "given" };
  });
}

export const textOf = ({ content, tool_calls: calls = [] }) =>
  [plain(content), ...calls.map((call) => `${call.function.name} ${call.function.arguments}`)].join("\n");

const plain = (content) =>
  Array.isArray(content) ? content.map((part) => part.text ?? "").join("\n") : (content ?? "");

const sizes = new WeakMap();

/** Tokens of a message, counted once for each object. */
export function sizeOf(message) {
  const known = sizes.get(message);
  if (known !== undefined) return known;
  const size = tokensOf(textOf(message)) + MESSAGE + CALL * (message.tool_calls?.length ?? 0);
  sizes.set(message, size);
  return size;
}
export const sizeOfAll = (messages) => messages.reduce((sum, message) => sum + sizeOf(message), 0);

/** What is in every request and no compaction changes: system prompt and tools. */
export function constant({ messages, tools }) {
  const system = sizeOfAll(messages.filter(({ role }) => role === "system"));
  return system + (tools ? tokensOf(JSON.stringify(tools)) : 0);
}

/** Chats of one set without tools, one after another as a single history, in groups of at least `JOINED` tokens. */
export function joined(some) {
  const groups = [];
  let [group, sum] = [[], 0];
  for (const chat of some.filter(({ tools }) => !tools)) {
    group.push(chat);
    sum += sizeOfAll(chat.messages);
    if (sum < JOINED) continue;
    groups.push(group);
    [group, sum] = [[], 0];
  }
  if (group.length) groups.push([...(groups.pop() ?? []), ...group]);
  return groups.map((group) => join(group));
}

function join(group) {
  const messages = [{ role: "system", content: "You are a helpful assistant." }];
  for (const chat of group) messages.push(...turns(chat));
  messages.push({ role: "user", content: RETURN });
  const facts = group.flatMap(({ name, facts }) => facts.map((fact) => ({ ...fact, id: `${name}: ${fact.id}` })));
  return { name: group.map(({ name }) => name).join(" + "), set: group[0].set, messages, facts };
}

/** What was said in a chat, its last request answered. */
export function turns({ messages }) {
  const said = messages.filter(({ role }) => role !== "system");
  return said.at(-1).role === "user" ? [...said, { role: "assistant", content: CLOSING }] : said;
}
