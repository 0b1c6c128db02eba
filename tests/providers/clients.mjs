// How a host of each provider writes what people and tools say, and sends a request: with the provider's own messages and
// no library between.

const BETA = "thinking-binding-controls-2026-08-01";
const textOf = (value) => (typeof value === "string" ? value : JSON.stringify(value));
const SCHEMA = { type: "object", properties: {}, additionalProperties: true };

const anthropic = {
  format: "anthropic",
  model: "claude-fable-5-2",
  user: (parts) => [
    {
      role: "user",
      content: parts.length === 1 && parts[0].text !== undefined ? parts[0].text : parts.map(anthropicPart),
    },
  ],
  /** Results and what a person says beside them are one message. */
  results: (results, parts = []) => [
    {
      role: "user",
      content: [
        ...results.map(({ id, output, failed }) => ({
          type: "tool_result",
          tool_use_id: id,
          content: textOf(output),
          ...(failed && { is_error: true }),
        })),
        ...parts.map(anthropicPart),
      ],
    },
  ],
  request: (
    view,
    {
      model = anthropic.model,
      system,
      tools = [],
      thinking = { type: "adaptive" },
      dropBlock = false,
      betas = [],
      ...more
    },
  ) => ({
    headers: { "anthropic-beta": [...(dropBlock ? [BETA] : []), ...betas].join() },
    body: {
      model,
      max_tokens: 8_000,
      ...(system && { system }),
      ...(tools.length > 0 && {
        tools: tools.map((name) => ({ name, description: `Calls ${name}.`, input_schema: SCHEMA })),
      }),
      thinking: { ...thinking, ...(dropBlock && { block_binding: { prefix_mismatch_behavior: "drop_block" } }) },
      messages: view,
      ...more,
    },
  }),
};

