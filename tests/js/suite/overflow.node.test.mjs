// What providers answer to a request that is too long, in the shapes in which SDKs throw it.
import { readFileSync } from "node:fs";
import { createCompactor } from "precis";
import { openaiChat } from "precis/formats";
import { chat, deepEqual, equal, ok, test } from "./harness.mjs";
import { spread } from "./length.mjs";

const fixture = JSON.parse(readFileSync(new URL("../../fixtures/overflow.json", import.meta.url), "utf8"));
const history = chat(300, 400);
const WINDOW = 4_000_000;
const compactor = createCompactor({ format: openaiChat, contextWindow: WINDOW, maxOutputTokens: 1_000 });
const { state } = compactor.commit({ messages: history }, compactor.plan({ messages: history }));

const body = (text) => {
  try {
    return JSON.parse(text);
  } catch {
    return { error: { message: text } };
  }
};
class APICallError extends Error {
  constructor(message, statusCode) {
    super("Bad Request");
    Object.assign(this, { statusCode, responseBody: message, url: "https://example.com", isRetryable: false });
    // What was sent must not be read: it may quote anything.
    this.requestBodyValues = { messages: [{ role: "user", content: "rate limit, prompt is too long" }] };
  }
}
const shapes = {
  "an Error": (message, status) => Object.assign(new Error(message), { status }),
  "an error of an SDK with the body beside it": (message, status) =>
    Object.assign(new Error(`${status} status`), { status, error: body(message) }),
  "an APICallError": (message, status) => new APICallError(message, status),
  "the last of several tries": (message, status) =>
    Object.assign(new Error("Failed after 3 attempts."), { lastError: new APICallError(message, status), errors: [] }),
  "the cause of another": (message, status) =>
    new Error("The model failed.", { cause: Object.assign(new Error(message), { statusCode: status }) }),
  "an AWS error": (message, status) =>
    Object.assign(new Error(message), { name: "ValidationException", $metadata: { httpStatusCode: status } }),
  "plain JSON": (message, status) => ({ status, ...body(message) }),
};

for (const [shape, thrown] of Object.entries(shapes)) {
  test(`${shape} is read as the engine reads its text`, () => {
    for (const { provider, message, status, expected } of spread(fixture, 12)) {
      const call = { messages: history, state, overflow: thrown(message, status) };
      const { report, changed } = compactor.commit(call, compactor.plan(call));
      const codes = report.warnings.map(({ code }) => code);
      equal(codes.includes("not-an-overflow"), expected === null, `${provider}: ${message}`);
      if (expected === null) ok(!changed, `${provider}: ${message}`);
      if (expected?.limit) ok(report.after.window <= expected.limit, `${provider}: ${report.after.window}`);
    }
  });
}

test("a text alone is read, too", () => {
  const overflow = "prompt is too long: 80000 tokens > 64000 maximum";
  const { report } = compactor.commit({ messages: history, state, overflow }, compactor.plan({ messages: history }));
  deepEqual([report.after.window, report.before.tokens], [64_000, 80_000]);
});

test("no error is no refusal, and the host's own word is one", () => {
  const sizes = [undefined, null, false, true].map(
    (overflow) => compactor.usage({ messages: history, state, overflow }).window,
  );
  deepEqual(sizes.slice(0, 3), [WINDOW, WINDOW, WINDOW]);
  ok(sizes[3] < 80_000, `${sizes[3]}`);
});

test("errors that cannot be read are told, and nothing is thrown", () => {
  const hostile = new Proxy(
    {},
    {
      get() {
        throw new Error("no");
      },
    },
  );
  const cycle = { message: "hm" };
  cycle.cause = cycle;
  const compactor = createCompactor({ format: openaiChat, contextWindow: WINDOW });
  for (const overflow of [hostile, cycle, {}, [], 5, "", Symbol("x"), () => {}, new Map(), "x".repeat(9_000_000)]) {
    const { warnings } = compactor.plan({ messages: history, overflow }).report;
    ok(warnings.some(({ code }) => code === "not-an-overflow"));
  }
});
