// node tests/providers/court.mjs [FILE…] [--short | --all] [--provider P] [--json]: plays recorded chats (those of tests/fixtures, or
// the files and folders that are named) through the compactor against the servers of this folder, in windows from far too
// small to roomy, and says how many requests were judged and how many refused, by provider and data set.
//
// Each chat is played in every window that it outgrows and in the first one that holds it; strategies, summarizers and what
// is done about old reasoning take turns. --short plays one window, another for each chat, --all each setup in each window.
import { at, main } from "../../js/scripts/common.mjs";
import { clients } from "./clients.mjs";
import { replay } from "./replay.mjs";
import { RECORDED, sessions } from "./sessions.mjs";

/** Where time is short. */
const FEW = [4_000, 16_000];
const WINDOWS = [2_000, 4_000, 8_000, 16_000, 32_000, 64_000, 128_000];
/** How a compactor may be set up; each ladder has rungs that another has not. */
const SETUPS = [
  { tune: { strategy: "tail" } },
  { tune: { strategy: "tail" }, summarize: true },
  { tune: { strategy: "full" } },
  { tune: { strategy: "full" }, summarize: true, reasoning: "drop-old" },
  { tune: { strategy: "sliding-window" }, reasoning: "drop-old" },
  { tune: { strategy: "last-tool-batch" }, summarize: true },
];
// None of the providers here has reasoning that may leave by itself: it is signed, or must be passed back.
const RUNGS = ["clip", "clear", "summarize", "digest", "clip-results", "trim", "clip-all"];
/** A local template is asked for by name. */
const PROVIDERS = Object.keys(clients).filter((name) => name !== "local");
const BUDGET = { type: "enabled", budget_tokens: 2_000 };
/** Where models of one provider differ, or ways to keep a chat, they take turns as well. */
const GIVEN = {
  anthropic: [{}, { model: "claude-opus-5-5" }, { model: "claude-sonnet-4-5", thinking: BUDGET }],
  bedrock: [{}, { model: "us.anthropic.claude-sonnet-4-5-20250929-v1:0", thinking: BUDGET }],
  "openai-responses": [{}, { store: true }],
  openrouter: [{}, { model: "anthropic/claude-opus-5.5" }],
};

/** Plays what `files` hold, by default all that is recorded, against the servers named. */
export async function hold({ files = [], names = PROVIDERS, all = false, short = false } = {}) {
  const court = { rows: [], rungs: Object.fromEntries(RUNGS.map((rung) => [rung, 0])), refusals: new Map() };
  const paths = files.length > 0 ? files : RECORDED.map((folder) => at("tests/fixtures", folder));
  for (const path of paths) {
    const chats = await sessions([path], console.error);
    const set = path.startsWith(at("tests/fixtures/")) ? path.slice(at("tests/fixtures/").length) : path;
    for (const name of names) {
      const row = { set, provider: name, chats: chats.length, judged: 0, refused: 0, infeasible: 0 };
      for (const [number, chat] of chats.entries())
        for (const play of plays(chat, name, { number, all, short })) await judge(court, row, chat, play);
      court.rows.push(row);
    }
  }
  const total = (member) => court.rows.reduce((sum, row) => sum + row[member], 0);
  const isWhole = files.length === 0 && names === PROVIDERS && !short;
  return {
    ...court,
    refusals: [...court.refusals.values()],
    judged: total("judged"),
    refused: total("refused"),
    infeasible: total("infeasible"),
    /** Rungs that no request reached: less was tried than was meant. */
    idle: isWhole ? RUNGS.filter((rung) => court.rungs[rung] === 0) : [],
  };
}

/** The windows and setups that a chat is played in. */
function* plays(chat, name, { number, all, short }) {
  const tokens = JSON.stringify(chat).length / 4;
  const windows = short ? [FEW[number % FEW.length]] : WINDOWS;
  const outgrown = windows.filter((window) => window < tokens);
  const given = GIVEN[name] ?? [{}];
  const turn = (list, at) => list[(number + at) % list.length];
  for (const [at, contextWindow] of windows.slice(0, outgrown.length + 1).entries()) {
    const chosen = all
      ? given.flatMap((given) => SETUPS.map((setup) => [given, setup]))
      : [[turn(given, at), turn(SETUPS, at + name.length)]];
    for (const [given, setup] of chosen) yield { contextWindow, given, ...setup };
  }
}

async function judge({ rungs, refusals }, row, chat, { contextWindow, given, summarize = false, ...options }) {
  const { provider } = row;
  const maxOutputTokens = Math.min(4_000, contextWindow / 8);
  const found = await replay(chat, provider, {
    options: { contextWindow, maxOutputTokens, ...options },
    summarize,
    given,
  });
  row.judged += found.judged;
  row.infeasible += found.infeasible;
  for (const [rung, times] of Object.entries(found.rungs)) rungs[rung] += times;
  for (const { request, rung, findings } of found.refusals) {
    const [{ rule, source, text }] = findings;
    row.refused += 1;
    const key = `${provider} ${rule}`;
    const known = refusals.get(key) ?? { provider, rule, source, times: 0, examples: [] };
    refusals.set(key, known);
    known.times += 1;
    const { strategy } = options.tune;
    if (known.examples.length < 3)
      known.examples.push({ chat: chat.name, contextWindow, strategy, summarize, ...given, request, rung, text });
  }
}

function print({ rows, rungs, refusals, judged, refused, infeasible, idle }) {
  const number = (value) => value.toLocaleString("en");
  const line = (...cells) => console.log(`| ${cells.join(" | ")} |`);
  line("data set", "chats", "provider", "requests judged", "refused");
  line("---", "---", "---", "---", "---");
  for (const row of rows) line(row.set, row.chats, row.provider, number(row.judged), number(row.refused));
  console.log(
    `\n${number(judged)} requests judged, refused: ${number(refused)}, too large whatever is done: ${number(infeasible)}`,
  );
  const steps = Object.entries(rungs).map(([rung, times]) => `${rung} ${number(times)}`);
  console.log(`requests by the steps of the ladder they took: ${steps.join(", ")}`);
  for (const { provider, rule, source, times, examples } of refusals) {
    console.log(`\n${provider}, ${rule} (${source}): ${number(times)}`);
    for (const { text, ...where } of examples) console.log(`  ${JSON.stringify(where)}\n    ${text.slice(0, 240)}`);
  }
  if (idle.length > 0) console.log(`\nno request reached: ${idle.join(", ")}`);
}

main(import.meta.url, async (words) => {
  const named = words.indexOf("--provider");
  const files = words.filter((word, index) => !word.startsWith("--") && (named < 0 || index !== named + 1));
  const names = named < 0 ? undefined : [words[named + 1]];
  const found = await hold({ files, names, all: words.includes("--all"), short: words.includes("--short") });
  if (words.includes("--json")) console.log(JSON.stringify(found));
  else print(found);
  if (found.refused + found.idle.length > 0) process.exitCode = 1;
});
