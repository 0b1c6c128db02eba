// Of what the view does not hold, what `recall` returns to a query that does not name it.
import { holds, searchable } from "./holds.mjs";
import { ALL, replays } from "./measure.mjs";

/** Tokens of what is returned. */
const MOST_TOKENS = 1_000;
/** Characters of the request, and before and behind the thing, of which the query is made. */
const REQUEST = 200;
const AROUND = 160;

/** One row for each data set, and one for all together. */
export async function reach(sets, { fraction, window, miss = () => {} }) {
  const rows = new Map();
  for await (const { name, conversation, session, points } of replays(sets, { fraction, window }))
    for (const point of points)
      for (const one of point.judge(point.view).filter(({ kept }) => !kept)) {
        const query = queryOf(session, one);
        const found = returned(session, point, one, query);
        for (const source of [name, ALL]) count(rows, source, one, found);
        if (!found) miss({ source: name, session: conversation.name, query, ...one });
      }
  return [...rows.values()];
}

/** Whether what is returned at the request that used a thing holds it. */
function returned({ messages }, { compactor, state }, { at, kind, thing }, query) {
  try {
    const found = compactor.recall({ messages: messages.slice(0, at), state, query, maxTokens: MOST_TOKENS });
    return found.excerpts.some(({ text }) => holds(searchable(`${text}\n${asNumbers(text)}`), kind, thing));
  } catch (error) {
    if (error?.code === "empty-query") return false;
    throw error;
  }
}

/** An excerpt of JSON cannot be parsed: its numbers as parsing gives them, `39` for `39.0`. */
const asNumbers = (text) => text.replace(/(\d)\.0+(?!\d)/g, "$1");

/**
 * The words around the first place where the assistant used a thing (of a call also the tool and the names of its
 * arguments), what else that message says, then the words of the newest request; the thing itself nowhere.
 */
function queryOf({ items }, { at, thing }) {
  const { parts } = items[at];
  const used = parts.find(({ text }) => text.includes(thing)) ?? parts[0];
  const [said, place] = [used?.text ?? "", used?.text.indexOf(thing) ?? 0];
  const around = said.slice(Math.max(0, place - AROUND), place + thing.length + AROUND);
  const called = used?.type === "call" ? `${used.name} ${keysOf(used.input).join(" ")}` : "";
  const beside = parts.filter((part) => part !== used && isText(part)).map(({ text }) => text.slice(-REQUEST));
  const asked = items.slice(0, at).findLast(({ role, parts }) => role === "user" && parts.some(isText));
  return [called, around, ...beside, (asked?.text ?? "").slice(0, REQUEST)].join(" ").replaceAll(thing, " ");
}

const isText = ({ type }) => type === "text";

function keysOf(input) {
  return typeof input === "object" && input !== null ? Object.keys(input) : [];
}

function count(rows, source, { hard, kind }, found) {
  const row = rows.get(source) ?? { source, missing: 0, found: 0, hard: { missing: 0, found: 0 }, classes: {} };
  row.classes[kind] ??= { missing: 0, found: 0 };
  for (const sum of [row, row.classes[kind], ...(hard ? [row.hard] : [])]) {
    sum.missing += 1;
    sum.found += found ? 1 : 0;
  }
  rows.set(source, row);
}

/** A table of them. */
export function table(rows) {
  const percent = ({ found, missing }) => (missing ? `${((100 * found) / missing).toFixed(1)} %` : "-");
  const sorted = [...rows.filter(({ source }) => source !== ALL), ...rows.filter(({ source }) => source === ALL)];
  const lines = sorted.map((row) => `| ${row.source} | ${row.missing} | ${percent(row)} | ${percent(row.hard)} |`);
  const all = rows.find(({ source }) => source === ALL);
  const kinds = Object.entries(all?.classes ?? {}).map(
    ([kind, sum]) => `| ${kind} | ${sum.missing} | ${percent(sum)} |`,
  );
  const head = ["| data set | missing in the view | found | of the hard ones |", "|---|---|---|---|"];
  return [...head, ...lines, "", "| class | missing in the view | found |", "|---|---|---|", ...kinds].join("\n");
}
