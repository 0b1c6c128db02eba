// What requests cost with prompt caching. The provider keeps the longest beginning that a request has in common with the
// one before it: whole messages, byte for byte as JSON.
import { weigh } from "../longterm/work.mjs";

/** Units for a token. Whatever of a request is not cached is written to the cache; a summarizer's request is not. */
export const PRICES = { input: 1, cachedRead: 0.1, cacheWrite: 1.25, output: 5 };

/** Adds up requests and replies of one way of keeping a session inside its window. */
export function meter(window) {
  const sum = { cost: 0, summarizer: 0, tokens: 0, requests: 0, over: 0, largest: 0 };
  let before = [];
  return {
    sum,
    /** A request with this view and the reply it got; tells its tokens. One that could not fit is not counted as too long. */
    request(view, reply, feasible) {
      const same = shared(before, view);
      let [cached, fresh] = [0, 0];
      for (const [index, message] of view.entries()) {
        if (index < same) cached += weigh(message);
        else fresh += weigh(message);
      }
      sum.cost += cached * PRICES.cachedRead + fresh * PRICES.cacheWrite + reply * PRICES.output;
      sum.tokens += cached + fresh;
      sum.requests += 1;
      sum.largest = Math.max(sum.largest, cached + fresh);
      if (feasible && cached + fresh > window) sum.over += 1;
      before = view;
      return { cached, prompt: cached + fresh };
    },
    /** Tokens of these messages that the last request has left in the cache. */
    cachedOf: (messages) => messages.slice(0, shared(before, messages)).reduce((sum, one) => sum + weigh(one), 0),
    /** A request to the model that summarizes, `cached` of whose tokens are those of the last request. */
    summary(input, output, cached = 0) {
      const price = (input - cached) * PRICES.input + cached * PRICES.cachedRead + output * PRICES.output;
      sum.summarizer += price;
      sum.cost += price;
    },
  };
}

/** How many messages at the beginning are the same. */
function shared(before, now) {
  let at = 0;
  while (at < before.length && at < now.length && equal(before[at], now[at])) at += 1;
  return at;
}

const texts = new WeakMap();

function equal(one, other) {
  return one === other || text(one) === text(other);
}

function text(message) {
  const known = texts.get(message) ?? JSON.stringify(message);
  texts.set(message, known);
  return known;
}