function anthropicPart({ text, data, mediaType, name }) {
  if (text !== undefined) return { type: "text", text };
  if (/^image\//.test(mediaType ?? ""))
    return { type: "image", source: { type: "base64", media_type: mediaType, data } };
  if (mediaType === "application/pdf")
    return { type: "document", source: { type: "base64", media_type: mediaType, data } };
  return { type: "text", text: `[${mediaType ?? "file"} ${name ?? ""}]` };
}

/** Chat Completions; what a person says beside results follows them. */
const chat = (format, model, more = {}) => ({
  format,
  model,
  user: (parts) => [
    { role: "user", content: parts.length === 1 && parts[0].text !== undefined ? parts[0].text : parts.map(chatPart) },
  ],
  results: (results, parts = []) => [
    ...results.map(({ id, output }) => ({ role: "tool", tool_call_id: id, content: textOf(output) })),
    ...(parts.length > 0 ? chat().user(parts) : []),
  ],
  request: (view, { model: named = model, system, tools = [], thinking } = {}) => ({
    headers: {},
    body: {
      model: named,
      ...(tools.length > 0 && {
        tools: tools.map((name) => ({
          type: "function",
          function: { name, description: `Calls ${name}.`, parameters: SCHEMA },
        })),
      }),
      ...(thinking && { thinking }),
      messages: [...(system ? [{ role: "system", content: system }] : []), ...view],
    },
  }),
  ...more,
});

function chatPart({ text, data, mediaType, name }) {
  if (text !== undefined) return { type: "text", text };
  if (/^image\//.test(mediaType ?? ""))
    return { type: "image_url", image_url: { url: `data:${mediaType};base64,${data}` } };
  return { type: "text", text: `[${mediaType ?? "file"} ${name ?? ""}]` };
}

const gemini = {
  format: "gemini",
  model: "gemini-3.5-flash",
  user: (parts) => [{ role: "user", parts: parts.map(geminiPart) }],
  results: (results, parts = []) => [
    {
      role: "user",
      parts: [
        ...results.map(({ id, name, output, failed }) => ({
          functionResponse: {
            ...(id && { id }),
            name,
            response: failed ? { error: textOf(output) } : { result: textOf(output) },
          },
        })),
      ],
    },
    // Beside responses a person's words would begin a turn in the middle of a step.
    ...(parts.length > 0 ? gemini.user(parts) : []),
  ],
  request: (view, { model = gemini.model, system, tools = [] } = {}) => ({
    headers: {},
    body: {
      model,
      ...(system && { systemInstruction: { parts: [{ text: system }] } }),
      ...(tools.length > 0 && {
        tools: [
          { functionDeclarations: tools.map((name) => ({ name, description: `Calls ${name}.`, parameters: SCHEMA })) },
        ],
      }),
      contents: view,
    },
  }),
};

function geminiPart({ text, data, mediaType }) {
  return text !== undefined ? { text } : { inlineData: { mimeType: mediaType ?? "application/octet-stream", data } };
}

const openaiResponses = {
  format: "openaiResponses",
  model: "gpt-6",
  user: (parts) => [{ type: "message", role: "user", content: parts.map(responsesPart) }],
  results: (results, parts = []) => [
    ...results.map(({ id, output }) => ({ type: "function_call_output", call_id: id, output: textOf(output) })),
    ...(parts.length > 0 ? openaiResponses.user(parts) : []),
  ],
  request: (view, { model = openaiResponses.model, system, tools = [], store = false } = {}) => ({
    headers: {},
    body: {
      model,
      store,
      ...(!store && { include: ["reasoning.encrypted_content"] }),
      ...(system && { instructions: system }),
      ...(tools.length > 0 && {
        tools: tools.map((name) => ({
          type: "function",
          name,
          description: `Calls ${name}.`,
          parameters: SCHEMA,
          strict: false,
        })),
      }),
      input: view,
    },
  }),
};

function responsesPart({ text, data, mediaType, name }) {
  if (text !== undefined) return { type: "input_text", text };
  if (/^image\//.test(mediaType ?? "")) return { type: "input_image", image_url: `data:${mediaType};base64,${data}` };
  return { type: "input_text", text: `[${mediaType ?? "file"} ${name ?? ""}]` };
}

/** Converse has blocks of its own for what Anthropic's messages hold: the history is kept in those, and goes out in these. */
const bedrock = {
  ...anthropic,
  model: "us.anthropic.claude-opus-5-5-v1:0",
  strict: true,
  request: (
    view,
    { model = bedrock.model, system, tools = [], thinking = { type: "adaptive" }, dropBlock = false } = {},
  ) => ({
    headers: {},
    body: {
      modelId: model,
      ...(system && { system: [{ text: system }] }),
      ...(tools.length > 0 && {
        toolConfig: {
          tools: tools.map((name) => ({
            toolSpec: { name, description: `Calls ${name}.`, inputSchema: { json: SCHEMA } },
          })),
        },
      }),
      additionalModelRequestFields: {
        ...(dropBlock && { anthropic_beta: [BETA] }),
        thinking: { ...thinking, ...(dropBlock && { block_binding: { mismatch_behavior: "drop_block" } }) },
      },
      messages: view.map(converse),
    },
  }),
  /** What the server replied, as the host keeps it. */
  kept: (entries) =>
    entries.map(({ role, content }) => ({
      role,
      content: content.map(({ reasoningContent, text, toolUse }) => {
        if (toolUse) return { type: "tool_use", id: toolUse.toolUseId, name: toolUse.name, input: toolUse.input };
        if (!reasoningContent) return { type: "text", text };
        const { text: thinking, signature } = reasoningContent.reasoningText;
        return { type: "thinking", thinking, signature };
      }),
    })),
};

const converted = new WeakMap();

/** The same object for the same message, as long as it is not changed. */
function converse(message) {
  if (!converted.has(message)) {
    const { role, content } = message;
    const blocks = typeof content === "string" ? [{ type: "text", text: content }] : content;
    converted.set(message, { role, content: blocks.map(converseBlock) });
  }
  return converted.get(message);
}

function converseBlock({ type, text, thinking, signature, id, name, input, tool_use_id, content, is_error, source }) {
  if (type === "text") return { text };
  if (type === "thinking") return { reasoningContent: { reasoningText: { text: thinking, signature } } };
  if (type === "tool_use") return { toolUse: { toolUseId: id, name, input } };
  if (type === "tool_result")
    return {
      toolResult: { toolUseId: tool_use_id, content: [{ text: content }], ...(is_error && { status: "error" }) },
    };
  return { image: { format: source?.media_type?.split("/")[1] ?? "png", source: { bytes: source?.data } } };
}

export const clients = {
  anthropic,
  bedrock,
  deepseek: chat("openaiChat", "deepseek-v4-pro"),
  gemini,
  kimi: chat("openaiChat", "kimi-k2-thinking"),
  // Behind results Mistral takes nothing of a person's: what they say beside them waits behind a word of the assistant.
  mistral: chat("openaiChat", "mistral-large-latest", { strict: true }),
  openai: chat("openaiChat", "gpt-5.6"),
  "openai-responses": openaiResponses,
  openrouter: chat("openaiChat", "google/gemini-3.5-flash"),
};
