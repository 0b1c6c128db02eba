// The programs of the guide that store a chat without the AI SDK, run as they stand there: two requests at once, and a process
// that is killed in the middle. (Those of docs/ai-sdk.md are run by tests/js/ai-sdk/docs.test.mjs.)
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pid } from "node:process";
import { fileURLToPath, pathToFileURL } from "node:url";
import esbuild from "esbuild";
import { createCompactor, summaryOf } from "precis";
import { openaiChat } from "precis/formats";
import { check } from "precis/testing";
import { deepEqual, equal, ok, test } from "./harness.mjs";

const tests = fileURLToPath(new URL("..", import.meta.url));
const made = join(tests, "node_modules/.programs");
mkdirSync(made, { recursive: true });

/** The block of a page that holds this text, with windows in which a short chat is a long one. */
function blockOf(page, text) {
  const guide = readFileSync(join(tests, `../../docs/${page}.md`), "utf8");
  const block = [...guide.matchAll(/^```ts\n(.*?)^```$/gms)]
    .map(([, code]) => code)
    .find((code) => code.includes(text));
  ok(block, `docs/${page}.md has no block with ${text}`);
  return block.replace(
    /contextWindow: \d+_000, maxOutputTokens: \d+_000/,
    "contextWindow: 6_000, maxOutputTokens: 400",
  );
}

let built = 0;
/** A block as a module that has just begun, with what it does not declare. */
async function moduleOf(block, standIns) {
  const name = `page-${pid}-${built++}`;
  globalThis.standIns ??= {};
  globalThis.standIns[name] = standIns;
  const given = `const { ${Object.keys(standIns).join(", ")} } = globalThis.standIns["${name}"];\n`;
  const { code } = await esbuild.transform(block, { loader: "ts", format: "esm", target: "es2022" });
  const file = join(made, `${name}.mjs`);
  writeFileSync(file, given + code.replace(/import .* from "cloudflare:workers";/, ""));
  return import(pathToFileURL(file));
}

const LONG = "The quick brown fox jumps over the lazy dog, and then it does so again. ".repeat(12);
const pause = () => new Promise((done) => setTimeout(done, 1));
const said = (messages) => messages.map(({ content }) => content);
const TURNS = 16;

/** Whether every question and every answer of both tabs is there, once. */
function holdsAll(messages) {
  equal(messages.length, TURNS * 4);
  for (let turn = 0; turn < TURNS; turn++)
    for (const tab of ["a", "b"])
      for (const start of [`Question ${turn}${tab}?`, `Re: Question ${turn}${tab}`])
        equal(said(messages).filter((text) => text.startsWith(start)).length, 1, start);
}

