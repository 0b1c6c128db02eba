// An item of the Responses API that reasoning came before is refused without it, and so is reasoning without its item:
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

function turn(below, number, ids) {
  const items = [{ role: "user", content: `Request ${number}: ${"word ".repeat(below(200))}` }];
  for (let steps = below(4); steps > 0; steps--) {
    const id = ids.next++;
    const encrypted_content = below(4) > 0 ? btoa(`secret ${id}`).repeat(4) : undefined;
    items.push({ type: "reasoning", id: `rs_${id}`, summary: [], encrypted_content });
    if (below(3) === 0) {
      const content = [{ type: "output_text", text: `said ${id}` }];
      items.push({ type: "message", id: `msg_${id}`, role: "assistant", content });
    } else {
      items.push({ type: "function_call", id: `fc_${id}`, call_id: `c${id}`, name: "read", arguments: '{"n":1}' });
      items.push({ type: "function_call_output", call_id: `c${id}`, output: "out ".repeat(below(300)) });
    }
  }
  return items;
}

/** Items that lost their reasoning, and reasoning that lost its item. */
function parted(view) {
  const number = ({ id }) => id?.split("_")[1];
  const bad = view.filter((item, at) => {
    if (item.type === "reasoning") return number(view[at + 1] ?? {}) !== number(item);
    return item.id !== undefined && number(view[at - 1] ?? {}) !== number(item);
  });
  return bad.map(({ id }) => id);
}

for (const repair of [true, false]) {
  test(`reasoning and its item are kept or covered together, with repair: ${repair}`, async () => {
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
        deepEqual([parted(part.view), check(openaiResponses, part.view)], [[], []], `seed ${seed}, turn ${number}`);
        compacted += whole.report.outcome === "compacted";
        state = whole.state;
      }
    }
    ok(compacted > cases(100, 10), `${compacted} compactions`);
  });
}
