// Recorded chats, read in whatever shape they were recorded, as what people, tools and models said in turn.
import { pathToFileURL } from "node:url";
import { program } from "../../js/scripts/demo.mjs";
import { rules } from "./rules.mjs";

const { grouped, spokenBy } = rules;

/** Folders of tests/fixtures with recorded chats. */
export const RECORDED = [
  "ai-sdk",
  "anthropic",
  "digests/sessions",
  "openai-chat",
  "pi-session",
  "provider-pairs",
  "swe-agent",
  "tau-bench",
];

/**
 * The chats of files and folders: `{ name, system, tools, turns }`. A turn is what the model says in one reply, or what is
 * said to it before the next. What the recording lacks it lacks here as well: results without calls, calls without results.
 */
export async function sessions(files, skipped = () => {}) {
  const { load } = await import(pathToFileURL(await program("files")).href);
  return load(files, skipped)
    .map(sessionOf)
    .filter(({ turns }) => turns.length > 0);
}

function sessionOf({ file, name, format, messages, system }) {
  const spoken = messages.map((message, at) => ({ at, spoken: spokenBy(format, message) }));
  const leading = [];
  for (const { spoken: one } of spoken) {
    if (one.role !== "system") break;
    leading.push(textOf(one));
  }
  const turns = [];
  const tools = new Set();
  for (const { spoken: one } of grouped(spoken)) {
    for (const part of one.parts) if (part.kind === "call") tools.add(part.name);
    const before = turns.at(-1);
    if (one.role === "assistant" && before?.role === "assistant") before.parts.push(...one.parts);
    else turns.push({ role: one.role, parts: [...one.parts] });
  }
  const beside = typeof system === "string" ? system : system ? JSON.stringify(system) : "";
  for (const turn of turns) if (turn.role === "assistant") turn.parts = withoutOwnTools(turn.parts);
  return {
    name: name === file ? file : `${file}, ${name}`,
    system: [beside, ...leading].filter(Boolean).join("\n\n") || "You are a helpful assistant.",
    tools: [...tools],
    turns,
  };
}

/** Calls that are answered in the message that makes them were run by the provider: another has no such tool. */
function withoutOwnTools(parts) {
  const answered = new Set(parts.flatMap(({ kind, id }) => (kind === "result" ? [id] : [])));
  return parts.filter(({ kind, id }) => kind !== "result" && !(kind === "call" && answered.has(id)));
}

const textOf = ({ parts }) => parts.flatMap((part) => (part.kind === "text" ? [part.text] : [])).join("\n\n");
