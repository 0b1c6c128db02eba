// checkFormat: every format of the package keeps its rules, and of formats that break one each is found.
import { PrecisError } from "precis";
import * as all from "precis/formats";
import { checkFormat, history } from "precis/testing";
import { CANNOT, CHATS, LETTERS, letters } from "./check-format.cases.mjs";
import { cases as samples } from "./formats.cases.mjs";
import { deepEqual, equal, frozen, match, ok, test, throws } from "./harness.mjs";
import { cases, spread } from "./length.mjs";

const { strict, aiSdkUI, ...formats } = all;
const rulesOf = ({ problems }) => [...new Set(problems.map(({ rule }) => rule))];

for (const [name, messages] of Object.entries(CHATS)) {
  test(`${name} keeps every rule, and all of them are tried`, () => {
    const { problems, untested } = checkFormat(formats[name], frozen(messages));
    deepEqual(problems, []);
    deepEqual(untested, CANNOT[name] ?? []);
  });
}

test("every format of the package is among them", () => {
  deepEqual(Object.keys(CHATS).sort(), Object.keys(formats).sort());
});

test("a format over which strict is spread keeps every rule", () => {
  for (const name of ["openaiChat", "anthropic", "mistral"])
    deepEqual(checkFormat({ ...formats[name], ...strict }, CHATS[name]).problems, [], name);
});

test("every message of the table of formats is read, copied and shortened by the rules", () => {
  const understood = samples.filter(({ said }) => said.some(([kind]) => kind === "role"));
  for (const { title, format, message } of spread(understood, 25)) {
    const { problems } = checkFormat(format, [message]);
    // A message by itself may be a result without its call.
    deepEqual(
      problems.filter(({ rule }) => rule !== "pairs"),
      [],
      title,
    );
  }
});

test("made-up histories have no problems in their formats", () => {
  for (const format of [formats.openaiChat, formats.anthropic, formats.aiSdk])
    for (let seed = 1; seed <= cases(3, 1); seed++)
      deepEqual(checkFormat(format, history(format, { seed }), { unsent: ["signature"] }).problems, [], format.name);
});

test("a format that only reads is checked for that", () => {
  const metadata = { note: "This is only shown to people." };
  const messages = [
    { id: "m1", role: "user", metadata, parts: [{ type: "text", text: "How is the weather?" }] },
    { id: "m2", role: "assistant", parts: [{ type: "step-start" }, { type: "text", text: "It rains." }] },
  ];
  deepEqual(rulesOf(checkFormat(aiSdkUI, messages)), ["unread"]);
  deepEqual(checkFormat(aiSdkUI, messages, { unsent: ["metadata"] }).problems, []);
});

test("a format of one's own that keeps every rule has no problems", () => {
  const { problems, untested } = checkFormat(letters, frozen(LETTERS));
  deepEqual(problems, []);
  deepEqual(untested, []);
  deepEqual(checkFormat({ ...letters, alternation: "strict" }, LETTERS).problems, []);
});

const KINDS = ["role", "text", "call", "result", "media", "approvalRequest", "opaque"];
/** The same format, of whose calls of the reader some are others. */
const withRead = (change) => ({
  ...letters,
  read(letter, to) {
    const same = Object.fromEntries(KINDS.map((kind) => [kind, (...given) => to[kind](...given)]));
    letters.read(letter, { ...same, ...change(to, letter) });
  },
});
const withReplace = (change) => ({ ...letters, replace: (...given) => change(letters.replace(...given), ...given) });
const counted = new WeakMap();
let next = 0;

