// The recorded sessions, as data sets: a folder is a set of its own, and a file belongs to the set its folder is named
// after. Most are read as `npm run demo` reads them; four published data sets that it does not read are read here.
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { openaiChat } from "precis/formats";
import { at, note } from "../../js/scripts/common.mjs";
import { program } from "../../js/scripts/demo.mjs";

/** What stands for the recorded sessions in a clean clone. */
const FIXTURES = [
  "pi-session",
  "swe-agent",
  "tau-bench",
  "anthropic/claude-code.jsonl",
  "openai-chat/chinese.jsonl",
  "openai-chat/korean-japanese.jsonl",
];
/** Short dialogues are told one after another, so many to a session. */
const DIALOGUES = 10;

/** All data sets that files hold: `[name, conversations]`; of the fixtures where no file is given. */
export async function setsOf(files, { set, limit } = {}) {
  const { load } = await import(pathToFileURL(await program("files")).href);
  const named = files.length ? files : FIXTURES.map((file) => at("tests/fixtures", file));
  const sets = new Map();
  for (const file of named) {
    const name = nameOf(file);
    if (set && name !== set) continue;
    const found = conversationsOf(file, load);
    if (found.length) sets.set(name, [...(sets.get(name) ?? []), ...found]);
  }
  return [...sets].map(([name, all]) => [name, all.slice(0, limit)]);
}

function nameOf(file) {
  const path = resolve(file);
  return basename(existsSync(path) && statSync(path).isDirectory() ? path : dirname(path));
}

function conversationsOf(file, load) {
  const own = filesOf(file).flatMap((path) => {
    const reader = readers.find(({ name }) => name.test(resolve(path)));
    return reader ? reader.read(readFileSync(path, "utf8"), basename(path)) : [];
  });
  if (own.length) return own;
  try {
    // Recorded requests are no sessions. Dialogues that nobody called a tool in are too short for one.
    const found = load([file], () => {}).filter(({ format }) => format.name !== "recording");
    return found.every((one) => isShort(one) && one.format === found[0].format) ? joined(found, DIALOGUES) : found;
  } catch (error) {
    note(`${file}: ${error.message}`);
    return [];
  }
}

function filesOf(file) {
  if (!statSync(file).isDirectory()) return [file];
  return readdirSync(file, { recursive: true, encoding: "utf8" })
    .sort()
    .map((name) => join(file, name))
    .filter((path) => statSync(path).isFile());
}

/** A dialogue without tools, too short to be compacted by itself. */
function isShort({ messages }) {
  return (
    JSON.stringify(messages).length < 6_000 && messages.every(({ role, tool_calls }) => role !== "tool" && !tool_calls)
  );
}

const chat = (name, messages) => ({ name, format: openaiChat, messages });
const said = (role, content) => ({ role, content });

const readers = [
  { name: /crosswoz\/.*\.json$/, read: readCrosswoz },
  { name: /xpersona\/.*\.json$/, read: readXpersona },
  { name: /toolbench\/.*\.json$/, read: readToolbench },
  { name: /copilot-sdk\/[^/]*\.jsonl$/, read: readCopilot },
];

/** CrossWOZ: dialogues of two people about hotels and sights of Beijing; `sys` is the assistant. */
function readCrosswoz(text, name) {
  const dialogues = Object.entries(JSON.parse(text)).map(([id, { messages }]) =>
    chat(
      id,
      messages.map(({ role, content }) => said(role === "usr" ? "user" : "assistant", content)),
    ),
  );
  return joined(dialogues, DIALOGUES, name);
}

/** Xpersona: small talk of two people who are told who they are; what the second is told comes first. */
function readXpersona(text, name) {
  const dialogues = JSON.parse(text).map(({ persona, dialogue }) =>
    chat(name, [
      said("user", persona.join(" ")),
      said("assistant", "OK."),
      ...dialogue.flatMap(([user, assistant]) => [
        said("user", user),
        ...(assistant ? [said("assistant", assistant)] : []),
      ]),
    ]),
  );
  return joined(dialogues, DIALOGUES, name);
}

/** ToolBench: the longest path that was recorded of each search; functions in OpenAI's first form of tools. */
function readToolbench(text, name) {
  const { train_messages } = JSON.parse(text).answer_generation;
  const longest = train_messages?.at(-1);
  if (!longest) return [];
  let calls = 0;
  const messages = longest.map(({ role, content, function_call }) => {
    if (role === "function") return { role: "tool", tool_call_id: `call_${calls}`, content };
    if (!function_call) return said(role, content ?? "");
    calls += 1;
    return { role, content, tool_calls: [{ id: `call_${calls}`, type: "function", function: function_call }] };
  });
  return [chat(name, answered(messages))];
}

/** Copilot SDK: the events of a session; a result stands where its call ended, so results go behind their message. */
function readCopilot(text, name) {
  const events = text
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  const results = new Map();
  for (const { type, data } of events)
    if (type === "tool.execution_complete")
      results.set(data.toolCallId, data.result?.content ?? data.error?.message ?? "");
  const messages = events.flatMap(({ type, data }) => {
    if (type === "user.message") return [said("user", data.content)];
    if (type !== "assistant.message") return [];
    const tool_calls = (data.toolRequests ?? []).map(({ toolCallId, name, arguments: input }) => ({
      id: toolCallId,
      type: "function",
      function: { name, arguments: JSON.stringify(input) },
    }));
    const answers = tool_calls.map(({ id }) => ({
      role: "tool",
      tool_call_id: id,
      content: String(results.get(id) ?? ""),
    }));
    return [{ role: "assistant", content: data.content, ...(tool_calls.length && { tool_calls }) }, ...answers];
  });
  return [chat(name, messages)];
}

/** Without calls that nobody answered at the end. */
function answered(messages) {
  const last = messages.at(-1);
  return last?.tool_calls
    ? [...messages, { role: "tool", tool_call_id: last.tool_calls[0].id, content: "" }]
    : messages;
}

/** Conversations told one after another, `number` to a session; the system messages of the first stand for all. */
export function joined(conversations, number, name = "") {
  const sessions = [];
  for (let from = 0; from < conversations.length; from += number)
    sessions.push(together(conversations.slice(from, from + number), `${name}${name && " "}${from + 1}+`));
  return sessions;
}

export function together(conversations, name) {
  const [first] = conversations;
  const rest = conversations.slice(1).flatMap(({ messages }) => messages.filter(({ role }) => role !== "system"));
  return { ...first, name, messages: [...first.messages, ...rest] };
}
