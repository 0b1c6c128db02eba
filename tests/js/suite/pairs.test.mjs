// Calls and results whose ids tell nothing: missing, empty, null, all the same, the tool's name, in another member; and
// calls that the provider executes. Where count and order match nothing is put in, taken out or remade.
import { createCompactor } from "precis";
import { aiSdk, anthropic, gemini, openaiChat, openaiResponses } from "precis/formats";
import { check } from "precis/testing";
import { deepEqual, equal, frozen, ok, same, test } from "./harness.mjs";
import { cases } from "./length.mjs";
import { random } from "./scenarios.mjs";

const make = (format, contextWindow = 128_000) => createCompactor({ format, contextWindow, maxOutputTokens: 500 });
const user = (content) => ({ role: "user", content });
const MADE_UP = /No result of this call was recorded|that is not in this history/;

/** A member that is there, or not. */
const member = (name, value) => (value === undefined ? {} : { [name]: value });

/** How each API writes a call and its result. `id` may be undefined, which leaves the member out. */
const apis = {
  openaiChat: {
    format: openaiChat,
    say: (role, text) => ({ role, content: text }),
    calls: (all) => ({
      role: "assistant",
      content: null,
      tool_calls: all.map(({ id, name }) => ({
        ...member("id", id),
        type: "function",
        function: { name, arguments: "{}" },
      })),
    }),
    results: (all) =>
      all.map(({ id, name, named, text }) => ({
        role: "tool",
        ...member("tool_call_id", id),
        ...(named && { name }),
        content: text,
      })),
  },
  anthropic: {
    format: anthropic,
    say: (role, text) => ({ role, content: text }),
    calls: (all) => ({
      role: "assistant",
      content: all.map(({ id, name }) => ({ type: "tool_use", ...member("id", id), name, input: {} })),
    }),
    results: (all) => [
      user(all.map(({ id, text }) => ({ type: "tool_result", ...member("tool_use_id", id), content: text }))),
    ],
  },
  aiSdk: {
    format: aiSdk,
    say: (role, text) => ({ role, content: [{ type: "text", text }] }),
    calls: (all) => ({
      role: "assistant",
      content: all.map(({ id, name }) => ({
        type: "tool-call",
        ...member("toolCallId", id),
        toolName: name,
        input: {},
      })),
    }),
    results: (all) => [
      {
        role: "tool",
        content: all.map(({ id, name, named, text }) => ({
          type: "tool-result",
          ...member("toolCallId", id),
          ...(named && { toolName: name }),
          output: { type: "text", value: text },
        })),
      },
    ],
  },
  gemini: {
    format: gemini,
    say: (role, text) => ({ role: role === "assistant" ? "model" : role, parts: [{ text }] }),
    calls: (all) => ({
      role: "model",
      parts: all.map(({ id, name }) => ({ functionCall: { ...member("id", id), name, args: {} } })),
    }),
    results: (all) => [
      {
        role: "user",
        parts: all.map(({ id, name, text }) => ({
          functionResponse: { ...member("id", id), name, response: { output: text } },
        })),
      },
    ],
  },
  openaiResponses: {
    format: openaiResponses,
    say: (role, content) => ({ role, content }),
    calls: (all) =>
      all.map(({ id, name }) => ({ type: "function_call", ...member("call_id", id), name, arguments: "{}" })),
    results: (all) =>
      all.map(({ id, text }) => ({ type: "function_call_output", ...member("call_id", id), output: text })),
  },
};

async function isLeftAlone(format, messages, contextWindow) {
  const { view, report, changed } = await make(format, contextWindow).beforeModel({ messages: frozen(messages) });
  ok(same(view, messages) && !changed, JSON.stringify(view).slice(0, 600));
  deepEqual(
    report.warnings.filter(({ code }) => code !== "assistant-first"),
    [],
  );
  // Where roles alternate, what follows each other is the history's own.
  deepEqual(
    check(format, messages).filter(({ rule }) => rule !== "alternation"),
    [],
  );
}

test("two calls with an id that tells nothing keep their two results", async () => {
  for (const id of ["", null, undefined, "read", "same"])
    for (const { format, say, calls, results } of Object.values(apis))
      for (const named of [true, false]) {
        const both = ["one", "two"].map((text) => ({ id, name: "read", named, text }));
        await isLeftAlone(format, [say("user", "Look."), calls(both), ...results(both), say("user", "And?")].flat());
      }
});

