// node tests/js/examples/smoke.mjs: the examples for the AI SDK and for Deno, each run for some turns as a person would,
// with the packages of the tests. `next` instead builds the one for Next.js and drives
// its page in Chromium, which takes a minute. Prints what it saw; exits 1 if anything is wrong.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createCompactor } from "precis";
import { aiSdk, openaiChat } from "precis/formats";
import { check } from "precis/testing";
import { buildAny } from "../../../js/scripts/build.mjs";
import { at, cache, end, freePort, main } from "../../../js/scripts/common.mjs";
import { node, npmBinary } from "../../../js/scripts/tools.mjs";
import { refusesTexts } from "./bodies.mjs";
import { next } from "./next.mjs";

const place = join(cache, "examples");

main(import.meta.url, async ([word]) => {
  await buildAny();
  rmSync(place, { recursive: true, force: true });
  mkdirSync(place, { recursive: true });
  if (word === "next") return next();
  await agents();
  await deno();
  console.log("ok");
});

/** The same twelve questions to version 7 and version 6, in two sittings each: what is stored must be the same. */
async function agents() {
  const folder = copy("ai-sdk-agent");
  symlinkSync(at("tests/js/node_modules"), join(folder, "node_modules"));
  const files = join(folder, "files");
  mkdirSync(files);
  for (const name of ["a.log", "b.log", "c.log"])
    writeFileSync(join(files, name), `${name}: ${"one line of a long file, 4711\n".repeat(500)}`);
  const stored = [];
  for (const sdk of ["ai", "ai6"]) {
    const chat = join(folder, `${sdk}.json`);
    let said = "";
    for (const sitting of [1, 2]) {
      const lines = Array.from({ length: 6 }, (_, turn) => `What stands in file ${10 * sitting + turn}?\n`).join("");
      said += await fed(await node(22), ["agent.mjs", files, chat], folder, { AI_SDK: sdk }, lines);
    }
    assert.match(said, /compacted, /, `${sdk} compacted nothing:\n${said}`);
    const { messages, state } = JSON.parse(readFileSync(chat, "utf8"));
    assert.equal(messages.filter(({ role }) => role === "user").length, 12);
    assert.deepEqual(check(aiSdk, messages), []);
    const { report } = createCompactor({ format: aiSdk, contextWindow: 16_000, maxOutputTokens: 1_000 }).plan({
      messages,
      state,
    });
    assert.equal(report.diverged, null);
    stored.push(messages);
    console.log(
      `ai-sdk-agent, ${sdk}: 12 turns, ${messages.length} messages, ${said.match(/compacted, /g).length} compactions`,
    );
  }
  assert.deepEqual(
    stored[0].map(({ role }) => role),
    stored[1].map(({ role }) => role),
  );
}

/** Two servers on one store, four clients at once in one chat: nothing is lost, and the state opens. */
async function deno() {
  const folder = copy("deno");
  const path = join(folder, "deno.json");
  writeFileSync(
    path,
    readFileSync(path, "utf8").replaceAll("../../pkg/", "./pkg/").replace("npm:zod@4.6.7", "./zod/index.js"),
  );
  cpSync(at("pkg"), join(folder, "pkg"), { recursive: true });
  cpSync(at("tests/js/node_modules/zod"), join(folder, "zod"), { recursive: true });
  const ports = [await freePort(), await freePort()];
  const binary = await npmBinary("deno");
  const names = "OPENAI_API_KEY,CONTEXT_WINDOW,STORE,PORT";
  const args = [
    "run",
    "--no-prompt",
    "--unstable-kv",
    "--allow-net=127.0.0.1",
    `--allow-env=${names}`,
    "--allow-read=.",
  ];
  const servers = ports.map((port) =>
    spawn(binary, [...args, "--allow-write=.", "server.ts"], {
      cwd: folder,
      detached: true,
      stdio: ["ignore", "ignore", "inherit"],
      env: {
        ...process.env,
        PORT: String(port),
        STORE: join(folder, "kv.db"),
        CONTEXT_WINDOW: "4000",
        OPENAI_API_KEY: "",
        DENO_NO_UPDATE_CHECK: "1",
      },
    }),
  );
  try {
    for (const port of ports) await listens(`http://127.0.0.1:${port}/nobody`);
    await refusesTexts(`http://127.0.0.1:${ports[0]}`);
    const asked = [];
    await Promise.all(
      [0, 1, 2, 3].map(async (client) => {
        for (let turn = 1; turn <= 12; turn++) {
          const text = `Question ${client}-${turn}: ${"what does the book say of ships? ".repeat(1 + (turn % 5))}`;
          asked.push(text);
          const response = await fetch(`http://127.0.0.1:${ports[client % 2]}/shared`, { method: "POST", body: text });
          assert.equal(response.status, 200, await response.text());
        }
      }),
    );
    const { messages, state } = await (await fetch(`http://127.0.0.1:${ports[0]}/shared`)).json();
    const questions = messages.filter(({ role }) => role === "user").map(({ content }) => content);
    assert.deepEqual(questions.toSorted(), asked.toSorted(), "every question is there once");
    assert.equal(messages.length, 2 * asked.length);
    const system = { role: "system", content: "You are a patient librarian. Answer in a few sentences." };
    const compactor = createCompactor({ format: openaiChat, contextWindow: 4_000, maxOutputTokens: 300 });
    const { report } = compactor.plan({ messages: [system, ...messages], state });
    assert.equal(report.diverged, null);
    assert.ok(state.checkpoints.length > 0);
    console.log(
      `deno: two servers on one store, ${messages.length} messages of four clients at once, none lost, none twice`,
    );
  } finally {
    for (const server of servers) end(server);
  }
}

/** A copy of an example, with nothing above it that it could find. */
function copy(name) {
  const folder = join(place, name);
  cpSync(at("examples", name), folder, { recursive: true, filter: (path) => !/node_modules|\.next/.test(path) });
  return folder;
}

/** What a program says that is given some lines. */
function fed(binary, args, cwd, env, lines) {
  return new Promise((done, fail) => {
    const child = spawn(binary, args, {
      cwd,
      detached: true,
      env: { ...process.env, AI_GATEWAY_API_KEY: undefined, ...env },
    });
    const late = setTimeout(() => end(child), 60_000);
    let said = "";
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding("utf8").on("data", (chunk) => {
        said += chunk;
      });
    child.on("close", (code) => {
      clearTimeout(late);
      if (code === 0) done(said);
      else fail(new Error(`${args[0]} ended with ${code}:\n${said}`));
    });
    child.stdin.end(lines);
  });
}

async function listens(url) {
  for (let left = 200; ; left--) {
    if (
      await fetch(url).then(
        () => true,
        () => false,
      )
    )
      return;
    if (left === 0) throw new Error(`nothing listens at ${url}`);
    await new Promise((again) => setTimeout(again, 50));
  }
}