/** Each page as a function that makes a process: it asks what is stored in `rows`, and the model by `ask(view)`. */
const pages = {
  async persistence(rows, model) {
    const compactor = createCompactor({ format: openaiChat, contextWindow: 6_000, maxOutputTokens: 400 });
    const { prepare, learn } = await moduleOf(blockOf("persistence", "function prepare("), { compactor });
    rows.messages ??= [];
    const pool = {
      async query(text, values) {
        await pause();
        if (text.startsWith("select")) {
          deepEqual(values, ["chat"]);
          return { rows: [structuredClone({ messages: rows.messages, state: rows.state ?? null })], rowCount: 1 };
        }
        const sets = text.includes("revision = $3 where") && text.includes("revision = $4");
        const [, state, revision, seen] = sets ? values : [values[0], values[1], values[2], values[2]];
        if ((rows.revision ?? 0) !== seen) return { rows: [], rowCount: 0 };
        Object.assign(rows, { state: JSON.parse(state), revision });
        rows.log = [...(rows.log ?? []), revision];
        return { rows: [], rowCount: 1 };
      },
    };
    return async (text) => {
      rows.messages.push({ role: "user", content: text });
      const { view, state, report } = await prepare(pool, "chat");
      const answer = await model(view, text);
      rows.messages.push({ role: "assistant", content: answer });
      await learn(pool, "chat", state, { prompt_tokens: report.after.tokens }, report.request);
    };
  },

  async start(rows, model) {
    rows.messages ??= [];
    const db = {
      load: async () => structuredClone({ messages: rows.messages, state: rows.state ?? null }),
      async saveState(_, state) {
        await pause();
        Object.assign(rows, { state: structuredClone(state), revision: state.revision });
      },
    };
    const block = `${blockOf("start", "db.saveState(").replaceAll("aiSdk", "openaiChat")}\nexport { prepared };`;
    return async (text) => {
      rows.messages.push({ role: "user", content: text });
      const { prepared } = await moduleOf(block, { db });
      rows.messages.push({ role: "assistant", content: await model(prepared.view, text) });
    };
  },

  async workers(rows, model) {
    rows.messages ??= [];
    const sql = {
      exec(text, ...values) {
        const all = (list) => ({ toArray: () => list });
        if (text.startsWith("create table")) return all([]);
        if (text.startsWith("select json from message"))
          return all(rows.messages.slice(values[0]).map((message) => ({ json: JSON.stringify(message) })));
        if (text.startsWith("select count")) return all([{ count: rows.messages.length }]);
        if (text.startsWith("select json from state"))
          return all(rows.state ? [{ json: JSON.stringify(rows.state) }] : []);
        if (text.startsWith("insert into message")) {
          equal(values[0], rows.messages.length);
          rows.messages.push(JSON.parse(values[1]));
        } else if (text.startsWith("insert or replace into state")) {
          rows.state = JSON.parse(values[0]);
          rows.revision = rows.state.revision;
        } else throw new Error(`no such statement: ${text}`);
        return all([]);
      },
    };
    let alarm = false;
    const storage = {
      sql,
      transactionSync: (work) => work(),
      setAlarm: async () => {
        alarm = true;
      },
    };
    class DurableObject {
      constructor(ctx, env) {
        Object.assign(this, { ctx, env });
      }
    }
    const fetch = async (_, { body }) => {
      const { messages } = JSON.parse(body);
      const isSummary = messages.length === 2 && messages[0].role === "system";
      const content = isSummary
        ? "- the fox jumped, many times, and the blue file is not to be deleted"
        : await model(messages, messages.at(-1).content);
      return Response.json({ choices: [{ message: { content }, finish_reason: "stop" }], usage: { prompt_tokens: 1 } });
    };
    const { Chat } = await moduleOf(blockOf("workers", "extends DurableObject"), { DurableObject, fetch });
    const chat = new Chat({ storage }, { OPENAI_API_KEY: "none" });
    return async (text) => {
      await chat.turn(text);
      if (!alarm) return;
      alarm = false;
      await chat.alarm();
    };
  },
};

for (const [page, begin] of Object.entries(pages)) {
  test(`docs/${page}.md: two requests at once lose neither question nor answer, nor a state`, async () => {
    const rows = {};
    const model = async (view, text) => {
      deepEqual(check(openaiChat, view), []);
      await pause();
      return `Re: ${text.slice(0, 14).trim()}. ${LONG}`;
    };
    // Two processes on one database; a Durable Object is one.
    const one = await begin(rows, model);
    const other = page === "workers" ? one : await begin(rows, model);
    for (let turn = 0; turn < TURNS; turn++)
      await Promise.all([one(`Question ${turn}a? ${LONG}`), other(`Question ${turn}b? ${LONG}`)]);
    holdsAll(rows.messages);
    ok(rows.revision > 0 && summaryOf(rows.state) !== null, "nothing was covered");
    const { log = [] } = rows;
    ok(
      log.every((revision, at) => at === 0 || revision >= log[at - 1]),
      `${log}`,
    );
  });

  test(`docs/${page}.md: a process that is killed in the middle loses nothing that was stored or asked`, async () => {
    const rows = {};
    const wait = { none: true };
    let [left, sent] = [null, null];
    const ask = await begin(rows, async (view) => {
      sent = view;
      if (wait.none) return `Fine. ${LONG}`;
      left = structuredClone({ messages: rows.messages, state: rows.state, revision: rows.revision });
      return new Promise(() => {});
    });
    for (let turn = 0; turn < 30; turn++) await ask(`Question ${turn}? ${LONG}`);
    wait.none = false;
    ask("Question lost? And never delete the blue file.");
    while (!left) await pause();
    ok(said(left.messages).at(-1).startsWith("Question lost?"), "the question is stored before it is answered");
    let after = null;
    const next = await begin(left, async (view) => {
      after = view;
      return "Fine again.";
    });
    await next("Question after?");
    ok(said(after).some((text) => text.includes("never delete the blue file")));
    ok(said(after).at(-1).startsWith("Question after?"));
    equal(said(after)[0], said(sent)[0], "the summary is the one that was sent before");
    ok(left.revision > 0);
    equal(left.messages.length, 2 * 30 + 3);
  });
}
