// What a digest says about what was done, by what was recorded alone. An *action* is what calls of one tool did to one thing:
// the file that their arguments name, else the program that they run, else nothing but the tool. Its outcome is what the
// last of those calls returned, or, where it wrote a file, what it wrote. A digest tells it if one of its lines names the
// thing, and this line or the one behind it says a word or number of the outcome that the call itself does not say; an outcome
// without such a word needs the line alone.
import { createCompactor, summaryOf } from "precis";
import { leavesOf, reader } from "../recall/session.mjs";

/** What is written into a file, by the names of such arguments. */
const WRITES = /new|content|text|replace|patch/i;
/** What only lets a model think, keeps its list, or ends the work: none of it does anything. */
const NOTHING =
  /^(?:think|thought|todo_?write|todo_?read|update_plan|finish|attempt_completion|transfer_to_human_agents)$/i;

/** A digest of all of a session, judged; nothing where everything fits as it is. */
export async function judged({ format, messages, system, tools, name }, contextWindow) {
  const compactor = createCompactor({ format, contextWindow, keep: { messages: 1 } });
  const { state } = await compactor.compact({
    messages: [...messages, { role: "user", content: "Go on." }],
    system,
    tools,
  });
  const digest = summaryOf(state);
  const sum = { sessions: 0, actions: 0, outcomes: 0, misses: [] };
  if (!digest) return sum;
  sum.sessions = 1;
  const lines = digest.split("\n");
  for (const action of actionsOf(messages.map(reader(format)))) {
    sum.actions += 1;
    if (tells(lines, action)) sum.outcomes += 1;
    else
      sum.misses.push(`${name}\t${action.tool} ${action.thing}\t${action.outcome.slice(0, 100).replaceAll("\n", " ")}`);
  }
  return sum;
}

export function summed(all) {
  const sum = { sessions: 0, actions: 0, outcomes: 0 };
  for (const one of all) for (const key of Object.keys(sum)) sum[key] += one[key];
  return sum;
}

function actionsOf(items) {
  const calls = new Map();
  const actions = new Map();
  for (const { parts } of items)
    for (const part of parts) {
      if (part.type === "call" && !NOTHING.test(part.name)) {
        const thing = thingOf(part.input);
        const written = Object.entries(Object(part.input)).filter(([key]) => WRITES.test(key) && !/old/i.test(key));
        const key = `${part.name} ${thing}`;
        calls.set(part.id, {
          key,
          tool: part.name,
          thing,
          said: part.text,
          written: written.flatMap(([, value]) => leavesOf(value)),
        });
      } else if (part.type === "result" && calls.has(part.id)) {
        const { key, tool, thing, said, written } = calls.get(part.id);
        const wrote = written.join(" ");
        actions.delete(key);
        actions.set(key, { tool, thing, said: wrote ? "" : said, outcome: wrote || part.text });
      }
    }
  return actions.values();
}

/** The file or the program that a call is about. */
function thingOf(input) {
  const members = Object.entries(Object(input));
  const path = members.find(([key, value]) => /path|file/i.test(key) && typeof value === "string" && !/\s/.test(value));
  if (path) return path[1].split("/").at(-1);
  const command = members.find(([key]) => /^(?:command|cmd)$/.test(key))?.[1];
  if (typeof command !== "string") return "";
  return command
    .replace(/^(?:\s*(?:cd [^&;\n]*(?:&&|;|\n)|\w+=\S+))+/, "")
    .trim()
    .split(/\s/)[0]
    .split("/")
    .at(-1);
}

const wordsOf = (text) => text.match(/[\p{L}\p{N}_]{4,}|\d+/gu) ?? [];

function tells(lines, { tool, thing, said, outcome }) {
  const known = new Set(wordsOf(`${said} ${tool} ${thing}`));
  const wanted = new Set(wordsOf(outcome).filter((word) => !known.has(word)));
  const named = lines.flatMap((line, at) => (line.includes(thing || tool) ? [line, lines[at + 1] ?? ""] : []));
  if (!wanted.size) return named.length > 0;
  return named.some((line) => wordsOf(line).some((word) => wanted.has(word)));
}
