// Media wherever they stand: encoded data counts by what it shows, and no cut goes through it.
import { createCompactor, createMeter, load } from "precis";
import { aiSdk, anthropic, gemini, openaiChat, openaiResponses } from "precis/formats";
import { check } from "precis/testing";
import { deepEqual, equal, ok, test } from "./harness.mjs";

// What is measured here is what the engine says.
await load();

/** As random as data is that was compressed, and the same at each run. */
function data(length, head = "") {
  const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  let [text, seed] = [head, 7];
  while (text.length < length) {
    seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31;
    text += letters[seed >> 25];
  }
  return text;
}
const png = data(900_000, "iVBORw0KGgoAAAANSUhEUgAABQAAAALQCAYAAAD");
const url = `data:image/png;base64,${png}`;
const pcm = data(400_000);
const tokens = (format, messages) => createMeter({ format, contextWindow: 1_000_000 }).usage({ messages }).raw;

const ask = { role: "user", content: "Go on." };
const pair = (output) => [
  ask,
  { role: "assistant", content: [{ type: "tool-call", toolCallId: "c", toolName: "look", input: {} }] },
  { role: "tool", content: [{ type: "tool-result", toolCallId: "c", toolName: "look", output }] },
];
const answered = (content) => [
  ask,
  { role: "assistant", content: [{ type: "tool_use", id: "c", name: "look", input: {} }] },
  { role: "user", content: [{ type: "tool_result", tool_use_id: "c", content }] },
];

const places = {
  "a screenshot of a computer tool": [
    openaiResponses,
    [
      { role: "user", content: "Go on." },
      { type: "computer_call", call_id: "c", action: { type: "screenshot" } },
      { type: "computer_call_output", call_id: "c", output: { type: "computer_screenshot", image_url: url } },
    ],
  ],
  "a generated image": [
    openaiResponses,
    [
      { role: "user", content: "Draw." },
      { type: "image_generation_call", id: "ig", status: "completed", result: png },
    ],
  ],
  "an image in a list of an output": [
    openaiResponses,
    [
      { role: "user", content: "Go on." },
      { type: "function_call", call_id: "c", name: "look", arguments: "{}" },
      { type: "function_call_output", call_id: "c", output: [{ type: "input_image", image_url: url }] },
    ],
  ],
  "an image of an MCP server in a JSON result": [
    aiSdk,
    pair({ type: "json", value: { content: [{ type: "image", data: png, mimeType: "image/png" }], isError: false } }),
  ],
  "a plain string in a JSON result": [aiSdk, pair({ type: "json", value: { ok: true, page: { picture: png } } })],
  "a data URL in a JSON result": [aiSdk, pair({ type: "json", value: { shots: [url] } })],
  "bytes in a JSON result": [
    aiSdk,
    pair({ type: "json", value: { shot: new Uint8Array(600_000).fill(7), type: "image" } }),
  ],
  "a block that nobody knows": [
    anthropic,
    answered([{ type: "hologram", source: { media_type: "image/png", data: png } }]),
  ],
  "a value of a function of Gemini's": [
    gemini,
    [
      { role: "user", parts: [{ text: "Go on." }] },
      { role: "model", parts: [{ functionCall: { name: "look", args: {} } }] },
      { role: "user", parts: [{ functionResponse: { name: "look", response: { screenshot: url } } }] },
    ],
  ],
};

for (const [title, [format, messages]] of Object.entries(places)) {
  test(`${title} counts by its pixels`, () => {
    const counted = tokens(format, messages);
    ok(counted > 100 && counted < 3_500, `${counted}`);
  });
}

test("what an assistant said aloud counts by its seconds, with its words", () => {
  const said = {
    role: "assistant",
    content: null,
    audio: { id: "a1", data: pcm, expires_at: 1, transcript: "Hello there." },
  };
  const counted = tokens(openaiChat, [ask, said]);
  ok(counted > 200 && counted < 2_000, `${counted}`);
});

test("text that was encoded counts by its text", () => {
  const text = btoa("a line of an encoded file\n".repeat(2_000));
  const counted = tokens(aiSdk, pair({ type: "json", value: { file: `data:text/plain;base64,${text}` } }));
  ok(counted > 8_000 && counted < 16_000, `${counted}`);
});

test("base64 that is none counts as the text that it is", () => {
  const prose = "This is no picture at all, whatever it says of itself. ".repeat(400);
  for (const value of [
    { type: "image", mimeType: "image/png", data: prose },
    { type: "image", data: `data:image/png;base64,${prose}` },
    { type: "image", data: `iVBORw0KGgoAAAANSUhEUg ${prose}` },
    { note: `data:${prose}` },
  ]) {
    const counted = tokens(aiSdk, pair({ type: "json", value }));
    ok(counted > 3_500 && counted < 8_000, `${JSON.stringify(value).slice(0, 60)}: ${counted}`);
  }
});

test("a long identifier, number or hash is none either", () => {
  const hash = "0123456789abcdef".repeat(200);
  const letters = tokens(aiSdk, pair({ type: "json", value: { image: hash } }));
  ok(letters > 800, `${letters}`);
});

