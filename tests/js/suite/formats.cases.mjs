// One table for all formats: what a message is, and what its format says of it.
import { aiSdk, anthropic, bedrock, mistral, openaiChat } from "precis/formats";

/** 1 × 1 pixel: PNG. */
export const PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
/** Where `openaiChat` numbers calls from, and the one of old. */
const CALLS = 1 << 16;
const FUNCTION_CALL = 1 << 20;
const REASONING = 1 << 21;
const bytes = new Uint8Array([1, 2, 3]);
const url = new URL("https://example.com/cat.png");
const signed = { anthropic: { signature: "c2ln" } };

const part = (role, one, ...said) => ({ message: { role, content: [one] }, said: [["role", role], ...said] });

const openai = {
  "system text": {
    message: { role: "system", content: "Be kind." },
    said: [
      ["role", "system"],
      ["text", 0, "Be kind."],
    ],
  },
  "developer text": {
    message: { role: "developer", content: "Be kind." },
    said: [
      ["role", "system"],
      ["text", 0, "Be kind."],
    ],
  },
  "user text": {
    message: { role: "user", content: "Hi.", name: "ann" },
    said: [
      ["role", "user"],
      ["speaker", "ann"],
      ["text", 0, "Hi."],
    ],
  },
  "user parts": {
    message: {
      role: "user",
      content: [
        { type: "text", text: "What is this?" },
        { type: "image_url", image_url: { url: `data:image/png;base64,${PIXEL}`, detail: "low" } },
        { type: "image_url", image_url: { url: "https://example.com/cat.png" } },
        { type: "input_audio", input_audio: { data: "AAAA", format: "wav" } },
        { type: "file", file: { file_data: "data:application/pdf;base64,AAAA", filename: "a.pdf" } },
        { type: "file", file: { file_id: "file-1" } },
        { type: "text", text: "And this?" },
      ],
    },
    said: [
      ["role", "user"],
      ["text", 0, "What is this?"],
      ["media", "image", `data:image/png;base64,${PIXEL}`, undefined, 1],
      ["media", "image", "https://example.com/cat.png", undefined, 2],
      ["media", "audio", "AAAA", "audio/wav", 3],
      ["media", "pdf", "data:application/pdf;base64,AAAA", "application/pdf", 4, "a.pdf"],
      ["media", "file", { file_id: "file-1" }, undefined, 5],
      ["text", 6, "And this?"],
    ],
  },
  "unknown part": part("user", { type: "hologram", depth: 3 }, ["opaque", { type: "hologram", depth: 3 }]),
  "assistant text": {
    message: { role: "assistant", content: "Hello.", refusal: null, annotations: [] },
    said: [
      ["role", "assistant"],
      ["text", 0, "Hello."],
    ],
  },
  "assistant parts": {
    message: {
      role: "assistant",
      content: [
        { type: "text", text: "Hm." },
        { type: "refusal", refusal: "No." },
      ],
    },
    said: [
      ["role", "assistant"],
      ["text", 0, "Hm."],
      ["text", 1, "No."],
    ],
  },
  "assistant refusal": {
    message: { role: "assistant", content: null, refusal: "No." },
    said: [
      ["role", "assistant"],
      ["opaque", "No."],
    ],
  },
  "tool calls": {
    message: {
      role: "assistant",
      content: null,
      tool_calls: [
        { id: "c1", type: "function", function: { name: "read", arguments: '{"path":"a","lines":[1,2]}' } },
        { id: "c2", type: "function", function: { name: "read", arguments: '{"path":' } },
        { id: "c3", type: "custom", custom: { name: "shell", input: "ls" } },
        { id: "c4", type: "telepathy" },
      ],
    },
    said: [
      ["role", "assistant"],
      ["call", "c1", "read", { path: "a", lines: [1, 2] }, CALLS],
      ["call", "c2", "read", '{"path":', CALLS + 1],
      ["call", "c3", "shell", "ls", CALLS + 2],
      ["opaque", { id: "c4", type: "telepathy" }],
    ],
  },
  "function call": {
    message: { role: "assistant", content: null, function_call: { name: "read", arguments: "{}" } },
    said: [
      ["role", "assistant"],
      ["call", undefined, "read", {}, FUNCTION_CALL],
    ],
  },
  reasoning: {
    message: { role: "assistant", reasoning_content: "Let me think.", content: "Four." },
    said: [
      ["role", "assistant"],
      ["reasoning", "Let me think.", false, REASONING],
      ["text", 0, "Four."],
    ],
  },
  "signed reasoning": {
    message: {
      role: "assistant",
      reasoning: "So.",
      reasoning_details: [{ type: "reasoning.encrypted" }],
      content: "Four.",
    },
    said: [
      ["role", "assistant"],
      ["reasoning", "So.", true, REASONING],
      ["text", 0, "Four."],
    ],
  },
  "tool result": {
    message: { role: "tool", tool_call_id: "c1", content: "12 files" },
    said: [
      ["role", "tool"],
      ["result", 0, "c1", "12 files", false],
    ],
  },
  "tool result in parts": {
    message: {
      role: "tool",
      tool_call_id: "c1",
      content: [
        { type: "text", text: "12" },
        { type: "text", text: "files" },
      ],
    },
    said: [
      ["role", "tool"],
      ["result", 0, "c1", "12\nfiles", false],
    ],
  },
  "function result": {
    message: { role: "function", name: "read", content: "12 files" },
    said: [
      ["role", "tool"],
      ["result", 0, undefined, "12 files", false, "read"],
    ],
  },
  "unknown role": {
    message: { role: "critic", content: "Bad." },
    said: [["opaque", { role: "critic", content: "Bad." }]],
  },
};

