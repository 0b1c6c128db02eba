// What is not sent costs nothing, and what is sent is counted: deferred tools, other schemas.
import { createMeter, load } from "precis";
import { aiSdk, anthropic, openaiResponses } from "precis/formats";
import { equal, ok, test } from "./harness.mjs";

// What is measured here is what the engine says.
await load();

const schema = (at) => ({
  type: "object",
  properties: { query: { type: "string", description: `What to look for in the archive number ${at}, in words.` } },
  required: ["query"],
});
const describe = (at) =>
  `Searches the archive number ${at} of all documents since the beginning and returns what it finds.`;
const many = (count, tool) => Array.from({ length: count }, (_, at) => tool(at));
const ask = { role: "user", content: "Find the contract." };
const used = (format, tools, messages = [ask], more = {}) =>
  createMeter({ format, contextWindow: 64_000 }).usage({ messages, tools, ...more }).parts;

const search = { type: "tool_search_tool_regex_20251119", name: "tool_search_tool_regex" };
const deferred = many(400, (at) => ({
  name: `archive_${at}`,
  description: describe(at),
  input_schema: schema(at),
  defer_loading: true,
}));

test("400 deferred tools of Anthropic's cost about nothing", () => {
  const without = used(anthropic, [search]).tools;
  const { tools } = used(anthropic, [search, ...deferred]);
  equal(tools, without);
  ok(used(anthropic, [search, ...deferred.map(({ defer_loading: _, ...tool }) => tool)]).tools > 10_000);
});

test("a deferred tool counts once a search has found it, and no other does", () => {
  const found = (tool_references) => [
    ask,
    { role: "assistant", content: [{ type: "server_tool_use", id: "s", name: search.name, input: { query: "7" } }] },
    {
      role: "assistant",
      content: [
        {
          type: "tool_search_tool_result",
          tool_use_id: "s",
          content: { type: "tool_search_tool_search_result", tool_references },
        },
      ],
    },
  ];
  const none = used(anthropic, [search, ...deferred], found([])).tools;
  const one = used(anthropic, [search, ...deferred], found([{ type: "tool_reference", tool_name: "archive_7" }])).tools;
  const own = used(anthropic, [search, { ...deferred[7], defer_loading: false }]).tools;
  ok(one - none > 25 && one - none < 120, `${one - none}`);
  equal(one, own);
});

test("a search of the host's own loads what it returns, and a call shows that a tool was loaded", () => {
  const answered = [
    ask,
    { role: "assistant", content: [{ type: "tool_use", id: "a", name: "find_tools", input: {} }] },
    {
      role: "user",
      content: [
        { type: "tool_result", tool_use_id: "a", content: [{ type: "tool_reference", tool_name: "archive_9" }] },
      ],
    },
  ];
  const called = [ask, { role: "assistant", content: [{ type: "tool_use", id: "a", name: "archive_9", input: {} }] }];
  const one = used(anthropic, [search, { ...deferred[9], defer_loading: false }]).tools;
  equal(used(anthropic, [search, ...deferred], answered).tools, one);
  equal(used(anthropic, [search, ...deferred], called).tools, one);
});

test("tools of the AI SDK that are deferred cost nothing until they are found", () => {
  const record = (more) =>
    Object.fromEntries(
      many(200, (at) => [`archive_${at}`, { description: describe(at), inputSchema: schema(at), ...more }]),
    );
  const none = used(aiSdk, { find: { description: "Finds tools.", inputSchema: schema(0) } }).tools;
  for (const more of [{ deferLoading: true }, { providerOptions: { anthropic: { deferLoading: true } } }]) {
    const tools = { find: { description: "Finds tools.", inputSchema: schema(0) }, ...record(more) };
    equal(used(aiSdk, tools).tools, none);
    const output = { type: "json", value: { tools: [{ name: "archive_3", description: describe(3) }] } };
    const messages = [
      ask,
      { role: "assistant", content: [{ type: "tool-call", toolCallId: "c", toolName: "find", input: { query: "3" } }] },
      { role: "tool", content: [{ type: "tool-result", toolCallId: "c", toolName: "find", output }] },
    ];
    const found = used(aiSdk, tools, messages).tools;
    ok(found > none + 25 && found < none + 120, `${none} ${found}`);
  }
});

test("OpenAI shows name and description of a deferred function, and of a namespace", () => {
  const flat = (at, more) => ({
    type: "function",
    name: `archive_${at}`,
    description: describe(at),
    parameters: schema(at),
    ...more,
  });
  const all = used(openaiResponses, [{ type: "tool_search" }, ...many(100, (at) => flat(at))]).tools;
  const names = used(openaiResponses, [
    { type: "tool_search" },
    ...many(100, (at) => flat(at, { defer_loading: true })),
  ]).tools;
  ok(names > all / 4 && names < all * 0.75, `${names} of ${all}`);
  const space = (more) => ({
    type: "namespace",
    name: "archives",
    description: "All archives.",
    tools: many(100, (at) => flat(at, more)),
  });
  const hidden = used(openaiResponses, [{ type: "tool_search" }, space({ defer_loading: true })]).tools;
  const open = used(openaiResponses, [{ type: "tool_search" }, space({})]).tools;
  ok(hidden < 60, `${hidden}`);
  ok(open > all * 0.9, `${open} of ${all}`);
});

test("a definition that stands in the history counts there, not twice", () => {
  const tool = {
    type: "function",
    name: "archive_1",
    description: describe(1),
    parameters: schema(1),
    defer_loading: true,
  };
  const messages = [
    ask,
    { type: "tool_search_call", call_id: null, execution: "server", arguments: { query: "1" }, status: "completed" },
    { type: "tool_search_output", call_id: null, execution: "server", tools: [tool], status: "completed" },
    { type: "function_call", call_id: "c", name: "archive_1", arguments: "{}" },
    { type: "function_call_output", call_id: "c", output: "none" },
  ];
  const before = used(openaiResponses, [{ type: "tool_search" }, tool]).tools;
  equal(used(openaiResponses, [{ type: "tool_search" }, tool], messages).tools, before);
});

test("other schemas of a request are counted, as JSON or as a validator shows them", () => {
  const json = { type: "json_schema", json_schema: { name: "answer", schema: schema(1) } };
  const plain = used(anthropic, undefined).system;
  const one = used(anthropic, undefined, [ask], { schemas: json }).system;
  ok(one > plain + 30 && one < plain + 120, `${plain} ${one}`);
  const two = used(anthropic, undefined, [ask], { schemas: [json, json], system: "Be kind." }).system;
  ok(two > one * 1.7, `${one} ${two}`);
  const validator = { "~standard": { version: 1, vendor: "own", jsonSchema: { input: () => schema(1) } } };
  ok(used(anthropic, undefined, [ask], { schemas: validator }).system > plain + 20);
});

test("schemas that stay the same are the same call", () => {
  const meter = createMeter({ format: anthropic, contextWindow: 64_000 });
  const call = { messages: [ask], schemas: schema(1), system: "Be kind." };
  equal(JSON.stringify(meter.usage(call)), JSON.stringify(meter.usage(call)));
  equal(
    meter.usage({ ...call, schemas: null }).parts.system,
    meter.usage({ messages: [ask], system: "Be kind." }).parts.system,
  );
});
