// An item of the Responses API is refused without the reasoning of its reply, and reasoning without the item behind it:
// they stay together, whoever loads the history from where.
import { createCompactor } from "precis";
import { openaiResponses } from "precis/formats";
import { check } from "precis/testing";
import { deepEqual, ok, test } from "./harness.mjs";
import { cases } from "./length.mjs";

/** Pseudo-random whole numbers below `n`. */
function random(seed) {
  let state = seed;
  return (n) => {
    state = (state * 1_103_515_245 + 12_345) & 0x7fffffff;
    return (state >> 8) % n;
  };
}

/** A person's message, and up to three replies with the outputs they ask for. Ids end with the number of their reply. */
function turn(below, number, ids) {
  const items = [{ role: "user", content: `Request ${number}: ${"word ".repeat(below(200))}` }];
  for (let steps = below(4); steps > 0; steps--) {
    const reply = ids.next++;
    const encrypted_content = below(4) > 0 ? btoa(`secret ${reply}`).repeat(4) : undefined;
    items.push({ type: "reasoning", id: `rs_${reply}`, summary: [], encrypted_content });
    const outputs = [];
    for (let more = 1 + below(4), at = 0; at < more; at++) {
      const kind = below(4);
      if (kind === 0) {
        const content = [{ type: "output_text", text: `said ${reply}` }];
        items.push({ type: "message", id: `msg${at}_${reply}`, role: "assistant", content });
      } else if (kind === 1) {
        items.push({ type: "web_search_call", id: `ws${at}_${reply}`, status: "completed" });
      } else {
        const call_id = `c${at}-${reply}`;
        items.push({ type: "function_call", id: `fc${at}_${reply}`, call_id, name: "read", arguments: '{"n":1}' });
        outputs.push({ type: "function_call_output", call_id, output: "out ".repeat(below(300)) });
      }
    }
    items.push(...outputs);
    if (outputs.length === 0) break;
  }
  return items;
}

/** The items that a view lacks while it has others of their reply. */
function parted(view, items) {
  const sent = new Set(view.flatMap(({ id }) => id ?? []));
  const replyOf = (id) => id.split("_")[1];
  const seen = new Set([...sent].map(replyOf));
  return items.flatMap(({ id }) => (id && seen.has(replyOf(id)) && !sent.has(id) ? [id] : []));
}

for (const repair of [true, false]) {
  test(`reasoning and the items of its reply are kept or covered together, with repair: ${repair}`, async () => {
    const compactor = createCompactor({ format: openaiResponses, contextWindow: 4_000, maxOutputTokens: 300, repair });
    let compacted = 0;
    for (let seed = 1; seed <= cases(150, 15); seed++) {
      const below = random(seed);
      const ids = { next: 0 };
      const items = [];
      let state = null;
      for (let number = 0; number < 12; number++) {
        items.push(...turn(below, number, ids));
        const offset = state ? compactor.keepFrom(state).index : 0;
        const whole = await compactor.beforeModel({ messages: items, state });
        const part = await compactor.beforeModel({ messages: items.slice(offset), state, offset });
        deepEqual(part.view, whole.view, `loaded from ${offset}, seed ${seed}`);
        deepEqual(
          [parted(part.view, items), check(openaiResponses, part.view)],
          [[], []],
          `seed ${seed}, turn ${number}`,
        );
        compacted += whole.report.outcome === "compacted";
        state = whole.state;
      }
    }
    ok(compacted > cases(100, 10), `${compacted} compactions`);
  });
}

for (const since of [0, 6]) {
  test(`a pinned item keeps its whole reply, pinned from turn ${since} on`, async () => {
    const compactor = createCompactor({ format: openaiResponses, contextWindow: 4_000, maxOutputTokens: 300 });
    let compacted = 0;
    for (let seed = 1; seed <= cases(150, 15); seed++) {
      const below = random(seed);
      const ids = { next: 0 };
      const items = [];
      let state = null;
      for (let number = 0; number < 12; number++) {
        items.push(...turn(below, number, ids));
        const pin = ({ type, id }) => number >= since && type !== "reasoning" && /^[a-z]+[12]_[36]$/.test(id ?? "");
        const { view, report, state: next } = await compactor.beforeModel({ messages: items, state, pin });
        const lost = items.filter((item) => since === 0 && pin(item) && !view.includes(item));
        deepEqual([parted(view, items), lost], [[], []], `seed ${seed}, turn ${number}`);
        compacted += report.outcome === "compacted";
        state = next;
      }
    }
    ok(compacted > cases(100, 10), `${compacted} compactions`);
  });
}
