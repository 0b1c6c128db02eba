// Requests of every shape, made of numbers: chats of five formats with what each alone has (roles that take turns, items of
// reasoning, approvals, tools that the provider runs, files, images, several system messages), and every option of a call
// that decides what is sent. Nothing here knows how the engine decides.

import fc from "fast-check";
import { aiSdk, anthropic, gemini, openaiChat, openaiResponses } from "precis/formats";
import { frozen } from "./harness.mjs";

const PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const REFUSED = "The user does not allow it.";

const openai = {
  name: "openai",
  format: openaiChat,
  system: (text) => [{ role: "system", content: text }],
  user: (text, media) => [
    {
      role: "user",
      content: media
        ? [
            { type: "text", text },
            { type: "image_url", image_url: { url: `data:image/png;base64,${PNG}` } },
          ]
        : text,
    },
  ],
  assistant: (text, thought) => [{ role: "assistant", content: text, ...(thought && { reasoning_content: thought }) }],
  tools: ({ said, calls }) => [
    {
      role: "assistant",
      content: said,
      tool_calls: calls.map(({ id, name, input }) => ({
        id,
        type: "function",
        function: { name, arguments: JSON.stringify(input) },
      })),
    },
    ...calls.map(({ id, output }) => ({ role: "tool", tool_call_id: id, content: output })),
  ],
};

const claude = {
  name: "claude",
  format: anthropic,
  user: (text, media) => [
    {
      role: "user",
      content: media
        ? [
            { type: "text", text },
            { type: "document", source: { type: "text", media_type: "text/plain", data: `A file. ${text}` } },
            { type: "image", source: { type: "base64", media_type: "image/png", data: PNG } },
          ]
        : text,
    },
  ],
  assistant: (text, thought, signed) => [
    {
      role: "assistant",
      content: [
        ...(thought ? [{ type: "thinking", thinking: thought, signature: signed ? "c2ln" : "" }] : []),
        { type: "text", text },
      ],
    },
  ],
  tools: ({ said, thought, signed, calls }) => [
    {
      role: "assistant",
      content: [
        ...(thought ? [{ type: "thinking", thinking: thought, signature: signed ? "c2ln" : "" }] : []),
        ...(said ? [{ type: "text", text: said }] : []),
        ...calls.map(({ id, name, input }) => ({ type: "tool_use", id, name, input })),
      ],
    },
    {
      role: "user",
      content: calls.map(({ id, output, failed, shot }) => ({
        type: "tool_result",
        tool_use_id: id,
        is_error: failed,
        content: shot
          ? [
              { type: "text", text: output },
              { type: "image", source: { type: "base64", media_type: "image/png", data: PNG } },
            ]
          : output,
      })),
    },
  ],
  executed: ({ id, input, output, said }) => [
    {
      role: "assistant",
      content: [
        { type: "server_tool_use", id: `srvtoolu_${id}`, name: "web_search", input },
        {
          type: "web_search_tool_result",
          tool_use_id: `srvtoolu_${id}`,
          content: [{ type: "web_search_result", title: said, url: "https://x.example", encrypted_content: output }],
        },
        { type: "text", text: said },
      ],
    },
  ],
};