/** A format that breaks one rule, the rules that are reported, and a part of what is said. */
const BROKEN = {
  "passes no role": [withRead(() => ({ role() {} })), ["read"], /no role/],
  "names a role of its own": [withRead((to) => ({ role: () => to.role("agent") })), ["read"], /one of system, user/],
  "passes its role last": [
    {
      ...letters,
      read(letter, to) {
        for (const [at] of letter.parts.entries()) to.text(at, "a letter");
        to.role("user");
      },
    },
    ["read"],
    /before everything else/,
  ],
  "passes values as texts": [
    withRead((to) => ({ text: (at, text) => to.text(at, { text }) })),
    ["read"],
    /must be a string/,
  ],
  "numbers parts from -1": [
    withRead((to) => ({ text: (at, text) => to.text(at - 1, text) })),
    ["read"],
    /whole number/,
  ],
  "calls what is no call of the reader": [
    { ...letters, read: (letter, to) => to.toolCall(letter) },
    ["read"],
    /read throws: to\.toolCall is not a function/,
  ],
  "copies the inputs of calls": [
    withRead((to) => ({ call: (id, name, input, at) => to.call(id, name, { ...input }, at) })),
    ["read-again"],
    /parse once/,
  ],
  "draws ids while it reads": [
    withRead((to) => ({ result: (at, _, output, failed) => to.result(at, `id ${next++}`, output, failed) })),
    ["read-again"],
    /something else/,
  ],
  "remembers messages by identity": [
    withRead((to, letter) => {
      if (!counted.has(letter)) counted.set(letter, counted.size ?? next++);
      return { text: (at, text) => to.text(at, `${counted.get(letter)}: ${text}`) };
    }),
    ["stored", "replace"],
    /outside of them/,
  ],
  "numbers all parts alike": [withRead((to) => ({ text: (_, text) => to.text(1, text) })), ["parts"], /same number/],
  "reads the first call only": [
    withRead((to) => {
      let calls = 0;
      return { call: (...given) => calls++ === 0 && to.call(...given) };
    }),
    ["unread"],
    /parts\[2\], but other elements/,
  ],
  "does not read pictures": [withRead(() => ({ media() {} })), ["unread"], /parts\[1\]/],
  "does not read what is said": [withRead(() => ({ text() {} })), ["unread"], /not counted/],
  "gives every message one id": [{ ...letters, id: () => "letter" }, ["ids"], /belongs to one message/],
  "draws ids": [{ ...letters, id: () => `${next++}` }, ["ids"], /another id/],
  "has numbers as ids": [{ ...letters, id: ({ number }) => Number(number) }, ["ids"], /own id/],
  "changes the ids of results": [
    withRead((to) => ({ result: (at, id, output, failed) => to.result(at, id.toUpperCase(), output, failed) })),
    ["pairs"],
    /"o1", "o2", results with "O1", "O2"\. Pass the same id/,
  ],
  "writes summaries as the assistant": [
    { ...letters, summary: (say) => ({ from: "agent", parts: [{ say }] }) },
    ["summary"],
    /role user/,
  ],
  "trims summaries": [
    { ...letters, summary: (say) => letters.summary(say.trim()) },
    ["summary"],
    /the one that was given/,
  ],
  "writes summaries that JSON does not keep": [
    { ...letters, summary: (say) => ({ ...letters.summary(say), date: new Date(0) }) },
    ["summary"],
    /JSON does not keep/,
  ],
  "returns no summary": [{ ...letters, summary: () => undefined }, ["summary"], /returns nothing/],
  "trims texts": [
    withReplace((_, letter, at, text) => letters.replace(letter, at, text.trim())),
    ["replace"],
    /should pass/,
  ],
  "replaces by a pattern": [
    {
      ...letters,
      replace: (letter, at, text) =>
        letter.parts[at].say
          ? JSON.parse(JSON.stringify(letter).replace(JSON.stringify(letter.parts[at].say), JSON.stringify(text)))
          : letters.replace(letter, at, text),
    },
    ["replace"],
    /throws|should pass/,
  ],
  "replaces the part beside it": [
    withReplace((_, letter, at, text) => letters.replace(letter, (at + 1) % letter.parts.length, text)),
    ["replace"],
    /Change that part alone/,
  ],
  "forgets that a result failed": [
    withReplace((copy) => ({
      ...copy,
      parts: copy.parts.map((part) => (part.delivery ? { delivery: { ...part.delivery, broken: undefined } } : part)),
    })),
    ["replace"],
    /failures/,
  ],
  "leaves the input of a call as text": [
    {
      ...letters,
      replace: (letter, index, text) => ({
        ...letter,
        parts: letter.parts.map((part, at) =>
          at === index && part.order
            ? { order: { ...part.order, with: text } }
            : at === index
              ? letters.replace(letter, at, text).parts[at]
              : part,
        ),
      }),
    },
    ["replace"],
    /to\.call\("o1", "price", \{"title":"The…"\}, 1\), but/,
  ],
  "cannot replace pictures": [
    withReplace((copy, letter, at) => (letter.parts[at].photo ? letter : copy)),
    ["replace"],
    /returns the message itself/,
  ],
  "clones what it copies": [withReplace((copy) => structuredClone(copy)), ["identity"], /as the objects that they are/],
  "builds copies from what it knows": [
    withReplace(({ from, number, parts }) => ({ from, number, parts })),
    ["unknown-members"],
    /loses the member "stamp"/,
  ],
  "builds parts from what it knows": [
    withReplace((copy) => ({ ...copy, parts: copy.parts.map((part) => (part.say ? { say: part.say } : part)) })),
    ["unknown-members"],
    /of parts\[0\]/,
  ],
  "builds results from what it knows": [
    withReplace((copy, _, at) => ({
      ...copy,
      parts: copy.parts.map((part, index) => {
        if (index !== at || !part.delivery) return part;
        const { order, holds, broken } = part.delivery;
        return { ...part, delivery: { order, holds, broken } };
      }),
    })),
    ["unknown-members"],
    /of parts\[0\]\.delivery/,
  ],
  "takes all calls out at once": [
    {
      ...letters,
      without: (letter, gone) => ({
        ...letter,
        parts: letter.parts.filter((part, at) => !gone.includes(at) && !part.order),
      }),
    },
    ["without"],
    /without\(messages\[1\], \[1\]\)/,
  ],
  "takes nothing out": [
    { ...letters, without: (letter) => ({ ...letter }) },
    ["without"],
    /more than before|should pass/,
  ],
  "answers another call": [
    { ...letters, result: (_, name, text) => letters.result("o9", name, text) },
    ["result"],
    /of this id/,
  ],
  "merges in the other order": [
    { ...letters, alternation: "strict", merge: (first, second) => letters.merge(second, first) },
    ["merge"],
    /first message, then all of the second/,
  ],
  "takes turns and cannot merge": [{ ...letters, alternation: "strict", merge: undefined }, ["members"], /merge/],
  "reads approvals and cannot leave them out": [{ ...letters, without: undefined }, ["members"], /without/, "ask"],
  "writes into the message": [
    {
      ...letters,
      replace: (letter, at, text) => {
        letter.touched = true;
        return letters.replace(letter, at, text);
      },
    },
    ["written-to"],
    /writes into the message/,
  ],
  "does not read what it has written": [
    withRead((to) => ({
      text: (at, text) => {
        if (text.length > 200) throw new Error("a letter has one page");
        to.text(at, text);
      },
    })),
    ["view"],
    /a letter has one page/,
  ],
};