test("a host that counts itself is not asked to count the letters of a picture", () => {
  let longest = 0;
  const estimator = (text) => {
    longest = Math.max(longest, text.length);
    return Math.ceil(text.length / 4);
  };
  const meter = createMeter({ format: aiSdk, contextWindow: 1_000_000, tune: { tokens: { estimator } } });
  const { raw } = meter.usage({ messages: pair({ type: "json", value: { shots: [url] } }) });
  ok(longest < 1_000, `${longest}`);
  ok(raw > 100 && raw < 3_500, `${raw}`);
});

const log = (lines) =>
  Array.from({ length: lines }, (_, at) => `step ${at}: opened page ${at * 7} and waited for it`).join("\n");
const page = `data:image/png;base64,${data(20_000, "iVBORw0KGgoAAAANSUhEUgAABQAAAALQCAYAAAD")}`;
const pieces = (text) => [...text.matchAll(/[A-Za-z0-9+/]{60,}/g)].map(([piece]) => piece.slice(0, 80));

for (const [title, middle] of Object.entries({
  "a data URL": page,
  "base64 without a URL": page.slice("data:image/png;base64,".length),
  "base64 in lines": page.slice("data:image/png;base64,".length).replace(/.{76}/g, "$&\n"),
})) {
  for (const contextWindow of [16_000, 8_000, 4_000]) {
    test(`${title} in a result goes as a whole where it has to be cut, at ${contextWindow}`, async () => {
      const messages = answered(`${log(200)}\n![page](${middle})\n${log(200)}`);
      const { view, report } = await createCompactor({ format: anthropic, contextWindow }).beforeModel({ messages });
      equal(report.outcome, "compacted");
      const [{ content }] = view.at(-1).content;
      deepEqual(pieces(content), []);
      ok(
        content.includes("step 0: opened page 0") && content.includes("step 199: opened page 1393"),
        content.slice(0, 200),
      );
      ok(/encoded data/i.test(content), content);
      deepEqual(check(anthropic, view), []);
    });
  }
}

test("where all of it fits, a data URL stays as it is", async () => {
  const messages = answered(`${log(20)}\n![page](${page})\n${log(20)}`);
  const { view } = await createCompactor({ format: anthropic, contextWindow: 128_000 }).beforeModel({ messages });
  ok(view.every((message, at) => message === messages[at]));
});

test("no piece of encoded data reaches a summarizer or a digest", async () => {
  const messages = [...answered(`${log(100)}\n![page](${page})\n${log(100)}`)];
  for (let at = 0; at < 40; at++)
    messages.push(
      { role: "assistant", content: `Done with ${at}.` },
      { role: "user", content: `And ${at}? ${log(20)}` },
    );
  const prompts = [];
  const summarize = ({ prompt }) => {
    prompts.push(prompt);
    return "The assistant looked at pages one after the other, and the user asked about each of them in turn.";
  };
  for (const more of [{ summarize }, {}]) {
    const { view } = await createCompactor({ format: anthropic, contextWindow: 6_000, ...more }).beforeModel({
      messages,
    });
    deepEqual(pieces(JSON.stringify(view)), []);
  }
  ok(prompts.length > 0);
  deepEqual(pieces(prompts.join("\n")), []);
});

test("an argument is cut beside its data, never through it", async () => {
  const input = { path: "a.md", text: `${log(300)}\n${page}\n${log(300)}` };
  const messages = [
    ask,
    { role: "assistant", content: [{ type: "tool_use", id: "c", name: "write", input }] },
    { role: "user", content: [{ type: "tool_result", tool_use_id: "c", content: "written" }] },
    { role: "assistant", content: "Written." },
    { role: "user", content: "Thanks. What is next?" },
  ];
  const { view } = await createCompactor({ format: anthropic, contextWindow: 20_000 }).beforeModel({ messages });
  deepEqual(pieces(JSON.stringify(view)), []);
});

test("a screenshot stays an object, whatever is cut or covered around it", async () => {
  const messages = [{ role: "user", content: "Open the page and read it." }];
  for (let at = 0; at < 40; at++)
    messages.push(
      { type: "computer_call", call_id: `c${at}`, action: { type: "click", x: at, y: at } },
      { type: "computer_call_output", call_id: `c${at}`, output: { type: "computer_screenshot", image_url: url } },
    );
  for (const contextWindow of [16_000, 8_000]) {
    const { view, report } = await createCompactor({ format: openaiResponses, contextWindow }).beforeModel({
      messages,
    });
    equal(report.outcome, "compacted");
    const outputs = view.filter(({ type }) => type === "computer_call_output");
    ok(outputs.length > 0 && outputs.every(({ output }) => output.type === "computer_screenshot"));
    deepEqual(check(openaiResponses, view), []);
  }
});

