// Messages in the dialect of one API or SDK given to the format of another: either all of it is read, or the history is
// refused, and the error says what it is and what to use.
import { createCompactor, createMeter, load, PrecisError } from "precis";
import { aiSdk, aiSdkUI, anthropic, bedrock, gemini, mistral, openaiChat, openaiResponses } from "precis/formats";
import { equal, match, ok, same, test, throws } from "./harness.mjs";

// What is measured here is what the engine says.
await load();

const formats = { aiSdk, aiSdkUI, anthropic, bedrock, gemini, mistral, openaiChat, openaiResponses };
/** Their messages have no text that is a string. */
const NO_STRINGS = ["aiSdkUI", "bedrock", "gemini"];
const plain = (role, content) => ({ role, content });
const functionCall = { name: "read", arguments: '{"path":"WORD2"}' };

/** A question with WORD1, a call with WORD2, a result with WORD3 and an answer with WORD4, and how the error names them. */
const dialects = {
  "OpenAI Agents SDK": {
    name: /OpenAI Agents SDK.*`openaiAgents`/,
    messages: [
      plain("user", "WORD1"),
      { type: "function_call", callId: "c", name: "read", arguments: '{"path":"WORD2"}', status: "completed" },
      {
        type: "function_call_result",
        callId: "c",
        name: "read",
        status: "completed",
        output: { type: "text", text: "WORD3" },
      },
      { role: "assistant", status: "completed", content: [{ type: "output_text", text: "WORD4" }] },
    ],
  },
  "camelCase, as the SDKs of Mistral and OpenRouter": {
    name: /camelCase.*`mistral`.*`openaiChat`/,
    read: ["mistral"],
    messages: [
      plain("user", "WORD1"),
      { role: "assistant", content: "", toolCalls: [{ id: "c", type: "function", function: functionCall }] },
      { role: "tool", toolCallId: "c", name: "read", content: "WORD3" },
      plain("assistant", "WORD4"),
    ],
  },
  "Bedrock Converse": {
    name: /Bedrock.*`bedrock`/,
    read: ["bedrock"],
    messages: [
      { role: "user", content: [{ text: "WORD1" }] },
      { role: "assistant", content: [{ toolUse: { toolUseId: "c", name: "read", input: { path: "WORD2" } } }] },
      { role: "user", content: [{ toolResult: { toolUseId: "c", content: [{ text: "WORD3" }] } }] },
      { role: "assistant", content: [{ text: "WORD4" }] },
    ],
  },
  Ollama: {
    name: /Ollama.*`openaiChat`/,
    messages: [
      { role: "user", content: "WORD1", images: ["iVBORw0KGgo="] },
      { role: "assistant", content: "", tool_calls: [{ function: { name: "read", arguments: { path: "WORD2" } } }] },
      { role: "tool", tool_name: "read", content: "WORD3" },
      { role: "assistant", content: "WORD4", thinking: "Hm." },
    ],
    read: ["openaiChat"],
  },
  "AI SDK 4": {
    name: /version 4 of the AI SDK/,
    messages: [
      plain("user", "WORD1"),
      {
        role: "assistant",
        content: [{ type: "tool-call", toolCallId: "c", toolName: "read", args: { path: "WORD2" } }],
      },
      { role: "tool", content: [{ type: "tool-result", toolCallId: "c", toolName: "read", result: "WORD3" }] },
      plain("assistant", "WORD4"),
    ],
  },
  "AI SDK 4, of useChat": {
    name: /UI messages.*version 4/,
    messages: [
      plain("user", "WORD1"),
      {
        role: "assistant",
        content: "WORD4",
        toolInvocations: [
          { state: "result", toolCallId: "c", toolName: "read", args: { path: "WORD2" }, result: "WORD3" },
        ],
      },
    ],
  },
  LangChain: {
    name: /LangChain/,
    messages: [
      plain("user", "WORD1"),
      {
        role: "assistant",
        content: "",
        tool_calls: [{ id: "c", name: "read", args: { path: "WORD2" }, type: "tool_call" }],
      },
      { role: "tool", tool_call_id: "c", content: "WORD3" },
      plain("assistant", "WORD4"),
    ],
  },
  Cohere: {
    name: /Cohere/,
    messages: [
      plain("user", "WORD1"),
      { role: "assistant", tool_plan: "WORD5", tool_calls: [{ id: "c", type: "function", function: functionCall }] },
      { role: "tool", tool_call_id: "c", content: "WORD3" },
      plain("assistant", "WORD4"),
    ],
  },
  "UI messages": {
    name: /UI messages/,
    messages: [
      { id: "1", role: "user", parts: [{ type: "text", text: "WORD1" }] },
      {
        id: "2",
        role: "assistant",
        parts: [
          { type: "tool-read", toolCallId: "c", state: "output-available", input: { path: "WORD2" }, output: "WORD3" },
          { type: "text", text: "WORD4" },
        ],
      },
    ],
    read: ["aiSdkUI"],
  },
  "AI SDK": {
    name: /model messages.*`aiSdk`/,
    messages: [
      plain("user", "WORD1"),
      {
        role: "assistant",
        content: [{ type: "tool-call", toolCallId: "c", toolName: "read", input: { path: "WORD2" } }],
      },
      {
        role: "tool",
        content: [{ type: "tool-result", toolCallId: "c", toolName: "read", output: { type: "text", value: "WORD3" } }],
      },
      plain("assistant", "WORD4"),
    ],
    read: ["aiSdk"],
  },
  Anthropic: {
    name: /`anthropic`/,
    messages: [
      plain("user", "WORD1"),
      { role: "assistant", content: [{ type: "tool_use", id: "c", name: "read", input: { path: "WORD2" } }] },
      plain("user", [{ type: "tool_result", tool_use_id: "c", content: "WORD3" }]),
      plain("assistant", "WORD4"),
    ],
    read: ["anthropic"],
  },
  Gemini: {
    name: /`gemini`/,
    messages: [
      { role: "user", parts: [{ text: "WORD1" }] },
      { role: "model", parts: [{ functionCall: { name: "read", args: { path: "WORD2" } } }] },
      { role: "user", parts: [{ functionResponse: { name: "read", response: { output: "WORD3" } } }] },
      { role: "model", parts: [{ text: "WORD4" }] },
    ],
    read: ["gemini"],
  },
  "Chat Completions": {
    name: /`openaiChat`/,
    messages: [
      plain("user", "WORD1"),
      { role: "assistant", content: null, tool_calls: [{ id: "c", type: "function", function: functionCall }] },
      { role: "tool", tool_call_id: "c", content: "WORD3" },
      plain("assistant", "WORD4"),
    ],
    read: ["openaiChat"],
  },
  Responses: {
    name: /`openaiResponses`/,
    messages: [
      plain("user", "WORD1"),
      { type: "function_call", call_id: "c", ...functionCall },
      { type: "function_call_output", call_id: "c", output: "WORD3" },
      plain("assistant", "WORD4"),
    ],
    read: ["openaiResponses"],
  },
};

