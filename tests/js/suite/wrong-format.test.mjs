// Messages of one shape given to the format of another: refused, or at least counted; never a smaller number.
import { createCompactor, createMeter, load, PrecisError } from "precis";
import { aiSdk, aiSdkUI, anthropic, gemini, openaiChat, openaiResponses } from "precis/formats";
import { equal, match, ok, test, throws } from "./harness.mjs";

// What is measured here is what the engine says.
await load();

const long = (n) => `line ${n} of a file that somebody wants to have read\n`.repeat(200);

/** A tool loop in each shape: what is said, and what tools answered, are the same words in all of them. */
const loops = {
  aiSdk: (n) => [
    { role: "user", content: `question ${n}` },
    { role: "assistant", content: [{ type: "tool-call", toolCallId: `c${n}`, toolName: "read", input: { n } }] },
    {
      role: "tool",
      content: [
        { type: "tool-result", toolCallId: `c${n}`, toolName: "read", output: { type: "text", value: long(n) } },
      ],
    },
    { role: "assistant", content: [{ type: "tool-call", toolCallId: `d${n}`, toolName: "read", input: { n } }] },
    {
      role: "tool",
      content: [
        {
          type: "tool-result",
          toolCallId: `d${n}`,
          toolName: "read",
          output: { type: "json", value: { is: long(n) } },
        },
      ],
    },
  ],
  aiSdkUI: (n) => [
    { id: `u${n}`, role: "user", parts: [{ type: "text", text: `question ${n}` }] },
    {
      id: `a${n}`,
      role: "assistant",
      parts: [
        { type: "step-start" },
        { type: "tool-read", toolCallId: `c${n}`, state: "output-available", input: { n }, output: long(n) },
        { type: "text", text: long(n) },
      ],
    },
  ],
  anthropic: (n) => [
    { role: "user", content: `question ${n}` },
    {
      role: "assistant",
      content: [
        { type: "text", text: "Let me look." },
        { type: "tool_use", id: `c${n}`, name: "read", input: { n } },
      ],
    },
    { role: "user", content: [{ type: "tool_result", tool_use_id: `c${n}`, content: long(n) }] },
    { role: "assistant", content: [{ type: "tool_use", id: `d${n}`, name: "read", input: { n } }] },
    {
      role: "user",
      content: [{ type: "tool_result", tool_use_id: `d${n}`, content: [{ type: "text", text: long(n) }] }],
    },
  ],
  gemini: (n) => [
    { role: "user", parts: [{ text: `question ${n}` }] },
    { role: "model", parts: [{ functionCall: { name: "read", args: { n } } }] },
    { role: "user", parts: [{ functionResponse: { name: "read", response: { output: long(n) } } }] },
    { role: "model", parts: [{ text: long(n) }] },
  ],
  openaiChat: (n) => [
    { role: "user", content: `question ${n}` },
    {
      role: "assistant",
      content: "Let me look.",
      tool_calls: [{ id: `c${n}`, type: "function", function: { name: "read", arguments: `{"n":${n}}` } }],
    },
    { role: "tool", tool_call_id: `c${n}`, content: long(n) },
    {
      role: "assistant",
      content: null,
      tool_calls: [{ id: `d${n}`, type: "function", function: { name: "read", arguments: `{"n":${n}}` } }],
    },
    { role: "tool", tool_call_id: `d${n}`, content: [{ type: "text", text: long(n) }] },
  ],
  openaiResponses: (n) => [
    { role: "user", content: [{ type: "input_text", text: `question ${n}` }] },
    { type: "function_call", call_id: `c${n}`, name: "read", arguments: `{"n":${n}}` },
    { type: "function_call_output", call_id: `c${n}`, output: long(n) },
    { type: "message", role: "assistant", content: [{ type: "output_text", text: long(n) }] },
  ],
};
const formats = { aiSdk, aiSdkUI, anthropic, gemini, openaiChat, openaiResponses };

const meter = (format) => createMeter({ format, contextWindow: 1_000_000, maxOutputTokens: 1_000 });
const history = (shape) => Array.from({ length: 6 }, (_, n) => loops[shape](n)).flat();

