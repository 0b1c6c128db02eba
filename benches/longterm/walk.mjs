// Walks a planted session as a host would, and judges what the model sees at its end.
import { createCompactor } from "precis";
import { openaiChat } from "precis/formats";
import { peers } from "../facts/peers.mjs";
import { losesHalf } from "./summarizer.mjs";
import { contentOf, isRest, repeated, SYSTEM, weigh, weighAll } from "./work.mjs";

export const MODES = { digest: undefined, model: losesHalf };
/** Tokens of the session, and of those the part in which the user says things. */
const PLANTED_WITHIN = 0.4;
const MAX_OUTPUT = 1_000;
/** The user speaks between two turns; while this many things wait for one to end, in the middle of it. */
const PATIENCE = 3;

/** How much further the work may go on until enough compactions have passed, as a multiple of the session. */
const LONGEST = 5;

/**
 * Recorded work in which the user says everything within the first 40 % of `tokens`, and which goes on behind them:
 * `places` is where each thing of the script was said, `last` where the last was, `end` where the tokens are reached.
 */
export function session(sessions, tokens, script) {
  const says = script.messages;
  const work = repeated(sessions, tokens * LONGEST);
  const history = [SYSTEM];
  const places = new Map();
  let [sum, next, last, end] = [0, 0, 0, 0];
  const place = (index) => ((index + 0.5) / says.length) * PLANTED_WITHIN * tokens;
  for (const message of work) {
    const due = message.role === "user" ? sum >= place(next) : sum >= place(next + PATIENCE) && message.role !== "tool";
    if (next < says.length && due && isRest(history)) {
      last = history.push({ role: "user", content: says[next] }) - 1;
      places.set(says[next++], last);
      // Between two turns the model has answered; within one its next message is the answer.
      if (message.role === "user") history.push({ role: "assistant", content: "Understood." });
    }
    history.push(message);
    sum += weigh(message);
    if (sum <= tokens) end = history.length;
  }
  return { history, places, last, end, recorded: new Set(work), script };
}

/**
 * One walk: a request before each message of the model, the state through JSON each time, to the end of the session and
 * on until `compactions` have passed after the last thing was said.
 */
export async function walk({ history, places, last, end, recorded, script }, { window, mode, compactions: most }) {
  const compactor = createCompactor({
    format: openaiChat,
    contextWindow: window,
    maxOutputTokens: MAX_OUTPUT,
    summarize: MODES[mode],
  });
  const counts = { compactions: 0, after: 0, summaries: 0, calls: 0, refused: 0, infeasible: 0, largest: 0 };
  const marks = [];
  const lostAt = new Map();
  let [state, view, index] = [null, [], 2];
  for (; index < history.length && (index < end || counts.after < most); index++) {
    if (history[index].role !== "assistant") continue;
    const prepared = await compactor.beforeModel({ messages: history.slice(0, index), state });
    const text = JSON.stringify(prepared.state);
    const changed = prepared.state.revision !== (state?.revision ?? 0);
    count(counts, prepared.report, changed, index > last, Buffer.byteLength(text));
    state = JSON.parse(text);
    view = prepared.view;
    if (!changed) continue;
    marks.push(index);
    const lost = script.judge(written(view, recorded)).lost.filter(({ says }) => places.get(says) < index);
    remember(lostAt, lost, ({ says }) => marks.filter((mark) => mark > places.get(says)).length);
  }
  return {
    ...counts,
    ...script.judge(written(view, recorded)),
    lostAt,
    view,
    tokens: weighAll(history.slice(0, index)),
  };
}

function count(counts, { outcome, rung, summarizer }, changed, after, bytes) {
  counts.largest = Math.max(counts.largest, bytes);
  counts.calls += summarizer.calls;
  if (outcome === "infeasible") counts.infeasible += 1;
  if (!changed) return;
  counts.compactions += 1;
  if (after) counts.after += 1;
  if (["summarize", "digest", "trim"].includes(rung)) counts.summaries += 1;
  if (summarizer.failed) counts.refused += 1;
}

/** The compaction since it was said at which each thing was gone for good. */
function remember(lostAt, lost, count) {
  for (const thing of [...lostAt.keys()]) if (!lost.includes(thing)) lostAt.delete(thing);
  for (const thing of lost) if (!lostAt.has(thing)) lostAt.set(thing, count(thing));
}

/** What a view says beside recorded messages that stand in it word for word. */
export function written(view, recorded) {
  return view
    .filter((message) => !recorded.has(message))
    .map(contentOf)
    .join("\n");
}

/** What of the script stands in what others leave at the end of the session's tokens, at the size of our view. */
export async function beside({ history, end, recorded, script }, tokens) {
  const messages = history.slice(0, end);
  const texts = new Set([...recorded].map(contentOf));
  const counts = {};
  for (const [name, peer] of Object.entries(peers)) {
    const view = (await peer({ messages }, tokens)).map(contentOf);
    // A peer may make messages of its own; what was recorded is known by its text.
    const said = view.filter((text) => !texts.has(text)).join("\n");
    counts[name] = script.kept.length - script.judge(said).lost.length;
  }
  return counts;
}
