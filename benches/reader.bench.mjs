// A model reads what is left of chats, and is asked a dozen questions about each: PRECIS_MODEL=FILE npm run bench -- reader.
// By itself: node benches/reader.bench.mjs [FILE] [--chat NAME]… [--questions N] [--fraction 0.4] [--threads 1] [--table]
// [--out FOLDER]. FILE is a model in GGUF; node-llama-cpp is looked for where PRECIS_LLAMA says. Never in CI: hours on a
// small machine. A view is read once, the questions branch from it. What was read, asked and said goes to FOLDER.
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { at, main, note, packages } from "../js/scripts/common.mjs";
import { row } from "./row.mjs";

/** Tokens of an answer, and of what the model can take: the longest of the chats, and its answer. */
const ANSWER = 48;
const ROOM = 16_384;

main(import.meta.url, async (args) => {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      chat: { type: "string", multiple: true },
      questions: { type: "string", default: "12" },
      fraction: { type: "string", default: "0.4" },
      threads: { type: "string", default: "1" },
      table: { type: "boolean", default: false },
      out: { type: "string", default: at("target/bench/reader") },
    },
  });
  const file = positionals[0] ?? process.env.PRECIS_MODEL ?? "";
  if (!existsSync(file)) {
    note("PRECIS_MODEL does not name a model: nothing is measured");
    return;
  }
  await packages("benches");
  const { model } = await import("./reader/model.mjs");
  const { ways } = await import("./reader/ways.mjs");
  const { asked, isRight, pages } = await import("./reader/asked.mjs");
  const reader = await model(file, { threads: Number(values.threads), room: ROOM });
  const results = [];
  mkdirSync(values.out, { recursive: true });
  for (const { chat, questions } of asked(values.chat, Number(values.questions))) {
    for (const { way, view, made } of await ways(chat, Number(values.fraction), reader)) {
      const page = pages(chat, view);
      const answers = [];
      for (const { fact, question } of questions) {
        const { text, finishReason } = await reader.ask(page(question), ANSWER);
        answers.push({ fact: fact.id, question, answer: text.trim(), finishReason, right: isRight(fact, text) });
      }
      const right = answers.filter(({ right }) => right).length;
      const read = finishes(answers);
      results.push({ chat: chat.name, way, right, asked: answers.length, tokens: reader.size(page("")), read, made });
      const name = `${chat.name}.${way.replaceAll(/\W+/g, "-")}`;
      writeFileSync(`${values.out}/${name}.json`, JSON.stringify({ way, made, answers, page: page("") }, null, 1));
      note(`${chat.name}, ${way}: ${right} of ${answers.length}`);
    }
  }
  if (values.table) table(results);
  else for (const one of rows(results)) console.log(JSON.stringify(one));
});

/** Whether the model could take the view at all. */
const finishes = (answers) => answers.every(({ finishReason }) => finishReason !== "too-long");

function* sums(results) {
  for (const way of new Set(results.map((one) => one.way))) {
    const own = results.filter((one) => one.way === way);
    const sum = (member) => own.reduce((all, one) => all + one[member], 0);
    yield { way, own, right: sum("right"), asked: sum("asked"), tokens: Math.round(sum("tokens") / own.length) };
  }
}

function rows(results) {
  return [...sums(results)].map(({ way, own, right, asked, tokens }) =>
    row(`answers of a model that reads ${way}`, right / asked, "of the questions", null, true, {
      samples: own,
      tokens,
    }),
  );
}

function table(results) {
  const chats = [...new Set(results.map(({ chat }) => chat))];
  console.log(`| | tokens | all | ${chats.join(" | ")} |\n|---|--:|--:|${"--:|".repeat(chats.length)}`);
  for (const { way, own, right, asked, tokens } of sums(results)) {
    const cells = chats.map((chat) => own.find((one) => one.chat === chat));
    const cell = (one) => (one?.read ? `${one.right}/${one.asked}` : "too long");
    console.log(`| ${way} | ${tokens} | ${right}/${asked} | ${cells.map(cell).join(" | ")} |`);
  }
}
