// Objects of a host that do anything when they are read, in what a tool returned: the call is refused by name or goes on,
// and the chat is as it was.
import { createCompactor, PrecisError } from "precis";
import { aiSdk, anthropic, gemini, openaiChat, openaiResponses } from "precis/formats";
import { equal, ok, test } from "./harness.mjs";

const fails = () => {
  throw new Error("mine");
};
const handlers = { enumerable: true, configurable: true, value: 1 };
const revoked = () => {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
};
const detached = () => {
  const bytes = new Uint8Array(8);
  structuredClone(bytes.buffer, { transfer: [bytes.buffer] });
  return bytes;
};

/** What makes each, given something that calls the compactor. */
const hostile = {
  "a getter that throws": () => Object.defineProperty({}, "a", { enumerable: true, get: fails }),
  "names that throw": () => new Proxy({}, { ownKeys: fails }),
  "members that throw": () => new Proxy({ a: 1 }, { get: fails }),
  "a prototype that throws": () => new Proxy({ a: 1 }, { getPrototypeOf: fails }),
  "a proxy that was revoked": revoked,
  "bytes that went elsewhere": detached,
  "other names each time": () => {
    let next = 0;
    return new Proxy({}, { ownKeys: () => [`k${next++}`], getOwnPropertyDescriptor: () => handlers, get: () => "v" });
  },
  "a toJSON that throws": () => ({ toJSON: fails }),
  "a toJSON that is another each time": () => {
    let next = 0;
    return { toJSON: () => ({ next: next++ }) };
  },
  "a getter that calls the compactor": (again) => Object.defineProperty({}, "a", { enumerable: true, get: again }),
  "names of prototypes": () => JSON.parse('{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}'),
  "no date": () => new Date(Number.NaN),
  "what JSON does not know": () => ({ big: 10n, symbol: Symbol("x"), map: new Map([[1, 2]]), is() {} }),
  "halves of characters": () => ({ "\ud800": "\udfff \ud800" }),
};

const forms = {
  aiSdk: [
    aiSdk,
    (value) => [
      { role: "assistant", content: [{ type: "tool-call", toolCallId: "c", toolName: "look", input: {} }] },
      {
        role: "tool",
        content: [{ type: "tool-result", toolCallId: "c", toolName: "look", output: { type: "json", value } }],
      },
    ],
  ],
  anthropic: [
    anthropic,
    (content) => [
      { role: "assistant", content: [{ type: "tool_use", id: "c", name: "look", input: {} }] },
      { role: "user", content: [{ type: "tool_result", tool_use_id: "c", content }] },
    ],
  ],
  gemini: [
    gemini,
    (response) => [
      { role: "model", parts: [{ functionCall: { name: "look", args: {} } }] },
      { role: "user", parts: [{ functionResponse: { name: "look", response } }] },
    ],
  ],
  openaiChat: [
    openaiChat,
    (content) => [
      {
        role: "assistant",
        content: null,
        tool_calls: [{ id: "c", type: "function", function: { name: "look", arguments: "{}" } }],
      },
      { role: "tool", tool_call_id: "c", content },
    ],
  ],
  openaiResponses: [
    openaiResponses,
    (output) => [
      { type: "function_call", call_id: "c", name: "look", arguments: "{}" },
      { type: "function_call_output", call_id: "c", output },
    ],
  ],
};

for (const [format, [shape, step]] of Object.entries(forms)) {
  const says = (role, text) =>
    shape === gemini ? { role: role === "user" ? role : "model", parts: [{ text }] } : { role, content: text };
  const past = Array.from({ length: 12 }, (_, at) => [
    says("user", `What is in ${at}? ${"filler ".repeat(80)}`),
    says("assistant", `It is ${at}.`),
  ]).flat();
  const asked = [...past, says("user", "Go on.")];
  test(`${format}: whatever an object in a result does, the chat is as it was`, async () => {
    for (const [name, make] of Object.entries(hostile)) {
      const compactor = createCompactor({ format: shape, contextWindow: 2_000, maxOutputTokens: 100 });
      const first = await compactor.beforeModel({ messages: asked });
      equal(first.report.outcome, "compacted");
      const stored = JSON.stringify(first.state);
      let calls = 0;
      const value = make(() => {
        if (++calls < 4) compactor.usage({ messages: past });
        return "x";
      });
      const messages = [...asked, ...step(value), says("user", "And now?")];
      try {
        const { view, report } = await compactor.beforeModel({ messages, state: first.state });
        equal(report.diverged, null, name);
        equal(view.at(-1), messages.at(-1), name);
      } catch (error) {
        ok(error instanceof PrecisError && ["unreadable-value", "too-deep"].includes(error.code), `${name}: ${error}`);
        ok(error.path.startsWith("messages[26]"), `${name}: ${error.path}`);
      }
      equal(JSON.stringify(first.state), stored, name);
      const again = await compactor.beforeModel({ messages: asked, state: first.state });
      equal(JSON.stringify(again.view), JSON.stringify(first.view), name);
      equal({}.polluted, undefined, name);
    }
  });
}
