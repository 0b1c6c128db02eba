// checkFormat on the formats of agent frameworks, and on requests that client libraries have really sent.
import { deepEqual } from "node:assert/strict";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { anthropic, gemini, openaiChat, openaiResponses } from "precis/formats";
import { langchain } from "precis/langchain";
import { openaiAgents } from "precis/openai-agents";
import { piFormat } from "precis/pi";
import { tanstack } from "precis/tanstack";
import { checkFormat } from "precis/testing";
import { conversations } from "../payloads.mjs";
import { PIXEL } from "./formats.cases.mjs";
import { frozen } from "./harness.mjs";
import { spread } from "./length.mjs";

const CITIES = { city: "Trondheim" };
const OTHER = { city: "Bergen, in the west" };
const own = { mine: { kept: true } };
const text = (value) => JSON.stringify(value);

/** By the framework: its format, a chat, and what its messages cannot say. */
const FRAMEWORKS = {
  LangChain: [
    langchain,
    [
      {
        ...{ type: "human", ...own },
        content: [
          { type: "text", text: "How is the weather in these two cities?" },
          { type: "image_url", image_url: { url: `data:image/png;base64,${PIXEL}` } },
        ],
      },
      {
        ...{ type: "ai", content: "I ask both.", id: "run-1" },
        tool_calls: [
          { id: "c1", name: "weather", args: CITIES, type: "tool_call" },
          { id: "c2", name: "weather", args: OTHER, type: "tool_call" },
        ],
      },
      { type: "tool", tool_call_id: "c1", name: "weather", content: "no such city", status: "error", ...own },
      { type: "tool", tool_call_id: "c2", name: "weather", content: "rain all week", status: "success" },
      { type: "ai", content: "It rains in Bergen." },
    ],
  ],
  "the OpenAI Agents SDK": [
    openaiAgents,
    [
      {
        role: "user",
        content: [
          { type: "input_text", text: "How is the weather?" },
          { type: "input_image", image: `data:image/png;base64,${PIXEL}` },
        ],
      },
      { type: "function_call", callId: "c1", name: "weather", arguments: text(CITIES), status: "completed", ...own },
      { type: "function_call", callId: "c2", name: "weather", arguments: text(OTHER), status: "completed" },
      {
        type: "function_call_result",
        callId: "c1",
        name: "weather",
        status: "completed",
        output: "no such city",
        ...own,
      },
      {
        type: "function_call_result",
        callId: "c2",
        name: "weather",
        status: "completed",
        output: { type: "text", text: "rain" },
      },
      { role: "assistant", status: "completed", content: [{ type: "output_text", text: "It rains in Bergen." }] },
    ],
    ["several calls in a message", "a result that failed"],
  ],
  pi: [
    piFormat(),
    [
      {
        ...{ role: "user", timestamp: 1, ...own },
        content: [
          { type: "text", text: "How is the weather?" },
          { type: "image", data: PIXEL, mimeType: "image/png" },
        ],
      },
      {
        ...{ role: "assistant", timestamp: 2, api: "a", provider: "p", model: "m", stopReason: "toolUse" },
        content: [
          { type: "thinking", thinking: "Both.", thinkingSignature: "c2ln" },
          { type: "toolCall", id: "c1", name: "weather", arguments: CITIES },
          { type: "toolCall", id: "c2", name: "weather", arguments: OTHER },
        ],
      },
      {
        ...{ role: "toolResult", toolCallId: "c1", toolName: "weather", isError: true, timestamp: 3 },
        content: [{ type: "text", text: "no such city" }],
      },
      {
        ...{ role: "toolResult", toolCallId: "c2", toolName: "weather", isError: false, timestamp: 4 },
        content: [{ type: "text", text: "rain" }],
      },
      {
        ...{ role: "assistant", timestamp: 5, api: "a", provider: "p", model: "m", stopReason: "stop" },
        content: [{ type: "text", text: "It rains in Bergen." }],
      },
    ],
  ],
  "TanStack AI": [
    tanstack,
    [
      {
        role: "user",
        content: [
          { type: "text", content: "How is the weather?" },
          { type: "image", source: { type: "data", value: PIXEL, mimeType: "image/png" } },
        ],
        ...own,
      },
      {
        ...{ role: "assistant", content: "I ask both." },
        toolCalls: [
          { id: "c1", type: "function", function: { name: "weather", arguments: text(CITIES) }, ...own },
          { id: "c2", type: "function", function: { name: "weather", arguments: text(OTHER) } },
        ],
      },
      { role: "tool", toolCallId: "c1", content: "no such city", ...own },
      { role: "tool", toolCallId: "c2", content: "rain" },
      { role: "assistant", content: "It rains in Bergen." },
    ],
    ["a result that failed"],
  ],
};

for (const [name, [format, messages, cannot = []]] of Object.entries(FRAMEWORKS)) {
  test(`the format of ${name} keeps every rule`, () => {
    const { problems, untested } = checkFormat(format, frozen(messages));
    deepEqual(problems, []);
    deepEqual(untested, cannot);
  });
}

const formats = { anthropic, gemini, openai: openaiChat, responses: openaiResponses };
const file = fileURLToPath(new URL("../../fixtures/payloads/requests.ndjson", import.meta.url));
/** A third of them: each value in each is changed, and its message read again. */
const some = conversations(file).filter((_, at) => at % 3 === 0);
/** What a server makes sure of, and thoughts that are there a second time. */
const unsent = ["signature", "reasoning", "reasoning_details"];

test("requests of client libraries are read in full, copied and shortened by the rules", () => {
  for (const { shape, library, messages } of spread(some, 20)) {
    if (messages.length === 0 || JSON.stringify(messages).length > 20_000) continue;
    const { problems } = checkFormat(formats[shape], messages, { unsent });
    // Some were refused for their calls and results, and two are of another API.
    const ours = problems.filter(({ rule, message }) => rule !== "pairs" && !message.includes("Converse"));
    deepEqual(ours, [], library);
  }
});
