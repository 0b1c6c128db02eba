// Every option beside every other, on chats of every shape: what each request keeps to, judged by rules that are not the
// engine's. PRECIS_CASES says how many chats a run has; how many requests these were is printed.

import fc from "fast-check";
import { createCompactor } from "precis";
import { check } from "precis/testing";
import { newlyRefused } from "../../providers/relative.mjs";
import { deepEqual, equal, frozen, ok, test } from "./harness.mjs";
import { cases } from "./length.mjs";
import { callOf, examples, messagesOf, optionsOf, requests } from "./requests.mjs";
import { fingerprint } from "./scenarios.mjs";

/** About three requests a chat. */
const count = Number(process.env.PRECIS_CASES ?? cases(200, 40));
const seed = process.env.CI ? { seed: 20261127 + Number(process.env.PRECIS_PART ?? 0) } : {};
const copy = (value) => JSON.parse(JSON.stringify(value));

const partsOf = ({ content, parts, output }) => parts ?? (Array.isArray(content) ? content : [content ?? output]);
const holds = (message, part) => partsOf(message).includes(part);
const summarize = ({ prompt }) => `- notes of ${fingerprint(prompt)}`;
const STARTS = "[Summary of the conversation so far]";
/** Estimated tokens of the frame around a summary, and some to spare. */
const FRAME = 100;

/** Places where two messages of one role follow each other, if they do not in the history. */
function adjacent(view, history) {
  const roleOf = ({ role }) => (role === "model" ? "model" : "user");
  return view.flatMap((message, at) => {
    const before = view[at - 1];
    if (!before || roleOf(before) !== roleOf(message)) return [];
    const [one, other] = [history.indexOf(before), history.indexOf(message)];
    return one >= 0 && other === one + 1 ? [] : [`${at}: ${roleOf(message)}`];
  });
}

function sound(setup, call, { view, report, state }) {
  const { shape, frame } = setup;
  const { messages } = call;
  const { tokens, bound, window, trigger } = report.after;
  const mayLose = ["tight", "infeasible"].includes(report.outcome);
  deepEqual(
    check(shape.format, view).filter(({ rule }) => !check(shape.format, messages).some((fault) => fault.rule === rule)),
    [],
    "no fault that the history does not have",
  );
  // Mistral alone wants an answer of the assistant between a pinned result and the summary.
  const refused = newlyRefused(shape.format, messages, view).filter((one) => !one.startsWith("mistral role-order"));
  deepEqual(refused, [], "no provider refuses what it takes of the history");
  if (shape.format.alternation === "strict") deepEqual(adjacent(view, messages), [], "roles take turns");
  if (report.outcome !== "infeasible") ok(tokens < window, `${tokens} of ${window}`);
  ok(JSON.stringify(state).length <= 64_000, "the state is small");
  deepEqual(copy(state), state);
  // No message is sent twice.
  const own = view.filter((message) => messages.includes(message));
  equal(new Set(own).size, own.length, "a message is in the view twice");
  // Pinned messages stay whole, alone or in a message that holds all their parts, but for thinking that is bound.
  const { pin } = call;
  const leaves = report.thinking?.leftOut.length > 0;
  const isThought = (part) => leaves && ["thinking", "reasoning"].includes(part?.type);
  if (pin && !mayLose)
    for (const [index, message] of messages.entries())
      if (pin(message, index) && !report.warnings.some(({ code }) => code.startsWith("pin")))
        ok(
          view.some(
            (sent) => sent === message || partsOf(message).every((part) => isThought(part) || holds(sent, part)),
          ),
          `pinned message ${index} is not in the view`,
        );
  // What the host puts around summaries is there wherever there is room.
  const summary = JSON.stringify(view).includes(STARTS);
  if (frame && summary && tokens + bound + FRAME < Math.min(trigger, report.after.trigger))
    ok(
      JSON.stringify(view).includes(JSON.stringify(frame.after).slice(1, -1)),
      `no frame at ${tokens} + ${bound} of ${trigger}`,
    );
  return report;
}

test("whatever the options and the shape, what is sent is sound and the same again", async () => {
  let sent = 0;
  await fc.assert(
    fc.asyncProperty(requests, async ([setup, chat]) => {
      const options = { ...optionsOf(setup), ...(setup.summarizes && { summarize }) };
      const compactor = createCompactor(options);
      let [history, state, number] = [[], null, 0];
      // A chat begins with a person, where roles take turns each of them waits for the other.
      for (const events of chat) {
        for (const event of [{ type: "user", size: 4, media: false }, ...events])
          history = follow(setup, history, messagesOf(setup, event, number++));
        const messages = frozen(history.slice());
        const call = callOf(setup, messages, state);
        const prepared = await compactor.beforeModel(call);
        sent += 1;
        sound(setup, call, prepared);
        const fresh = createCompactor(options);
        const again = await fresh.beforeModel({ ...call, messages: copy(messages), state: copy(state) });
        equal(
          JSON.stringify(again.view),
          JSON.stringify(prepared.view),
          "a compactor that has seen nothing sends the same",
        );
        deepEqual(again.state, prepared.state);
        if (!["tight", "infeasible"].includes(prepared.report.outcome)) {
          const next = await compactor.beforeModel({ ...call, state: prepared.state });
          equal(JSON.stringify(next.view), JSON.stringify(prepared.view), "the request again gives the same view");
        }
        const twice = await compactor.beforeModel(call);
        equal(JSON.stringify(twice.view), JSON.stringify(prepared.view), "the same call twice gives the same view");
        state = prepared.state;
      }
    }),
    { examples, numRuns: count, ...seed, endOnFailure: process.env.PRECIS_SHRINK === "0", includeErrorInReport: true },
  );
  console.log(`${sent} requests`);
});

/** A history with more messages; where roles take turns, those that would stand beside one of their own role are left out. */
function follow({ shape }, history, more) {
  if (shape.format.alternation !== "strict") return [...history, ...more];
  const isModel = ({ role }) => role === "model";
  const last = history.at(-1);
  if (more.length === 0 || (last && isModel(last) === isModel(more[0]))) return history;
  return [...history, ...more];
}
