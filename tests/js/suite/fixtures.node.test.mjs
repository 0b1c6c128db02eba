// Recorded conversations through windows of all sizes: every request fits, is legal, and holds what it must.
import { createCompactor } from "precis";
import { check } from "precis/testing";
import { conversations } from "./fixtures.mjs";
import { deepEqual, equal, frozen, ok, test } from "./harness.mjs";
import { spread } from "./length.mjs";
import { digesting } from "./scenarios.mjs";

const fixtures = await conversations();
const WINDOWS = [4_000, 8_000, 32_000, 200_000];

/** What a provider would refuse in the view and not in the history. */
function added(format, history, view) {
  const found = check(format, view);
  if (found.length === 0) return [];
  // A rule the history breaks may be broken in the view as often.
  const brought = check(format, history).map(({ rule }) => rule);
  return found.filter(({ rule }) => {
    const at = brought.indexOf(rule);
    if (at >= 0) brought.splice(at, 1);
    return at < 0;
  });
}

/** A message in a few words: its role, its calls and results. */
function outline(format, message) {
  const said = [];
  format.read(message, {
    role: (role) => said.push(role),
    text() {},
    reasoning: (_, signed) => signed && said.push("signed"),
    call: (id, name) => said.push(`call ${id} ${name}`),
    result: (_, id) => said.push(`result ${id}`),
    media: (kind) => said.push(kind),
    opaque: () => said.push("opaque"),
  });
  return said.join();
}

/** Whether a request's outcome says how full it is, by the numbers of its own report. */
function tellsTheTruth({ outcome, after: { tokens, bound, trigger, window } }) {
  const most = tokens + bound;
  const isOverHard = most >= window - Math.max(64, Math.floor(window / 64));
  if (outcome === "infeasible") return isOverHard;
  return outcome === "tight" ? !isOverHard : most < trigger;
}

async function replay({ format, messages, system, tools }, options) {
  const compactor = createCompactor({ format, ...options });
  const started = messages.findIndex((message) => !outline(format, message).startsWith("system"));
  const seen = { requests: 0, compactions: 0, infeasible: 0, untrue: [] };
  let state = null;
  for (let at = started + 1; at < messages.length; at++) {
    if (!outline(format, messages[at]).startsWith("assistant")) continue;
    const history = messages.slice(0, at);
    const { view, report, ...prepared } = await compactor.beforeModel({ messages: history, state, system, tools });
    const where = `request before message ${at}: ${report.outcome}, ${report.rung}, ${report.reason}`;
    seen.requests += 1;
    seen.compactions += Number(report.rung !== "pass");
    equal(report.diverged, null, where);
    deepEqual(added(format, history, view), [], where);
    // The newest message is there, clipped at worst.
    equal(outline(format, view.at(-1)), outline(format, history.at(-1)), where);
    if (report.outcome === "infeasible") seen.infeasible += 1;
    else ok(report.after.tokens <= options.contextWindow, where);
    if (!tellsTheTruth(report)) seen.untrue.push(where);
    if (report.outcome === "unchanged") equal(view.length, history.length, where);
    state = prepared.state;
  }
  return seen;
}

/** All fixtures through one window. */
async function replayAll(options) {
  const total = { requests: 0, compactions: 0, infeasible: 0, untrue: [] };
  for (const fixture of fixtures) {
    const one = await replay(frozen(fixture), options).catch((error) => {
      error.message = `${fixture.title}: ${error.message}`;
      throw error;
    });
    for (const name of ["requests", "compactions", "infeasible"]) total[name] += one[name];
    total.untrue.push(...one.untrue.map((where) => `${fixture.title}, ${where}`));
  }
  return total;
}

const summarizers = { "a summarizer": digesting, "no summarizer": undefined };

const rounds = ["tail", "full", "sliding-window"].flatMap((strategy) =>
  Object.entries(summarizers).flatMap(([asked, summarize]) =>
    (summarize ? WINDOWS.slice(1, 3) : WINDOWS).map((contextWindow) => ({ strategy, asked, summarize, contextWindow })),
  ),
);

for (const { strategy, asked, summarize, contextWindow } of spread(rounds, 3))
  test(`${strategy}, ${asked}, a window of ${contextWindow}: every fixture's requests fit and are legal`, async () => {
    const options = { contextWindow, maxOutputTokens: 500, summarize, tune: { strategy } };
    const { requests, compactions, infeasible, untrue } = await replayAll(options);
    deepEqual(untrue, []);
    ok(requests > 300, `${requests}`);
    if (contextWindow < 50_000) ok(compactions > 3, `${compactions}`);
    // Instructions and tools of some take over 4,000 tokens; one call of the coding session takes over 30,000.
    if (contextWindow > 50_000) equal(infeasible, 0);
  });
