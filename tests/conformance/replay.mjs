#!/usr/bin/env node
// node tests/conformance/replay.mjs FILE [--preset contextguard|default]… [--json]
// Replays the seed system's simulations through the built package and compares each request with the recorded figures, with
// one preset or with both. `--json` prints the totals of each as a line.

import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { createCompactor } from "../../pkg/index.js";
import { check } from "../../pkg/testing.js";
import { bytes4, contents, standsFor } from "./contents.mjs";
import { conversation, surroundings } from "./simulation.mjs";

const ANSWER =
  "The user investigates a restarting service; logs were read, a timeout towards the database is suspected; next: fix it.".padEnd(
    120,
    ".",
  );

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    preset: { type: "string", multiple: true, default: ["contextguard"] },
    json: { type: "boolean", default: false },
  },
});
if (positionals.length !== 1 || values.preset.some((preset) => !["contextguard", "default"].includes(preset))) {
  console.error("usage: node tests/conformance/replay.mjs FILE [--preset contextguard|default]… [--json]");
  process.exit(2);
}
const { tests } = JSON.parse(readFileSync(positionals[0], "utf8"));
for (const preset of values.preset) await replayAll(preset === "contextguard");

/** Replays all sessions. With the preset of the `seed` system every request has to be as it was recorded. */
async function replayAll(seed) {
  const outcomes = [];
  for (const test of tests) {
    for (const [index, session] of test.sessions.entries()) {
      const name = test.sessions.length > 1 ? `${test.name} (${index + 1} of ${test.sessions.length})` : test.name;
      const outcome = { name, golden: session.golden, steps: await replay(session, seed) };
      outcome.failures = judge(outcome, test.asserts, seed);
      outcomes.push(outcome);
      report(outcome);
    }
  }
  finish(totals(outcomes), outcomes, seed);
}

/** Runs one session and gives what happened at each request. */
async function replay(session, seed) {
  let calls = 0;
  const compactor = createCompactor({
    format: contents,
    contextWindow: session.window,
    summarize: async () => {
      calls += 1;
      return ANSWER;
    },
    tune: { ...(seed && { preset: "contextguard" }), tokens: { estimator: "bytes4" } },
  });
  const { entries, requests } = conversation(session);
  const fixed = surroundings(session);
  const real = (tokens) => Math.trunc(tokens * session.token_ratio);
  const steps = [];
  let state = null;
  let sent = [];
  for (const { sees, user } of requests) {
    const messages = entries.slice(0, sees);
    const call = { messages, state, system: fixed.system, tools: fixed.tools, ...(seed && { isTyped: () => false }) };
    const earlierCalls = calls;
    const before = compactor.usage({ ...call, state: null }).raw;
    const { view, state: next, report } = await compactor.beforeModel(call);
    const after = fixed.tokens + sum(view);
    const kept = commonPrefix(sent, view);
    steps.push({
      before,
      after,
      counted: report.after.raw,
      calls: calls - earlierCalls,
      entries: view.length,
      over: real(after) > session.window,
      tight: real(fixed.tokens) > session.window,
      newestMissing: !view.some((entry) => standsFor(entry, messages[sees - 1])),
      userMissing: !view.some((entry) => standsFor(entry, messages[user])),
      invalid: view !== messages && addsViolation(messages, view),
      rewritten: kept < sent.length ? sum(view.slice(kept)) : 0,
    });
    sent = view;
    state = next;
    if (session.usage_metadata) {
      const usage = { prompt_tokens: real(after), completion_tokens: real(bytes4(entries[sees])) };
      state = compactor.afterModel(state, usage, report.request);
    }
  }
  return steps;
}

/** Violations are relative: only what the history does not have itself is the view's fault. */
function addsViolation(messages, view) {
  const found = check(contents, view);
  if (!found.length) return false;
  const known = check(contents, messages).map(({ rule, index }) => ({ rule, entry: messages[index] }));
  return found.some(({ rule, index }) => !known.some((one) => one.rule === rule && one.entry === view[index]));
}

function judge({ steps, golden }, asserts, seed) {
  const failures = [];
  const overs = steps.filter((step) => step.over && !step.tight).length;
  if (asserts.no_overflow && overs) failures.push(`${overs} requests over the window`);
  const compactions = seed ? count(steps, "calls") : steps.filter((step) => step.after < step.before).length;
  if (compactions < asserts.min_compactions)
    failures.push(`${compactions} compactions, at least ${asserts.min_compactions} expected`);
  if (steps.length !== golden.steps) failures.push(`${steps.length} requests, ${golden.steps} expected`);
  if (!seed) {
    if (overs && !asserts.no_overflow) failures.push(`${overs} requests over the window, though the fixed cost fits`);
    for (const what of ["newestMissing", "userMissing", "invalid"])
      if (count(steps, what)) failures.push(`${what} in ${count(steps, what)} requests`);
    return failures;
  }
  const differing = steps.findIndex((step, at) => !identical(step, golden, at));
  if (differing >= 0) failures.push(`request ${differing + 1}: ${difference(steps[differing], golden, differing)}`);
  return failures;
}