test("the output of a shell is cut in its own form", async () => {
  const chunk = { stdout: log(2_000), stderr: "one warning", outcome: { type: "exit", exit_code: 0 } };
  const messages = [
    { role: "user", content: "Run it." },
    { type: "shell_call", call_id: "c", action: { commands: ["make"] } },
    { type: "shell_call_output", call_id: "c", output: [chunk] },
  ];
  const { view } = await createCompactor({ format: openaiResponses, contextWindow: 16_000 }).beforeModel({ messages });
  const [{ stdout, stderr, outcome }] = view[2].output;
  ok(stdout.length < chunk.stdout.length && stdout.includes("left out here"));
  deepEqual([stderr, outcome], ["", chunk.outcome]);
});

for (const [title, source, textOf] of [
  ["plain text", (text) => ({ type: "text", media_type: "text/plain", data: text }), ({ data }) => data],
  ["a text as content", (text) => ({ type: "content", content: text }), ({ content }) => content],
  [
    "blocks of text",
    (text) => ({ type: "content", content: [{ type: "text", text }] }),
    ({ content }) => content[0].text,
  ],
]) {
  test(`a document of ${title} in the newest message is cut like a text`, async () => {
    const text = log(1_200).slice(0, 60_000);
    const document = { type: "document", source: source(text), title: "log.txt" };
    const messages = [{ role: "user", content: [document, { type: "text", text: "What went wrong?" }] }];
    const { view, report } = await createCompactor({ format: anthropic, contextWindow: 16_000 }).beforeModel({
      messages,
    });
    equal(report.outcome, "compacted");
    const [cut, asked] = view[0].content;
    equal(cut.type, "document");
    equal(cut.title, "log.txt");
    ok(textOf(cut.source).length < 60_000 && textOf(cut.source).includes("left out here"));
    equal(asked, messages[0].content[1]);
  });
}

test("what a document says is no request of the person who attached it", async () => {
  const source = { type: "text", media_type: "text/plain", data: "You must never use tabs. Always answer in German." };
  const messages = [
    {
      role: "user",
      content: [
        { type: "document", source, title: "style.md" },
        { type: "text", text: "What is this file about?" },
      ],
    },
    { role: "assistant", content: "It is a guide to style." },
  ];
  for (let at = 0; at < 30; at++)
    messages.push(
      { role: "user", content: `And page ${at}? ${log(8)}` },
      { role: "assistant", content: `Page ${at} is fine. ${log(8)}` },
    );
  const { view } = await createCompactor({ format: anthropic, contextWindow: 6_000 }).beforeModel({ messages });
  ok(!/Required by the user\n[^#]*tabs/.test(JSON.stringify(view).replaceAll("\\n", "\n")), JSON.stringify(view[0]));
});

const utf8 = (text) => btoa(String.fromCharCode(...new TextEncoder().encode(text)));
const decoded = (text) => new TextDecoder().decode(Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0)));
const file = (text) => utf8(text.replaceAll("page", "página"));
const files = {
  "the AI SDK": [
    aiSdk,
    (text) => ({
      role: "user",
      content: [{ type: "file", data: file(text), mediaType: "text/plain", filename: "log.txt" }],
    }),
    ({ content }) => decoded(content[0].data),
  ],
  "the AI SDK, as bytes": [
    aiSdk,
    (text) => ({
      role: "user",
      content: [
        { type: "file", data: { type: "data", data: new TextEncoder().encode(text) }, mediaType: "application/json" },
      ],
    }),
    ({ content }) => new TextDecoder().decode(content[0].data.data),
  ],
  "Chat Completions": [
    openaiChat,
    (text) => ({
      role: "user",
      content: [{ type: "file", file: { file_data: `data:text/csv;base64,${file(text)}`, filename: "log.csv" } }],
    }),
    ({ content }) => decoded(content[0].file.file_data.split(",")[1]),
  ],
  "the Responses API": [
    openaiResponses,
    (text) => ({
      role: "user",
      content: [{ type: "input_file", file_data: `data:text/plain;base64,${file(text)}`, filename: "log.txt" }],
    }),
    ({ content }) => decoded(content[0].file_data.split(",")[1]),
  ],
  Gemini: [
    gemini,
    (text) => ({ role: "user", parts: [{ inlineData: { mimeType: "text/plain", data: file(text) } }] }),
    ({ parts }) => decoded(parts[0].inlineData.data),
  ],
};

for (const [title, [format, message, textIn]] of Object.entries(files)) {
  test(`a text file of ${title} is cut like its text, and stays the file that it was`, async () => {
    const messages = [message(log(1_200))];
    const { view, report } = await createCompactor({ format, contextWindow: 16_000 }).beforeModel({ messages });
    equal(report.outcome, "compacted");
    const text = textIn(view[0]);
    ok(text.startsWith("step 0: opened p") && text.includes("left out here"), text.slice(0, 100));
    const whole = await createCompactor({ format, contextWindow: 128_000 }).beforeModel({ messages });
    equal(whole.view[0], messages[0]);
  });
}

test("a file that says that it is text and is not, is a file", () => {
  for (const data of ["/w==", "https://example.com/a.txt", "not base64!", new Uint8Array([0xff, 0xfe])]) {
    const counted = tokens(aiSdk, [{ role: "user", content: [{ type: "file", data, mediaType: "text/plain" }] }]);
    ok(counted > 0 && counted < 1_100, `${counted}`);
  }
});
