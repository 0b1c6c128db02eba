// The programs users will write, run with stand-ins for what they declare: models, databases, clients.
import { deepEqual, equal, ok, rejects } from "node:assert/strict";
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";
import esbuild from "esbuild";
import { anthropic, openaiChat } from "precis/formats";
import { check } from "precis/testing";
import { faults, OVERHEAD, scripted, sdks, tokensOf } from "./sdks.mjs";

const tests = fileURLToPath(new URL("..", import.meta.url));
/** Where the programs find the packages they import. */
const made = join(tests, "node_modules/.programs");
mkdirSync(made, { recursive: true });

/** Runs a program: its exports. What it declares and does not define are the stand-ins. */
let count = 0;
async function run(path, standIns, { ai = "ai", until } = {}) {
  const source = readFileSync(join(tests, "programs", path), "utf8");
  const outfile = join(made, `${count++}.mjs`);
  const resolveDir = join(tests, "programs");
  await esbuild.build({
    stdin: { contents: until ? source.slice(0, source.indexOf(until)) : source, loader: "tsx", resolveDir },
    outfile,
    bundle: true,
    format: "esm",
    target: "es2022",
    banner: { js: `let { ${Object.keys(standIns).join(", ")} } = globalThis.standIns;` },
    plugins: [
      {
        name: "versions",
        setup: ({ onResolve }) =>
          onResolve({ filter: /^[^./]/ }, ({ path, kind }) =>
            kind === "entry-point" ? undefined : { path: path === "ai" ? ai : path, external: true },
          ),
      },
    ],
  });
  globalThis.standIns = standIns;
  return import(pathToFileURL(outfile).href);
}

const LONG = "The quick brown fox jumps over the lazy dog, and then it does so again. ".repeat(150);
const packageOf = { 5: "ai5", 6: "ai6", 7: "ai" };
const summary = (sdk) =>
  scripted(sdk, () => ({
    content: [{ type: "text", text: "- the fox jumped, many times, and each time the file was read again" }],
  }));

/** Reads two files, then answers. */
const reading = (prompt) => {
  const done = prompt.slice(prompt.findLastIndex(({ role }) => role === "user")).filter(({ role }) => role === "tool");
  return {
    content:
      done.length < 2
        ? [{ type: "tool-call", toolCallId: `call-${prompt.length}`, toolName: "read", input: { path: LONG } }]
        : [{ type: "text", text: "That is what I found." }],
  };
};

/** `brought`: a rule that the history itself breaks. */
function sound(requests, window, reply, brought) {
  for (const { prompt, at, maxOutputTokens } of requests) {
    deepEqual(
      faults(prompt).filter(({ rule }) => rule !== brought),
      [],
      `request ${at}`,
    );
    ok(tokensOf(prompt) + OVERHEAD + Math.min(reply, maxOutputTokens ?? reply) <= window, `request ${at}`);
  }
}

const conversation = (messages) =>
  Array.from({ length: messages }, (_, i) => ({ role: i % 2 ? "assistant" : "user", content: `${i}: ${LONG}` }));

function memoryStore() {
  const rows = new Map();
  return {
    rows,
    load: async (key) => rows.get(key),
    save: async (key, state, previous) => {
      if ((rows.get(key)?.revision ?? null) !== previous) return false;
      rows.set(key, structuredClone(state));
    },
  };
}

