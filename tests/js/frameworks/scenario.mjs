// The same tool loop for every framework: an agent that reads one file after another, against the server of a provider that
// refuses what the provider refuses, and counts tokens by a measure of its own.
import { deepEqual, equal, ok } from "node:assert/strict";
import { createServer } from "../../providers/server.mjs";
import { cases } from "../suite/length.mjs";

export const WINDOW = 8_000;
export const REPLY = 500;
export const STEPS = cases(200, 50);
/** Where one long run was played already, in the same framework. */
export const FEW = 50;
/** What the user asks, and what no request may be without. */
export const NEEDLE = "invoice 4711";
export const REQUEST = `Which of the files mentions the ${NEEDLE}? Answer in one formal sentence.`;
export const SYSTEM = "You search files.";

/** What a file holds; some are twenty times as long as others. `times`: as many lines. */
export const contentOf = (path, times = 1) => {
  const number = Number(/\d+/.exec(path)?.[0] ?? 0);
  const lines = times * (number % 9 === 8 ? 60 : 3 + (number % 7));
  return `#${path}#\n${Array.from({ length: lines }, (_, line) => `line ${line} of ${path}: the quick brown fox jumps over the lazy dog.`).join("\n")}`;
};

/** Reads a file in each step, two in some; each reply thinks and says something. */
export const scriptOf =
  (steps = STEPS) =>
  (_, n) => {
    if (n >= steps - 1) return { thought: "That is all.", text: "No file mentions it." };
    const calls = Array.from({ length: n % 3 === 0 ? 2 : 1 }, (_, i) => ({
      id: `call_${n}_${i}`,
      name: "read",
      input: { path: `src/file-${n}-${i}.ts` },
    }));
    return { thought: `The next is file ${n}.`, text: `Step ${n}: I look.`, calls };
  };

/** The same of a model that does not think. */
export const plainScriptOf =
  (steps = STEPS) =>
  (request, n) => ({ ...scriptOf(steps)(request, n), thought: undefined });

/** What providers count of a request, by the bytes of all that is sent. */
export const tokensOf = ({ messages, input, contents, system, instructions, tools }) =>
  Math.ceil(JSON.stringify([messages ?? input ?? contents, system ?? instructions ?? null, tools ?? []]).length / 4);

/**
 * A server, and the face of `fetch` on it. `tooLong`: the numbers of the requests that it calls too long whatever they are.
 * `memory`: of the server that the chat began with, which gives no id twice.
 */
export function serve(name, { steps = STEPS, script = scriptOf(steps), tooLong = [], memory } = {}) {
  const server = createServer(name, memory && { memory });
  let [number, answered] = [0, 0];
  const reply = server.fetch((request) => script(request, answered++));
  const fetch = (url, init) => (tooLong.includes(number++) ? refusal(name) : reply(url, init));
  return { server, fetch };
}

function refusal(name) {
  const message = /anthropic/.test(name)
    ? "prompt is too long: 9001 tokens > 8000 maximum"
    : "This model's maximum context length is 8000 tokens. However, your messages resulted in 9001 tokens. Please reduce the length of the messages.";
  const error = { type: "invalid_request_error", code: "context_length_exceeded", message, param: "messages" };
  const body = /anthropic/.test(name) ? { type: "error", error } : { error };
  return new Response(JSON.stringify(body), { status: 400, headers: { "content-type": "application/json" } });
}

/** None over the window, none refused, none without the user's request; and something was compacted. */
export function holds({ server }, { requests = STEPS, window = WINDOW, reply = REPLY, reports } = {}) {
  const refused = server.refused.map(([{ rule, text }]) => `${rule}: ${text}`);
  deepEqual(refused, []);
  equal(server.judged, requests);
  const bodies = server.requests.map(({ body }) => body);
  const sizes = bodies.map(tokensOf);
  const over = sizes.filter((size) => size + reply > window);
  deepEqual(over, [], `requests over the window of ${window}`);
  const without = bodies.flatMap((body, at) => (JSON.stringify(body).includes(NEEDLE) ? [] : [at]));
  deepEqual(without, [], "requests without what the user asked");
  if (reports) {
    ok(
      reports.some(({ outcome }) => outcome === "compacted"),
      "nothing was compacted",
    );
    ok(
      reports.some(({ before }) => before.source === "reported"),
      "usage was not learned",
    );
    deepEqual([...new Set(reports.flatMap(({ warnings }) => warnings.map(({ code }) => code)))], []);
  }
  return { peak: Math.max(...sizes) };
}

/** The same provider, whose model also writes summaries: requests without tools. `text`: what it writes. */
export function withSummaries(fetch, text = `- Every file so far was read. None mentions the ${NEEDLE}.`) {
  return async (url, init) => {
    const body = JSON.parse(init.body);
    if (body.tools?.length > 0) return fetch(url, init);
    const message = { role: "assistant", content: text };
    const usage = { prompt_tokens: 1_000, completion_tokens: 20, total_tokens: 1_020 };
    const choices = [{ index: 0, message, finish_reason: "stop" }];
    return Response.json({ id: "s", object: "chat.completion", created: 0, model: body.model, choices, usage });
  };
}