const claude = {
  "user text": {
    message: { role: "user", content: "Hi." },
    said: [
      ["role", "user"],
      ["text", 0, "Hi."],
    ],
  },
  "user blocks": {
    message: {
      role: "user",
      content: [
        { type: "text", text: "What is this?", cache_control: { type: "ephemeral" } },
        { type: "image", source: { type: "base64", media_type: "image/png", data: PIXEL } },
        { type: "image", source: { type: "url", url: "https://example.com/cat.png" } },
        { type: "image", source: { type: "file", file_id: "file_1" } },
        { type: "document", source: { type: "base64", media_type: "application/pdf", data: "AAAA" } },
        { type: "document", source: { type: "url", url: "https://example.com/a.pdf" }, title: "A" },
        { type: "document", source: { type: "text", media_type: "text/plain", data: "Long ago." } },
        { type: "container_upload", file_id: "file_2" },
        { type: "text", text: "And this?" },
      ],
    },
    said: [
      ["role", "user"],
      ["text", 0, "What is this?"],
      ["media", "image", PIXEL, "image/png", 1],
      ["media", "image", "https://example.com/cat.png", undefined, 2],
      ["media", "image", { type: "file", file_id: "file_1" }, undefined, 3],
      ["media", "pdf", "AAAA", "application/pdf", 4],
      ["media", "pdf", "https://example.com/a.pdf", undefined, 5, "A"],
      ["document", 6, "Long ago.", undefined],
      ["media", "file", { type: "container_upload", file_id: "file_2" }, undefined],
      ["text", 8, "And this?"],
    ],
  },
  thinking: {
    message: {
      role: "assistant",
      content: [
        { type: "thinking", thinking: "Let me think.", signature: "c2ln" },
        { type: "redacted_thinking", data: "b3Blbg==" },
        { type: "thinking", thinking: "Aloud.", signature: "" },
        { type: "text", text: "Four." },
        { type: "tool_use", id: "t1", name: "read", input: { path: "a" } },
      ],
    },
    said: [
      ["role", "assistant"],
      ["reasoning", "Let me think.", true, 0],
      ["reasoning", "b3Blbg==", true, 1],
      ["reasoning", "Aloud.", false, 2],
      ["text", 3, "Four."],
      ["call", "t1", "read", { path: "a" }, 4],
    ],
  },
  "tool results": {
    message: {
      role: "user",
      content: [
        { type: "tool_result", tool_use_id: "t1", content: "12 files" },
        { type: "tool_result", tool_use_id: "t2", content: [{ type: "text", text: "gone" }], is_error: true },
        {
          type: "tool_result",
          tool_use_id: "t3",
          content: [
            { type: "text", text: "see" },
            { type: "image", source: { type: "base64", media_type: "image/png", data: PIXEL } },
            { type: "search_result", source: "s", title: "t" },
            { type: "text", text: "there" },
          ],
        },
        {
          type: "tool_result",
          tool_use_id: "t5",
          content: [
            {
              type: "search_result",
              source: "https://a.example/prices",
              title: "Prices",
              content: [
                { type: "text", text: "A seat is 40 €." },
                { type: "text", text: "Two are 70 €." },
              ],
              citations: { enabled: true },
            },
          ],
        },
        { type: "tool_result", tool_use_id: "t4" },
        { type: "text", text: "Go on." },
      ],
    },
    said: [
      ["role", "user"],
      ["result", 0, "t1", "12 files", false],
      ["result", 1, "t2", "gone", true],
      ["result", 2, "t3", "see\nthere", false],
      ["media", "image", PIXEL, "image/png", 2],
      ["opaque", { type: "search_result", source: "s", title: "t" }],
      ["result", 3, "t5", "Prices\nhttps://a.example/prices\nA seat is 40 €.\nTwo are 70 €.", false],
      ["result", 4, "t4", "", false],
      ["text", 5, "Go on."],
    ],
  },
  "what a search found": part(
    "user",
    { type: "search_result", source: "s", title: "t", content: [{ type: "text", text: "found" }] },
    ["document", 0, "found", "t"],
  ),
  "a provider's tools": {
    message: {
      role: "assistant",
      content: [
        { type: "server_tool_use", id: "s1", name: "web_search", input: { query: "precis" } },
        {
          type: "web_search_tool_result",
          tool_use_id: "s1",
          content: [{ type: "web_search_result", encrypted_content: "x" }],
        },
        { type: "server_tool_use", id: "s2", name: "web_fetch", input: {} },
        { type: "web_fetch_tool_result", tool_use_id: "s2", content: { type: "web_fetch_tool_result_error" } },
        { type: "mcp_tool_use", id: "s3", name: "find", server_name: "m", input: {} },
        { type: "mcp_tool_result", tool_use_id: "s3", content: [{ type: "text", text: "found" }], is_error: false },
      ],
    },
    said: [
      ["role", "assistant"],
      ["call", "s1", "web_search", { query: "precis" }, undefined, true],
      ["result", 1, "s1", "", false],
      ["opaque", [{ type: "web_search_result", encrypted_content: "x" }]],
      ["call", "s2", "web_fetch", {}, undefined, true],
      ["result", 3, "s2", "", true],
      ["opaque", { type: "web_fetch_tool_result_error" }],
      ["call", "s3", "find", {}, undefined, true],
      ["result", 5, "s3", "found", false],
    ],
  },
  "a compaction": part("assistant", { type: "compaction", content: "…" }, ["compaction", 0, "…", undefined]),
  "an encrypted compaction": part("assistant", { type: "compaction", content: null, encrypted_content: "c2VjcmV0" }, [
    "compaction",
    0,
    undefined,
    { type: "compaction", content: null, encrypted_content: "c2VjcmV0" },
  ]),
  "a compaction that failed": part("assistant", { type: "compaction", content: null }, [
    "opaque",
    { type: "compaction", content: null },
  ]),
  "unknown block": part("assistant", { type: "novelty", content: "…" }, ["opaque", { type: "novelty", content: "…" }]),
  "unknown role": {
    message: { role: "critic", content: "Bad." },
    said: [["opaque", { role: "critic", content: "Bad." }]],
  },
};