for (const sdk of sdks.filter(({ version }) => version === 7)) {
  test("1_agent.ts: one agent, many chats, a store", async () => {
    const big = scripted(sdk, reading);
    const small = summary(sdk);
    const store = memoryStore();
    const { turn, agent2, agent3 } = await run("1_agent.ts", { model: big.model, small: small.model, store });
    const { signal } = new AbortController();
    for (const chat of ["one", "two"]) {
      const history = conversation(81);
      const result = await turn(chat, history, signal);
      equal(await result.text, "That is what I found.");
    }
    deepEqual([...store.rows.keys()], ["main:one", "main:two"]);
    ok(small.requests.length >= 2);
    await agent2.generate({ messages: conversation(81), options: { chatId: "three", signal } });
    ok(store.rows.has("main:three"));
    await agent3.generate({ messages: conversation(81) });
    sound(big.requests, 200_000, 32_000);
    deepEqual(
      big.requests.at(-1).tools.map(({ name }) => name),
      ["read"],
    );
  });

  test("3_durable.ts: history in SQLite, compaction from an alarm", async () => {
    const { DatabaseSync } = await import("node:sqlite");
    const big = scripted(sdk, () => ({ content: [{ type: "text", text: `Well: ${LONG.repeat(4)}` }] }));
    const small = summary(sdk);
    const { Chat } = await run("3_durable.ts", { model: big.model, small: small.model });
    const database = new DatabaseSync(":memory:");
    const rows = (text, ...values) => database.prepare(text).all(...values);
    const loaded = [];
    const alarms = [];
    const sql = {
      exec(text, ...values) {
        const found = rows(text, ...values);
        if (text.startsWith("SELECT json FROM message")) loaded.push(found.length);
        return found;
      },
    };
    const transactionSync = (work) => {
      database.exec("BEGIN");
      const result = work();
      database.exec("COMMIT");
      return result;
    };
    const storage = { sql, setAlarm: async (at) => alarms.push(at), transactionSync };
    let chat = new Chat({ storage });
    const told = console.log;
    const lines = [];
    console.log = (line) => lines.push(JSON.parse(line));
    try {
      for (let turn = 0; turn < 10; turn++) {
        const response = await chat.turn(`Question ${turn}: ${LONG.repeat(4)}`, new AbortController().signal);
        ok((await response.text()).startsWith("Well: "));
        if (alarms.splice(0).length > 0) await chat.alarm();
        // An object that was evicted finds everything again.
        chat = new Chat({ storage });
      }
    } finally {
      console.log = told;
    }
    deepEqual(
      rows("SELECT seq FROM message ORDER BY seq").map(({ seq }) => seq),
      Array.from({ length: 20 }, (_, seq) => seq),
    );
    ok(loaded.at(-1) < 20, "what the state covers was loaded again");
    deepEqual(
      lines.map((line) => line["precis.diverged"]),
      Array(10).fill(false),
    );
    ok(small.requests.length > 0, "the alarm asked for no summary");
    ok(JSON.stringify(big.requests.at(-1).prompt).includes("the fox jumped, many times"));
    sound(big.requests, 200_000, 16_000);
  });

  test("readme.ts: the two examples", async () => {
    const sent = [];
    const client = {
      chat: {
        completions: {
          create: async (body) => {
            sent.push(body);
            return { choices: [{ message: { role: "assistant", content: "Hi." } }], usage: { prompt_tokens: 9 } };
          },
        },
      },
    };
    const history = [{ role: "user", content: "Hello" }];
    const big = scripted(sdk, () => ({ content: [{ type: "text", text: "Hi." }] }));
    const small = summary(sdk);
    const told = console.log;
    const lines = [];
    console.log = (line) => lines.push(line);
    try {
      await run("readme.ts", {
        ...{ client, history, saved: null, small: small.model, big: big.model },
        messages: [{ role: "user", content: "Hello" }],
      });
    } finally {
      console.log = told;
    }
    equal(sent.length, 1);
    equal(history.length, 2);
    equal(lines.length, 1);
  });

  test("11_format.ts: a changed summary, and a shape of one's own", async () => {
    const mm = [{ role: "user", content: "hello" }];
    const { out, n } = await run("11_format.ts", { mm, state: null });
    deepEqual(out, mm);
    deepEqual(n, [{ author: "me", body: "hi" }]);
  });
}

for (const sdk of sdks) {
  const folder = sdk.version === 7 ? "" : `v${sdk.version}/`;
  test(`${sdk.name}, 2_route.ts: a route handler, useChat and a database`, async () => {
    const big = scripted(sdk, (_, n) => ({
      content: [
        { type: "text", text: LONG.repeat(10) },
        { type: "tool-call", toolCallId: `call-${n}`, toolName: "read", input: { path: "a.ts" } },
      ],
    }));
    const small = summary(sdk);
    const rows = { messages: [], state: null };
    const db = {
      load: async () => structuredClone(rows),
      save: async (_, messages, state) => Object.assign(rows, JSON.parse(JSON.stringify({ messages, state }))),
    };
    const { POST } = await run(
      `${folder}2_route.ts`,
      { model: big.model, small: small.model, db },
      { ai: packageOf[sdk.version] },
    );
    const parts = [];
    for (let turn = 0; turn < 8; turn++) {
      const message = { id: `u${turn}`, role: "user", parts: [{ type: "text", text: `Question ${turn}? ${LONG}` }] };
      const body = JSON.stringify({ id: "c", message });
      const response = await POST(new Request("https://example.com/", { method: "POST", body }));
      equal(response.status, 200);
      for (const line of (await response.text()).split("\n"))
        if (line.startsWith("data: {")) parts.push(JSON.parse(line.slice("data: ".length)));
      equal(rows.messages.length, 2 * (turn + 1));
      const usage = rows.messages.at(-1).metadata.context;
      ok(usage.tokens > 0 && usage.fraction < 1);
    }
    deepEqual(
      parts.filter(({ type }) => type === "error"),
      [],
    );
    const told = parts.filter(({ type }) => type === "data-compaction");
    ok(told.some(({ data }) => data.status === "running") && told.some(({ data }) => data.status === "done"));
    ok(!JSON.stringify(told).includes("fox"));
    ok(small.requests.length > 0);
    ok(rows.state.revision > 0);
    // Version 5 makes an empty message of a data part that comes before the answer.
    sound(big.requests, 200_000, 16_000, sdk.version === 5 ? "empty-content" : undefined);
    const stored = rows.messages.flatMap(({ parts }) => parts).filter(({ type }) => type === "data-compaction");
    ok(stored.length > 0 && stored.every(({ data }) => data.status === "done"));
    if (sdk.version !== 6) return;
    const { meter, divider } = await run("v6/8_meter.tsx", {});
    equal(meter(rows.messages).replace(/\d+/, "N"), "context N % full");
    ok(rows.messages.flatMap(divider).every((line) => /^done: \d+ → \d+$/.test(line)));
  });
}

