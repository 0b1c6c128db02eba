// What a provider compacted stands for all that came before it: it is sent back as it was until a summary that was made
// with its text takes its place.
import { createCompactor } from "precis";
import { aiSdk, anthropic, openaiResponses } from "precis/formats";
import { check } from "precis/testing";
import { deepEqual, equal, frozen, ok, test } from "./harness.mjs";

const SECRET = "The vault is opened with the word heliotrope.";
const codes = ({ warnings }) => warnings.map(({ code }) => code);
const long = (text) => `${text}; `.repeat(60);
const user = (content) => ({ role: "user", content });

const shapes = {
  "a block of Anthropic's": {
    format: anthropic,
    readable: true,
    said: (text) => ({ role: "assistant", content: [{ type: "text", text }] }),
    compacted: (text) => ({ role: "assistant", content: [{ type: "compaction", content: text }] }),
  },
  "an encrypted block of Anthropic's": {
    format: anthropic,
    readable: false,
    said: (text) => ({ role: "assistant", content: [{ type: "text", text }] }),
    compacted: (text) => ({
      role: "assistant",
      content: [{ type: "compaction", content: null, encrypted_content: btoa(text) }],
    }),
  },
  "an item of OpenAI's": {
    format: openaiResponses,
    readable: false,
    said: (text) => ({ type: "message", role: "assistant", content: [{ type: "output_text", text }] }),
    compacted: (text) => ({ type: "compaction", id: "cmp_1", encrypted_content: btoa(text) }),
  },
  "the AI SDK's part for Anthropic's": {
    format: aiSdk,
    readable: true,
    said: (text) => ({ role: "assistant", content: [{ type: "text", text }] }),
    compacted: (text) => ({
      role: "assistant",
      content: [{ type: "text", text, providerOptions: { anthropic: { type: "compaction" } } }],
    }),
  },
  "the AI SDK's part for OpenAI's": {
    format: aiSdk,
    readable: false,
    said: (text) => ({ role: "assistant", content: [{ type: "text", text }] }),
    compacted: (text) => ({
      role: "assistant",
      content: [
        {
          type: "custom",
          kind: "openai.compaction",
          providerOptions: { openai: { itemId: "cmp_1", encryptedContent: btoa(text) } },
        },
      ],
    }),
  },
};

const turns = ({ said }, from, to) =>
  Array.from({ length: to - from }, (_, n) => [
    user(long(`request ${from + n}`)),
    said(long(`answer ${from + n}`)),
  ]).flat();

