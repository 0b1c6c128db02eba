// What is carried through by identity and counted, whatever it is.
import { createCompactor } from "precis";
import { aiSdk, anthropic, openaiChat } from "precis/formats";
import { deepEqual, equal, frozen, ok, same, test } from "./harness.mjs";

const user = (content) => ({ role: "user", content });
const part = (one) => user([{ type: "text", text: "see:" }, one]);
const result = (value) => ({
  role: "tool",
  content: [{ type: "tool-result", toolCallId: "c", toolName: "t", output: { type: "json", value } }],
});
const call = (input) => ({
  role: "assistant",
  content: [{ type: "tool-call", toolCallId: "c", toolName: "t", input }],
});
const long = "word ".repeat(100);
const polluted = JSON.parse(`{"__proto__":{"polluted":"${long}"},"constructor":{"prototype":{"polluted":1}}}`);
class Own {
  note = long;
  get shout() {
    return this.note.toUpperCase();
  }
}

const carried = {
  "an unknown role": [openaiChat, { role: "critic", content: long }],
  "an unknown part": [openaiChat, part({ type: "hologram", depth: long })],
  "an unknown block": [anthropic, part({ type: "hologram", depth: long })],
  "no role at all": [aiSdk, { content: long }],
  "a URL": [aiSdk, part({ type: "image", image: new URL("https://example.com/cat.png") })],
  "a URL in a value": [aiSdk, result({ url: new URL(`https://example.com/?q=${"cat".repeat(99)}`) })],
  "a Uint8Array": [aiSdk, part({ type: "file", data: new Uint8Array(9_000), mediaType: "image/png" })],
  "a Uint8Array in a value": [aiSdk, result({ bytes: new Uint8Array(900) })],
  "an ArrayBuffer": [aiSdk, part({ type: "file", data: new ArrayBuffer(9_000), mediaType: "application/pdf" })],
  "a Date": [aiSdk, result({ at: new Date(0), long })],
  "an invalid Date": [aiSdk, result({ at: new Date(Number.NaN), long })],
  "a Map and a Set": [aiSdk, result({ map: new Map([[1, 2]]), set: new Set([1]), long })],
  "a BigInt": [aiSdk, call({ id: 12345678901234567890n, long })],
  "undefined, functions and symbols": [aiSdk, call({ a: undefined, b: () => 1, c: Symbol("c"), d: [undefined], long })],
  "numbers JSON has not": [aiSdk, call({ a: Number.NaN, b: Number.POSITIVE_INFINITY, c: -0, long })],
  "an object of a class": [aiSdk, result(new Own())],
  "an object without a prototype": [aiSdk, result(Object.assign(Object.create(null), { long }))],
  "a lone surrogate": [openaiChat, user(`${long} cut\ud83d`)],
  "a lone surrogate in a value": [aiSdk, call({ cut: `\ude00${long}` })],
  "__proto__ keys": [aiSdk, result(polluted)],
  "__proto__ in arguments": [
    openaiChat,
    {
      role: "assistant",
      content: null,
      tool_calls: [{ id: "c", type: "function", function: { name: "t", arguments: JSON.stringify(polluted) } }],
    },
  ],
  "null characters": [openaiChat, user(`\0${long}\0`)],
};

for (const [name, [format, message]] of Object.entries(carried)) {
  test(`carried through: ${name}`, async () => {
    const compactor = createCompactor({ format, contextWindow: 200_000, maxOutputTokens: 1_000, repair: false });
    const hello = user("Hello.");
    const messages = [hello, frozen(message), user("And now?")];
    const without = compactor.usage({ messages: [hello, user("And now?")] });
    ok(compactor.usage({ messages }).raw > without.raw, "counted");
    const { view, changed, state, report } = await compactor.beforeModel({ messages, state: null });
    equal(changed, false);
    ok(same(view, messages));
    equal(report.outcome, "unchanged");
    const again = await compactor.beforeModel({ messages, state: JSON.parse(JSON.stringify(state)) });
    equal(again.report.diverged, null);
    deepEqual({}.polluted, undefined);
  });
}

test("carried through: a string of 50 MB", async () => {
  const compactor = createCompactor({ format: openaiChat, contextWindow: 100_000_000, maxOutputTokens: 1_000 });
  const huge = user("ab漢".repeat(10_000_000));
  const { view, report } = await compactor.beforeModel({ messages: [huge], state: null });
  equal(view[0], huge);
  ok(report.after.raw > 5_000_000);
});