test("a call of Gemini with an id is answered by a response with only a name", async () => {
  const messages = [
    { role: "user", parts: [{ text: "Look." }] },
    {
      role: "model",
      parts: [
        { functionCall: { id: "f1", name: "read", args: {} } },
        { functionCall: { id: "f2", name: "list", args: {} } },
      ],
    },
    {
      role: "user",
      parts: ["list", "read"].map((name) => ({ functionResponse: { name, response: { output: name } } })),
    },
    { role: "user", parts: [{ text: "And?" }] },
  ];
  await isLeftAlone(gemini, messages);
});

test("a function's result of old, and Ollama's, carry a name alone", async () => {
  await isLeftAlone(openaiChat, [
    user("Look."),
    { role: "assistant", content: null, function_call: { name: "read", arguments: "{}" } },
    { role: "function", name: "read", content: "one" },
    user("And?"),
  ]);
  await isLeftAlone(openaiChat, [
    { role: "user", content: "Look.", images: ["iVBORw0KGgo="] },
    {
      role: "assistant",
      content: "",
      thinking: "Hm.",
      tool_calls: [{ function: { name: "read", arguments: { a: 1 } } }],
    },
    { role: "tool", tool_name: "read", content: "one" },
    user("And?"),
  ]);
});

test("what is truly missing is answered in the form of its call", async () => {
  const old = [
    user("Look."),
    { role: "assistant", content: null, function_call: { name: "read", arguments: "{}" } },
    user("And?"),
  ];
  const { view } = await make(openaiChat).beforeModel({ messages: old });
  equal(view[2].role, "function");
  equal(view[2].name, "read");
  const ids = {
    shell_call: "call_id",
    local_shell_call: "id",
    apply_patch_call: "call_id",
    custom_tool_call: "call_id",
  };
  for (const [type, name] of Object.entries(ids)) {
    const messages = [user("Look."), { type, call_id: "c1" }, user("And?")];
    const [, , made] = (await make(openaiResponses).beforeModel({ messages })).view;
    deepEqual([made.type, made[name]], [`${type}_output`, "c1"]);
  }
  // Nobody can make up a screenshot.
  const messages = [user("Look."), { type: "computer_call", call_id: "c1", action: { type: "wait" } }, user("And?")];
  ok(same((await make(openaiResponses).beforeModel({ messages })).view, messages));
});

test("Anthropic: a tool of the server stays open while client tools go back and forth", async () => {
  const caller = { type: "code_execution_20250825", tool_id: "srv_1" };
  const messages = [
    user("Compare."),
    {
      role: "assistant",
      content: [
        { type: "server_tool_use", id: "srv_1", name: "code_execution", input: { code: "await read()" } },
        { type: "tool_use", id: "t1", name: "read", input: {}, caller },
      ],
    },
    user([{ type: "tool_result", tool_use_id: "t1", content: "one" }]),
    { role: "assistant", content: [{ type: "tool_use", id: "t2", name: "read", input: {}, caller }] },
    user([{ type: "tool_result", tool_use_id: "t2", content: "two" }]),
  ];
  await isLeftAlone(anthropic, messages.slice(0, 3));
  await isLeftAlone(anthropic, messages);
  const done = {
    type: "code_execution_tool_result",
    tool_use_id: "srv_1",
    content: { type: "code_execution_result", stdout: "", stderr: "", return_code: 0, content: [] },
  };
  await isLeftAlone(anthropic, [
    ...messages,
    { role: "assistant", content: [done, { type: "text", text: "Equal." }] },
    user("Thanks."),
  ]);
  // A paused turn is sent back as it is.
  await isLeftAlone(anthropic, [user("Search."), { role: "assistant", content: [messages[1].content[0]] }]);
});

test("AI SDK: a call that the provider executes stays open over several steps", async () => {
  const call = (toolCallId, more) => ({ type: "tool-call", toolCallId, toolName: "read", input: {}, ...more });
  const result = (toolCallId) => ({
    type: "tool-result",
    toolCallId,
    toolName: "read",
    output: { type: "text", value: "x" },
  });
  const messages = [
    user("Compare."),
    { role: "assistant", content: [call("srv", { providerExecuted: true }), call("t1")] },
    { role: "tool", content: [result("t1")] },
    { role: "assistant", content: [call("t2")] },
    { role: "tool", content: [result("t2")] },
  ];
  await isLeftAlone(aiSdk, messages);
  await isLeftAlone(aiSdk, [
    ...messages,
    { role: "assistant", content: [result("srv"), { type: "text", text: "Equal." }] },
    user("So?"),
  ]);
});

