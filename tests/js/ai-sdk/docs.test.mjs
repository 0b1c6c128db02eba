// The chat route of docs/ai-sdk.md, run as it stands there.
import { deepEqual, equal, ok } from "node:assert/strict";
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { pid } from "node:process";
import { test } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";
import esbuild from "esbuild";
import { compactionOf } from "precis/ai-sdk";
import { z } from "zod";
import { faults, scripted, sdks } from "./sdks.mjs";

const tests = fileURLToPath(new URL("..", import.meta.url));
const made = join(tests, "node_modules/.programs");
mkdirSync(made, { recursive: true });
const page = readFileSync(join(tests, "../../docs/ai-sdk.md"), "utf8");
const route = [...page.matchAll(/^```ts\n(.*?)^```$/gms)]
  .map(([, code]) => code)
  .find((code) => code.includes("POST("));

/** What the guide says that versions 5 and 6 call what version 7 does. */
const EARLIER = [
  [/\bisStepCount\b/g, "stepCountIs"],
  [/\bonStepEnd\b/g, "onStepFinish"],
  [/\bonEnd\b/g, "onFinish"],
  [/^( +)instructions,$/m, "$1system: instructions,"],
  [/\btoUIMessageStream\(\{\n\s+stream: result\.stream,\n(\s+tools: all,)?/, "result.toUIMessageStream({"],
  [/\btoUIMessageStream, /, ""],
];
const routeOf = (version) =>
  EARLIER.reduce((text, [name, earlier]) => {
    ok(text.match(name), `${name} is not in the guide`);
    return version < 7 ? text.replace(name, earlier) : text;
  }, route);

const packageOf = { 5: "ai5", 6: "ai6", 7: "ai" };
const LONG = "The quick brown fox jumps over the lazy dog, and then it does so again. ".repeat(150);
const say = (text) => ({ content: [{ type: "text", text }] });

/** A database of one process: what it holds at any time is what a process that is killed then leaves behind. */
class Database {
  messages = [];
  states = new Map();
  log = [];

  static of(rows) {
    return Object.assign(new Database(), structuredClone({ messages: rows.messages, states: rows.states }));
  }

  async append(_, message) {
    await null;
    this.log.push(`append ${message.role}`);
    this.messages.push(structuredClone(message));
  }

  async load() {
    await null;
    return structuredClone(this.messages);
  }

  async get(key) {
    return structuredClone(this.states.get(key) ?? null);
  }

  async compareAndSet(key, state, previous) {
    await null;
    if ((this.states.get(key)?.revision ?? null) !== previous) return false;
    this.log.push(`state ${state.revision}`);
    this.states.set(key, structuredClone(state));
    return true;
  }
}

let built = 0;
/** The route as a process that has just begun runs it. */
async function routeWith(sdk, standIns) {
  const outfile = join(made, `route-${sdk.version}-${pid}-${built++}.mjs`);
  globalThis.standIns ??= {};
  globalThis.standIns[outfile] = standIns;
  await esbuild.build({
    ...{ stdin: { contents: routeOf(sdk.version), loader: "ts", resolveDir: made }, outfile },
    ...{ bundle: true, format: "esm", target: "es2022" },
    banner: { js: `const { model, small, tools, db } = globalThis.standIns[${JSON.stringify(outfile)}];` },
    plugins: [
      {
        name: "versions",
        setup: ({ onResolve }) =>
          onResolve({ filter: /^[^./]/ }, ({ path, kind }) =>
            kind === "entry-point"
              ? undefined
              : { path: path === "ai" ? packageOf[sdk.version] : path, external: true },
          ),
      },
    ],
  });
  const { POST } = await import(pathToFileURL(outfile));
  const process = built;
  let asked = 0;
  return async (text) => {
    const message = { id: `${process}-${asked++}`, role: "user", parts: [{ type: "text", text }] };
    const body = JSON.stringify({ id: "chat", message });
    const response = await POST(new Request("https://example.com", { method: "POST", body }));
    equal(response.status, 200);
    return response.text();
  };
}

const read = (sdk) => sdk.ai.tool({ inputSchema: z.object({ path: z.string() }), execute: async () => LONG });
/** What each message of a prompt or a chat says. */
const saidIn = (messages) => messages.map((message) => JSON.stringify(message.parts ?? message.content));

for (const sdk of sdks) {
  test(`${sdk.name}: the chat route, turn by turn: state and messages are stored, compactions are shown`, async () => {
    const model = scripted(sdk, (prompt) => {
      const asked = prompt.slice(prompt.findLastIndex(({ role }) => role === "user"));
      if (asked.some(({ role }) => role === "tool")) return say(`That is what I found. ${LONG}`);
      return {
        content: [{ type: "tool-call", toolCallId: `c${prompt.length}`, toolName: "read", input: { path: "a" } }],
      };
    });
    const small = scripted(sdk, () => say("- the fox jumped, many times, and each time the file was read again"));
    const db = new Database();
    const ask = await routeWith(sdk, {
      model: model.model,
      small: small.model,
      tools: { read: read(sdk) },
      db,
    });
    const turns = 36;
    for (let turn = 0; turn < turns; turn++) {
      await ask(`Question ${turn}? ${LONG}`);
      equal(db.messages.length, 2 * turn + 2);
      ok(db.messages.at(-1).metadata.context.tokens > 0);
    }
    for (const { prompt, at } of model.requests) deepEqual(faults(prompt), [], `request ${at}`);
    ok(small.requests.length > 0, "nothing was summarized");
    const shown = db.messages.map((message) => compactionOf(message)).filter((data) => data !== null);
    ok(shown.length > 0, "no compaction was shown");
    for (const { status, summary, messageId, before, after } of shown) {
      equal(status, "done");
      ok(after < before);
      ok(summary === null || summary.includes("the fox jumped"));
      ok(messageId === null || db.messages.some(({ id }) => id === messageId));
    }
    ok(
      shown.some(({ summary, messageId }) => summary !== null && messageId !== null),
      "no summary was shown",
    );
    ok(db.states.get("main:chat").revision > 0);
  });

  test(`${sdk.name}: two requests at once lose neither question nor answer, nor a state`, async () => {
    const answers = (prompt) => say(`Re: ${JSON.stringify(prompt.at(-1).content).match(/Question \w+/)?.[0]}. ${LONG}`);
    const model = scripted(sdk, answers, { delay: () => new Promise((done) => setTimeout(done, 2)) });
    const small = scripted(sdk, () => say("- the fox jumped, many times, and each time the file was read again"));
    const db = new Database();
    const standIns = { model: model.model, small: small.model, tools: {}, db };
    // Two processes, as a platform starts them.
    const [one, other] = [await routeWith(sdk, standIns), await routeWith(sdk, standIns)];
    const turns = 14;
    for (let turn = 0; turn < turns; turn++)
      await Promise.all([one(`Question ${turn}a? ${LONG}`), other(`Question ${turn}b? ${LONG}`)]);
    const of = (role) => saidIn(db.messages.filter((message) => message.role === role));
    const [questions, said] = [of("user"), of("assistant")];
    for (let turn = 0; turn < turns; turn++)
      for (const tab of ["a", "b"]) {
        equal(
          questions.filter((text) => text.includes(`Question ${turn}${tab}? `)).length,
          1,
          `question ${turn}${tab}`,
        );
        ok(
          said.some((text) => text.includes(`Re: Question ${turn}`)),
          `answer ${turn}${tab}`,
        );
      }
    equal(db.messages.length, turns * 4);
    equal(new Set(db.messages.map(({ id }) => id)).size, turns * 4, "an id came twice");
    const revisions = db.log.filter((line) => line.startsWith("state")).map((line) => Number(line.slice(6)));
    ok(
      revisions.every((revision, at) => at === 0 || revision >= revisions[at - 1]),
      `${revisions}`,
    );
  });

  test(`${sdk.name}: a process that is killed in the middle loses nothing that was stored or asked`, async () => {
    let left = null;
    const db = new Database();
    const wait = { none: true };
    const model = scripted(sdk, () => say(`Fine. ${LONG}`), {
      delay: async () => {
        if (wait.none) return;
        // The request is out: what the database holds now is what a killed process leaves.
        left = Database.of(db);
        await new Promise(() => {});
      },
    });
    const small = scripted(sdk, () => say("- the fox jumped, many times, and each time the file was read again"));
    const ask = await routeWith(sdk, { model: model.model, small: small.model, tools: {}, db });
    const turns = 46;
    for (let turn = 0; turn < turns; turn++) await ask(`Question ${turn}? ${LONG}`);
    wait.none = false;
    ask("Question lost? And never delete the blue file.");
    while (!left) await new Promise((done) => setTimeout(done, 5));
    ok(saidIn(left.messages).at(-1).includes("Question lost?"), "the question is stored before it is answered");
    const sent = model.requests.at(-1).prompt;
    // What was sent came of the state that is stored: the next process sends the same before its own question.
    const again = scripted(sdk, () => say("Fine again."));
    const next = await routeWith(sdk, { model: again.model, small: small.model, tools: {}, db: left });
    await next("Question after?");
    const { prompt } = again.requests.at(-1);
    const said = saidIn(prompt);
    ok(said.some((text) => text.includes("never delete the blue file")) && said.at(-1).includes("Question after?"));
    const before = saidIn(sent);
    deepEqual(said.slice(0, 3), before.slice(0, 3), "the summary is the one that was sent before");
    ok(left.states.get("main:chat").revision > 0);
    equal(left.messages.length, 2 * turns + 3);
  });
}