const result = (output, ...said) =>
  part("tool", { type: "tool-result", toolCallId: "c1", toolName: "read", output }, ...said);

const vercel = {
  "system text": {
    message: { role: "system", content: "Be kind." },
    said: [
      ["role", "system"],
      ["text", 0, "Be kind."],
    ],
  },
  "user text": {
    message: { role: "user", content: "Hi." },
    said: [
      ["role", "user"],
      ["text", 0, "Hi."],
    ],
  },
  "user parts": {
    message: {
      role: "user",
      content: [
        {
          type: "text",
          text: "What is this?",
          providerOptions: { anthropic: { cacheControl: { type: "ephemeral" } } },
        },
        { type: "image", image: PIXEL, mediaType: "image/png" },
        { type: "image", image: url },
        { type: "image", image: bytes },
        { type: "file", data: PIXEL, mediaType: "image/png", filename: "a.png" },
        { type: "file", data: "https://example.com/a.pdf", mediaType: "application/pdf" },
        { type: "file", data: { type: "data", data: bytes }, mediaType: "audio/mpeg" },
        { type: "file", data: { type: "url", url }, mediaType: "video/mp4" },
        { type: "file", data: { type: "reference", reference: { openai: "file-1" } }, mediaType: "text/csv" },
        { type: "file", data: { type: "text", text: "Long ago." }, mediaType: "text/plain" },
        { type: "text", text: "And this?" },
      ],
    },
    said: [
      ["role", "user"],
      ["text", 0, "What is this?"],
      ["media", "image", PIXEL, "image/png", 1],
      ["media", "image", url, undefined, 2],
      ["media", "image", bytes, undefined, 3],
      ["media", "image", PIXEL, "image/png", 4, "a.png"],
      ["media", "pdf", "https://example.com/a.pdf", "application/pdf", 5],
      ["media", "audio", bytes, "audio/mpeg", 6],
      ["media", "video", url, "video/mp4", 7],
      ["media", "file", { type: "reference", reference: { openai: "file-1" } }, "text/csv", 8],
      ["document", 9, "Long ago.", undefined],
      ["text", 10, "And this?"],
    ],
  },
  "assistant parts": {
    message: {
      role: "assistant",
      content: [
        { type: "reasoning", text: "Let me think." },
        { type: "reasoning", text: "Signed.", providerOptions: signed },
        { type: "text", text: "Four." },
        { type: "tool-call", toolCallId: "c1", toolName: "read", input: { path: "a" } },
        { type: "file", data: PIXEL, mediaType: "image/png" },
        { type: "reasoning-file", data: { type: "data", data: bytes }, mediaType: "image/png" },
        { type: "custom", kind: "openai.compaction" },
      ],
    },
    said: [
      ["role", "assistant"],
      ["reasoning", "Let me think.", false, 0],
      ["reasoning", "Signed.", true, 1],
      ["text", 2, "Four."],
      ["call", "c1", "read", { path: "a" }, 3],
      ["media", "image", PIXEL, "image/png", 4],
      ["media", "image", bytes, "image/png"],
      ["compaction", 6, undefined, { type: "custom", kind: "openai.compaction" }],
    ],
  },
  "text with an item id": {
    message: {
      role: "assistant",
      content: [{ type: "text", text: "Four.", providerOptions: { openai: { itemId: "msg_1" } } }],
    },
    said: [
      ["role", "assistant"],
      ["text", 0, "Four."],
    ],
  },
  "call with a thought signature": {
    message: {
      role: "assistant",
      content: [
        {
          type: "tool-call",
          toolCallId: "c1",
          toolName: "read",
          input: {},
          providerOptions: { google: { thoughtSignature: "s" } },
        },
      ],
    },
    said: [
      ["role", "assistant"],
      ["call", "c1", "read", {}, 0],
      ["reasoning", "", true],
    ],
  },
  "a provider's compaction": part(
    "assistant",
    { type: "text", text: "Summary.", providerOptions: { anthropic: { type: "compaction" } } },
    ["compaction", 0, "Summary.", undefined],
  ),
  "a provider's tool": {
    message: {
      role: "assistant",
      content: [
        { type: "tool-call", toolCallId: "c1", toolName: "web_search", input: {}, providerExecuted: true },
        {
          type: "tool-result",
          toolCallId: "c1",
          toolName: "web_search",
          output: { type: "json", value: [{ url: "u" }] },
        },
      ],
    },
    said: [
      ["role", "assistant"],
      ["call", "c1", "web_search", {}, undefined, true],
      ["result", 1, "c1", "", false, "web_search"],
      ["opaque", [{ url: "u" }]],
    ],
  },
  "approval asked": {
    message: {
      role: "assistant",
      content: [
        { type: "tool-call", toolCallId: "c1", toolName: "delete", input: {} },
        { type: "tool-approval-request", approvalId: "a1", toolCallId: "c1" },
      ],
    },
    said: [
      ["role", "assistant"],
      ["call", "c1", "delete", {}, 0],
      ["approvalRequest", 1, "a1", { type: "tool-approval-request", approvalId: "a1", toolCallId: "c1" }],
    ],
  },
  "approval given": part("tool", { type: "tool-approval-response", approvalId: "a1", approved: true }, [
    "approvalResponse",
    0,
    "a1",
    { type: "tool-approval-response", approvalId: "a1", approved: true },
  ]),
  "result: text": result({ type: "text", value: "12 files" }, ["result", 0, "c1", "12 files", false, "read"]),
  "result: json": result({ type: "json", value: { files: 12 } }, ["result", 0, "c1", { files: 12 }, false, "read"]),
  "result: json null": result({ type: "json", value: null }, ["result", 0, "c1", "", false, "read"]),
  "result: error text": {
    ...result({ type: "error-text", value: "gone" }, ["result", 0, "c1", "gone", true, "read"]),
    output: "error-text",
  },
  "result: error json": {
    ...result({ type: "error-json", value: { code: 5 } }, ["result", 0, "c1", { code: 5 }, true, "read"]),
    output: "error-text",
  },
  "result: denied": {
    ...result({ type: "execution-denied", reason: "no" }, ["result", 0, "c1", "no", true, "read"]),
    output: "execution-denied",
  },
  "result: content": result(
    {
      type: "content",
      value: [
        { type: "text", text: "see" },
        { type: "media", data: PIXEL, mediaType: "image/png" },
        { type: "image-data", data: PIXEL, mediaType: "image/png" },
        { type: "file-url", url: "https://example.com/a.pdf", mediaType: "application/pdf" },
        { type: "file-id", fileId: "file-1" },
        { type: "image-file-id", fileId: { openai: "file-2" } },
        { type: "file", data: { type: "data", data: bytes }, mediaType: "application/pdf" },
        { type: "custom" },
        { type: "text", text: "there" },
      ],
    },
    ["result", 0, "c1", "see\nthere", false, "read"],
    ["media", "image", PIXEL, "image/png", 0],
    ["media", "image", PIXEL, "image/png", 0],
    ["media", "pdf", "https://example.com/a.pdf", "application/pdf", 0],
    ["media", "file", "file-1", undefined, 0],
    ["media", "image", { openai: "file-2" }, undefined, 0],
    ["media", "pdf", bytes, "application/pdf", 0],
    ["opaque", { type: "custom" }],
  ),
  "two results": {
    message: {
      role: "tool",
      content: [
        { type: "tool-result", toolCallId: "c1", toolName: "read", output: { type: "text", value: "one" } },
        { type: "tool-result", toolCallId: "c2", toolName: "read", output: { type: "text", value: "two" } },
      ],
    },
    said: [
      ["role", "tool"],
      ["result", 0, "c1", "one", false, "read"],
      ["result", 1, "c2", "two", false, "read"],
    ],
  },
  "unknown part": part("user", { type: "hologram", depth: 3 }, ["opaque", { type: "hologram", depth: 3 }]),
  "unknown role": { message: { role: "data", content: "?" }, said: [["opaque", { role: "data", content: "?" }]] },
};

