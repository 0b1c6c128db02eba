// precis/testing: histories that a provider would take, and a replay that sees what is wrong.
import { createCompactor, PrecisError } from "precis";
import { aiSdk, anthropic, bedrock, mistral, openaiChat } from "precis/formats";
import { check, history, replay } from "precis/testing";
import { deepEqual, equal, frozen, notDeepEqual, ok, test, throws } from "./harness.mjs";
import { cases } from "./length.mjs";

const formats = [openaiChat, anthropic, aiSdk, bedrock, mistral];
const rules = ({ problems }) => [...new Set(problems.map(({ rule }) => rule))];

for (const format of formats) {
  const make = (more = {}) => createCompactor({ format, contextWindow: 8_000, maxOutputTokens: 800, ...more });

  test(`${format.name}: a history is legal, its own for each seed, and holds all that is promised`, () => {
    deepEqual(history(format, { seed: 5 }), history(format, { seed: 5 }));
    notDeepEqual(history(format, { seed: 5 }), history(format, { seed: 6 }));
    let told = "";
    for (let seed = 1; seed <= cases(40, 10); seed++) {
      const messages = history(format, { seed, turns: 8 });
      deepEqual(check(format, messages), [], `seed ${seed}`);
      equal(messages.at(-1).role, "assistant");
      told += JSON.stringify(messages);
    }
    ok(
      /thinking|reasoning/.test(told) &&
        told.includes("iVBORw0KGgo") &&
        told.includes("订单") &&
        told.includes("call_0"),
    );
    const plain = JSON.stringify(history(format, { seed: 5, turns: 40, reasoning: false, media: false }));
    ok(!/thinking|reasoning|iVBORw0KGgo/.test(plain));
    // Every text has a number of its own.
    const numbers = [...plain.matchAll(/#(\d+)#/g)].map(([, number]) => Number(number));
    deepEqual(
      [...numbers].sort((a, b) => a - b),
      numbers.map((_, at) => at),
    );
  });

  test(`${format.name}: a replay of made-up chats has no problems`, async () => {
    let compacted = 0;
    for (let seed = 1; seed <= cases(6, 2); seed++) {
      const messages = frozen(history(format, { seed, turns: 10 }));
      for (const strategy of ["tail", "full", "sliding-window"]) {
        const { problems, requests, state } = await replay(make({ tune: { strategy } }), format, messages);
        deepEqual(problems, [], `seed ${seed}, ${strategy}`);
        equal(requests.length, messages.filter(({ role }) => role === "assistant").length);
        equal(state.revision, requests.at(-1).state.revision);
        compacted += requests.filter(({ report }) => report.outcome === "compacted").length;
      }
    }
    ok(compacted > cases(20, 6), `${compacted} compactions`);
  });

  test(`${format.name}: a replay sees what a broken compactor does`, async () => {
    const messages = history(format, { seed: 2, turns: 6 });
    const broken = async (change) => {
      const compactor = make();
      const beforeModel = async (call) => change(await compactor.beforeModel(call), call);
      return rules(await replay({ ...compactor, beforeModel }, format, messages));
    };
    const withView = (view) => (prepared) => ({ ...prepared, view: view(prepared.view) });
    deepEqual(await broken((prepared) => prepared), []);
    ok((await broken(withView((view) => view.slice(0, -1)))).includes("newest-message"));
    ok((await broken(withView((view) => view.slice(-1)))).includes("newest-user-message"));
    ok((await broken(withView((view) => view.filter((_, at) => at !== view.length - 2)))).includes("orphan-result"));
    const counted = (change) => (prepared) => {
      const { report } = prepared;
      return { ...prepared, report: { ...report, ...change(report) } };
    };
    const full = ({ after }) => ({ after: { ...after, tokens: after.window } });
    deepEqual(await broken(counted(full)), ["over-trigger"]);
    deepEqual(await broken(counted((report) => ({ ...full(report), outcome: "tight" }))), ["over-window"]);
    deepEqual(await broken(counted(() => ({ outcome: "infeasible" }))), ["infeasible"]);
    const writes = (prepared, { messages }) => {
      messages[0].content = "other words";
      return prepared;
    };
    deepEqual(await broken(writes), ["history-changed"]);
  });

  test(`${format.name}: a replay ends where a person spoke last, and reports usage`, async () => {
    const asked = history(format, { seed: 9, turns: 3 });
    const messages = asked.slice(0, -1);
    const views = [];
    const { requests, state } = await replay(make(), format, messages, (view) => {
      views.push(view);
      return { prompt_tokens: Math.ceil(JSON.stringify(view).length / 4) };
    });
    equal(requests.length, asked.filter(({ role }) => role === "assistant").length);
    deepEqual(
      views,
      requests.map(({ view }) => view),
    );
    const [first, last] = [requests[0], requests.at(-1)].map(({ report }) => report.after.source);
    deepEqual([first, last], ["estimated", "reported"]);
    equal(state.pending, undefined);
  });
}

test("a history of a shape that is not known is refused", () => {
  throws(
    () => history({ ...openaiChat, name: "mine" }),
    (error) => error instanceof PrecisError && error.code === "invalid-option" && error.path === "format",
  );
});