test("a message changed in place is read again, and so is what a format now says of it", () => {
  const compactor = createCompactor({ format: openaiChat, contextWindow: 200_000, maxOutputTokens: 1_000 });
  const messages = [user("Hello."), user(long), user("And now?")];
  const before = compactor.usage({ messages }).raw;
  messages[1].content = long + long;
  const longer = compactor.usage({ messages }).raw;
  ok(longer > before);
  messages[1].content = [{ type: "text", text: long }];
  equal(compactor.usage({ messages }).raw, before);
  messages[1].content[0].text = long + long;
  equal(compactor.usage({ messages }).raw, longer);
  messages[1].content.push({ type: "text", text: long });
  ok(compactor.usage({ messages }).raw > longer);
  messages[1].role = "assistant";
  ok(compactor.usage({ messages }).parts.assistant > 0);
});

test("of a message changed in place, the copy that was sent before is not sent again", async () => {
  const make = () => createCompactor({ format: openaiChat, contextWindow: 1_000 });
  const lines = (word) => `${word} line of what was read; `.repeat(400);
  const call = { id: "a", type: "function", function: { name: "read", arguments: "{}" } };
  const messages = [
    user("Read it."),
    { role: "assistant", content: null, tool_calls: [call] },
    { role: "tool", tool_call_id: "a", content: lines("first") },
    { role: "assistant", content: "I have read it." },
    user("Go on."),
  ];
  const compactor = make();
  const sent = async (by) => JSON.stringify((await by.beforeModel({ messages })).view);
  const first = await sent(compactor);
  ok(first.includes("first line") && first.length < 5_000);
  messages[2].content = lines("second");
  const second = await sent(compactor);
  ok(second.includes("second line") && !second.includes("first line"));
  equal(second, await sent(make()));
});

test("a message of plain values is read again when one is changed, added, taken away or renamed", () => {
  const compactor = createCompactor({ format: openaiChat, contextWindow: 200_000, maxOutputTokens: 1_000 });
  const messages = [user("Hello."), user(long), user("And now?")];
  const raw = () => compactor.usage({ messages }).raw;
  const fresh = () =>
    createCompactor({ format: openaiChat, contextWindow: 200_000, maxOutputTokens: 1_000 }).usage({ messages }).raw;
  const changes = [
    (message) => (message.content += " More."),
    (message) => (message.role = "assistant"),
    (message) => (message.tool_calls = [{ id: "c1", type: "function", function: { name: "f", arguments: long } }]),
    (message) => delete message.tool_calls,
    (message) => delete message.content,
    (message) => (message.refusal = long),
    (message) => Object.defineProperty(message, "content", { get: () => long + long, enumerable: true }),
  ];
  for (const change of changes) {
    raw();
    change(messages[1]);
    equal(raw(), fresh(), String(change));
  }
});

test("what a format says of a message from elsewhere is heard each time", () => {
  const texts = new Map([["a", ""]]);
  const read = ({ id }, to) => {
    to.role("user");
    to.text(0, texts.get(id));
  };
  const format = { ...openaiChat, read };
  const compactor = createCompactor({ format, contextWindow: 200_000, maxOutputTokens: 1_000 });
  const messages = [{ id: "a" }];
  const before = compactor.usage({ messages }).raw;
  texts.set("a", long);
  ok(compactor.usage({ messages }).raw > before);
});

test("media cost what they show, not what they weigh", () => {
  const compactor = createCompactor({ format: aiSdk, contextWindow: 200_000_000, maxOutputTokens: 1_000 });
  const raw = (data) => compactor.usage({ messages: [user([{ type: "file", data, mediaType: "image/png" }])] }).raw;
  const base64 = "A".repeat(40_000);
  equal(raw(base64), raw(`data:image/png;base64,${base64}`));
  equal(raw(base64), raw(new Uint8Array(30_000)));
  ok(raw(new URL("https://example.com/cat.png")) > 0);
  ok(raw({ type: "reference", reference: { openai: "file-1" } }) > 0);
});

test("a format of one's own, whose read throws on what it does not know", async () => {
  const notes = {
    name: "notes",
    read(message, to) {
      to.role({ me: "user", bot: "assistant" }[message.author]);
      to.text(0, message.body.toString());
    },
    summary: (body) => ({ author: "me", body }),
    replace: (message, _, body) => ({ ...message, body }),
  };
  const compactor = createCompactor({ format: notes, contextWindow: 8_000, maxOutputTokens: 500 });
  const messages = frozen([
    { author: "me", body: "Hi." },
    { author: "bot" },
    { author: "cat", body: "Meow." },
    { author: "me", body: "Go on." },
  ]);
  const { view, report } = await compactor.beforeModel({ messages });
  ok(same(view, messages));
  ok(report.warnings.some(({ code }) => code === "opaque-content"));
});