for (const shape of Object.keys(loops)) {
  test(`${shape}: its own format understands a tool loop`, () => {
    ok(meter(formats[shape]).usage({ messages: history(shape) }).tokens > 10_000);
  });

  for (const [other, format] of Object.entries(formats)) {
    if (other === shape) continue;
    test(`${shape} messages given to ${other} are refused, and the error names the format that fits`, () => {
      throws(
        () => meter(format).usage({ messages: history(shape) }),
        (error) => {
          ok(error instanceof PrecisError, String(error));
          equal(error.code, "wrong-format");
          equal(error.path, "messages");
          match(error.advice, new RegExp(`\`${shape}\``));
          return true;
        },
      );
    });

    test(`${shape} messages among others that ${other} understands are counted by their JSON`, () => {
      const known = loops[other](0);
      for (const message of history(shape)) {
        const few = [...known, ...known];
        const before = meter(format).usage({ messages: few }).raw;
        const after = meter(format).usage({ messages: [...few, message] }).raw;
        ok(
          after - before > JSON.stringify(message).length / 8,
          `${after - before} tokens for ${JSON.stringify(message).slice(0, 90)}`,
        );
      }
    });
  }
}

test("a hundred thousand words are never a few hundred tokens, whatever shape they came in", () => {
  const text = "word ".repeat(100_000);
  const odd = [
    { id: "m", role: "user", parts: [{ type: "text", text }] },
    { role: "user", text },
    { role: "user", content: { text } },
    { role: "assistant", body: [text] },
    { author: "me", body: text },
    { role: "tool", content: text },
    { role: "tool", content: [{ type: "tool-result", toolCallId: "c", output: text }] },
    { role: "function", parts: text },
    { role: "user", content: [{ kind: "text", body: text }] },
    { role: "assistant", content: "Look.", tool_calls: [{ id: "c", function: { name: "f", arguments: text } }] },
    { role: "assistant", content: "Look.", toolInvocations: [{ toolCallId: "c", result: text }] },
  ];
  for (const [name, format] of Object.entries(formats)) {
    const known = loops[name](0);
    const empty = meter(format).usage({ messages: known }).tokens;
    for (const message of odd) {
      const { tokens } = meter(format).usage({ messages: [...known, message] });
      ok(tokens - empty > 90_000, `${name}: ${tokens - empty} tokens for ${JSON.stringify(message).slice(0, 60)}`);
    }
  }
});

test("every verb refuses a history in the wrong format, and a stray message is only a warning", async () => {
  const compactor = createCompactor({ format: openaiChat, contextWindow: 100_000, maxOutputTokens: 1_000 });
  const messages = history("aiSdkUI");
  const refused = (error) => error instanceof PrecisError && error.code === "wrong-format";
  for (const verb of ["usage", "plan"]) throws(() => compactor[verb]({ messages }), refused);
  for (const verb of ["beforeModel", "compact"])
    await compactor[verb]({ messages }).then(
      () => ok(false, verb),
      (error) => ok(refused(error), String(error)),
    );
  const mixed = [...history("openaiChat"), messages[0]];
  const { report, view } = await compactor.beforeModel({ messages: mixed });
  equal(view.at(-1), mixed.at(-1));
  ok(report.warnings.some(({ code }) => code === "opaque-content"));
});

test("a role that no format knows is named with its place and the roles that there are", () => {
  const messages = [{ role: "usr", content: "x" }];
  const named = (error) =>
    /messages\[0\] has the role "usr"\. Known are .*developer, user, assistant/.test(error.advice);
  for (const format of [openaiChat, anthropic, aiSdk]) throws(() => meter(format).usage({ messages }), named);
});

test("a format that cannot write is refused when the compactor is made, not at the first compaction", () => {
  const refused = (error) => error instanceof PrecisError && error.code === "invalid-option" && error.path === "format";
  throws(() => createCompactor({ format: aiSdkUI, contextWindow: 8_000 }), refused);
});

test("a format of one's own that throws is refused with what it throws, whatever its messages look like", () => {
  const own = {
    ...openaiChat,
    name: "mine",
    read(message, to) {
      to.role("user");
      to.text(0, message.parts[0].body.trim());
    },
  };
  const messages = [{ parts: [{ body: "Hello." }] }, { parts: [{ text: "And?" }] }, { parts: [{ text: "So?" }] }];
  throws(
    () => createCompactor({ format: own, contextWindow: 8_000 }).usage({ messages }),
    (error) => error.code === "wrong-format" && /throws at messages\[1\]: .*undefined.*checkFormat/.test(error.advice),
  );
});
