// The same short chat in the shape of every format: pictures, several calls in a message, a result that failed, reasoning,
// and members that no format knows. And a format of nobody's, which keeps every rule.
import { PIXEL } from "./formats.cases.mjs";

const CITIES = { city: "Trondheim", days: [1, 2] };
const OTHER = { city: "Bergen, in the west", days: [3] };
const QUESTION = "How is the weather in these two cities?";
const ANSWER = "It rains in Bergen; nobody knows about Trondheim.";
const THOUGHT = "They want both, so I ask twice.";
const own = { mine: { kept: ["yes"] } };

const openai = (name, args, images) => [
  { role: "system", content: "You know the weather." },
  { role: "user", content: [{ type: "text", text: QUESTION, ...own }, images], ...own },
  {
    role: "assistant",
    content: "I ask both.",
    reasoning_content: THOUGHT,
    [name]: [
      { id: "call_1", type: "function", function: { name: "weather", arguments: args(CITIES) }, ...own },
      { id: "call_2", type: "function", function: { name: "weather", arguments: args(OTHER) } },
    ],
    ...own,
  },
];
const text = (value) => JSON.stringify(value);
const picture = { type: "image_url", image_url: { url: `data:image/png;base64,${PIXEL}`, detail: "low" } };

export const CHATS = {
  openaiChat: [
    ...openai("tool_calls", text, picture),
    { role: "tool", tool_call_id: "call_1", content: [{ type: "text", text: "no such city" }], ...own },
    { role: "tool", tool_call_id: "call_2", content: "rain all week" },
    { role: "assistant", content: ANSWER, name: "ann" },
  ],
  anthropic: [
    {
      role: "user",
      content: [
        { type: "text", text: QUESTION, cache_control: { type: "ephemeral" } },
        { type: "image", source: { type: "base64", media_type: "image/png", data: PIXEL } },
      ],
      ...own,
    },
    {
      role: "assistant",
      content: [
        { type: "thinking", thinking: THOUGHT, signature: "c2lnbmVk" },
        { type: "text", text: "I ask both." },
        { type: "tool_use", id: "toolu_1", name: "weather", input: CITIES, ...own },
        { type: "tool_use", id: "toolu_2", name: "weather", input: OTHER },
      ],
    },
    {
      role: "user",
      content: [
        { type: "tool_result", tool_use_id: "toolu_1", content: "no such city", is_error: true, ...own },
        { type: "tool_result", tool_use_id: "toolu_2", content: [{ type: "text", text: "rain all week" }] },
      ],
    },
    { role: "assistant", content: ANSWER },
  ],
  aiSdk: [
    { role: "system", content: "You know the weather." },
    {
      role: "user",
      content: [
        { type: "text", text: QUESTION, providerOptions: { anthropic: { cacheControl: { type: "ephemeral" } } } },
        { type: "file", data: PIXEL, mediaType: "image/png" },
      ],
      ...own,
    },
    {
      role: "assistant",
      content: [
        { type: "reasoning", text: THOUGHT },
        { type: "text", text: "I ask both." },
        { type: "tool-call", toolCallId: "c1", toolName: "weather", input: CITIES, ...own },
        { type: "tool-call", toolCallId: "c2", toolName: "weather", input: OTHER },
      ],
    },
    {
      role: "tool",
      content: [
        {
          type: "tool-result",
          toolCallId: "c1",
          toolName: "weather",
          output: { type: "error-text", value: "no such city" },
          ...own,
        },
        {
          type: "tool-result",
          toolCallId: "c2",
          toolName: "weather",
          output: { type: "json", value: { rain: "all week" } },
        },
      ],
    },
    { role: "assistant", content: [{ type: "text", text: ANSWER }] },
  ],
  bedrock: [
    {
      role: "user",
      content: [{ text: QUESTION, ...own }, { image: { format: "png", source: { bytes: PIXEL } } }],
      ...own,
    },
    {
      role: "assistant",
      content: [
        { reasoningContent: { reasoningText: { text: THOUGHT, signature: "c2lnbmVk" } } },
        { text: "I ask both." },
        { toolUse: { toolUseId: "t1", name: "weather", input: CITIES, ...own } },
        { toolUse: { toolUseId: "t2", name: "weather", input: OTHER } },
      ],
    },
    {
      role: "user",
      content: [
        { toolResult: { toolUseId: "t1", content: [{ text: "no such city" }], status: "error" } },
        { toolResult: { toolUseId: "t2", content: [{ json: { rain: "all week" } }], ...own } },
      ],
    },
    { role: "assistant", content: [{ text: ANSWER }] },
  ],
  mistral: [
    ...openai("toolCalls", (value) => value, { type: "image_url", imageUrl: `data:image/png;base64,${PIXEL}` }).map(
      ({ reasoning_content: _, ...message }) => message,
    ),
    { role: "tool", toolCallId: "call_1", name: "weather", content: "no such city", ...own },
    { role: "tool", toolCallId: "call_2", name: "weather", content: "rain all week" },
    { role: "assistant", content: ANSWER },
  ],
  gemini: [
    {
      role: "user",
      parts: [{ text: QUESTION, ...own }, { inlineData: { mimeType: "image/png", data: PIXEL } }],
      ...own,
    },
    {
      role: "model",
      parts: [
        { text: "I ask both." },
        { functionCall: { id: "f1", name: "weather", args: CITIES } },
        { functionCall: { id: "f2", name: "weather", args: OTHER }, ...own },
      ],
    },
    {
      role: "user",
      parts: [
        { functionResponse: { id: "f1", name: "weather", response: { error: "no such city" } } },
        { functionResponse: { id: "f2", name: "weather", response: { result: "rain all week" } } },
      ],
    },
    { role: "model", parts: [{ text: ANSWER }] },
  ],
  openaiResponses: [
    {
      role: "user",
      content: [
        { type: "input_text", text: QUESTION, ...own },
        { type: "input_image", file_id: "file-1", detail: "low" },
      ],
      ...own,
    },
    { type: "function_call", call_id: "call_1", name: "weather", arguments: text(CITIES), ...own },
    { type: "function_call", call_id: "call_2", name: "weather", arguments: text(OTHER) },
    { type: "function_call_output", call_id: "call_1", output: "no such city", ...own },
    { type: "function_call_output", call_id: "call_2", output: [{ type: "input_text", text: "rain all week" }] },
    { role: "assistant", content: [{ type: "output_text", text: ANSWER }] },
  ],
};

