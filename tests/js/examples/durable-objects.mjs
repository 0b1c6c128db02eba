// node tests/js/examples/durable-objects.mjs: the example for Cloudflare under load, on this machine alone. Many writers
// talk in many chats while the process is killed at random moments and started again on the same storage. Then every
// chat is read and compared with what its writers were told. Prints the figures; exits 1 if anything is wrong.
//   --chats 200 --writers 20 --turns 5000 --kills 20 --seed 1 --minutes 15
import { createCompactor } from "precis";
import { openaiChat } from "precis/formats";
import { buildAny } from "../../../js/scripts/build.mjs";
import { main } from "../../../js/scripts/common.mjs";
import { random } from "../suite/scenarios.mjs";
import { refuses, together } from "./bodies.mjs";
import { model, pause, words } from "./model.mjs";
import { worker } from "./worker.mjs";

const window = 4_000;
const maxOutputTokens = 300;

main(import.meta.url, async (args) => {
  const option = (name, otherwise) => Number(args[args.indexOf(`--${name}`) + 1 || Number.NaN] ?? otherwise);
  const chats = option("chats", 200);
  const writers = option("writers", 20);
  const turns = option("turns", 5_000);
  const kills = option("kills", 20);
  const seed = option("seed", 1);
  const until = Date.now() + option("minutes", 15) * 60_000;
  await buildAny();

  const provider = await model({ window, seed });
  const host = await worker({
    CONTEXT_WINDOW: String(window),
    MAX_OUTPUT_TOKENS: String(maxOutputTokens),
    OPENAI_API_KEY: "none",
    OPENAI_BASE_URL: provider.url,
  });
  const faults = [];
  const told = Array.from({ length: chats }, () => new Map());
  const figures = { retries: 0, answered: 0, killed: 0, "killed while summarizing": 0, slowest: 0 };
  let restarting = Promise.resolve();
  const rng = random(seed);
  const due = Array.from({ length: kills }, () => Math.floor((0.02 + 0.96 * rng()) * turns)).sort((a, b) => a - b);
  const from = performance.now();
  try {
    await host.start();
    const good = (_, id, text) => ({ id, text });
    for (const attack of [refuses, together]) {
      const url = `${host.url}/chats/${attack.name}`;
      await attack({ url, good, stored: async () => (await (await fetch(url)).json()).messages });
    }
    await Promise.all(Array.from({ length: writers }, (_, number) => write(number)));
    await restarting;
    // Alarms that are still to come.
    for (let quiet = 0, before = -1; quiet < 5; quiet = provider.seen.summaries === before ? quiet + 1 : 0) {
      before = provider.seen.summaries;
      await pause(100);
    }
    const seconds = (performance.now() - from) / 1_000;
    // What lies on the disk counts, not what a process still remembers.
    await host.kill();
    await host.start();
    const read = await readAll();
    faults.push(...provider.wrong);
    report(seconds, read);
  } finally {
    await host.kill();
    provider.close();
  }
  if (figures.killed !== kills) faults.push(`killed ${figures.killed} times instead of ${kills}`);
  for (const fault of faults.slice(0, 20)) console.log(`WRONG: ${fault}`);
  console.log(faults.length === 0 ? "ok: nothing lost, nothing doubled" : `${faults.length} faults`);
  process.exitCode = faults.length === 0 ? 0 : 1;

  async function write(number) {
    const own = random(seed * 1_000 + number + 1);
    const share = Math.floor(turns / writers) + (number < turns % writers ? 1 : 0);
    for (let turn = 1; turn <= share; turn++) {
      const chat = Math.floor(own() * chats);
      const id = `${number}-${turn}`;
      const text = `#${id}# Question ${turn}: ${words(own, own() < 0.05 ? 400 : 10 + Math.floor(own() * 80))}?`;
      told[chat].set(id, { text, answer: await ask(chat, id, text, own) });
      figures.answered += 1;
      if (figures.answered >= due[0]) {
        due.shift();
        restarting = restarting.then(() => crash(rng() * 60));
      }
    }
  }

  /** Asks until there is an answer, as a client would whose connection breaks. */
  async function ask(chat, id, text, own) {
    const asked = performance.now();
    for (;;) {
      if (Date.now() > until) throw new Error("the time is over");
      try {
        const body = JSON.stringify({ id, text });
        const response = await fetch(`${host.url}/chats/chat-${chat}`, {
          method: "POST",
          body,
          signal: AbortSignal.timeout(30_000),
        });
        const events = (await response.text()).split("\n\n").filter(Boolean);
        const { done, error } = JSON.parse(events.at(-1)?.slice(6) ?? "{}");
        if (typeof done === "string") {
          figures.slowest = Math.max(figures.slowest, performance.now() - asked);
          return done;
        }
        if (error) faults.push(`turn ${id}: ${error}`);
        if (faults.length > 100) throw Object.assign(new Error("too many faults"), { final: true });
      } catch (error) {
        if (error.final) throw error;
      }
      figures.retries += 1;
      await pause(20 + own() * 60);
    }
  }

  /** Every second time in the middle of a summary, if one is asked for within two seconds. */
  async function crash(after) {
    await pause(after);
    if (figures.killed % 2 === 1) for (let left = 400; left > 0 && provider.seen.asking === 0; left--) await pause(5);
    if (provider.seen.asking > 0) figures["killed while summarizing"] += 1;
    await host.kill();
    figures.killed += 1;
    await host.start();
  }

  /** Every chat as it is stored, against what its writers were told. */
  async function readAll() {
    const compactor = createCompactor({ format: openaiChat, contextWindow: window, maxOutputTokens });
    const read = { messages: 0, checkpoints: {}, largest: 0 };
    for (const [chat, turns] of told.entries()) {
      const { messages, state, usage } = await (await fetch(`${host.url}/chats/chat-${chat}`)).json();
      const wrong = (what) => faults.push(`chat ${chat}: ${what}`);
      read.messages += messages.length;
      const questions = messages.filter(({ role }) => role === "user");
      const answers = messages.filter(({ role }) => role === "assistant");
      if (questions.length !== turns.size) wrong(`${questions.length} questions, ${turns.size} were asked`);
      if (answers.length !== new Set(answers.map(({ content }) => content)).size) wrong("an answer is there twice");
      if (answers.length > questions.length) wrong(`${answers.length} answers to ${questions.length} questions`);
      for (const [id, { text, answer }] of turns) {
        const asked = messages.flatMap((message, at) => (message.id === id ? [at] : []));
        if (asked.length !== 1) wrong(`question ${id} is there ${asked.length} times`);
        else if (messages[asked[0]].content !== text) wrong(`question ${id} is another`);
        const said = messages.slice(asked[0]).find(({ role }) => role === "assistant");
        if (said?.content !== answer) wrong(`the answer to ${id} is not the one that was told`);
      }
      if (turns.size === 0) continue;
      const history = messages.map(({ role, content }) => ({ role, content }));
      const { report } = await compactor.beforeModel({ messages: history, state });
      if (report.diverged) wrong(`its state does not fit: ${report.diverged.reason}`);
      for (const { code } of report.warnings) wrong(`its state: ${code}`);
      if (!(usage.tokens > 0)) wrong("its meter shows nothing");
      read.largest = Math.max(read.largest, JSON.stringify(state).length);
      for (const { kind } of state.checkpoints ?? []) read.checkpoints[kind] = (read.checkpoints[kind] ?? 0) + 1;
    }
    return read;
  }

  function report(seconds, { messages, checkpoints, largest }) {
    const { answers, summaries, longest } = provider.seen;
    const kinds = Object.entries(checkpoints).map(([kind, count]) => `${count} by ${kind}`);
    console.log(
      [
        `${chats} chats, ${writers} writers, ${figures.answered} turns answered in ${seconds.toFixed(1)} s`,
        `killed ${figures.killed} times, ${figures["killed while summarizing"]} of them while a summary was written; ${figures.retries} attempts were repeated, the longest turn took ${Math.round(figures.slowest)} ms`,
        `${messages} messages stored; checkpoints in the states: ${kinds.join(", ")}; the largest state has ${largest} characters`,
        `${answers} answers and ${summaries} summaries asked of the model, the longest request and its reply ${longest} of ${window} tokens; ${provider.wrong.length} refused`,
      ].join("\n"),
    );
  }
});