const converse = {
  "user text": part("user", { text: "Hi." }, ["text", 0, "Hi."]),
  "user blocks": {
    message: {
      role: "user",
      content: [
        { text: "What is this?" },
        { image: { format: "png", source: { bytes } } },
        { document: { format: "pdf", name: "report", source: { bytes } } },
        { video: { format: "mp4", source: { s3Location: { uri: "s3://a/b" } } } },
        { document: { format: "txt", name: "notes", source: { text: "Buy milk." } } },
        { cachePoint: { type: "default" } },
      ],
    },
    said: [
      ["role", "user"],
      ["text", 0, "What is this?"],
      ["media", "image", bytes, "image/png", 1],
      ["media", "pdf", bytes, "application/pdf", 2, "report"],
      ["media", "video", { uri: "s3://a/b" }, "video/mp4", 3],
      ["document", 4, "Buy milk.", "notes"],
      ["opaque", { cachePoint: { type: "default" } }],
    ],
  },
  thinking: {
    message: {
      role: "assistant",
      content: [
        { reasoningContent: { reasoningText: { text: "Hm.", signature: "c2ln" } } },
        { reasoningContent: { reasoningText: { text: "Well." } } },
        { reasoningContent: { redactedContent: bytes } },
        { text: "Yes." },
      ],
    },
    said: [
      ["role", "assistant"],
      ["reasoning", "Hm.", true, 0],
      ["reasoning", "Well.", false, 1],
      ["reasoning", "", true, 2],
      ["opaque", bytes],
      ["text", 3, "Yes."],
    ],
  },
  calls: {
    message: {
      role: "assistant",
      content: [
        { toolUse: { toolUseId: "c1", name: "read", input: { path: "a" } } },
        { toolUse: { toolUseId: "c2", name: "search", input: {}, type: "server_tool_use" } },
      ],
    },
    said: [
      ["role", "assistant"],
      ["call", "c1", "read", { path: "a" }, 0],
      ["call", "c2", "search", {}, undefined, true],
    ],
  },
  results: {
    message: {
      role: "user",
      content: [
        { toolResult: { toolUseId: "c1", content: [{ text: "one" }, { text: "two" }] } },
        { toolResult: { toolUseId: "c2", content: [{ json: { a: 1 } }], status: "error" } },
        {
          toolResult: { toolUseId: "c3", content: [{ text: "look" }, { image: { format: "png", source: { bytes } } }] },
        },
        {
          toolResult: {
            toolUseId: "c4",
            content: [{ searchResult: { source: "s", title: "Prices", content: [{ text: "A seat is 40 €." }] } }],
          },
        },
      ],
    },
    said: [
      ["role", "user"],
      ["result", 0, "c1", "one\ntwo", false],
      ["result", 1, "c2", { a: 1 }, true],
      ["result", 2, "c3", "look", false],
      ["media", "image", bytes, "image/png", 2],
      ["result", 3, "c4", "Prices\ns\nA seat is 40 €.", false],
    ],
  },
  "system text": part("system", { text: "Be kind." }, ["text", 0, "Be kind."]),
  "unknown block": part("user", { hologram: 3 }, ["opaque", { hologram: 3 }]),
  "unknown role": { message: { role: "data", content: [] }, said: [["opaque", { role: "data", content: [] }]] },
};