function recorded(golden, at) {
  return {
    before: golden.step_heuristic_before[at],
    after: golden.step_heuristic_after[at],
    calls: golden.step_summarized[at],
    entries: golden.step_contents_after[at],
  };
}

/** The engine's own count has to agree as well as the runner's. */
function identical(step, golden, at) {
  const expected = recorded(golden, at);
  return step.counted === expected.after && Object.keys(expected).every((key) => step[key] === expected[key]);
}

function difference(step, golden, at) {
  const expected = recorded(golden, at);
  const parts = Object.keys(expected)
    .filter((key) => step[key] !== expected[key])
    .map((key) => `${key} ${step[key]}, recorded ${expected[key]}`);
  if (step.counted !== expected.after) parts.push(`the engine counts ${step.counted}, recorded ${expected.after}`);
  return parts.join("; ");
}

function totals(all) {
  const half = (calls, requests) => calls > 0 && 2 * calls >= requests;
  const steps = all.flatMap((outcome) => outcome.steps);
  const goldens = all.map((outcome) => outcome.golden);
  return {
    ours: {
      sessions: all.length,
      requests: steps.length,
      identical: all.flatMap(({ steps: own, golden }) => own.filter((step, at) => identical(step, golden, at))).length,
      overWindow: count(steps, "over"),
      newestMissing: count(steps, "newestMissing"),
      userMissing: count(steps, "userMissing"),
      invalid: count(steps, "invalid"),
      summarizerCalls: count(steps, "calls"),
      halfOrMore: all.filter((outcome) => half(count(outcome.steps, "calls"), outcome.steps.length)).length,
      rewritten: count(steps, "rewritten"),
    },
    original: {
      overWindow: goldens.filter((golden) => golden.overflowed).length,
      newestMissing: count(goldens, "steps_without_last_event"),
      userMissing: count(goldens, "steps_without_current_user_message"),
      summarizerCalls: count(goldens, "summarizer_calls"),
      halfOrMore: goldens.filter((golden) => half(golden.summarizer_calls, golden.steps)).length,
    },
  };
}

function report({ name, steps, failures }) {
  if (values.json) {
    for (const failure of failures) console.error(`${name}: ${failure}`);
    return;
  }
  const facts = [`${steps.length} requests`.padStart(12), `${count(steps, "calls")} summaries`.padStart(13)];
  console.log(`${failures.length ? "FAIL" : "ok  "}  ${name.padEnd(58)}${facts.join("")}`);
  for (const failure of failures) console.log(`        ${failure}`);
}

function finish({ ours, original }, all, seed) {
  const failed = all.filter((outcome) => outcome.failures.length).length;
  const worse = seed ? [] : ["summarizerCalls", "halfOrMore"].filter((key) => ours[key] > original[key]);
  if (values.json) console.log(JSON.stringify(ours));
  else if (seed) console.log(`\n${ours.identical} of ${ours.requests} requests identical`);
  else table(ours, original);
  for (const key of worse) console.error(`worse than the original: ${key}`);
  if (failed) console.error(`${failed} of ${all.length} sessions failed`);
  if (failed || worse.length) process.exitCode = 1;
}

function table(ours, original) {
  const rows = [
    ["requests over the window (real tokens)", "overWindow"],
    ["summarizer calls", "summarizerCalls"],
    ["requests without the newest message", "newestMissing"],
    ["requests without the turn's user message", "userMissing"],
    ["sessions that summarize on at least half of their requests", "halfOrMore"],
    ["requests with a violation the history does not have", "invalid"],
    ["tokens sent again behind a change", "rewritten"],
  ];
  const line = (...cells) =>
    console.log(`| ${cells[0].padEnd(59)}| ${String(cells[1]).padStart(12)} | ${String(cells[2]).padStart(9)} |`);
  console.log();
  line(`over ${ours.sessions} sessions, ${ours.requests} requests`, "contextguard", "precis");
  console.log(`|${"-".repeat(60)}|-------------:|----------:|`);
  for (const [text, key] of rows) line(text, original[key] ?? "", ours[key]);
}

function commonPrefix(previous, view) {
  let at = 0;
  while (at < previous.length && at < view.length && same(previous[at], view[at])) at += 1;
  return at;
}

/** Equal states give equal bytes, not always the same object. */
function same(a, b) {
  return a === b || (bytes4(a) === bytes4(b) && JSON.stringify(a) === JSON.stringify(b));
}

function sum(entries) {
  return entries.reduce((tokens, entry) => tokens + bytes4(entry), 0);
}

function count(items, key) {
  return items.reduce((total, item) => total + Number(item[key]), 0);
}