test("Responses: outputs are tied to calls by whatever member they have", async () => {
  const shell = (n, id) => [
    {
      type: "local_shell_call",
      id: `lsh_${n}`,
      call_id: `call_${n}`,
      status: "completed",
      action: { type: "exec", command: ["ls"], env: {} },
    },
    { type: "local_shell_call_output", id, output: `{"output":"${"file ".repeat(300)}"}` },
  ];
  for (const id of ["lsh", "call", "own"]) {
    const messages = [
      user("List."),
      ...Array.from({ length: 60 }, (_, n) => shell(n, `${id}_${n}`)).flat(),
      user("So?"),
    ];
    await isLeftAlone(openaiResponses, messages);
    const { view, report } = await make(openaiResponses, 16_000).beforeModel({ messages: frozen(messages) });
    ok(report.outcome !== "infeasible" && report.after.tokens < 16_000, report.reason);
    ok(!MADE_UP.test(JSON.stringify(view)));
    const count = (type) => view.filter((item) => item.type === type).length;
    equal(count("local_shell_call"), count("local_shell_call_output"));
  }
  const pairs = {
    computer_call: { output: { type: "computer_screenshot", file_id: "f" } },
    shell_call: { output: [{ stdout: "x", stderr: "", outcome: { type: "exit", exit_code: 0 } }] },
    apply_patch_call: { status: "completed" },
    custom_tool_call: { output: "x" },
    hologram_call: { output: "x" },
  };
  for (const [type, more] of Object.entries(pairs))
    await isLeftAlone(openaiResponses, [
      user("Go."),
      { type, call_id: "c" },
      { type: `${type}_output`, call_id: "c", ...more },
      user("So?"),
    ]);
  const program = [
    user("Go."),
    { type: "program", id: "p", call_id: "c1", code: "await read()", fingerprint: "f" },
    {
      type: "function_call",
      call_id: "c2",
      name: "read",
      arguments: "{}",
      caller: { type: "program", caller_id: "c1" },
    },
    { type: "function_call_output", call_id: "c2", output: "x" },
  ];
  await isLeftAlone(openaiResponses, program);
  await isLeftAlone(openaiResponses, [
    ...program,
    { type: "program_output", id: "o", call_id: "c1", result: "x", status: "completed" },
    user("So?"),
  ]);
});

test("a function of policies is asked about tools that are called beside results and after them", async () => {
  const call = (toolName, more) => ({ type: "tool-call", toolCallId: toolName, toolName, input: {}, ...more });
  const result = (toolName, value) => ({
    type: "tool-result",
    toolCallId: toolName,
    toolName,
    output: { type: "text", value },
  });
  const asked = [];
  const toolPolicy = ({ name }) => void asked.push(name);
  const compactor = createCompactor({ format: aiSdk, contextWindow: 2_000, maxOutputTokens: 300, toolPolicy });
  const hosted = call("search", { providerExecuted: true });
  const messages = [
    { role: "user", name: "4 ann", content: "Look." },
    { role: "assistant", content: [hosted, result("search", "4"), call("read")] },
    { role: "tool", content: [result("read", "word ".repeat(3_000))] },
  ];
  await compactor.beforeModel({ messages });
  deepEqual(asked.sort(), ["read", "search"]);
});

test("a call to recall without an id hides no other result from a search", async () => {
  const calls = (name, n) => ({
    role: "assistant",
    content: null,
    tool_calls: [{ id: "", type: "function", function: { name, arguments: `{"query":"${n}"}` } }],
  });
  const messages = [user("Begin.")];
  for (let n = 0; n < 60; n++) {
    messages.push(calls(n % 2 ? "recall" : "read", n), {
      role: "tool",
      tool_call_id: "",
      content: `${"word ".repeat(200)} needle${n} `,
    });
    messages.push({ role: "assistant", content: `Answer ${n}.` }, user(`Request ${n}.`));
  }
  const compactor = make(openaiChat, 6_000);
  const { state } = await compactor.beforeModel({ messages });
  const found = await compactor.recall({ messages, state, query: "needle4" });
  ok(
    found.excerpts.some(({ text, tool }) => text.includes("needle4") && tool === "read"),
    JSON.stringify(found).slice(0, 300),
  );
});