const camel = {
  "user text": {
    message: { role: "user", content: "Hi." },
    said: [
      ["role", "user"],
      ["text", 0, "Hi."],
    ],
  },
  "user chunks": {
    message: {
      role: "user",
      content: [
        { type: "text", text: "What is this?" },
        { type: "image_url", imageUrl: { url: `data:image/png;base64,${PIXEL}` } },
        { type: "image_url", imageUrl: "https://example.com/cat.png" },
        { type: "document_url", documentUrl: "https://example.com/a.pdf", documentName: "a.pdf" },
        { type: "reference", referenceIds: [1] },
      ],
    },
    said: [
      ["role", "user"],
      ["text", 0, "What is this?"],
      ["media", "image", `data:image/png;base64,${PIXEL}`, undefined, 1],
      ["media", "image", "https://example.com/cat.png", undefined, 2],
      ["media", "pdf", "https://example.com/a.pdf", undefined, 3, "a.pdf"],
      ["opaque", { type: "reference", referenceIds: [1] }],
    ],
  },
  thinking: {
    message: {
      role: "assistant",
      content: [
        { type: "thinking", thinking: [{ type: "text", text: "Hm." }] },
        { type: "text", text: "Yes." },
      ],
    },
    said: [
      ["role", "assistant"],
      ["reasoning", "Hm.", false, 0],
      ["text", 1, "Yes."],
    ],
  },
  "tool calls": {
    message: {
      role: "assistant",
      content: "",
      toolCalls: [
        { id: "c1", type: "function", function: { name: "read", arguments: '{"path":"a"}' } },
        { id: "c2", type: "function", function: { name: "read", arguments: { path: "b" } } },
        { id: "c3", function: { name: "read", arguments: '{"path":' } },
      ],
    },
    said: [
      ["role", "assistant"],
      ["call", "c1", "read", { path: "a" }, CALLS],
      ["call", "c2", "read", { path: "b" }, CALLS + 1],
      ["call", "c3", "read", '{"path":', CALLS + 2],
    ],
  },
  result: {
    message: { role: "tool", toolCallId: "c1", name: "read", content: "one" },
    said: [
      ["role", "tool"],
      ["result", 0, "c1", "one", false, "read"],
    ],
  },
  "result in chunks": {
    message: { role: "tool", toolCallId: "c1", name: "read", content: [{ type: "text", text: "one" }] },
    said: [
      ["role", "tool"],
      ["result", 0, "c1", "one", false, "read"],
    ],
  },
  "unknown role": { message: { role: "data", content: "?" }, said: [["opaque", { role: "data", content: "?" }]] },
};

const table = [
  [bedrock, converse],
  [mistral, camel],
  [openaiChat, openai],
  [anthropic, claude],
  [aiSdk, vercel],
];

/** `{ title, format, message, said, output? }`: `output` is the type a replaced AI SDK output must have, else "text". */
export const cases = table.flatMap(([format, named]) =>
  Object.entries(named).map(([name, one]) => ({ title: `${format.name}: ${name}`, format, ...one })),
);

export const formats = table.map(([format]) => format);
