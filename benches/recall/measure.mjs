// Adds up what is kept, for each data set and row.
import { prepared, replay, windowOf } from "./replay.mjs";
import { rows } from "./rows.mjs";
import { together } from "./sets.mjs";
import { CLASSES } from "./things.mjs";

export const OURS = "precis";
export const ALL = "all";
/** A session with fewer compactions says little about what survives them. */
const LEAST_COMPACTIONS = 3;
/** A fixed window says something of sessions larger than it; those that are told together are this many windows long. */
const WINDOWS = 4;

/** The sessions that count, replayed: with each the name of its data set and its compactions. */
export async function* replays(sets, { fraction, window }) {
  for (const [name, conversations] of sets)
    for (const conversation of window ? larger(conversations, window) : conversations) {
      const session = prepared(conversation);
      if (window && session.constant + session.whole <= window) continue;
      const points = await replay(session, window ?? windowOf(session, fraction));
      if (points.length >= (window ? 1 : LEAST_COMPACTIONS)) yield { name, conversation, session, points };
    }
}

/**
 * One row for each data set and method, and one for all sets together. `window` is a fraction of each session, or tokens;
 * `miss` is told what our view does not hold.
 */
export async function measure(sets, { fraction, window, peers = true, miss = () => {} }) {
  const sums = new Map();
  for await (const { name, conversation, points } of replays(sets, { fraction, window }))
    for (const [method, make] of Object.entries({ ...(peers && rows), [OURS]: ({ view }) => view }))
      await add(sums, { name, method, make, points, miss, session: conversation.name });
  return [...sums.values()].map(rowOf);
}

async function add(sums, { name, method, make, points, miss, session }) {
  const into = [name, ALL].map((source) => sumOf(sums, source, method));
  for (const sum of into) sum.sessions += 1;
  for (const point of points) {
    const view = await make(point);
    const judged = point.judge(view);
    if (method === OURS)
      for (const one of judged)
        if (!one.kept) miss({ source: name, session, index: point.index, rung: point.rung, ...one });
    const tokens = view.reduce((sum, item) => sum + item.tokens, 0);
    const written = point.names(view);
    for (const sum of into) count(sum, judged, tokens, written);
  }
}

function sumOf(sums, source, method) {
  const key = `${source}\t${method}`;
  if (!sums.has(key))
    sums.set(key, { source, method, sessions: 0, compactions: 0, tokens: 0, written: 0, names: 0, counts: new Map() });
  return sums.get(key);
}

function count(sum, judged, tokens, written) {
  sum.compactions += 1;
  sum.tokens += tokens;
  sum.written += written.tokens;
  sum.names += written.names;
  for (const { kind, hard, fresh, kept, inContext } of judged)
    for (const [scope, counts] of Object.entries({ all: true, hard, fresh })) {
      if (!counts) continue;
      for (const key of [scope, `${scope} ${kind}`]) {
        const [needed, held, told] = sum.counts.get(key) ?? [0, 0, 0];
        sum.counts.set(key, [needed + 1, held + (kept ? 1 : 0), told + (inContext ? 1 : 0)]);
      }
    }
}

function rowOf({ source, method, sessions, compactions, tokens, written, names, counts }) {
  const of = (scope) => {
    const [needed, kept, told] = counts.get(scope) ?? [0, 0, 0];
    const part = (count) => (needed ? Math.round((count / needed) * 10_000) / 10_000 : null);
    return { needed, kept, told, recall: part(kept), inContext: part(told) };
  };
  const classes = Object.fromEntries(
    CLASSES.map((kind) => [kind, { all: of(`all ${kind}`), hard: of(`hard ${kind}`), fresh: of(`fresh ${kind}`) }]),
  );
  const meanTokens = Math.round(tokens / compactions);
  return {
    source,
    method,
    sessions,
    compactions,
    all: of("all"),
    hard: of("hard"),
    fresh: of("fresh"),
    classes,
    meanTokens,
    names: written ? Math.round((names / written) * 10_000) / 10_000 : null,
  };
}

/** The sessions that are larger than a window; of the others as many told together as come to several windows. */
function larger(conversations, window) {
  const size = ({ messages }) => JSON.stringify(messages).length / 4;
  const sessions = conversations.filter((one) => size(one) > window);
  const small = conversations.filter((one) => size(one) <= window);
  for (const format of new Set(small.map((one) => one.format))) {
    let [some, sum] = [[], 0];
    for (const one of small.filter((other) => other.format === format)) {
      some.push(one);
      sum += size(one);
      if (sum < window * WINDOWS) continue;
      sessions.push(together(some, `${some[0].name} and ${some.length - 1} more`));
      [some, sum] = [[], 0];
    }
    if (sum > window) sessions.push(together(some, `${some[0].name} and ${some.length - 1} more`));
  }
  return sessions;
}