test("4_browser.ts: in a browser, with the user's own key", async () => {
  const saved = new Map();
  const idb = { get: async (key) => saved.get(key), set: async (key, value) => saved.set(key, structuredClone(value)) };
  const document = { title: "" };
  const bodies = [];
  const fetch = async (_, { body }) => {
    const sent = JSON.parse(body);
    bodies.push(sent);
    const content = sent.messages[0].role === "system" ? "- the fox jumped" : `Well: ${LONG}`;
    const usage = { prompt_tokens: tokensOf(sent.messages), completion_tokens: tokensOf(content) };
    return {
      json: async () => ({ choices: [{ message: { role: "assistant", content }, finish_reason: "stop" }], usage }),
    };
  };
  const { send, percent } = await run("4_browser.ts", { idb, document, fetch });
  for (let turn = 0; turn < 12; turn++) await send("c", "model-a", `Question ${turn}: ${LONG.repeat(4)}`);
  equal(document.title, "tidying up…");
  const { messages, state } = saved.get("c");
  equal(messages.length, 24);
  const full = percent(messages, state, "model-a");
  ok(full > 0 && full < 100, `${full}`);
  ok(bodies.some(({ model }) => model === "model-b"));
  for (const { model, messages } of bodies) ok(tokensOf(messages) < (model === "model-a" ? 128_000 : 8_192));
  await rejects(send("d", "model-c", "hello"), { code: "invalid-window" });
});

test("5_openai.ts: a loop with tools", async () => {
  const bodies = [];
  const client = {
    chat: {
      completions: {
        create: async (body) => {
          bodies.push(structuredClone(body));
          deepEqual(check(openaiChat, body.messages), []);
          const prompt = tokensOf(body.messages);
          const last = bodies.length >= 60;
          const tool = {
            id: `c${bodies.length}`,
            type: "function",
            function: { name: "read", arguments: '{"path":"a"}' },
          };
          const message = last
            ? { role: "assistant", content: "Done." }
            : { role: "assistant", content: null, tool_calls: [tool] };
          return { choices: [{ message }], usage: { prompt_tokens: prompt, completion_tokens: 50 } };
        },
      },
    },
  };
  const tools = [{ type: "function", function: { name: "read", parameters: { type: "object" } } }];
  const { chat } = await run("5_openai.ts", { client, tools, run: async () => LONG });
  const history = [{ role: "user", content: "Look into all files." }];
  const { text, state } = await chat(history, null);
  equal(text, "Done.");
  equal(bodies.length, 60);
  equal(history.length, 1 + 59 * 2 + 1);
  ok(state.revision > 0);
  for (const { messages, max_completion_tokens } of bodies)
    ok(tokensOf(messages) + max_completion_tokens <= 128_000, `${tokensOf(messages)}`);
});

test("6_anthropic.ts: a loop with thinking, a cheaper summarizer, a compaction by hand", async () => {
  const STEPS = 80;
  const bodies = [];
  const client = {
    messages: {
      create: async (body) => {
        bodies.push(structuredClone(body));
        const usage = {
          input_tokens: tokensOf(body.messages),
          output_tokens: 40,
          cache_read_input_tokens: 0,
          cache_creation_input_tokens: 0,
        };
        if (body.model === "small")
          return {
            content: [{ type: "text", text: "- the fox jumped, many times, and each time the file was read again" }],
            stop_reason: "end_turn",
            usage,
          };
        deepEqual(check(anthropic, body.messages), []);
        const n = bodies.length;
        const thinking = { type: "thinking", thinking: `Step ${n}`, signature: `s${n}` };
        const use = { type: "tool_use", id: `t${n}`, name: "read", input: { path: LONG } };
        // What is said cannot be cleared.
        const said = { type: "text", text: LONG };
        const content = n < STEPS ? [thinking, said, use] : [thinking, { type: "text", text: "Done." }];
        return { content, stop_reason: n < STEPS ? "tool_use" : "end_turn", usage };
      },
    },
  };
  const tools = [{ name: "read", input_schema: { type: "object" } }];
  const { chat, compactNow } = await run("6_anthropic.ts", { client, tools, run: async () => LONG });
  const history = [{ role: "user", content: "Look into all files." }];
  const state = await chat(history, null);
  ok(
    bodies.some(({ model }) => model === "small"),
    "no summary",
  );
  for (const { model, messages } of bodies) ok(model === "small" || tokensOf(messages) + 16_000 <= 200_000);
  history.push({ role: "user", content: "Thanks. What now?" });
  const { line } = await compactNow(history, state, "the fox");
  ok(/^\d+ → \d+ tokens \(/.test(line), line);
});

test("10_test.ts: a test of one's own app", async () => {
  const expect = (value) => ({
    toEqual: (other) => deepEqual(value, other),
    toBe: (other) => equal(value, other),
    toContain: (other) => ok(value.includes(other)),
  });
  // What must not compile cannot run.
  const { test } = await run("10_test.ts", { expect }, { until: "// must not compile" });
  await test();
});
