// Each conversation is played to its end and compacted; its questions are asked of what the view does not show whole.
import { createCompactor } from "precis";
import { openaiChat } from "precis/formats";

/** Tokens of what is returned. */
const ROOM = 1_000;

/** For each way how much of the evidence out of view it returns: in all, by halves of the conversations, by category. */
export async function measure(conversations, ways, window, miss = () => {}) {
  const results = Object.keys(ways).map((way) => ({ way, all: sum(), halves: [sum(), sum()], kinds: new Map() }));
  for (const [place, { name, messages, asked }] of conversations.entries()) {
    const compactor = createCompactor({ format: openaiChat, contextWindow: window });
    const { state, view } = await compactor.beforeModel({ messages, state: null });
    const shown = new Set(view);
    const hidden = [...messages.keys()].filter((index) => !shown.has(messages[index]));
    for (const [at, make] of Object.values(ways).entries()) {
      const ask = make({ compactor, messages, state, hidden }, ROOM);
      for (const { question, category, evidence } of asked) {
        const due = evidence.filter((index) => !shown.has(messages[index]));
        if (!due.length) continue;
        const returned = new Set(await ask(question));
        const { way, all, halves, kinds } = results[at];
        if (!kinds.has(category)) kinds.set(category, sum());
        for (const index of due) {
          const found = returned.has(index);
          for (const one of [all, halves[place % 2], kinds.get(category)]) {
            one.due += 1;
            one.found += found ? 1 : 0;
          }
          if (!found && place % 2 === 0) miss([way, name, index, question, messages[index].content].join("\t"));
        }
      }
    }
  }
  return results;
}

const sum = () => ({ due: 0, found: 0 });
