// Which facts of chats written by hand stand in the view after compaction, without any LLM: `npm run bench -- facts`. By
// itself: node benches/facts.bench.mjs [--table] [--misses] [--only NAME]. benches/facts/chats/README.md has the format of
// the chats, benches/facts/judge.mjs the definitions. Chats that are held out are only added up.
import { parseArgs } from "node:util";
import { main, note, packages } from "../js/scripts/common.mjs";
import { row as rowOf } from "./row.mjs";

const FRACTIONS = [0.3, 0.4, 0.55];
const WINDOWS = [4_000, 6_000, 8_000];
const DECAY = { window: 4_000, compactions: 24 };
/** The least part of the facts that must be told, by set of chats. What is held out may lie a little lower. */
const GOALS = {
  "at 0.4": { given: 0.88, open: 0.88, "held out": 0.85 },
  "joined at 6k": { given: 0.8, open: 0.8, "held out": 0.76 },
  decay: { given: 0.48, open: 0.48, "held out": 0.48 },
};

main(import.meta.url, async (args) => {
  const { values } = parseArgs({
    args,
    options: {
      table: { type: "boolean", default: false },
      misses: { type: "boolean", default: false },
      only: { type: "string", default: "" },
    },
  });
  await packages("benches");
  const results = await measure(values);
  if (values.table) table(results);
  else for (const result of results) for (const row of rows(result)) console.log(JSON.stringify(row));
});

async function measure({ only, misses }) {
  const { chats, joined, SETS } = await import("./facts/chats.mjs");
  const { peers, windowOf } = await import("./facts/peers.mjs");
  const all = chats().filter(({ name }) => name.includes(only));
  const results = [];
  for (const set of SETS) {
    const some = all.filter((chat) => chat.set === set);
    if (!some.length) continue;
    const open = misses && set !== "held out";
    const of = async (at, played) => results.push(await sum({ set, at, played, peers, misses: open }));
    for (const fraction of FRACTIONS)
      await of(
        `at ${fraction}`,
        some.map((chat) => [chat, windowOf(chat, fraction)]),
      );
    for (const window of WINDOWS)
      await of(
        `joined at ${window / 1_000}k`,
        joined(some).map((chat) => [chat, window]),
      );
    results.push(await decay(some, all, set, open));
  }
  return results;
}

/** All chats of a set at one size: what is told, kept and stale of their facts, and what each peer tells at that size. */
async function sum({ set, at, played, peers, misses }) {
  const { replay } = await import("./facts/replay.mjs");
  const { judge } = await import("./facts/judge.mjs");
  const { sizeOfAll } = await import("./facts/chats.mjs");
  const result = { set, at, ...counts(), peers: {} };
  for (const [chat, window] of played) {
    const { view, compactions } = await replay(chat, window);
    const tokens = sizeOfAll(view);
    const judged = judge(chat.facts, view, chat.messages);
    add(result, judged, { facts: chat.facts.length, tokens, compactions, window });
    if (misses) spell(`${chat.name}, ${at} (${window}, view ${tokens})`, judged);
    for (const [name, peer] of Object.entries(peers)) {
      const kept = await peer(chat, tokens);
      const { told } = judge(chat.facts, kept, [...chat.messages, ...kept]);
      result.peers[name] = (result.peers[name] ?? 0) + told.length;
    }
  }
  return result;
}

/** Which of a chat's facts are told when so many further compactions have passed since it ended. */
async function decay(some, all, set, misses) {
  const { turns } = await import("./facts/chats.mjs");
  const { replay } = await import("./facts/replay.mjs");
  const { judge } = await import("./facts/judge.mjs");
  const result = { set, at: "decay", ...counts(), peers: {} };
  for (const first of some.filter(({ tools }) => !tools).slice(0, 2)) {
    const rest = all.filter((chat) => chat !== first && !chat.tools).flatMap(turns);
    const messages = [first.messages[0], ...turns(first), ...Array.from({ length: 5 }, () => rest).flat()];
    const end = turns(first).length + 1;
    let before = 0;
    const enough = (index, compactions) => {
      if (index <= end) before = compactions;
      return compactions >= before + DECAY.compactions;
    };
    const played = await replay({ messages }, DECAY.window, { enough });
    const judged = judge(first.facts, played.view, first.messages);
    add(result, judged, {
      facts: first.facts.length,
      tokens: 0,
      compactions: played.compactions - before,
      window: DECAY.window,
    });
    if (misses) spell(`${first.name}, decay`, judged);
  }
  return result;
}

const counts = () => ({
  facts: 0,
  told: 0,
  kept: 0,
  stale: 0,
  beside: 0,
  left: 0,
  tokens: 0,
  window: 0,
  compactions: 0,
});

function add(result, judged, more) {
  for (const key of ["told", "kept", "stale", "beside", "left"]) result[key] += judged[key].length;
  for (const [key, value] of Object.entries(more)) result[key] += value;
}

function spell(title, { missing, kept, told, stale, left }) {
  const ids = (facts) => facts.map(({ id }) => id).join(", ") || "-";
  note(`\n${title}\n  missing: ${ids(missing)}\n  not in words: ${ids(kept.filter((fact) => !told.includes(fact)))}`);
  for (const { id, line } of stale) note(`  STALE ${id}: ${line.trim().slice(0, 160)}`);
  for (const { id, line } of left) note(`  left ${id}: ${line.trim().slice(0, 160)}`);
}

/** The rows of one size for js/scripts/bench.mjs. */
function rows(result) {
  const { set, at, facts, told, kept, stale, beside, left, tokens, compactions, peers } = result;
  const goal = GOALS[at]?.[set] ?? null;
  const row = (what, ...rest) => rowOf(`facts ${what}, ${set}, ${at}`, ...rest);
  const part = (count) => Math.round((count / facts) * 1_000) / 1_000;
  const samples = { facts, told, kept, stale, beside, left, tokens, compactions };
  return [
    row("told", part(told), "of the facts", goal && `>= ${goal}`, goal === null || told / facts >= goal, { samples }),
    row("kept", part(kept), "of the facts", null, true),
    row("stale", stale, "facts", 0, stale === 0),
    ...Object.entries(peers).map(([peer, count]) => ({
      ...row("told", part(count), "of the facts", null, true),
      peer,
    })),
  ];
}

function table(results) {
  const names = Object.keys(results[0].peers);
  const head = ["chats", "size", "facts", "told", "kept", "stale", "old before new", "old left", ...names, "tokens"];
  console.log(`| ${head.join(" | ")} |\n|${"---|".repeat(head.length)}`);
  for (const { set, at, facts, told, kept, stale, beside, left, tokens, compactions, peers } of results) {
    const percent = (count) => (count === undefined ? "" : `${((count / facts) * 100).toFixed(1)} %`);
    const rest = names.map((name) => percent(peers[name]));
    const size = tokens ? String(tokens) : `${compactions} compactions`;
    console.log(
      `| ${[set, at, facts, percent(told), percent(kept), stale, beside, left, ...rest, size].join(" | ")} |`,
    );
  }
}
