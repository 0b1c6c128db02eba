/** How a history is written in the shape of each format. */

type Call = { readonly id: string; readonly input: object };
type Result = { readonly id: string; readonly output: string; readonly failed: boolean };

/** How a shape writes what is said. */
export interface Writer {
  user(text: string, picture: boolean): unknown[];
  assistant(thought: string | null, text: string): unknown[];
  calls(thought: string | null, text: string | null, calls: readonly Call[]): unknown[];
  results(results: readonly Result[]): unknown[];
}

const TOOL = "read";
/** One transparent pixel. */
const PICTURE = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==";

const openaiChat: Writer = {
  user: (text, picture) => [
    {
      role: "user",
      content: picture
        ? [
            { type: "text", text },
            { type: "image_url", image_url: { url: `data:image/png;base64,${PICTURE}` } },
          ]
        : text,
    },
  ],
  assistant: (thought, content) => [{ role: "assistant", ...(thought && { reasoning_content: thought }), content }],
  calls: (thought, content, calls) => [
    {
      role: "assistant",
      ...(thought && { reasoning_content: thought }),
      content,
      tool_calls: calls.map(({ id, input }) => ({
        id,
        type: "function",
        function: { name: TOOL, arguments: JSON.stringify(input) },
      })),
    },
  ],
  results: (results) => results.map(({ id, output }) => ({ role: "tool", tool_call_id: id, content: output })),
};

const thinking = (thought: string | null, signature = `signed:${thought}`) =>
  thought ? [{ type: "thinking", thinking: thought, signature }] : [];

const anthropic: Writer = {
  user: (text, picture) => [
    {
      role: "user",
      content: picture
        ? [
            { type: "image", source: { type: "base64", media_type: "image/png", data: PICTURE } },
            { type: "text", text },
          ]
        : text,
    },
  ],
  assistant: (thought, text) => [{ role: "assistant", content: [...thinking(thought), { type: "text", text }] }],
  calls: (thought, text, calls) => [
    {
      role: "assistant",
      content: [
        ...thinking(thought),
        ...(text ? [{ type: "text", text }] : []),
        ...calls.map(({ id, input }) => ({ type: "tool_use", id, name: TOOL, input })),
      ],
    },
  ],
  results: (results) => [
    {
      role: "user",
      content: results.map(({ id, output, failed }) => ({
        type: "tool_result",
        tool_use_id: id,
        content: output,
        ...(failed && { is_error: true }),
      })),
    },
  ],
};

const reasoned = (thought: string | null) =>
  thought
    ? [{ type: "reasoning", text: thought, providerOptions: { anthropic: { signature: `signed:${thought}` } } }]
    : [];

const aiSdk: Writer = {
  user: (text, picture) => [
    {
      role: "user",
      content: [{ type: "text", text }, ...(picture ? [{ type: "file", data: PICTURE, mediaType: "image/png" }] : [])],
    },
  ],
  assistant: (thought, text) => [{ role: "assistant", content: [...reasoned(thought), { type: "text", text }] }],
  calls: (thought, text, calls) => [
    {
      role: "assistant",
      content: [
        ...reasoned(thought),
        ...(text ? [{ type: "text", text }] : []),
        ...calls.map(({ id, input }) => ({ type: "tool-call", toolCallId: id, toolName: TOOL, input })),
      ],
    },
  ],
  results: (results) => [
    {
      role: "tool",
      content: results.map(({ id, output, failed }) => ({
        type: "tool-result",
        toolCallId: id,
        toolName: TOOL,
        output: { type: failed ? "error-text" : "text", value: output },
      })),
    },
  ],
};

const bedrock: Writer = {
  user: (text, picture) => [
    {
      role: "user",
      content: [{ text }, ...(picture ? [{ image: { format: "png", source: { bytes: PICTURE } } }] : [])],
    },
  ],
  assistant: (thought, text) => [{ role: "assistant", content: [...reasonedAbout(thought), { text }] }],
  calls: (thought, text, calls) => [
    {
      role: "assistant",
      content: [
        ...reasonedAbout(thought),
        ...(text ? [{ text }] : []),
        ...calls.map(({ id, input }) => ({ toolUse: { toolUseId: id, name: TOOL, input } })),
      ],
    },
  ],
  results: (results) => [
    {
      role: "user",
      content: results.map(({ id, output, failed }) => ({
        toolResult: { toolUseId: id, content: [{ text: output }], status: failed ? "error" : "success" },
      })),
    },
  ],
};

const reasonedAbout = (thought: string | null) =>
  thought ? [{ reasoningContent: { reasoningText: { text: thought, signature: `signed:${thought}` } } }] : [];

const thoughtOf = (thought: string | null) =>
  thought ? [{ type: "thinking", thinking: [{ type: "text", text: thought }] }] : [];

const mistral: Writer = {
  user: (text, picture) => [
    {
      role: "user",
      content: picture
        ? [
            { type: "text", text },
            { type: "image_url", imageUrl: `data:image/png;base64,${PICTURE}` },
          ]
        : text,
    },
  ],
  assistant: (thought, text) => [
    { role: "assistant", content: thought ? [...thoughtOf(thought), { type: "text", text }] : text },
  ],
  calls: (thought, text, calls) => [
    {
      role: "assistant",
      content: thought ? [...thoughtOf(thought), ...(text ? [{ type: "text", text }] : [])] : (text ?? ""),
      toolCalls: calls.map(({ id, input }) => ({
        id,
        type: "function",
        function: { name: TOOL, arguments: JSON.stringify(input) },
      })),
    },
  ],
  results: (results) =>
    results.map(({ id, output }) => ({ role: "tool", toolCallId: id, name: TOOL, content: output })),
};

/** By the name of the format. */
export const writers: { readonly [name: string]: Writer } = {
  "openai-chat": openaiChat,
  anthropic,
  "ai-sdk": aiSdk,
  "bedrock-converse": bedrock,
  mistral,
};