const vercel = {
  name: "vercel",
  format: aiSdk,
  system: (text) => [{ role: "system", content: text }],
  user: (text, media) => [
    {
      role: "user",
      content: [
        { type: "text", text },
        ...(media ? [{ type: "file", data: PNG, mediaType: "image/png", filename: "shot.png" }] : []),
      ],
    },
  ],
  assistant: (text, thought, signed) => [
    {
      role: "assistant",
      content: [
        ...(thought
          ? [
              {
                type: "reasoning",
                text: thought,
                ...(signed && { providerOptions: { anthropic: { signature: "c2ln" } } }),
              },
            ]
          : []),
        { type: "text", text },
      ],
    },
  ],
  tools: ({ said, calls }) => [
    {
      role: "assistant",
      content: [
        ...(said ? [{ type: "text", text: said }] : []),
        ...calls.map(({ id, name, input }) => ({ type: "tool-call", toolCallId: id, toolName: name, input })),
      ],
    },
    {
      role: "tool",
      content: calls.map(({ id, name, output, failed, shot }) => ({
        type: "tool-result",
        toolCallId: id,
        toolName: name,
        output: shot
          ? {
              type: "content",
              value: [
                { type: "text", text: output },
                { type: "media", data: PNG, mediaType: "image/png" },
              ],
            }
          : { type: failed ? "error-text" : "text", value: output },
      })),
    },
  ],
  executed: ({ id, input, output, said }) => [
    {
      role: "assistant",
      content: [
        { type: "tool-call", toolCallId: `srv_${id}`, toolName: "web_search", input, providerExecuted: true },
        {
          type: "tool-result",
          toolCallId: `srv_${id}`,
          toolName: "web_search",
          output: { type: "json", value: { found: output } },
        },
        { type: "text", text: said },
      ],
    },
  ],
  approval: ({ id, name, input, output, approved }) => [
    {
      role: "assistant",
      content: [
        { type: "tool-call", toolCallId: id, toolName: name, input },
        { type: "tool-approval-request", approvalId: `ok_${id}`, toolCallId: id },
      ],
    },
    {
      role: "tool",
      content: [
        { type: "tool-approval-response", approvalId: `ok_${id}`, approved },
        {
          type: "tool-result",
          toolCallId: id,
          toolName: name,
          output: approved ? { type: "text", value: output } : { type: "execution-denied", reason: REFUSED },
        },
      ],
    },
  ],
};

const google = {
  name: "google",
  format: gemini,
  user: (text, media) => [
    { role: "user", parts: [{ text }, ...(media ? [{ inlineData: { mimeType: "image/png", data: PNG } }] : [])] },
  ],
  assistant: (text, thought) => [
    { role: "model", parts: [...(thought ? [{ text: thought, thought: true }] : []), { text }] },
  ],
  tools: ({ said, signed, calls, nameless }) => [
    {
      role: "model",
      parts: [
        ...(said ? [{ text: said }] : []),
        ...calls.map(({ id, name, input }, at) => ({
          functionCall: { ...(!nameless && { id }), name, args: input },
          ...(signed && at === 0 && { thoughtSignature: "c2ln" }),
        })),
      ],
    },
    {
      role: "user",
      parts: calls.map(({ id, name, output, failed, shot }) => ({
        functionResponse: {
          ...(!nameless && { id }),
          name,
          response: failed ? { error: output } : { result: output },
          ...(shot && { parts: [{ inlineData: { mimeType: "image/png", data: PNG } }] }),
        },
      })),
    },
  ],
};

const responses = {
  name: "responses",
  format: openaiResponses,
  system: (text) => [{ type: "message", role: "developer", content: text }],
  user: (text, media) => [
    {
      type: "message",
      role: "user",
      content: [
        { type: "input_text", text },
        ...(media
          ? [
              { type: "input_image", image_url: `data:image/png;base64,${PNG}` },
              { type: "input_file", filename: "a.txt", file_data: "data:text/plain;base64,QSBmaWxlIG9mIHdvcmRzLg==" },
            ]
          : []),
      ],
    },
  ],
  thought: (thought, number) =>
    thought
      ? [
          {
            type: "reasoning",
            id: `rs_${number}`,
            summary: [{ type: "summary_text", text: thought }],
            encrypted_content: "c2ln",
          },
        ]
      : [],
  assistant: (text, thought, _, number) => [
    ...responses.thought(thought, number),
    { type: "message", role: "assistant", content: [{ type: "output_text", text }] },
  ],
  tools: ({ said, thought, calls, number }) => [
    ...responses.thought(thought, number),
    ...(said ? [{ type: "message", role: "assistant", content: [{ type: "output_text", text: said }] }] : []),
    ...calls.map(({ id, name, input }) => ({
      type: "function_call",
      call_id: id,
      name,
      arguments: JSON.stringify(input),
    })),
    ...calls.map(({ id, output }) => ({ type: "function_call_output", call_id: id, output })),
  ],
  executed: ({ id, said, number }) => [
    ...responses.thought("Where is it?", number),
    { type: "web_search_call", id: `ws_${id}`, status: "completed", action: { type: "search", query: said } },
    { type: "message", role: "assistant", content: [{ type: "output_text", text: said }] },
  ],
};

const shapes = [openai, claude, vercel, google, responses];
for (const shape of shapes) shape[fc.toStringMethod] = () => shape.name;

