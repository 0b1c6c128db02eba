// OpenAI's own compaction, asked for by precis and judged by the court: the encrypted item stands first and comes back as it was
// made, a digest by code stands behind it, and everything that can go wrong with it ends in another summary, or in the digest.
import { deepEqual, equal, ok, throws } from "node:assert/strict";
import { test } from "node:test";
import { openaiChat, openaiResponses } from "../../pkg/formats.js";
import { createCompactor } from "../../pkg/index.js";
import { openaiCompaction } from "../../pkg/native.js";
import { clients } from "./clients.mjs";
import { createServer } from "./server.mjs";

const WORDS = "and so it went on for the rest of the day, as it always had. ";
const client = clients["openai-responses"];
const MODEL = "gpt-6";

/** A client of the SDK whose requests the server judges. `reply(n)`: how the n-th request for a compaction ends. */
function sdk(server, reply) {
  const asked = [];
  const answered = (body, by) => {
    const n = asked.push({ ...body, by });
    const given = reply(n);
    if (given instanceof Error) throw given;
    const trigger = { type: "compaction_trigger" };
    const whole = by === "compact" ? { ...body, input: [...body.input, trigger], store: false } : body;
    const answer = server.answer({ body: whole }, given);
    ok(answer.ok, answer.findings?.map(({ rule, text }) => `${rule}: ${text}`).join());
    return answer.body;
  };
  const create = async (body) => answered(body, "trigger");
  const compact = async (body) => {
    const { output, id, usage } = answered(body, "compact");
    const users = body.input.filter(({ role }) => role === "user");
    return { id, object: "response.compaction", output: [...users, ...output], usage };
  };
  return { asked, responses: { create, compact } };
}

/** A chat of an agent; every request is judged. */
async function play({ rounds = 110, reply = () => ({}), more = [], given = {}, store = false } = {}) {
  const server = createServer("openai-responses", {});
  const own = sdk(server, reply);
  const make = () =>
    createCompactor({
      ...{ format: openaiResponses, contextWindow: 8_000, maxOutputTokens: 500, prefer: "summarize" },
      summarize: [openaiCompaction(own, { request: { store }, ...given }), ...more],
      summarizer: { contextWindow: 200_000 },
    });
  let compactor = make();
  const { tools } = client.request([], { tools: ["read"] }).body;
  const history = [...client.user([{ text: "Read the files. Keep in mind that invoice 4711 must never be paid." }])];
  const found = { server, asked: own.asked, views: [], reports: [], state: null, history };
  for (let n = 0; n < rounds; n++) {
    const call = { messages: history, state: found.state, model: MODEL, system: "Be brief.", tools };
    const { view, state, report } = await compactor.beforeModel(call);
    found.views.push(view);
    found.reports.push(report);
    const request = client.request(view, { model: MODEL, system: "Be brief.", tools: ["read"], store });
    const answer = server.answer(request, {
      thought: `Thought ${n}.`,
      calls: [{ id: `c${n}`, name: "read", input: { n } }],
    });
    ok(answer.ok, `request ${n}: ${answer.findings?.map(({ rule, text }) => `${rule}: ${text}`)}`);
    history.push(...answer.entries);
    const results = [{ id: `c${n}`, name: "read", output: `${n} ${WORDS.repeat(1 + (n % 9))}` }];
    history.push(...client.results(results));
    if (n % 10 === 5) history.push(...client.user([{ text: `Now the files of folder ${n}.` }]));
    // As a database gives it back, and as another process reads it.
    found.state = JSON.parse(JSON.stringify(compactor.afterModel(state, answer.body.usage, report.request)));
    if (n % 10 === 9) compactor = make();
  }
  return found;
}

const itemOf = ([first]) => (first.type === "compaction" ? first : null);

for (const given of [{}, { by: "compact" }])
  test(`the item of ${given.by ?? "a trigger"} stands first as it was made, and is compacted in turn`, async () => {
    const { server, asked, views, reports } = await play({ given });
    equal(server.refused.length, 0);
    ok(asked.length > 1, `${asked.length} compactions`);
    const held = views.filter(itemOf);
    ok(held.length > 30, `${held.length} requests with an item`);
    for (const [at, view] of views.entries()) {
      const items = view.filter(({ type }) => type === "compaction");
      equal(items.length, itemOf(view) ? 1 : 0, `request ${at}`);
      if (!itemOf(view)) continue;
      deepEqual(Object.keys(view[0]).sort(), ["encrypted_content", "id", "type"]);
      // What code keeps stands behind it.
      ok(JSON.stringify(view[1]).includes("must never be paid"), `request ${at}`);
      ok(reports[at].after.tokens + reports[at].after.bound <= 8_000);
    }
    // The next one is made of the one before it and what came since.
    equal(asked[1].input[0].type, "compaction");
    ok(!JSON.stringify(asked[1].input).includes('"0 and so it went'));
    for (const body of asked) {
      equal(body.model, MODEL);
      equal(body.instructions, "Be brief.");
      equal(body.input.at(-1).type === "compaction_trigger", given.by === undefined);
    }
    ok(reports.every(({ summarizer }) => summarizer.failed === null));
  });

test("with stored items it is referred to as the provider has stored it", async () => {
  const { server, views } = await play({ store: true });
  equal(server.refused.length, 0);
  ok(views.some(itemOf));
});

const troubles = {
  "ends with max_output_tokens": () => ({ stop: "max_output_tokens" }),
  "meets an overload": () => Object.assign(new Error("overloaded"), { status: 529 }),
  "returns more than a state holds": () => ({ size: 30_000 }),
};
for (const [what, reply] of Object.entries(troubles))
  test(`a compaction that ${what} makes way for the next summarizer, and at last for a digest`, async () => {
    let others = 0;
    const more = [
      async () => {
        others += 1;
        return "- files were read, one after the other, by another summarizer";
      },
    ];
    const next = await play({ rounds: 55, reply, more });
    equal(next.server.refused.length, 0);
    ok(others > 0 && next.reports.some(({ rung }) => rung === "summarize"));
    const alone = await play({ rounds: 55, reply });
    equal(alone.server.refused.length, 0);
    ok(alone.reports.some(({ rung }) => rung === "digest"));
    ok([...next.views, ...alone.views].every((view) => !itemOf(view)));
  });

test("for another provider the digest goes on alone", async () => {
  const { state, history } = await play({ rounds: 60 });
  ok(state.checkpoints.at(-1).block);
  const other = createCompactor({ format: { ...openaiResponses, block: undefined }, contextWindow: 8_000 });
  const { view } = await other.beforeModel({ messages: history, state, model: "llama-5" });
  ok(!itemOf(view) && JSON.stringify(view[0]).includes("must never be paid"));
});

test("without a client that can be asked it is refused", () => {
  throws(() => openaiCompaction({}), { code: "invalid-option" });
  throws(() => openaiCompaction({ responses: { create() {} } }, { by: "compact" }), { code: "invalid-option" });
  throws(() => openaiCompaction({ responses: { create() {} } }, { by: "hand" }), { code: "invalid-option" });
  ok(createCompactor({ format: openaiChat, contextWindow: 8_000, summarize: openaiCompaction(sdk()) }));
});
