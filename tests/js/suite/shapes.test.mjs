// Gemini contents, Responses items and UI messages: what each part is read as, and what a shortened copy looks like.
import { deepEqual, equal, notEqual, ok, throws } from "node:assert/strict";
import { test } from "node:test";
import { createCompactor, createMeter, load } from "precis";
import { aiSdkUI, gemini, openaiResponses } from "precis/formats";
import { check } from "precis/testing";

// What is measured here is what the engine says.
await load();

/** What a format says of a message. */
function said(format, message) {
  const calls = [];
  const names = ["role", "text", "reasoning", "call", "result", "media", "opaque"];
  const to = Object.fromEntries(names.map((name) => [name, (...given) => calls.push([name, ...given])]));
  format.read(message, to);
  // Trailing arguments that were not given are not written below.
  return calls.map((call) => call.slice(0, call.findLastIndex((one) => one !== undefined) + 1));
}

const model = (...parts) => ({ role: "model", parts });
const image = { mimeType: "image/png", data: "AAAA" };
const call = (args, more) => ({ type: "function_call", call_id: "c1", name: "read", arguments: args, ...more });

const table = [
  [
    gemini,
    "text",
    { role: "user", parts: [{ text: "Hi." }] },
    [
      ["role", "user"],
      ["text", 0, "Hi."],
    ],
  ],
  [
    gemini,
    "thoughts and calls without ids, in both spellings",
    model(
      { text: "Hm.", thought: true },
      { functionCall: { name: "read", args: { a: 1 } } },
      { function_call: { name: "read", args: { a: 2 } } },
      { functionCall: { id: "x", name: "list" } },
    ),
    [
      ["role", "assistant"],
      ["reasoning", "Hm.", false, 0],
      ["call", undefined, "read", { a: 1 }, 1],
      ["call", undefined, "read", { a: 2 }, 2],
      ["call", "x", "list", {}, 3],
    ],
  ],
  [
    gemini,
    "a signature binds the message",
    model({ functionCall: { name: "read", args: {} }, thoughtSignature: "c2ln" }),
    [
      ["role", "assistant"],
      ["call", undefined, "read", {}, 0],
      ["reasoning", "", true],
    ],
  ],
  [
    gemini,
    "answers, one failed, one with an image",
    {
      role: "user",
      parts: [
        { functionResponse: { name: "read", response: { output: "one" } } },
        { function_response: { name: "read", response: { error: "no" } } },
        { functionResponse: { id: "x", name: "list", response: { ok: 1 }, parts: [{ inlineData: image }] } },
      ],
    },
    [
      ["role", "user"],
      ["result", 0, undefined, { output: "one" }, false, "read"],
      ["result", 1, undefined, "no", true, "read"],
      ["result", 2, "x", { ok: 1 }, false, "list"],
      ["media", "image", "AAAA", "image/png", 2],
    ],
  ],
  [
    gemini,
    "media",
    {
      role: "user",
      parts: [{ inlineData: image }, { file_data: { mime_type: "application/pdf", file_uri: "gs://a" } }],
    },
    [
      ["role", "user"],
      ["media", "image", "AAAA", "image/png", 0],
      ["media", "pdf", "gs://a", "application/pdf", 1],
    ],
  ],
  [
    openaiResponses,
    "an easy message",
    { role: "user", content: "Hi." },
    [
      ["role", "user"],
      ["text", 0, "Hi."],
    ],
  ],
  [
    openaiResponses,
    "parts",
    {
      type: "message",
      role: "developer",
      content: [
        { type: "input_text", text: "See." },
        { type: "input_image", image_url: "https://example.com/a.png" },
        { type: "input_file", file_id: "file-1", filename: "a.pdf" },
      ],
    },
    [
      ["role", "system"],
      ["text", 0, "See."],
      ["media", "image", "https://example.com/a.png", undefined, 1],
      ["media", "pdf", { type: "input_file", file_id: "file-1", filename: "a.pdf" }, undefined, 2, "a.pdf"],
    ],
  ],
  [
    openaiResponses,
    "an answer with an id stays as it is",
    { type: "message", id: "msg_1", role: "assistant", content: [{ type: "output_text", text: "Yes." }] },
    [
      ["role", "assistant"],
      ["text", 0, "Yes."],
      ["reasoning", "", true],
    ],
  ],
  [
    openaiResponses,
    "a call",
    call('{"a":1}'),
    [
      ["role", "assistant"],
      ["call", "c1", "read", { a: 1 }, 0],
    ],
  ],
  [
    openaiResponses,
    "a call with an id",
    call("{}", { id: "fc_1" }),
    [
      ["role", "assistant"],
      ["call", "c1", "read", {}],
    ],
  ],
  [
    openaiResponses,
    "arguments that are no JSON",
    call("{"),
    [
      ["role", "assistant"],
      ["call", "c1", "read", "{", 0],
    ],
  ],
  [
    openaiResponses,
    "an output",
    { type: "function_call_output", call_id: "c1", output: "text" },
    [
      ["role", "tool"],
      ["result", 0, "c1", "text", false],
    ],
  ],
  [
    openaiResponses,
    "the output of a local shell, which has an id of its own",
    { type: "local_shell_call_output", id: "lsh_2", output: "{}" },
    [
      ["role", "tool"],
      ["result", 0, undefined, "{}", false, "local_shell"],
    ],
  ],
  [
    openaiResponses,
    "a program that calls tools, and what it returned",
    { type: "program", id: "prog_1", call_id: "c9", code: "await read()", fingerprint: "x" },
    [
      ["role", "assistant"],
      [
        "call",
        "c9",
        "program",
        { type: "program", id: "prog_1", call_id: "c9", code: "await read()", fingerprint: "x" },
        undefined,
        true,
      ],
    ],
  ],
  [
    openaiResponses,
    "what a program returned",
    { type: "program_output", id: "po_1", call_id: "c9", result: "7", status: "completed" },
    [
      ["role", "tool"],
      ["result", 0, "c9", "", false, "program"],
      ["opaque", { type: "program_output", id: "po_1", call_id: "c9", result: "7", status: "completed" }],
    ],
  ],
  [
    openaiResponses,
    "an output of parts",
    {
      type: "function_call_output",
      call_id: "c1",
      output: [
        { type: "input_text", text: "see" },
        { type: "input_image", image_url: "https://example.com/a.png" },
      ],
    },
    [
      ["role", "tool"],
      ["result", 0, "c1", "see", false],
      ["media", "image", "https://example.com/a.png", undefined, 0],
    ],
  ],
  [
    openaiResponses,
    "reasoning",
    { type: "reasoning", id: "rs_1", summary: [{ type: "summary_text", text: "Hm." }], encrypted_content: "gAAA" },
    [
      ["role", "assistant"],
      ["reasoning", "Hm.", true],
      ["opaque", "gAAA"],
    ],
  ],
  [
    openaiResponses,
    "what a tool of the provider's left",
    { type: "web_search_call", id: "ws_1", status: "completed" },
    [
      ["role", "assistant"],
      ["opaque", { type: "web_search_call", id: "ws_1", status: "completed" }],
    ],
  ],
  [
    aiSdkUI,
    "a message in the middle of streaming",
    {
      id: "m1",
      role: "assistant",
      parts: [
        { type: "step-start" },
        { type: "reasoning", text: "Hm.", state: "streaming" },
        { type: "text", text: "I lo", state: "streaming" },
        { type: "tool-read", toolCallId: "c1", state: "input-streaming", input: undefined },
        {
          type: "dynamic-tool",
          toolName: "list",
          toolCallId: "c2",
          state: "output-available",
          input: { a: 1 },
          output: "x",
        },
        { type: "tool-read", toolCallId: "c3", state: "output-error", input: {}, errorText: "no" },
        { type: "data-compaction", data: { status: "done" } },
        { type: "source-url", sourceId: "s", url: "https://example.com" },
        { type: "hologram" },
      ],
    },
    [
      ["role", "assistant"],
      ["reasoning", "Hm.", false],
      ["text", 2, "I lo"],
      ["call", "c1", "read", {}],
      ["call", "c2", "list", { a: 1 }],
      ["result", 4, "c2", "x", false, "list"],
      ["call", "c3", "read", {}],
      ["result", 5, "c3", "no", true, "read"],
      ["opaque", { type: "hologram" }],
    ],
  ],
  [
    aiSdkUI,
    "a file",
    { id: "m", role: "user", parts: [{ type: "file", mediaType: "image/png", url: "data:image/png;base64,AAAA" }] },
    [
      ["role", "user"],
      ["media", "image", "data:image/png;base64,AAAA", "image/png", 0],
    ],
  ],
];