for (const [fault, [format, rules, message, more]] of Object.entries(BROKEN)) {
  test(`a format that ${fault} is found`, () => {
    const asked = { from: "agent", number: "5", parts: [{ say: "May I order more?" }, { ask: "a1" }] };
    const { problems } = checkFormat(format, structuredClone(more === "ask" ? [...LETTERS, asked] : LETTERS));
    ok(problems.length > 0);
    for (const { rule } of problems) ok(rules.includes(rule), `${rule}: ${JSON.stringify(problems)}`);
    ok(
      problems.some((one) => message.test(one.message)),
      JSON.stringify(problems),
    );
  });
}

// A result and its picture stand beside each other, so the rule that the picture goes with the result and the one that
// members stay could not both be kept.
test("a member of the message that held what was replaced may leave with it", () => {
  const notes = {
    name: "notes",
    read({ from, ref, body, pictures, photo }, to) {
      to.role(from);
      if (photo) to.media("image", photo, "image/png", 0);
      else if (from === "tool") to.result(0, ref, body, false);
      else if (ref) to.call(ref, "look", body);
      else to.text(0, body);
      for (const { data } of pictures ?? []) to.media("image", data, "image/png", 0);
    },
    summary: (body) => ({ from: "user", body }),
    replace: ({ pictures, photo, ...note }, _part, body) => ({ ...note, body }),
  };
  const samples = [
    { from: "user", body: "What is in the window?", starred: true },
    { from: "user", photo: "data:image/png;base64,aaaa", starred: true },
    { from: "assistant", ref: "l1", body: { at: "window" } },
    { from: "tool", ref: "l1", body: "Two books.", pictures: [{ data: "data:image/png;base64,bbbb" }], shelf: 4 },
    { from: "assistant", body: "The Trial, and Hunger." },
  ];
  deepEqual(checkFormat(notes, frozen(samples)).problems, []);
  const forgetful = { ...notes, replace: ({ pictures, photo, shelf, ...note }, _part, body) => ({ ...note, body }) };
  const { problems } = checkFormat(forgetful, samples);
  deepEqual(rulesOf({ problems }), ["unknown-members"]);
  match(problems[0].message, /messages\[3\].*loses the member "shelf"/);
});

test("what no sample shows is named", () => {
  const { problems, untested } = checkFormat(letters, [LETTERS[0]]);
  deepEqual(problems, []);
  equal(untested.length, 5);
  match(untested.join(), /a message of the assistant.*a call with its result.*several calls.*shortened.*failed/);
});

test("what is no format, or no sample, is refused with what to do", () => {
  const refused = (run, code, path) =>
    throws(run, (error) => error instanceof PrecisError && error.code === code && error.path === path);
  refused(() => checkFormat(undefined, LETTERS), "invalid-call", "format");
  refused(() => checkFormat(LETTERS, letters), "invalid-call", "format");
  refused(() => checkFormat(letters, LETTERS[0]), "messages-not-array", "messages");
  refused(() => checkFormat(letters, []), "invalid-call", "messages");
  refused(() => checkFormat(letters, LETTERS, { unsent: "stamp" }), "invalid-call", "unsent");
});