for (const [name, shape] of Object.entries(shapes)) {
  const { format, readable, compacted } = shape;
  const block = frozen(compacted(SECRET));
  const make = (summarize, contextWindow = 8_000) =>
    createCompactor({ format, contextWindow, maxOutputTokens: 500, summarize, summarizer: { maxCalls: 99 } });

  test(`${name} is sent as it is, and what lies before it only as long as that is needed`, async () => {
    const system = { role: "system", content: "Be brief." };
    const early = [system, ...turns(shape, 0, 6)];
    const messages = frozen([...early, block, ...turns(shape, 6, 8), user("And now?")]);
    const { view, report } = await make(undefined, 100_000).beforeModel({ messages, state: null });
    // An opaque one says nothing to another provider, which may be asked next.
    deepEqual(view, readable ? [system, ...messages.slice(early.length)] : messages);
    ok(view.every((sent) => messages.includes(sent)));
    ok(!codes(report).includes("compaction-lost"));
    const asked = frozen([...early, user("Open the vault."), block]);
    const { view: sent } = await make(undefined, 100_000).beforeModel({ messages: asked, state: null });
    ok(sent.includes(asked.at(-2)), "what a person asked last stays");
  });

  test(`${name} stays until a summary made with its text takes its place`, async () => {
    const prompts = [];
    let fails = true;
    const compactor = make(async ({ prompt }) => {
      prompts.push(prompt);
      if (fails) throw new Error("overloaded");
      return `- notes no. ${prompts.length}: heliotrope`;
    });
    let state = null;
    let kept = 0;
    let waited = 0;
    const messages = [...turns(shape, 0, 2), block];
    for (let turn = 2; turn < 75; turn++) {
      fails = turn < 30;
      messages.push(...turns(shape, turn, turn + 1).map(frozen));
      const prepared = await compactor.beforeModel({ messages: [...messages, user("Go on.")], state });
      const newest = prepared.state.checkpoints?.at(-1);
      if (!fails && prepared.report.outcome === "compacted" && newest.kind !== "summary") waited += 1;
      const told = prompts.some((prompt) => prompt.includes(SECRET));
      if (prepared.view.includes(block)) kept += 1;
      else ok(readable && newest.kind === "summary" && told, `turn ${turn}: it is gone`);
      if (newest && prepared.view.includes(block)) {
        const own = prepared.view.findIndex((message) => !messages.includes(message) && message.role === "user");
        ok(prepared.view.indexOf(block) < own, "what it stands for comes before what came after it");
      }
      deepEqual(check(format, prepared.view), []);
      ok(!codes(prepared.report).includes("compaction-lost"));
      state = JSON.parse(JSON.stringify(prepared.state));
    }
    ok(kept > 20, "a digest does not take its place");
    ok(waited <= 8, `after its failures the model was not asked at ${waited} compactions`);
    equal(state.checkpoints.at(-1).kind, "summary");
    const { view } = await compactor.beforeModel({ messages: [...messages, user("Go on.")], state });
    equal(view.includes(block), !readable);
  });

  test(`${name}: a newer one takes its place`, async () => {
    const compactor = make();
    const newer = frozen(compacted(`${SECRET} And the door is green.`));
    const messages = [...turns(shape, 0, 3), block, ...turns(shape, 3, 10), newer, ...turns(shape, 10, 40)];
    const { view } = await compactor.beforeModel({ messages, state: null });
    ok(view.includes(newer) && !view.includes(block));
  });

  test(`${name}: a view that is given back keeps it`, async () => {
    const compactor = make();
    const messages = [...turns(shape, 0, 3), block, ...turns(shape, 3, 30)];
    let { view, state } = await compactor.beforeModel({ messages, state: null });
    for (let turn = 30; turn < 75; turn++) {
      ({ view, state } = await compactor.beforeModel({ messages: [...view, ...turns(shape, turn, turn + 1)], state }));
      ok(view.includes(block), `turn ${turn}`);
    }
  });

  if (!readable)
    test(`${name}: where a state covers it without keeping it, a warning names it`, async () => {
      const blind = {
        ...format,
        read: (message, to) => (message === block ? shape.format.read(other, to) : format.read(message, to)),
      };
      const other = shape.said("");
      const messages = [...turns(shape, 0, 3), block, ...turns(shape, 3, 40)];
      const made = createCompactor({ format: blind, contextWindow: 8_000, maxOutputTokens: 500, repair: false });
      const { state } = await made.beforeModel({ messages, state: null });
      ok(state.checkpoints.length > 0);
      const { report } = await make().beforeModel({ messages, state });
      const lost = report.warnings.find(({ code }) => code === "compaction-lost");
      // A host whose format sees it now has another history, or is told what is lost.
      ok(report.diverged || lost?.path === "messages[6]");
    });
}

test("what a provider compacted to nothing is left out, with a warning", async () => {
  const empty = {
    anthropic: [
      anthropic,
      {
        role: "assistant",
        content: [
          { type: "compaction", content: "" },
          { type: "text", text: "Done." },
        ],
      },
    ],
    aiSdk: [
      aiSdk,
      {
        role: "assistant",
        content: [
          { type: "text", text: "", providerOptions: { anthropic: { type: "compaction" } } },
          { type: "text", text: "Done." },
        ],
      },
    ],
  };
  for (const [name, [format, message]] of Object.entries(empty))
    for (const repair of [true, false]) {
      const messages = frozen([user("Begin."), message, user("Go on.")]);
      const compactor = createCompactor({ format, contextWindow: 100_000, maxOutputTokens: 500, repair });
      const { view, report } = await compactor.beforeModel({ messages, state: null });
      deepEqual(view, [messages[0], { role: "assistant", content: [message.content[1]] }, messages[2]], name);
      deepEqual(codes(report), ["empty-compaction"]);
      const alone = frozen([user("Begin."), { ...message, content: [message.content[0]] }, user("Go on.")]);
      deepEqual((await compactor.beforeModel({ messages: alone, state: null })).view, [alone[0], alone[2]], name);
    }
});

test("what Anthropic left of a compaction that failed is sent back as it is", async () => {
  const messages = frozen([
    user("Begin."),
    { role: "assistant", content: [{ type: "compaction", content: null }] },
    user("Go."),
  ]);
  const compactor = createCompactor({ format: anthropic, contextWindow: 100_000, maxOutputTokens: 500 });
  const { changed, report } = await compactor.beforeModel({ messages, state: null });
  equal(changed, false);
  deepEqual(codes(report), []);
});

test("an approval that nobody asked for is not sent, whether a provider's summary took another's place or not", async () => {
  const approval = (approvalId) => ({
    role: "tool",
    content: [{ type: "tool-approval-response", approvalId, approved: true }],
  });
  const summary = shapes["the AI SDK's part for Anthropic's"].compacted("They agreed.");
  const messages = frozen([user("One"), approval("a"), user("Two"), summary, approval("b"), user("Three")]);
  const compactor = createCompactor({ format: aiSdk, contextWindow: 100_000, maxOutputTokens: 500 });
  const { view } = await compactor.beforeModel({ messages, state: null });
  deepEqual(view, [summary, messages[5]]);
});
