// Anthropic's Messages API, `count_tokens` and summaries on demand included.
import { rules } from "../rules.mjs";

const { afterBlock, itemsOf, judgeThinking, startOf, trailOf, familyOf, claudeModel, CONTROLS } = rules;

export const anthropic = {
  read(url, headers, body) {
    const path = new URL(url).pathname;
    return { use: path.endsWith("/count_tokens") ? "count" : "answer", headers, body, stream: body.stream === true };
  },

  refusal: ({ text, status, code }) => ({
    type: "error",
    error: {
      type: status === 529 ? "overloaded_error" : "invalid_request_error",
      message: text,
      ...(code && { details: { error_code: code } }),
    },
  }),

  respond(asked, reply) {
    const { body, headers, memory, use } = asked;
    const transformations = transformationsOf(asked);
    if (use === "count") return { body: { input_tokens: tokensOf(body) }, entries: [], notes: transformations };
    const content = body.compaction ? summarized(asked, reply) : produced(asked, reply);
    const stop = body.compaction
      ? "compaction"
      : content.some(({ type }) => type === "tool_use")
        ? "tool_use"
        : "end_turn";
    return {
      body: {
        id: memory.next("msg_"),
        type: "message",
        role: "assistant",
        model: body.model,
        content,
        stop_reason: reply.stop ?? stop,
        stop_sequence: null,
        usage: usageOf(body, content),
        ...((headers["anthropic-beta"] ?? "").includes(CONTROLS) && { input_transformations: transformations }),
      },
      entries: [{ role: "assistant", content }],
      notes: transformations,
    };
  },

  stream: streamOf,
};

function transformationsOf(asked) {
  return [...judgeThinking(asked)]
    .filter(({ outcome }) => outcome !== "kept")
    .map(({ path, outcome, reason }) => ({
      type: outcome === "allowed" ? "thinking_mismatch_allowed" : "thinking_dropped",
      path,
      reason,
    }));
}

/** The blocks of a reply; each of thinking is noted with what it stands behind. */
function produced(asked, { thought, text, calls = [], interleaved }) {
  const { body, memory } = asked;
  const type = body.thinking?.type;
  const thinks = type === "adaptive" || type === "enabled" || type === "between_tools";
  const thinking = (thought) => ({ type: "thinking", thinking: thought, signature: memory.next("sig_") });
  const content = [
    ...(thinks && thought ? [thinking(thought)] : []),
    ...(text ? [{ type: "text", text }] : []),
    ...(thinks && interleaved ? [thinking(interleaved)] : []),
    ...calls.map(({ id, name, input }) => ({ type: "tool_use", id, name, input })),
  ];
  noteThinking(asked, content);
  return content.length > 0 ? content : [{ type: "text", text: "…" }];
}

/** Remembers every block of thinking in a reply to a request. */
export function noteThinking(asked, content) {
  const { body, memory } = asked;
  const before = [...judgeThinking(asked)].filter(({ outcome }) => outcome === "kept" || outcome === "allowed");
  const seen = before.map(({ signature }) => signature);
  const isThinking = ({ type }) => type === "thinking" || type === "redacted_thinking";
  const reply = content.filter(isThinking).map(({ signature, data }) => signature ?? data);
  let prefix = trailOf(body, memory).end;
  for (const block of content) {
    if (!isThinking(block)) {
      prefix = afterBlock(prefix, block, memory);
      continue;
    }
    const signature = block.signature ?? block.data;
    const text = block.thinking ?? block.data;
    const made = { prefix, before: [...seen], reply, text, family: familyOf(body.model), account: memory.account.name };
    memory.note("thinking", signature, made);
    seen.push(signature);
  }
}

/** A summary on demand stands for all that was sent. */
function summarized({ body, memory }, { text, stop }) {
  if (stop && stop !== "compaction") return [];
  const signature = memory.next("sum_");
  memory.note("summary", signature, {
    content: text,
    toolChanges: undefined,
    start: startOf(body, memory),
    covers: itemsOf(body, memory),
    lastRole: body.messages.at(-1)?.role,
    binds: claudeModel(body.model).prefix !== "unchecked",
  });
  return [{ type: "compaction", content: text, signature }];
}

const tokensOf = (value) => Math.ceil(JSON.stringify(value ?? "").length / 4);

function usageOf(body, content) {
  const input_tokens = tokensOf([body.system, body.tools, body.messages]);
  const output_tokens = tokensOf(content);
  const cache = { cache_creation_input_tokens: 0, cache_read_input_tokens: 0 };
  if (!body.compaction) return { input_tokens, output_tokens, ...cache };
  return {
    input_tokens: 0,
    output_tokens: 0,
    ...cache,
    iterations: [{ type: "compaction", input_tokens, output_tokens, ...cache }],
  };
}

function streamOf({ content, stop_reason, usage, ...message }) {
  const events = [["message_start", { message: { ...message, content: [], stop_reason: null, usage } }]];
  content.forEach((block, index) => {
    const [empty, deltas] = opened(block);
    events.push(["content_block_start", { index, content_block: empty }]);
    for (const delta of deltas) events.push(["content_block_delta", { index, delta }]);
    events.push(["content_block_stop", { index }]);
  });
  events.push(["message_delta", { delta: { stop_reason, stop_sequence: null }, usage }], ["message_stop", {}]);
  return events.map(([type, data]) => `event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`).join("");
}

/** A block as it begins, and what comes after. */
function opened(block) {
  switch (block.type) {
    case "thinking":
      return [
        { type: "thinking", thinking: "", signature: "" },
        [
          { type: "thinking_delta", thinking: block.thinking },
          { type: "signature_delta", signature: block.signature },
        ],
      ];
    case "text":
      return [{ type: "text", text: "" }, [{ type: "text_delta", text: block.text }]];
    case "tool_use":
      return [{ ...block, input: {} }, [{ type: "input_json_delta", partial_json: JSON.stringify(block.input) }]];
    default:
      return [block, []];
  }
}
