// Summarizes one stored chat ahead of time, from wherever a worker before this one left it. It knows neither the queue nor
// the database: every worker in this folder calls it.
import { createCompactor } from "precis";
import { openaiChat } from "precis/formats";

/** The compactor of the app: the same options as where `beforeModel` is called. */
export const compactor = createCompactor({
  format: openaiChat,
  contextWindow: 8_000,
  maxOutputTokens: 500,
  summarizer: { contextWindow: 16_000 },
  // Plans contain questions only if there is a summarizer. It is `ask`, below, that is called.
  summarize: () => Promise.reject(new Error("not within a request")),
});

const planFor = (call) => compactor.plan({ ...call, threshold: "soft" });

/**
 * Resolves to true when the chat is done, and to false if it belongs to another worker by now. It rejects when `ask` does:
 * let the queue hand out the chat again, and no question that was answered is asked a second time.
 *
 * @param store - what must outlive a worker. `load(chat)` resolves to `{ messages, state }`; `save(chat, state, revision)`
 *   is a compare-and-set; `planOf`, `keepPlan`, `answersOf` and `keepAnswer` keep what the work has got to; `finish(chat)`
 *   drops that. Those that write may resolve to false: the chat belongs to another worker.
 * @param ask - the summarizer.
 * @param tell - called with the questions answered so far and how many there are at most.
 */
export async function ahead(store, chat, ask, tell = () => {}) {
  let call = await store.load(chat);
  let plan = (await store.planOf(chat)) ?? planFor(call);
  let done = 0;
  for (;;) {
    if (plan.requests.length === 0) return (await store.finish(chat)) !== false;
    if ((await store.keepPlan(chat, plan)) === false) return false;
    const requests = compactor.requests(call, plan);
    if (requests.length === 0) {
      // The chat was changed where the plan covers it, or a summary is stored already: what is left needs a new plan.
      call = await store.load(chat);
      plan = planFor(call);
      continue;
    }
    const known = await store.answersOf(chat);
    const answers = [];
    for (const request of requests) {
      let answer = known.get(request.id);
      if (!answer) {
        answer = await ask(request);
        // It is paid for: whatever happens, it is not asked again.
        if ((await store.keepAnswer(chat, request.id, answer)) === false) return false;
      }
      answers.push(answer);
      done += 1;
      await tell(done, plan.total);
    }
    for (;;) {
      // The chat may be longer by now, and its state another one: the plan holds as long as what it covers is the same.
      call = await store.load(chat);
      const { state, next } = compactor.commit(call, plan, answers);
      const revision = call.state?.revision ?? 0;
      if (next) plan = next;
      // Nothing came of it: somebody else has summarized, or what the plan covers was changed.
      else if (state.revision === revision) plan = planFor(call);
      else if (await store.save(chat, state, revision)) return (await store.finish(chat)) !== false;
      else continue;
      break;
    }
  }
}
