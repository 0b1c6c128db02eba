// examples/recipes/many-chats under load: stored chats are summarized ahead of time through a queue while workers are killed
// with a summary out, the model refuses now and then, and people go on writing. Every chat is summarized once, none is lost,
// and no question that was answered is asked again.
//   node tests/js/examples/queued-chats.mjs bullmq --chats 10000 --kills 40
//   node tests/js/examples/queued-chats.mjs cloudflare --chats 10000 --kills 20
import { deepEqual, equal, ok } from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { parseArgs } from "node:util";
import { chat } from "../../../examples/recipes/support.mjs";
import { main, packages } from "../../../js/scripts/common.mjs";
import { bullmq } from "./queued/bullmq.mjs";
import { cloudflare } from "./queued/cloudflare.mjs";
import { summarizingModel } from "./queued/model.mjs";

/** One of them is that long: its summary takes several rounds. */
const LONG = 5_000;
const backends = { bullmq, cloudflare };

main(import.meta.url, async (args) => {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      chats: { type: "string", default: "300" },
      kills: { type: "string", default: "6" },
    },
  });
  await packages("examples/recipes/many-chats");
  const { compactor } = await import("../../../examples/recipes/many-chats/ahead.mjs");
  for (const name of positionals) await run(name, compactor, Number(values.chats), Number(values.kills));
});

async function run(name, compactor, chats, kills) {
  const folder = mkdtempSync(join(tmpdir(), "queued-chats-"));
  const model = await summarizingModel({ milliseconds: 100, failEvery: 41 });
  const backend = await backends[name]({ folder, model });
  try {
    for (let from = 0; from < chats; from += 100)
      await backend.fill(
        Array.from({ length: Math.min(100, chats - from) }, (_, at) => {
          const number = from + at;
          return { id: `chat-${number}`, messages: messagesOf(number) };
        }),
      );
    const began = performance.now();
    await backend.begin();
    const { killed, wrote } = await worked(backend, model, chats, kills);
    await backend.end();
    const seconds = (performance.now() - began) / 1_000;
    await judge(backend, compactor, chats, wrote);
    const repeated = [...model.asked.values()].reduce((sum, times) => sum + times - 1, 0);
    const most = backend.mostTwice();
    ok(repeated <= most, `${repeated} answers were asked for again, at most ${most} can have been lost`);
    ok(model.seen.cut >= killed, `${killed} kills cut ${model.seen.cut} summaries off`);
    ok(model.seen.refused > 0, "the model refused nothing");
    console.log(
      `${name}: ${chats} chats, one of ${LONG} messages: all summarized, each once, none lost; ${killed} kills cut ${model.seen.cut} summaries off, the model refused ${model.seen.refused}, ${wrote.size} chats were written to meanwhile; ${model.seen.answered} answers, ${repeated} of them a second time; ${seconds.toFixed(0)} s.`,
    );
  } finally {
    await backend.stop();
    model.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * Chats of a few lengths; the long one among them, and some that take several questions. Every message names its customer,
 * so that no two chats ask the model the same.
 */
function messagesOf(number) {
  const messages = number === 1 ? chat(LONG, 120) : chat(number % 97 === 2 ? 400 : 80 + (number % 7) * 2, 420);
  return messages.map(({ role, content }) => ({ role, content: `Customer ${number}: ${content}` }));
}

/** Lets the workers work, kills them while summaries are out, and writes to chats. */
async function worked(backend, model, chats, kills) {
  let killed = 0;
  let shown = 0;
  const wrote = new Set();
  for (let late = performance.now() + 3_600_000; ; ) {
    const { done, total, underway } = await backend.progress();
    ok(performance.now() < late, `only ${done} of ${total} after an hour`);
    if (done - shown >= chats / 10) {
      shown = done;
      console.log(`${done} of ${total} chats${underway === undefined ? "" : `, ${underway} under way`}`);
    }
    if (done === chats) {
      equal(total, chats);
      ok(killed === kills, `only ${killed} of ${kills} kills`);
      return { killed, wrote };
    }
    // Somebody writes to a chat that may be under way.
    const id = `chat-${(wrote.size * 37) % chats}`;
    if (!wrote.has(id)) {
      await backend.append(id, [
        { role: "assistant", content: "Is there anything else?" },
        { role: "user", content: `Yes: ${id}.` },
      ]);
      wrote.add(id);
    }
    if (killed < kills && done >= (killed / (kills + 1)) * chats) {
      const release = model.hold();
      const { cut } = model.seen;
      for (let left = 1_000; left > 0; left--) {
        if (await backend.kill()) {
          killed += 1;
          break;
        }
        await wait(5);
      }
      // On a busy machine it takes a while until all of a process is gone.
      for (let left = 400; model.seen.cut === cut && left > 0; left--) await wait(5);
      release();
    } else await wait(50);
  }
}

/** Every chat is whole, was summarized once, and its next request asks nobody. */
async function judge(backend, compactor, chats, wrote) {
  for (let from = 0; from < chats; from += 100) {
    const ids = Array.from({ length: Math.min(100, chats - from) }, (_, at) => `chat-${from + at}`);
    for (const [at, { messages, state }] of (await backend.read(ids)).entries()) {
      const id = ids[at];
      const given = messagesOf(from + at);
      deepEqual(messages.slice(0, given.length), given, id);
      equal(messages.length, given.length + (wrote.has(id) ? 2 : 0), id);
      equal(state?.revision, 1, `${id} was stored ${state?.revision ?? 0} times`);
      equal(state.checkpoints.length, 1, id);
      equal(state.checkpoints[0].kind, "summary", id);
      const { report } = await compactor.beforeModel({ messages, state });
      equal(report.summarizer.calls, 0, id);
      equal(report.outcome, "reused", id);
    }
  }
}
