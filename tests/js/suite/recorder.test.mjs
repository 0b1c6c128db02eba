// recorder() of precis/testing: what is recorded of a production chat, and that no text of it is, unless asked for.
import { createCompactor, summaryOf } from "precis";
import { aiSdk, anthropic, openaiChat } from "precis/formats";
import { history, recorder, replay, scriptedSummarizer } from "precis/testing";
import { deepEqual, equal, frozen, ok, test, throws } from "./harness.mjs";

const SECRET = "the customer's IBAN is DE89370400440532013000";
/** A summarizer that fails with a text of its own, then quotes the chat. */
const summarizer = () => scriptedSummarizer([new Error(`refused: ${SECRET}`), ...Array(60).fill(`- ${SECRET}`)]);
const limits = { contextWindow: 6_000, maxOutputTokens: 600, summarizer: { contextWindow: 128_000 } };
const usage = (view) => ({ prompt_tokens: JSON.stringify(view).length >> 2, completion_tokens: 9, note: SECRET });
const parsed = (text) =>
  text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line));

/** Every piece of this length of a text. */
function pieces(text, length) {
  const found = new Set();
  for (let at = 0; at + length <= text.length; at++) found.add(text.slice(at, at + length));
  return found;
}

async function record(format, messages, options) {
  const recording = recorder(options);
  const compactor = recording.watch(
    createCompactor({
      format,
      ...limits,
      onEvent: recording.onEvent,
      summarize: summarizer(),
    }),
    () => "chat-1",
  );
  const replayed = await replay(compactor, format, messages, usage);
  return { recording, replayed };
}

for (const format of [openaiChat, anthropic, aiSdk]) {
  const messages = frozen(history(format, { seed: 11, turns: 24 }));

  test(`${format.name}: by default no string of the chat longer than a tool name is recorded`, async () => {
    const { recording, replayed } = await record(format, messages);
    const text = recording.text();
    const lines = parsed(text);
    equal(lines.filter(({ type }) => type === "report").length, replayed.requests.length);
    ok(lines.some(({ outcome }) => outcome === "compacted"));
    ok(lines.some(({ summarizer }) => summarizer?.failed));
    // What is recorded are words of precis's own: none is of the chat, of what the summarizer said, or of the state.
    const own = JSON.stringify([messages, summaryOf(replayed.state), SECRET]);
    const longest = 12;
    const recorded = lines.flatMap((line) => strings(line)).filter((one) => one.length > longest);
    for (const one of recorded) ok(!own.includes(one), `${one} is of the chat`);
    const of = pieces(text, longest + 1);
    for (const piece of pieces(own, longest + 1)) ok(!of.has(piece), `"${piece}" is of the chat`);
  });

  test(`${format.name}: sizes, changes and usage are those of the reports`, async () => {
    const { recording, replayed } = await record(format, messages);
    const lines = parsed(recording.text());
    const reports = lines.filter(({ type }) => type === "report");
    for (const [at, { report }] of replayed.requests.entries()) {
      const { request, outcome, after, changes, warnings, chat } = reports[at];
      deepEqual({ request, outcome, chat }, { request: report.request, outcome: report.outcome, chat: "chat-1" });
      deepEqual(after, { ...report.after });
      equal(changes.length, report.changes.length);
      deepEqual(
        warnings,
        report.warnings.map(({ code }) => code),
      );
    }
    const used = lines.filter(({ type }) => type === "usage");
    equal(used.length, replayed.requests.length);
    ok(used.every(({ prompt, output, chat }) => prompt > 0 && output === 9 && chat === "chat-1"));
    ok(lines.some(({ type, event }) => type === "event" && event === "start"));
  });

  test(`${format.name}: with texts the chat can be put together again from it`, async () => {
    const { recording, replayed } = await record(format, messages, { texts: true });
    const again = [];
    let view = [];
    let state = null;
    for (const line of parsed(recording.text())) {
      if (line.type === "messages") again.splice(line.from, again.length, ...line.messages);
      if (line.type === "view") ({ view, state } = line);
    }
    const last = replayed.requests.at(-1);
    deepEqual(again, JSON.parse(JSON.stringify(messages.slice(0, again.length))));
    ok(again.length >= messages.length - 1);
    equal(state.revision, last.state.revision);
    const whole = view.map((one) => (typeof one === "number" ? again[one] : one));
    deepEqual(whole, JSON.parse(JSON.stringify(last.view.slice(0, whole.length))));
  });
}

test("lines go where the host wants them, with its time; a host that fails costs the line, not the request", async () => {
  const lines = [];
  const messages = history(openaiChat, { seed: 3, turns: 3 });
  const recording = recorder({ write: (line) => lines.push(line), now: () => 1234 });
  const compactor = recording.watch(createCompactor({ format: openaiChat, ...limits }));
  await compactor.beforeModel({ messages: messages.slice(0, 1) });
  equal(recording.text(), "");
  equal(lines.length, 1);
  ok(lines[0].endsWith("\n"));
  const { at, chat, type } = JSON.parse(lines[0]);
  deepEqual({ at, chat, type }, { at: 1234, chat: undefined, type: "report" });

  const full = () => {
    throw new Error("the disk is full");
  };
  for (const failing of [{ write: full }, { now: full }, { texts: true, write: full }]) {
    const broken = recorder(failing);
    const watched = broken.watch(createCompactor({ format: openaiChat, ...limits, onEvent: broken.onEvent }), full);
    const { view } = await watched.beforeModel({ messages });
    ok(view.length > 0);
  }
});

test("a report that is none is not recorded, and does not throw; wrong options do", () => {
  const recording = recorder();
  recording.onReport(null);
  recording.onReport({ outcome: SECRET, changes: [], before: { parts: {} }, after: { parts: {} } });
  recording.onUsage(SECRET);
  recording.onEvent({ type: "start", id: SECRET, reason: SECRET, before: { parts: {} } });
  ok(!recording.text().includes("IBAN"));
  throws(() => recorder({ write: "file.jsonl" }), { code: "invalid-call" });
  throws(() => recorder(null), { code: "invalid-call" });
});

function strings(value) {
  if (typeof value === "string") return [value];
  if (typeof value !== "object" || value === null) return [];
  return Object.values(value).flatMap(strings);
}
