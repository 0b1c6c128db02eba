// One session through one window in every way: what each costs, and what it forgets.
import { note } from "../../js/scripts/common.mjs";
import { recorded, repeated, SYSTEM, weigh, weighAll } from "../longterm/work.mjs";
import { meter, PRICES } from "./cost.mjs";
import { needs, told } from "./needs.mjs";
import { ways } from "./ways.mjs";

/** Tokens of the session for each window: several times what fits. */
const SESSIONS = { 200000: 1_000_000, 64000: 500_000, 32000: 250_000, 8000: 250_000 };
/** A request whose newest message alone takes more of the window than this cannot be made to fit, and is not held against a way. */
const MOST_NEWEST = 0.8;

export const sessionsOf = recorded;

/** Every way through the same session, by name; null for a way that this build does not know. */
export async function compare(sessions, window) {
  const history = historyOf(sessions, window);
  const needed = needs(history);
  const results = new Map();
  for (const [name, way] of Object.entries(ways)) results.set(name, await walk(way, { history, window, needed }));
  return results;
}

const historyOf = (sessions, window) => [SYSTEM, ...repeated(sessions, SESSIONS[window] ?? window * 8)];

/** One way through the session: a request before each message of the model. */
async function walk(way, { history, window, needed }) {
  const till = meter(window);
  let [kept, all] = [0, 0];
  try {
    const { view, billed } = way({ history, window, meter: till });
    for (const [index, message] of history.entries()) {
      if (message.role !== "assistant") continue;
      const sent = await view(index);
      const wanted = needed.get(index) ?? [];
      all += wanted.length;
      kept += wanted.filter((one) => told(sent, one)).length;
      const bill = till.request(sent, weigh(message), isFeasible(history, index, window));
      billed?.(bill, weigh(message));
    }
  } catch (error) {
    if (error.code !== "unknown-option") throw error;
    note(error.message);
    return null;
  }
  return { ...till.sum, mean: till.sum.tokens / till.sum.requests, recall: all ? kept / all : 1, needed: all };
}

/** What is paid even if nothing is ever read again: each message written to the cache once, whole, and each reply. */
export function floor(sessions, window) {
  const history = historyOf(sessions, window);
  const replies = history.filter(({ role }) => role === "assistant");
  return weighAll(history) * PRICES.cacheWrite + weighAll(replies) * PRICES.output;
}

/** Whether the newest message of the model, which has to be sent with the results of its calls, leaves room for them. */
function isFeasible(history, index, window) {
  const newest = history.findLast((message, at) => at < index && message.role === "assistant");
  return !newest || weigh(newest) <= window * MOST_NEWEST;
}