for (const [format, title, message, expected] of table) {
  test(`${format.name}: ${title}`, () => deepEqual(said(format, message), expected));
}

test("gemini: a shortened copy keeps everything else", () => {
  const message = {
    role: "user",
    parts: [
      { functionResponse: { id: "x", name: "read", response: { output: "long" }, parts: [{ inlineData: image }] } },
      { functionResponse: { name: "read", response: { error: "long" } } },
      { text: "See." },
      { inlineData: image },
    ],
  };
  const replaced = (part) => gemini.replace(message, part, "short").parts;
  deepEqual(replaced(0)[0], { functionResponse: { id: "x", name: "read", response: { result: "short" } } });
  deepEqual(replaced(1)[1], { functionResponse: { name: "read", response: { error: "short" } } });
  deepEqual(replaced(2)[2], { text: "short" });
  deepEqual(replaced(3)[3], { text: "short" });
  equal(replaced(3)[0], message.parts[0]);
  // What was shortened reads as its text, so that a view that is given back is not shortened again.
  const told = said(gemini, { role: "user", parts: [replaced(0)[0], replaced(1)[1]] });
  deepEqual(
    told.slice(1).map(([, , , output, failed]) => [output, failed]),
    [
      ["short", false],
      ["short", true],
    ],
  );
  const asked = model({ function_call: { name: "read", args: { path: "long" } } });
  deepEqual(gemini.replace(asked, 0, '{"path":"short"}').parts[0].function_call, {
    name: "read",
    args: { path: "short" },
  });
});