// What happens. Sizes are in thousandths of the window.

const size = fc.oneof(
  { weight: 5, arbitrary: fc.integer({ min: 1, max: 15 }) },
  { weight: 4, arbitrary: fc.integer({ min: 15, max: 120 }) },
  { weight: 1, arbitrary: fc.integer({ min: 120, max: 600 }) },
);
const NAMES = ["read", "look", "write"];
const thought = fc.constantFrom(false, false, true);
const event = fc.oneof(
  { weight: 6, arbitrary: fc.record({ type: fc.constant("user"), size, media: fc.constantFrom(false, false, true) }) },
  { weight: 5, arbitrary: fc.record({ type: fc.constant("assistant"), size, thought }) },
  {
    weight: 9,
    arbitrary: fc.record({
      type: fc.constant("tools"),
      thought,
      said: fc.boolean(),
      batch: fc.array(
        fc.record({
          name: fc.nat(NAMES.length - 1),
          size,
          failed: fc.constantFrom(false, false, true),
          shot: fc.constantFrom(false, false, true),
        }),
        { minLength: 1, maxLength: 3 },
      ),
    }),
  },
  { weight: 2, arbitrary: fc.record({ type: fc.constant("executed"), size }) },
  {
    weight: 2,
    arbitrary: fc.record({
      type: fc.constant("approval"),
      size,
      approved: fc.boolean(),
      name: fc.nat(NAMES.length - 1),
    }),
  },
  { weight: 1, arbitrary: fc.record({ type: fc.constant("system"), size: fc.integer({ min: 1, max: 60 }) }) },
);
/** Requests of a chat: what is new at each. A turn begins with what a person typed, as providers demand. */
const chat = fc.array(fc.array(event, { minLength: 1, maxLength: 7 }), { minLength: 1, maxLength: 6 });

const policy = fc.record(
  {
    keep: fc.constantFrom(1, 2, "always"),
    inputs: fc.constantFrom("clear", "keep"),
    clip: fc.constantFrom(64, 200),
  },
  { requiredKeys: [] },
);
const maybe = (arbitrary, freq = 2) => fc.option(arbitrary, { nil: undefined, freq });
const setup = fc.record({
  shape: fc.constantFrom(...shapes),
  window: fc.oneof(
    { weight: 12, arbitrary: fc.constantFrom(1_500, 3_000) },
    { weight: 4, arbitrary: fc.constant(6_000) },
    { weight: 1, arbitrary: fc.constant(16_000) },
  ),
  strategy: fc.constantFrom("tail", "tail", "full", "sliding-window"),
  summarizes: fc.boolean(),
  signed: fc.boolean(),
  /** Calls of Gemini without ids. */
  nameless: fc.boolean(),
  system: fc.boolean(),
  frame: maybe(fc.constant({ before: "<memory>", after: "</memory>\nGo on from here." })),
  prices: maybe(fc.constantFrom({}, { input: 3, cachedRead: 0.3 })),
  policies: maybe(fc.dictionary(fc.constantFrom(...NAMES), policy, { maxKeys: 3 })),
  asked: fc.boolean(),
  keep: maybe(
    fc.record(
      {
        turns: fc.integer({ min: 1, max: 3 }),
        messages: fc.integer({ min: 1, max: 6 }),
        results: fc.integer({ min: 1, max: 3 }),
      },
      { requiredKeys: [] },
    ),
  ),
  trigger: maybe(fc.constantFrom(0.6, 0.8, { messages: 6 })),
  target: maybe(fc.constantFrom(0.3, 0.5, { share: 0.4 })),
  /** Every so manieth message is pinned. */
  pins: maybe(fc.integer({ min: 3, max: 9 })),
  recall: fc.boolean(),
  mustKeep: fc.boolean(),
  reasoning: fc.constantFrom(undefined, undefined, "drop-old"),
  systemMessages: fc.constantFrom(undefined, "drop-old"),
  prefer: fc.constantFrom(undefined, "clear", "summarize"),
});

export const requests = fc.tuple(setup, chat);

const KINDS = [
  "the order and the invoice are as they were; ",
  '{"id": 4711, "paid": true},\n',
  "12:04 ERROR no such file\n",
  "订单已经发货。",
];