/** What a shape cannot say, or has in messages of their own. */
export const CANNOT = {
  openaiChat: ["a result that failed"],
  mistral: ["a result that failed"],
  openaiResponses: ["several calls in a message", "a result that failed"],
};

const ROLES = { person: "user", agent: "assistant", desk: "tool" };

/** Letters of an agency: parts in a list, each named by its one member. */
export const letters = {
  name: "letters",
  id: ({ number }) => number,
  read(letter, to) {
    to.role(ROLES[letter.from]);
    letter.parts.forEach((part, at) => {
      if (part.say !== undefined) to.text(at, part.say);
      else if (part.order) to.call(part.order.number, part.order.what, part.order.with, at);
      else if (part.delivery) to.result(at, part.delivery.order, part.delivery.holds, part.delivery.broken === true);
      else if (part.photo) to.media("image", part.photo, "image/png", at, part.title);
      else if (part.ask) to.approvalRequest(at, part.ask, part);
      else to.opaque(part);
    });
  },
  summary: (say) => ({ from: "person", parts: [{ say }] }),
  replace: (letter, index, text) => ({
    ...letter,
    parts: letter.parts.map((part, at) => {
      if (at !== index) return part;
      if (part.order) return { ...part, order: { ...part.order, with: JSON.parse(text) } };
      if (part.delivery) return { ...part, delivery: { ...part.delivery, holds: text } };
      return part.say === undefined ? { say: text } : { ...part, say: text };
    }),
  }),
  without: (letter, gone) => ({ ...letter, parts: letter.parts.filter((_, at) => !gone.includes(at)) }),
  result: (order, _, holds) => ({ from: "desk", parts: [{ delivery: { order, holds, broken: true } }] }),
  merge: (first, second) => ({ ...second, parts: [...first.parts, ...second.parts] }),
};

export const LETTERS = [
  {
    ...{ from: "person", number: "1", stamp: "blue" },
    parts: [
      { say: "Please find out what these two books cost.", bold: true },
      { photo: PIXEL, title: "shelf.png" },
    ],
  },
  {
    ...{ from: "agent", number: "2" },
    parts: [
      { say: "I order both of them now." },
      { order: { number: "o1", what: "price", with: { title: "The Trial" }, urgent: true } },
      { order: { number: "o2", what: "price", with: { title: "The Castle" } } },
    ],
  },
  {
    ...{ from: "desk", number: "3" },
    parts: [
      { delivery: { order: "o1", holds: "12 crowns, and it is in stock", seal: "red" } },
      { delivery: { order: "o2", holds: "nobody knows", broken: true } },
    ],
  },
  { from: "agent", number: "4", parts: [{ say: "The Trial is 12 crowns; of The Castle nobody knows." }] },
];
