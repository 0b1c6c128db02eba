// A long chat that precis has never seen, summarized ahead of time: `node migrate.mjs [chat.json]`. Without a file it makes
// up a chat of 5,001 messages. It may be stopped and started again: what was answered is not asked again.
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { createCompactor } from "precis";
import { openaiChat } from "precis/formats";

/** Questions that are out at the same time: providers limit rates. */
const AT_ONCE = 4;

/** The compactor of the app: the same options as where `beforeModel` is called. */
export const compactor = createCompactor({
  format: openaiChat,
  contextWindow: 32_000,
  maxOutputTokens: 2_000,
  summarizer: { contextWindow: 16_000 },
  // Plans ask only if there is somebody to ask.
  summarize: (request) => ask(request),
});

/** Your model in place of this stand-in: `system`, `prompt` and the reply limit to send are in the request. */
export async function ask({ kind, prompt }) {
  const orders = new Set(prompt.match(/order \d+/g));
  const named = [...orders].slice(0, 40).join(", ");
  return { text: `- ${kind}: the person asked about ${named || "their orders"}.`, finishReason: "stop" };
}

/**
 * Summarizes the past of a chat, and stores its state.
 *
 * @param chat - `load()`: its messages and its state; `save(state, revision)`: stores a state if that is still the
 *   revision of the one that is stored, and says whether it was.
 * @param notes - a folder for what must survive until the end: the plan and the answers to it.
 * @returns the report of the last commit; null if there was nothing to summarize.
 */
export async function migrate(chat, notes, summarize = ask, tell = () => {}) {
  mkdirSync(notes, { recursive: true });
  const planFile = join(notes, "plan.json");
  let call = await chat.load();
  let plan = read(planFile) ?? compactor.plan({ ...call, threshold: "soft" });
  let done = 0;
  for (;;) {
    if (plan.requests.length === 0) return null;
    write(planFile, plan);
    const requests = compactor.requests(call, plan);
    // The chat was changed where the plan covers it: a new plan is needed.
    if (requests.length === 0) {
      rmSync(notes, { recursive: true });
      return migrate(chat, notes, summarize, tell);
    }
    const answers = new Array(requests.length);
    const work = requests.entries();
    const worker = async () => {
      for (const [at, request] of work) {
        const file = join(notes, `${encodeURIComponent(request.id)}.json`);
        answers[at] = read(file);
        if (!answers[at]) {
          answers[at] = await summarize(request);
          write(file, answers[at]);
        }
        done += 1;
        tell(done, plan.total);
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, worker));
    // The chat may be longer by now, and its state another one: the plan holds as long as what it covers is the same.
    for (;;) {
      call = await chat.load();
      const { state, report, next } = compactor.commit(call, plan, answers);
      if (next) {
        plan = next;
        break;
      }
      if (await chat.save(state, call.state?.revision ?? 0)) {
        rmSync(notes, { recursive: true });
        return report;
      }
    }
  }
}

const read = (file) => (existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : null);

/** Whole or not at all, also if the process is killed while it writes. */
function write(file, value) {
  writeFileSync(`${file}.new`, JSON.stringify(value));
  renameSync(`${file}.new`, file);
}

/** A chat in a file `{ messages, state }`. With several writers, use a database: see the other examples. */
export function inFile(file) {
  return {
    load: async () => JSON.parse(readFileSync(file, "utf8")),
    async save(state, revision) {
      const chat = JSON.parse(readFileSync(file, "utf8"));
      if ((chat.state?.revision ?? 0) !== revision) return false;
      write(file, { ...chat, state });
      return true;
    },
  };
}

function madeUp(file) {
  const messages = Array.from({ length: 5_001 }, (_, at) =>
    at % 2
      ? { role: "assistant", content: `I looked at order ${at - 1}: it left the house on time and was signed for.` }
      : {
          role: "user",
          content: `What about order ${at}? The customer has written twice and wants to know where it is.`,
        },
  );
  write(file, { messages, state: null });
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  const file = process.argv[2] ?? "chat.json";
  if (!existsSync(file)) madeUp(file);
  const report = await migrate(inFile(file), `${file}.migration`, ask, (done, total) =>
    console.log(`${done} of at most ${total} questions answered`),
  );
  console.log(report ? report.reason : "Nothing has to be summarized.");
  const { messages, state } = await inFile(file).load();
  const { view, report: first } = await compactor.beforeModel({ messages, state });
  console.log(`The next request: ${view.length} messages, ${first.summarizer.calls} summarizer calls before it.`);
}
