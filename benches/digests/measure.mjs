// What a digest says about what was done, by what was recorded alone. An *action* is what calls of one tool did to one thing:
// the file that their arguments name, else the program that they run, else nothing but the tool. Its outcome is what the
// last of those calls returned, or, where it wrote a file, what it wrote. A digest tells it if one of its lines names the
// thing and says a word or number of the outcome that the call itself does not say; an outcome without such a word needs
// the line alone. A request is open if nobody did or said anything between it and what the user said next, or the end.
import { createCompactor, summaryOf } from "precis";
import { leavesOf, reader } from "../recall/session.mjs";

const OPEN = "- [open] ";
const WORK = "## State of the work";
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
  const sum = { sessions: 0, actions: 0, outcomes: 0, lines: 0, with: 0, open: 0, stale: 0, misses: [] };
  if (!digest) return sum;
  sum.sessions = 1;
  const lines = digest.split("\n");
  const items = messages.map(reader(format));
  for (const action of actionsOf(items)) {
    sum.actions += 1;
    if (tells(lines, action)) sum.outcomes += 1;
    else
      sum.misses.push(`${name}\t${action.tool} ${action.thing}\t${action.outcome.slice(0, 100).replaceAll("\n", " ")}`);
  }
  const from = lines.indexOf(WORK);
  const to = lines.findIndex((line, at) => at > from && line.startsWith("## "));
  const work = from < 0 ? [] : lines.slice(from + 1, to < 0 ? undefined : to).filter((line) => line.startsWith("- "));
  sum.lines = work.length;
  // What was changed is what came of a change.
  sum.with = work.filter(
    (line) => / → ./.test(line) || / ← was /.test(line) || /^- \w+ (?:cat > |sed -i )?\S*\.\w+.*?: ./.test(line),
  ).length;
  const open = lines.filter((line) => line.startsWith(OPEN)).map((line) => line.slice(OPEN.length));
  sum.open = open.length;
  sum.stale = open.filter((request) => isStale(items, request)).length;
  return sum;
}

export function summed(all) {
  const sum = { sessions: 0, actions: 0, outcomes: 0, lines: 0, with: 0, open: 0, stale: 0 };
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
  const named = lines.filter((line) => line.includes(thing || tool));
  if (!wanted.size) return named.length > 0;
  return named.some((line) => wordsOf(line).some((word) => wanted.has(word)));
}

function isStale(items, request) {
  const start = request.split(" [… ")[0].replace(/…$/, "").trim().slice(0, 60);
  const asked = items.findLastIndex(({ role, text }) => role === "user" && text.includes(start));
  if (asked < 0) return false;
  const next = items.findIndex(({ role, text }, at) => at > asked && role === "user" && text.trim());
  const between = items.slice(asked + 1, next < 0 ? undefined : next);
  if (next >= 0) return between.some(({ role }) => role === "assistant");
  const last = between.at(-1);
  return last?.role === "assistant" && last.parts.every(({ type }) => type === "text");
}