/** A text that begins with its number, so that each is found again. */
const textOf = (number, { size }, window) => {
  const kind = KINDS[number % KINDS.length];
  const length = Math.floor((size * window * 4) / 1_000 / (kind.codePointAt(0) > 255 ? 3 : 1));
  return `#${number}# ${kind.repeat(Math.ceil(length / kind.length)).slice(0, length)}`;
};

/** The messages of an event; what a format has no form for is nothing. */
export function messagesOf({ shape, window, signed, nameless }, event, number) {
  const text = textOf(number, event, window);
  const thoughts = event.thought ? `thought ${number}` : null;
  const call = (name, at, more) => ({
    id: `call_${number}_${at}`,
    name: NAMES[name],
    input: { path: `src/${number}-${at}.ts` },
    ...more,
  });
  switch (event.type) {
    case "user":
      return frozen(shape.user(text, event.media));
    case "assistant":
      return frozen(shape.assistant(text, thoughts, signed, number));
    case "tools": {
      const calls = event.batch.map((one, at) =>
        call(one.name, at, { ...one, name: NAMES[one.name], output: textOf(number, one, window) }),
      );
      return frozen(
        shape.tools({
          said: event.said ? `I look. #${number}#` : null,
          thought: thoughts,
          signed,
          nameless,
          calls,
          number,
        }),
      );
    }
    case "executed":
      return frozen(
        shape.executed?.({
          id: number,
          input: { query: "where" },
          output: text,
          said: `It is there. #${number}#`,
          number,
        }) ?? [],
      );
    case "approval":
      return frozen(shape.approval?.({ ...call(event.name, 0), output: text, approved: event.approved }) ?? []);
    default:
      return frozen(shape.system?.(text) ?? []);
  }
}

/** The options of the compactor and of each call, by what was drawn. */
export function optionsOf(setup) {
  const { shape, window, strategy, frame, prices, policies, asked } = setup;
  return {
    format: shape.format,
    contextWindow: window,
    maxOutputTokens: Math.floor(window / 8),
    ...(policies && { toolPolicy: asked ? ({ name }) => policies[name] : policies }),
    ...(frame && { summary: { frame } }),
    tune: { strategy, ...(prices && { prices }) },
  };
}

export function callOf(setup, messages, state) {
  const { keep, trigger, target, pins, recall, mustKeep, reasoning, systemMessages, prefer, system } = setup;
  return {
    messages,
    state,
    recall,
    ...(system && { system: "You are a careful assistant." }),
    ...(keep && Object.keys(keep).length > 0 && { keep }),
    ...(trigger !== undefined && { trigger }),
    // As messages the two would have to be of one kind.
    ...(target !== undefined && typeof trigger !== "object" && { target }),
    ...(pins && { pin: (_, index) => index % pins === 1 }),
    ...(mustKeep && { mustKeep: ["src/0-0.ts", "#2#"] }),
    ...(reasoning && { reasoning }),
    ...(systemMessages && { systemMessages }),
    ...(prefer && { prefer }),
  };
}

const tools = (thought, said, ...sizes) => ({
  type: "tools",
  thought,
  said,
  batch: sizes.map((size) => ({ name: 0, size, failed: false, shot: false })),
});

/** Cases that failed once. */
export const examples = [
  // The group that opens the active turn with its reasoning is pinned.
  [
    [
      { shape: responses, window: 6_000, strategy: "tail", pins: 5, recall: false },
      [
        [
          tools(false, false, 58, 12, 86),
          { type: "assistant", size: 120, thought: false },
          { type: "user", size: 52, media: false },
          tools(true, true, 32, 6),
          tools(false, false, 92, 5),
        ],
        [tools(false, false, 1)],
      ],
    ],
  ],
  // A pinned group is kept by another option as well.
  [
    [
      { shape: openai, window: 1_500, strategy: "tail", pins: 3, keep: { results: 3 }, recall: false },
      [
        [
          tools(false, false, 1),
          tools(false, false, 42, 15),
          { type: "user", size: 86, media: false },
          { type: "executed", size: 15 },
        ],
        [
          { type: "user", size: 18, media: false },
          { type: "user", size: 120, media: false },
        ],
      ],
    ],
  ],
];
