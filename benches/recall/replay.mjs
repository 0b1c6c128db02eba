// Walks a recorded session as a host would, without a summarizer, and stops at every compaction.
import { createCompactor } from "precis";
import { holds, identifiers } from "./identifiers.mjs";
import { reader, total } from "./session.mjs";

/** Tokens (o200k) that a window has beside system prompt and tools at least: below it there is no room to remember anything. */
const LEAST_ROOM = 1_000;

/**
 * The compactions of a session whose window is `fraction` of its whole size, each as a question: what is kept? System
 * prompt and tools go into every request and come on top: in short sessions they alone are more than a fraction of it.
 */
export async function replay(conversation, fraction) {
  const { format, messages, system, tools } = conversation;
  const read = reader(format);
  const items = messages.map(read);
  const first = items.findIndex(({ role }) => role !== "system");
  const meter = createCompactor({ format, contextWindow: 1_000_000_000 });
  const size = (some) => meter.usage({ messages: some, system, tools }).tokens;
  const fixed = size(messages.slice(0, first));
  const whole = size(messages) - fixed;
  const least = (LEAST_ROOM * whole) / total(items.slice(first));
  const window = Math.round(fixed + Math.max(least, whole * fraction));
  const compactor = createCompactor({ format, contextWindow: window });
  const points = [];
  let state = null;
  for (let index = first + 1; index < messages.length; index++) {
    if (items[index].role !== "assistant") continue;
    const history = messages.slice(0, index);
    const prepared = await compactor.beforeModel({ messages: history, state, system, tools });
    if (prepared.state.revision !== (state?.revision ?? 0))
      points.push({ index, sent: prepared.view, report: prepared.report });
    state = prepared.state;
  }
  const seen = items.map(({ text }) => identifiers(text));
  return points.map(({ index, sent, report }, number) => {
    const view = sent.map(read);
    let from = index;
    while (from > 0 && view.at(from - index - 1) === items[from - 1]) from -= 1;
    const head = items.slice(0, first);
    const tail = items.slice(Math.max(from, first), index);
    const stays = [...head, ...tail].map(({ text }) => text).join("\n");
    const before = new Set(seen.slice(0, from).flatMap((all) => [...all]));
    const until = points[number + 1]?.index ?? items.length;
    const used = items.slice(index, until).flatMap(({ parts }) => parts.filter(({ type }) => type === "call"));
    const needed = [...new Set(used.flatMap(({ text }) => [...identifiers(text)]))].filter(
      (one) => before.has(one) && !holds(stays, one),
    );
    return {
      index,
      rung: report.rung,
      outcome: report.outcome,
      head,
      rest: items.slice(first, index),
      past: items.slice(first, Math.max(from, first)),
      tail,
      view,
      budget: view.reduce((sum, { tokens }) => sum + tokens, 0),
      judge: (sent) => {
        const text = sent.map((item) => item.text).join("\n");
        const kept = needed.filter((one) => holds(text, one));
        return { kept, missed: needed.filter((one) => !kept.includes(one)) };
      },
    };
  });
}
