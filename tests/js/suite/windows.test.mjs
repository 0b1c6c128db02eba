// A chat that changes its model: the window shrinks, grows again, shrinks once more.
import { createCompactor } from "precis";
import { check } from "precis/testing";
import { deepEqual, equal, frozen, ok, same, test } from "./harness.mjs";
import { conversation, requestsOf, shapes } from "./scenarios.mjs";

const isCut = (message) => /precis|\[Here was /.test(JSON.stringify(message));
const WINDOWS = { large: 200_000, middle: 16_000, small: 4_000 };

for (const [title, { format }] of Object.entries(shapes))
  for (const strategy of ["tail", "full", "sliding-window"])
    test(`${title}, ${strategy}: a window that changes within a chat is kept, and nothing is lost`, async () => {
      const compactor = createCompactor({
        format,
        contextWindow: (model) => WINDOWS[model],
        maxOutputTokens: 400,
        summarize: async () => "- The files were read; nothing was found.",
        tune: { strategy },
      });
      const history = frozen(conversation(shapes[title], { messages: 120, tools: true, giants: 0.1 }));
      const requests = requestsOf(history);
      ok(requests.length > 12, `${requests.length}`);
      const models = ["large", "small", "large", "middle", "small", "large"];
      let state = null;
      const outcomes = [];
      for (const [number, at] of requests.entries()) {
        const model = models[Math.floor((number * models.length) / requests.length)];
        const messages = history.slice(0, at);
        const { view, report, ...next } = await compactor.beforeModel({ messages, state, model });
        const { tokens, bound, window, trigger } = report.after;
        equal(window, WINDOWS[model]);
        ok(tokens + bound < trigger, `request ${number}: ${tokens} + ${bound} of ${trigger}, ${report.outcome}`);
        ok(report.outcome !== "infeasible" && report.outcome !== "tight", report.outcome);
        deepEqual(check(format, view), []);
        equal(report.diverged, null);
        // What is not in the view is covered by the newest summary.
        const covers = next.state.checkpoints?.at(-1)?.covers.count ?? 0;
        const open = messages.slice(covers);
        const sent = view.slice(-open.length);
        ok(open.length > 0 && open.every((message, at) => sent[at] === message || isCut(sent[at])), "lost");
        // The same request again, after a database: the same bytes, and nobody is asked.
        const again = await compactor.beforeModel({ messages, state: JSON.parse(JSON.stringify(next.state)), model });
        ok(same(again.view, view));
        equal(again.state.revision, next.state.revision);
        state = compactor.afterModel(JSON.parse(JSON.stringify(next.state)), { prompt_tokens: tokens }, report.request);
        outcomes.push({ model, outcome: report.outcome });
      }
      const compacted = (model) => outcomes.some((one) => one.model === model && one.outcome === "compacted");
      ok(compacted("small"), "the small window had nothing to do");
      // A sliding window counts messages, not tokens.
      if (strategy !== "sliding-window") ok(!compacted("large"), "there was room enough in the large one");
      // What the small window has covered stays covered in the large one: two views would be two histories.
      ok(outcomes.some(({ model, outcome }) => model === "large" && outcome === "reused"));
    });
