// Chat Completions, as OpenAI, DeepSeek, Kimi, Mistral and OpenRouter have them.
const wire = {
  read: (_url, headers, body) => ({ headers, body, stream: body.stream === true }),
  refusal: ({ text, code }) => ({
    error: { message: text, type: "invalid_request_error", param: null, code: code ?? null },
  }),
  stream: streamOf,
};

const callsOf = (calls) =>
  calls.map(({ id, name, input }) => ({ id, type: "function", function: { name, arguments: JSON.stringify(input) } }));

function completion({ body, memory }, message) {
  const prompt_tokens = Math.ceil(JSON.stringify([body.messages, body.tools ?? []]).length / 4);
  const completion_tokens = Math.ceil(JSON.stringify(message).length / 4);
  return {
    id: memory.next("chatcmpl-"),
    object: "chat.completion",
    created: 1795000000,
    model: body.model ?? "model",
    choices: [{ index: 0, message, finish_reason: message.tool_calls ? "tool_calls" : "stop" }],
    usage: { prompt_tokens, completion_tokens, total_tokens: prompt_tokens + completion_tokens },
  };
}

/** A server whose replies carry what `beside` adds to a message. */
function chat(beside, more = {}) {
  return {
    ...wire,
    respond(asked, { thought, text, calls = [] }) {
      const message = {
        role: "assistant",
        ...beside(asked, thought, calls),
        content: text || (calls.length > 0 ? null : "…"),
        ...(calls.length > 0 && { tool_calls: callsOf(calls) }),
      };
      return { body: completion(asked, message), entries: [message], notes: [] };
    },
    ...more,
  };
}

/** Thinking shows as `reasoning_content` unless it is turned off. */
const thoughts = ({ body }, thought) =>
  body.thinking?.type === "disabled" ? {} : { reasoning_content: thought ?? "The next step is clear." };

export const openai = chat(() => ({}));
export const deepseek = chat(thoughts);
export const kimi = chat(thoughts);

export const mistral = {
  ...wire,
  refusal: ({ text }) => ({
    object: "error",
    message: text,
    type: "invalid_request_message_order",
    param: null,
    code: "3230",
  }),
  respond(asked, { text, calls = [] }) {
    const message = {
      role: "assistant",
      content: text || (calls.length > 0 ? "" : "…"),
      ...(calls.length > 0 && { tool_calls: callsOf(calls) }),
    };
    return { body: completion(asked, message), entries: [message], notes: [] };
  },
};

/** What the provider behind it signs comes along as details, and is remembered under the calls it came with. */
export const openrouter = chat(
  ({ body, memory }, thought, calls) => {
    if (!thought) return {};
    const isGemini = /gemini/.test(String(body.model));
    const reasoning_details = isGemini
      ? [
          { type: "reasoning.text", text: thought, format: "google-gemini-v1", index: 0 },
          ...calls.slice(0, 1).map(({ id }) => ({
            type: "reasoning.encrypted",
            data: memory.next("enc_"),
            id,
            format: "google-gemini-v1",
            index: 0,
          })),
        ]
      : [
          {
            type: "reasoning.text",
            text: thought,
            signature: memory.next("sig_"),
            format: "anthropic-claude-v1",
            index: 0,
          },
        ];
    for (const detail of reasoning_details) memory.note("detail", JSON.stringify(detail), true);
    for (const { id } of calls) memory.note("detailed", id, true);
    return { reasoning: thought, reasoning_details };
  },
  { refusal: ({ text }) => ({ error: { message: text, code: 400, metadata: { provider_name: "upstream" } } }) },
);

function streamOf({ choices, usage, ...rest }) {
  const [{ message, finish_reason }] = choices;
  const { role, content, tool_calls, ...more } = message;
  const chunk = (delta, end = null) => ({
    ...rest,
    object: "chat.completion.chunk",
    choices: [{ index: 0, delta, finish_reason: end }],
  });
  const chunks = [
    chunk({ role, content: "", ...more }),
    ...(content ? [chunk({ content })] : []),
    ...(tool_calls ?? []).map((call, index) => chunk({ tool_calls: [{ index, ...call }] })),
    { ...chunk({}, finish_reason), usage },
  ];
  return `${chunks.map((one) => `data: ${JSON.stringify(one)}\n\n`).join("")}data: [DONE]\n\n`;
}