/** How an id may be, for a call and its result. */
const IDS = {
  unique: ({ n }) => [`call_${n}`, `call_${n}`],
  equal: () => ["same", "same"],
  empty: () => ["", ""],
  absent: () => [undefined, undefined],
  null: () => [null, null],
  name: ({ name }) => [name, name],
  "the call's alone": ({ n }) => [`call_${n}`, undefined],
};
const KINDS = Object.keys(IDS);

/** A complete history: turns of calls, some parallel, each answered in order. */
function complete({ say, calls, results }, seed, turns) {
  const next = random(seed);
  const pick = (list) => list[Math.floor(next() * list.length)];
  const messages = [];
  let n = 0;
  for (let turn = 0; turn < turns; turn++) {
    messages.push(say("user", `request ${turn} `.repeat(1 + Math.floor(next() * 40))));
    for (let round = Math.floor(next() * 4); round > 0; round--) {
      const batch = Array.from({ length: 1 + Math.floor(next() * 3) }, () => {
        const name = pick(["read", "write", "list"]);
        const [call, result] = IDS[pick(KINDS)]({ n: n++, name });
        const text = `${n} ${"0123456789 ".repeat(Math.floor(next() * 120))}`;
        return { call: { id: call, name }, result: { id: result, name, named: next() < 0.5, text } };
      });
      messages.push(calls(batch.map(({ call }) => call)), results(batch.map(({ result }) => result)));
    }
    messages.push(say("assistant", `answer ${turn}`));
  }
  return [...messages, say("user", "And now?")].flat();
}

/** Calls and results of a view, as the format reads them, by windows. */
function balance(format, view) {
  const open = [0, 0];
  for (const message of view)
    format.read(message, {
      ...Object.fromEntries(
        [
          "role",
          "speaker",
          "text",
          "document",
          "reasoning",
          "media",
          "opaque",
          "approvalRequest",
          "approvalResponse",
          "compaction",
        ].map((name) => [name, () => {}]),
      ),
      call: () => void open[0]++,
      result: () => {
        open[1]++;
        ok(open[1] <= open[0], "a result follows its call");
      },
    });
  return open;
}

for (const [name, api] of Object.entries(apis)) {
  test(`${name}: a complete history comes back as it is, whatever its ids are`, async () => {
    for (let seed = 1; seed <= cases(40, 6); seed++) await isLeftAlone(api.format, complete(api, seed, 8), 4_000_000);
  });

  test(`${name}: calls and results stay together in small windows, and nothing is made up`, async () => {
    for (let seed = 1; seed <= cases(12, 3); seed++) {
      const messages = frozen(complete(api, seed, 24));
      const compactor = make(api.format, 2_000 + (seed % 4) * 1_000);
      let state = null;
      for (let end = 1; end <= messages.length; end += 1 + (seed % 3)) {
        const prepared = await compactor.beforeModel({ messages: messages.slice(0, end), state });
        state = JSON.parse(JSON.stringify(prepared.state));
        ok(!MADE_UP.test(JSON.stringify(prepared.view)), `seed ${seed}, ${end}`);
        const own = check(api.format, messages.slice(0, end)).map(({ rule }) => rule);
        deepEqual(
          check(api.format, prepared.view)
            .map(({ rule }) => rule)
            .filter((rule) => !own.includes(rule)),
          [],
        );
      }
      const { view } = await compactor.beforeModel({ messages, state });
      const [calls, results] = balance(api.format, view);
      equal(calls, results, `seed ${seed}`);
    }
  });
}

test("ids of a megabyte, ids that come again, and a result before its call break nothing", async () => {
  const huge = "i".repeat(1_000_000);
  const { format, say, calls, results } = apis.openaiChat;
  const one = (id) => [{ id, name: "read", text: "one" }];
  await isLeftAlone(format, [say("user", "Look."), calls(one(huge)), ...results(one(huge)), say("user", "And?")]);
  const turns = Array.from({ length: 40 }, (_, n) => [
    say("user", `Look ${n}.`),
    calls(one("call_0")),
    ...results(one("call_0")),
  ]);
  await isLeftAlone(format, turns.flat());
  for (const id of ["x", "", huge]) {
    const messages = [say("user", "Look."), ...results(one(id)), calls(one(id)), say("user", "And?")];
    const { view } = await make(format).beforeModel({ messages: frozen(messages) });
    deepEqual(check(format, view), []);
    ok(JSON.stringify(view).includes("one"));
  }
});
