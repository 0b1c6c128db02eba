// Walks a recorded session as a host would, without a summarizer, and stops at every compaction.
import { createCompactor } from "precis";
import { isInContext, namesIn } from "./context.mjs";
import { holds } from "./holds.mjs";
import { itemOf, leavesOf, pastOf, reader, total } from "./session.mjs";

/** Tokens (o200k) that a window has beside system prompt and tools at least: below it there is no room to remember anything. */
const LEAST_ROOM = 1_000;

/** A session made ready, for any number of windows: its messages read, and what they use found. */
export function prepared({ format, messages, system, tools }) {
  const read = reader(format);
  const items = messages.map(read);
  const first = items.findIndex(({ role }) => role !== "system");
  // What goes into every request beside the messages: it is in every view.
  const fixed = itemOf("system", [
    {
      type: "text",
      text: `${leavesOf(system).join("\n")}\n${leavesOf(tools).join("\n")}\n${JSON.stringify(tools ?? null)}`,
    },
  ]);
  const meter = createCompactor({ format, contextWindow: 1_000_000_000 });
  const size = (some) => meter.usage({ messages: some, system, tools }).tokens;
  const constant = size(messages.slice(0, first));
  const whole = size(messages) - constant;
  return { format, messages, system, tools, read, items, first, fixed, constant, whole, past: pastOf(items) };
}

/**
 * A window that is a fraction of the session's size. System prompt and tools go into every request and come on top: in
 * short sessions they alone are more than a fraction of it.
 */
export function windowOf({ items, first, constant, whole }, fraction) {
  const least = (LEAST_ROOM * whole) / total(items.slice(first));
  return Math.round(constant + Math.max(least, whole * fraction));
}

/** The compactions of a session in a window, each as a question: what is kept? */
export async function replay(session, contextWindow) {
  const { format, messages, system, tools, items, first } = session;
  const compactor = createCompactor({ format, contextWindow });
  const points = [];
  let state = null;
  for (let index = first + 1; index < messages.length; index++) {
    if (items[index].role !== "assistant") continue;
    const call = { messages: messages.slice(0, index), state, system, tools };
    const { view, state: next, report } = await compactor.beforeModel(call);
    if (next.revision !== (state?.revision ?? 0)) points.push({ index, sent: view, report, state: next, compactor });
    state = next;
  }
  return points.map((point, number) => asked(session, point, points[number + 1]?.index ?? items.length));
}

function asked(session, { index, sent, report, state, compactor }, until) {
  const { read, items, first } = session;
  const view = sent.map(read);
  let from = index;
  while (from > 0 && same(view.at(from - index - 1), items[from - 1])) from -= 1;
  const head = items.slice(0, first);
  const needed = neededFrom(session, view, index, until);
  return {
    index,
    until,
    state,
    compactor,
    rung: report.rung,
    outcome: report.outcome,
    head,
    rest: items.slice(first, index),
    past: items.slice(first, Math.max(from, first)),
    thingsOf: session.past.thingsOf,
    first,
    tail: items.slice(Math.max(from, first), index),
    view,
    budget: total(view),
    needed,
    judge: (sent) => judged(session, needed, sent, index),
    names: (sent) => namesOf(items, sent),
  };
}

/**
 * What the assistant used from this compaction to the next and had stood before it. `hard`: only in messages that the view
 * does not hold as they were. `fresh`: nobody repeated it between the compaction and its first use.
 */
function neededFrom({ items, fixed, past }, view, index, until) {
  const whole = wholeIn(view, items, index);
  const needed = new Map();
  for (let at = index; at < until; at++) {
    if (items[at].role !== "assistant") continue;
    for (const [kind, thing] of past.usedBy(at)) {
      const where = past.where(kind, thing);
      if (needed.has(thing) || where[0] >= index) continue;
      const stays = where.some((one) => one < index && whole.has(one)) || holds(fixed.searched, kind, thing);
      const again = where.some((one) => one >= index && one < at && items[one].role !== "assistant");
      const last = where.findLast((one) => one < index);
      const how = items[at].parts.some((part) => part.type === "call" && part.text.includes(thing)) ? "call" : "text";
      const said = `${items[where[0]].role}@${where[0]}`;
      const lastSaid = `${items[last].role}@${last}`;
      needed.set(thing, { kind, thing, at, how, hard: !stays, fresh: !stays && !again, said, lastSaid });
    }
  }
  return [...needed.values()];
}

/** The messages before a request that are in the view as they are: the same object, or one that says the same. */
function wholeIn(view, items, index) {
  const texts = new Set(view.map(keyOf));
  const whole = new Set();
  for (let at = 0; at < index; at++) if (texts.has(keyOf(items[at]))) whole.add(at);
  return whole;
}

const keyOf = ({ role, text }) => `${role}\n${text}`;
const same = (one, other) => one !== undefined && (one === other || keyOf(one) === keyOf(other));

/** `kept`: the thing stands somewhere. `inContext`: it does with a word of the line that it came from. */
function judged({ fixed, items, past }, needed, sent, index) {
  const texts = [fixed.searched, ...sent.map(({ searched }) => searched)];
  const text = texts.join("\n");
  const known = new Set(items.map(keyOf));
  const isOriginal = (message) => known.has(keyOf(message));
  return needed.map((one) => {
    const { kind, thing } = one;
    const kept = holds(text, kind, thing);
    const sources = () =>
      past
        .where(kind, thing)
        .filter((at) => at < index)
        .map((at) => items[at].text);
    const inContext =
      kept && (holds(fixed.searched, kind, thing) || isInContext(sent, isOriginal, sources(), kind, thing));
    return { ...one, kept, inContext };
  });
}

/** The tokens of what stands in a view and not in the history, and those of bare names among them. */
function namesOf(items, sent) {
  const known = new Set(items.map(keyOf));
  const made = sent.filter((message) => message.role !== "system" && !known.has(keyOf(message)));
  return made
    .map(({ text }) => namesIn(text))
    .reduce((sum, one) => ({ tokens: sum.tokens + one.tokens, names: sum.names + one.names }), { tokens: 0, names: 0 });
}
