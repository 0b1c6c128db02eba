// node benches/ahead.mjs FILE… [--fraction 0.25] [--delay 3] [--window 32000] [--json]: recorded sessions whose summaries
// are written while the session goes on, by a summarizer that takes so many requests to answer. Before each recorded reply
// a host
//
// 1. commits what has been answered by now, and asks on if there is a `next`;
// 2. makes a plan at the soft mark and sends its questions off, unless others are on their way;
// 3. calls beforeModel, with the plan that waits as `inFlight`.
//
// The window is a fraction of the whole session, system prompt and tools aside. Told is how many requests had to wait for a
// summary, how many were over the window, invalid, or without their newest message, and how many summaries came in the end
// into the place of what code had written.
import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { at } from "../js/scripts/common.mjs";
import { program } from "../js/scripts/demo.mjs";

/** Tokens that a window has beside system prompt and tools at least. */
const LEAST_ROOM = 4_000;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    fraction: { type: "string", default: "0.25" },
    delay: { type: "string", default: "3" },
    window: { type: "string" },
    json: { type: "boolean", default: false },
  },
});
if (positionals.length === 0) {
  console.error("node benches/ahead.mjs FILE… [--fraction 0.25] [--delay 3] [--window 32000] [--json]");
  process.exit(2);
}
const { load } = await import(pathToFileURL(await program("files")).href);
const { createCompactor, summaryOf } = await import(pathToFileURL(at("pkg/index.js")).href);
const { check } = await import(pathToFileURL(at("pkg/testing.js")).href);

const rows = [];
for (const session of load(positionals, (reason) => console.error(reason))) rows.push(await walk(session));
const sum = (name) => rows.reduce((all, row) => all + row[name], 0);
const names = Object.keys(rows[0]).filter((name) => name !== "file" && name !== "window");
const totals = { sessions: rows.length, ...Object.fromEntries(names.map((name) => [name, sum(name)])) };
if (values.json) console.log(JSON.stringify({ totals, rows }));
else {
  console.table(rows);
  console.log(totals);
}

async function walk({ file, format, messages, system, tools }) {
  const delay = Number(values.delay);
  const row = { file, window: 0, requests: 0, waited: 0, overWindow: 0, infeasible: 0, invalid: 0, newestMissing: 0 };
  Object.assign(row, { asked: 0, summaries: 0, digests: 0, late: 0, stale: 0 });
  const outline = outliner(format);
  const first = messages.findIndex((message) => outline(message).role !== "system");
  const size = (some) =>
    createCompactor({ format, contextWindow: 1e9 }).usage({ messages: some, system, tools }).tokens;
  const fixed = size(messages.slice(0, first));
  const room = Math.max(LEAST_ROOM, (size(messages) - fixed) * Number(values.fraction));
  const window = values.window ? Number(values.window) : Math.round(fixed + room);
  row.window = window;
  // Whoever asks it inside of a call makes that call wait.
  const summarize = () => {
    row.waited += 1;
    return NOTES;
  };
  const compactor = createCompactor({ format, contextWindow: window, summarize });
  let state = null;
  let waiting = null;
  const send = (call, plan) => {
    const requests = compactor.requests(call, plan);
    row.asked += requests.length;
    waiting = requests.length ? { plan, requests, due: row.requests + delay } : null;
  };
  for (let index = first + 1; index < messages.length; index++) {
    if (outline(messages[index]).role !== "assistant") continue;
    row.requests += 1;
    const call = { messages: messages.slice(0, index), system, tools };
    if (waiting && waiting.due <= row.requests) {
      const before = state;
      const done = compactor.commit({ ...call, state }, waiting.plan, waiting.requests.map(answer));
      state = done.state;
      if (done.report.warnings.some(({ code }) => code === "stale-plan")) row.stale += 1;
      if (done.report.rung === "summarize") {
        row.summaries += 1;
        row.late += Number(summaryOf(before) !== null && !summaryOf(before).startsWith("## Current state"));
      }
      waiting = null;
      if (done.next) send({ ...call, state }, done.next);
    }
    if (!waiting) send({ ...call, state }, compactor.plan({ ...call, state, threshold: "soft" }));
    const { view, report, state: after } = await compactor.beforeModel({ ...call, state, inFlight: waiting?.plan });
    state = after;
    row.digests += Number(report.rung === "digest");
    const infeasible = report.outcome === "infeasible";
    row.infeasible += Number(infeasible);
    row.overWindow += Number(!infeasible && report.after.tokens > window);
    row.invalid += Number(check(format, view).length > check(format, call.messages).length);
    row.newestMissing += Number(!infeasible && outline(view.at(-1)).role !== outline(call.messages.at(-1)).role);
  }
  return row;
}

/** Notes as a model might write them: of about a third of what they may have, and naming what they were made of. */
function answer({ id, prompt, maxOutputTokens }) {
  const words = [...new Set(prompt.match(/[\w./-]{6,40}/g) ?? [])].slice(0, Math.floor(maxOutputTokens / 8));
  return {
    text: `## Current state\n- Work goes on (${id}).\n- Named so far: ${words.join("; ")}`,
    finishReason: "stop",
  };
}

const NOTES = { text: "## Current state\n- Asked inside of a call.", finishReason: "stop" };

function outliner(format) {
  return (message) => {
    const seen = { role: "assistant" };
    const none = () => {};
    const role = (is) => {
      seen.role = is;
    };
    format.read(message, {
      role,
      speaker: none,
      text: none,
      reasoning: none,
      call: none,
      result: none,
      media: none,
      document: none,
      opaque: none,
    });
    return seen;
  };
}
