// What the engine decides about many conversations, as text: usage, plans, states, reports and views. The run takes it
// in Node and hands it to the same code in another runtime, which must get the same, byte for byte.
import { createCompactor } from "precis";
import { conversation, digesting, shapes } from "../suite/scenarios.mjs";

const settings = [
  { contextWindow: 6_000, maxOutputTokens: 500, summarize: digesting },
  { contextWindow: 9_000, maxOutputTokens: 300, tune: { strategy: "full" }, summarize: digesting },
  { contextWindow: 5_000, maxOutputTokens: 400, tune: { strategy: "sliding-window" } },
  { contextWindow: 8_000, maxOutputTokens: 500, tune: { preset: "contextguard" }, summarize: digesting },
];

/** One text for each conversation and setting. */
export async function decisions() {
  const told = [];
  for (const [name, shape] of Object.entries(shapes))
    for (const [number, options] of settings.entries())
      for (let seed = 1; seed <= 6; seed++) {
        const messages = conversation(shape, { messages: 60, seed, tools: seed % 2 === 0 });
        const compactor = createCompactor({ format: shape.format, ...options });
        const lines = [`${name}, setting ${number}, seed ${seed}`];
        let state = null;
        for (const end of [20, 40, messages.length]) {
          const call = { messages: messages.slice(0, end), state };
          const usage = compactor.usage(call);
          const plan = compactor.plan(call);
          const prepared = await compactor.beforeModel(call);
          state = compactor.afterModel(prepared.state, { prompt_tokens: usage.tokens + 17 * seed });
          lines.push(...[usage, plan, prepared.view, prepared.report, state].map((part) => JSON.stringify(part)));
        }
        told.push(lines.join("\n"));
      }
  return told;
}
