// Where the model has the tool by which it recalls, what replaces messages says where they are found; where it
// has none, nothing mentions it.
import { createCompactor, recallDefinition } from "precis";
import { openaiChat } from "precis/formats";
import { deepEqual, equal, frozen, match, ok, test, throws } from "./harness.mjs";

const { name, description, parameters } = recallDefinition;
const other = { type: "function", function: { name: "read", description: "Reads.", parameters: { type: "object" } } };

/** The tool as it is declared in each shape of tools. */
const declared = {
  "Chat Completions": [other, { type: "function", function: recallDefinition }],
  Responses: [{ type: "function", ...recallDefinition }],
  Anthropic: [{ name, description, input_schema: parameters }],
  Gemini: [{ functionDeclarations: [{ name: "read", description: "Reads." }, recallDefinition] }],
  "the AI SDK": { recall: { description, inputSchema: { jsonSchema: parameters } } },
};

const query = { type: "object", properties: { query: { type: "string" } } };
const undeclared = {
  "no tools": undefined,
  "other tools": [other],
  "a tool of this name that takes no references": [{ type: "function", function: { name, parameters: query } }],
  "a tool that takes references by another name": [
    { type: "function", function: { ...recallDefinition, name: "find" } },
  ],
};

function history(steps) {
  const all = [{ role: "user", content: "Read the pages, and never write to the disk." }];
  for (let step = 0; step < steps; step++) {
    const id = `c${step}`;
    const call = { id, type: "function", function: { name: "read", arguments: JSON.stringify({ page: step }) } };
    all.push({ role: "assistant", content: null, tool_calls: [call] });
    all.push({ role: "tool", tool_call_id: id, content: `Page ${step}. ${`Line of page ${step}.\n`.repeat(60)}` });
  }
  return frozen(all);
}

const messages = history(24);
const options = { format: openaiChat, maxOutputTokens: 300 };
const SENTENCE = "The tool recall ret";

for (const [rung, contextWindow] of [
  ["clear", 8_000],
  ["digest", 3_000],
]) {
  const prepare = (call) =>
    createCompactor({ ...options, contextWindow }).beforeModel({ messages, state: null, ...call });
  const plain = prepare({});

  for (const [shape, tools] of Object.entries(declared))
    test(`${rung}: a tool as declared for ${shape} is recognized`, async () => {
      const { view, state, report } = await prepare({ tools });
      const compactor = createCompactor({ ...options, contextWindow });
      equal(report.rung, rung);
      const texts = view.map(({ content }) => content ?? "").filter((text) => text.includes(SENTENCE));
      ok(texts.length > 0, "nothing says where it is found");
      for (const text of texts)
        for (const [, reference] of text.matchAll(/returns it: (r[\d.]*\d)\./g)) {
          const { excerpts } = compactor.recall({ messages, state, reference });
          const index = Number(reference.slice(1));
          equal(excerpts[0].text, messages[index].content.slice(0, excerpts[0].text.length));
        }
    });

  for (const [what, tools] of Object.entries(undeclared))
    test(`${rung}: ${what}: nothing is said of it`, async () => {
      const { view } = await prepare({ tools });
      deepEqual(
        view.filter(({ content }) => content?.includes(SENTENCE) || /\br\d+\b/.test(content ?? "")),
        [],
      );
      if (!tools) deepEqual(view, (await plain).view);
    });

  test(`${rung}: the host's own word counts`, async () => {
    const says = async (call) => JSON.stringify((await prepare(call)).view).includes(SENTENCE);
    equal(await says({ recall: true }), true);
    equal(await says({ recall: false, tools: declared["Chat Completions"] }), false);
    equal(await says({ recall: null }), false);
  });
}

test("what is appended while the tool is declared changes nothing before it, and a flip is seen on the fast path", async () => {
  const compactor = createCompactor({ ...options, contextWindow: 8_000 });
  const tools = declared["Chat Completions"];
  const all = messages.slice();
  let { state, view } = await compactor.beforeModel({ messages: all, tools });
  match(JSON.stringify(view), /The tool recall returns it/);
  for (let step = 0; step < 4; step++) {
    all.push({ role: "assistant", content: `Step ${step}.` });
    const next = await compactor.beforeModel({ messages: all, state, tools });
    deepEqual(next.view.slice(0, view.length), view);
    ({ state, view } = next);
  }
  const gone = await compactor.beforeModel({ messages: all, state });
  ok(!JSON.stringify(gone.view).includes(SENTENCE));
  const back = await compactor.beforeModel({ messages: all, state: gone.state, tools });
  deepEqual(back.view, view);
});

test("anything but true or false is refused", () => {
  const compactor = createCompactor({ ...options, contextWindow: 8_000 });
  for (const recall of ["yes", 1, {}])
    throws(
      () => compactor.plan({ messages, recall }),
      ({ code, path }) => code === "invalid-call" && path === "recall",
    );
});