test("openai-responses: a shortened copy keeps everything else", () => {
  equal(openaiResponses.replace(call('{"a":"long"}'), 0, '{"a":"short"}').arguments, '{"a":"short"}');
  const output = { type: "function_call_output", call_id: "c1", output: [{ type: "input_text", text: "long" }] };
  deepEqual(openaiResponses.replace(output, 0, "short"), { ...output, output: "short" });
  const said = {
    role: "user",
    content: [
      { type: "input_text", text: "long" },
      { type: "input_image", image_url: "x" },
    ],
  };
  const [text, image] = openaiResponses.replace(said, 1, "an image").content;
  equal(text, said.content[0]);
  deepEqual(image, { type: "input_text", text: "an image" });
  equal(openaiResponses.replace({ role: "user", content: "long" }, 0, "short").content, "short");
});

test("ai-sdk-ui: a meter, and nothing else", () => {
  const meter = createMeter({ format: aiSdkUI, contextWindow: 10_000 });
  const messages = [{ id: "m1", role: "user", parts: [{ type: "text", text: "words ".repeat(400) }] }];
  const { tokens, fraction } = meter.usage({ messages });
  ok(tokens > 100 && fraction > 0.01);
  throws(() => createCompactor({ format: aiSdkUI, contextWindow: 10_000 }), /convertToModelMessages/);
});

const filler = (n) => `line ${n} of the file\n`.repeat(60);

const rounds = {
  gemini: (n) => [
    { role: "user", parts: [{ text: `question ${n}` }] },
    model({ functionCall: { name: "read", args: { n } } }, { functionCall: { name: "read", args: { m: n } } }),
    {
      role: "user",
      parts: [
        { functionResponse: { name: "read", response: { output: filler(n) } } },
        { functionResponse: { name: "read", response: { output: filler(n) } } },
      ],
    },
    model({ text: `answer ${n}` }),
  ],
  "openai-responses": (n) => [
    { role: "user", content: `question ${n}` },
    { type: "reasoning", id: `rs_${n}`, summary: [], encrypted_content: "gAAA" },
    { type: "function_call", id: `fc_${n}`, call_id: `c${n}`, name: "read", arguments: `{"n":${n}}` },
    { type: "function_call_output", call_id: `c${n}`, output: filler(n) },
    { type: "message", id: `msg_${n}`, role: "assistant", content: [{ type: "output_text", text: `answer ${n}` }] },
  ],
};

for (const format of [gemini, openaiResponses]) {
  test(`${format.name}: a long conversation fits at every message and stays legal`, async () => {
    const compactor = createCompactor({ format, contextWindow: 6_000, maxOutputTokens: 500 });
    const history = Array.from({ length: 30 }, (_, n) => rounds[format.name](n)).flat();
    let state = null;
    let compacted = 0;
    for (let end = 1; end <= history.length; end++) {
      const messages = history.slice(0, end);
      const prepared = await compactor.beforeModel({ messages, state });
      state = prepared.state;
      compacted += Number(prepared.report.outcome === "compacted");
      const { after, outcome } = prepared.report;
      ok(after.tokens + after.bound < after.trigger, `${end}: ${outcome}`);
      deepEqual(
        check(format, prepared.view).map(({ rule }) => rule),
        check(format, messages).map(({ rule }) => rule),
      );
      if (format.alternation === "strict")
        for (let i = 1; i < prepared.view.length; i++)
          notEqual(prepared.view[i].role, prepared.view[i - 1].role, `${end}, ${i}`);
      for (let i = 0; format === openaiResponses && i < prepared.view.length - 1; i++)
        if (prepared.view[i].type === "reasoning")
          equal(prepared.view[i + 1].id?.slice(2), `_${prepared.view[i].id.slice(3)}`, "reasoning stays with its item");
    }
    ok(compacted > 1, `${compacted} compactions`);
  });
}
