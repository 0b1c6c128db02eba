// examples/recipes: they run as they are, and keep what they promise when they are interrupted.
import { deepEqual, equal, ok } from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";
import { openaiChat } from "precis/formats";
import { check } from "precis/testing";

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "recipes-"));
cpSync(here("../../../examples/recipes"), folder, {
  recursive: true,
  filter: (path) => !/node_modules|chat\.json/.test(path),
});
symlinkSync(here("../node_modules"), join(folder, "node_modules"), "junction");
after(() => rmSync(folder, { recursive: true, force: true }));

const { ask, compactor, inFile, migrate } = await import(pathToFileURL(join(folder, "migrate.mjs")));
const run = () => execFileSync(process.execPath, ["migrate.mjs"], { cwd: folder, encoding: "utf8" });
const chatFile = join(folder, "chat.json");

test("a chat of 5,001 messages is summarized ahead of time, and its next request asks nobody", async () => {
  const said = run();
  const progress = [...said.matchAll(/^(\d+) of at most (\d+) questions answered$/gm)];
  ok(progress.length > 8, said);
  progress.forEach(([line, done, total], at) => {
    equal(Number(done), at + 1, line);
    ok(Number(done) <= Number(total), line);
  });
  ok(said.endsWith(" messages, 0 summarizer calls before it.\n"), said);
  ok(!existsSync(`${chatFile}.migration`));
  const { messages, state } = JSON.parse(readFileSync(chatFile, "utf8"));
  const { view, report } = await compactor.beforeModel({ messages, state });
  deepEqual(check(openaiChat, view), []);
  equal(report.summarizer.calls, 0);
  equal(state.checkpoints.at(-1).kind, "summary");
  deepEqual(
    report.warnings.filter(({ code }) => code === "summary-limited"),
    [],
  );
  ok(run().includes("Nothing has to be summarized."));
});

test("a migration that is stopped goes on where it was, and asks no question twice, while the chat grows", async () => {
  const file = join(folder, "stopped.json");
  const { messages } = JSON.parse(readFileSync(chatFile, "utf8"));
  writeFileSync(file, JSON.stringify({ messages, state: null }));
  const answered = [];
  let left = 0;
  const summarize = async (request) => {
    if (left === 0) throw new Error("stopped");
    left -= 1;
    answered.push(request.id);
    return ask(request);
  };
  let report;
  for (let sitting = 0; report === undefined; sitting++) {
    ok(sitting < 50);
    left = 3;
    const going = migrate(inFile(file), `${file}.migration`, summarize);
    report = await going.catch(({ message }) => void equal(message, "stopped"));
    const chat = JSON.parse(readFileSync(file, "utf8"));
    chat.messages.push({ role: "assistant", content: "Is there more?" }, { role: "user", content: `Yes, ${sitting}.` });
    writeFileSync(file, JSON.stringify(chat));
  }
  equal(report.rung, "summarize");
  equal(new Set(answered).size, answered.length);
  equal(report.summarizer.calls, answered.length);
  const chat = JSON.parse(readFileSync(file, "utf8"));
  const next = await compactor.beforeModel(chat);
  equal(next.report.summarizer.calls, 0);
  deepEqual(check(openaiChat, next.view), []);
  equal(next.view.at(-1).content, chat.messages.at(-1).content);
});

test("a state that somebody stored meanwhile is not written over", async () => {
  const { messages } = JSON.parse(readFileSync(chatFile, "utf8"));
  const file = join(folder, "written.json");
  writeFileSync(file, JSON.stringify({ messages, state: null }));
  const store = inFile(file);
  let others = 0;
  const contested = {
    load: () => store.load(),
    async save(state, revision) {
      if (others++ === 0) {
        // A request of another process, which a digest helped: it stores first.
        const chat = JSON.parse(readFileSync(file, "utf8"));
        const prepared = compactor.commit(chat, compactor.plan(chat));
        writeFileSync(file, JSON.stringify({ ...chat, state: prepared.state }));
      }
      return store.save(state, revision);
    },
  };
  const report = await migrate(contested, `${file}.migration`);
  equal(others, 2);
  equal(report.rung, "summarize");
  const { state } = JSON.parse(readFileSync(file, "utf8"));
  equal(state.checkpoints.at(-1).kind, "summary");
  equal(state.revision, 2);
});