/** What a format reads as what it is, without parts it does not know. */
function read(format, messages) {
  const said = [];
  const text = (value) => void said.push(JSON.stringify(value) ?? "");
  const skipped = () => {};
  for (const message of messages)
    format.read(message, {
      ...{ role: skipped, reasoning: skipped, media: skipped, opaque: skipped, compaction: skipped },
      ...{ approvalRequest: skipped, approvalResponse: skipped, speaker: skipped, document: skipped },
      text: (_, value) => text(value),
      call: (_id, _name, input) => text(input),
      result: (_part, _id, output) => text(output),
    });
  return said.join("\n");
}

const usage = (format, messages) => createMeter({ format, contextWindow: 100_000 }).usage({ messages });

for (const [dialect, { name, messages, read: by = [] }] of Object.entries(dialects))
  for (const [title, format] of Object.entries(formats)) {
    test(`${dialect} given to ${title}: read, or refused by name`, () => {
      // A few words around them change nothing.
      const among = [
        ...Array.from({ length: 8 }, (_, n) => plain(n % 2 ? "assistant" : "user", `talk ${n}`)),
        ...messages,
      ];
      for (const given of NO_STRINGS.includes(title) ? [messages] : [messages, among]) {
        if (by.includes(title)) {
          usage(format, given);
          for (const word of JSON.stringify(messages).match(/WORD\d/g)) ok(read(format, given).includes(word), word);
        } else
          throws(
            () => usage(format, given),
            (error) => {
              ok(error instanceof PrecisError && error.code === "wrong-format", String(error));
              match(error.advice, name);
              return true;
            },
          );
      }
    });
  }

test("what repeats what is read, is empty or shown to people only is no dialect", async () => {
  const call = { id: "c", type: "function", function: functionCall };
  const compactor = createCompactor({ format: openaiChat, contextWindow: 100_000, maxOutputTokens: 500 });
  const messages = [
    {
      id: "m1",
      role: "user",
      content: "Hi.",
      parts: [{ type: "text", text: "Hi." }],
      toolInvocations: [],
      metadata: { a: 1 },
    },
    { role: "assistant", content: null, tool_calls: [call], toolCalls: [call], images: [] },
    { role: "tool", tool_call_id: "c", toolCallId: "c", content: "done", functionCall: null },
    { role: "assistant", content: "Yes.", annotations: [{ type: "url_citation" }], usage: { total_tokens: 7 } },
  ];
  const { view, report } = await compactor.beforeModel({ messages });
  ok(same(view, messages));
  equal(report.warnings.length, 0);
});

test("a message of another dialect among many of the right one is passed on whole, and told", async () => {
  const { messages } = dialects["Chat Completions"];
  const stray = { role: "assistant", content: "", toolCalls: [{ id: "x", function: functionCall }] };
  const compactor = createCompactor({ format: openaiChat, contextWindow: 100_000, maxOutputTokens: 500 });
  const mixed = [...messages, stray, plain("user", "And?")];
  const { view, report, state } = await compactor.beforeModel({ messages: mixed });
  ok(view.includes(stray));
  ok(report.warnings.some(({ code }) => code === "opaque-content"));
  const again = await compactor.beforeModel({ messages: mixed, state });
  ok(same(again.view, view));
});

test("a text that stands in no content does not count as an empty message", () => {
  throws(
    () => usage(openaiChat, [{ role: "user", text: "Hello." }]),
    (error) => error.code === "wrong-format",
  );
});
