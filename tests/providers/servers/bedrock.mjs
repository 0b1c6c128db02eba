// Bedrock's Converse, in front of Claude: thinking is bound as at Anthropic, under other names.
import { rules } from "../rules.mjs";
import { noteThinking } from "./anthropic.mjs";

export const bedrock = {
  read: (url, headers, body) => {
    const [, model, method] = /model\/([^/]+)\/([\w-]+)/.exec(decodeURIComponent(url)) ?? [];
    return { headers, body: { modelId: model, ...body }, stream: method === "converse-stream" };
  },

  errorHeaders: { "x-amzn-errortype": "ValidationException" },
  refusal: ({ text }) => ({ message: text }),

  respond(asked, { thought, text, interleaved, calls = [] }) {
    const { body, memory } = asked;
    const type = body.additionalModelRequestFields?.thinking?.type;
    const thinks = /claude/.test(String(body.modelId)) && (type === "adaptive" || type === "enabled");
    const thinking = (text) =>
      thinks && text ? [{ reasoningContent: { reasoningText: { text, signature: memory.next("sig_") } } }] : [];
    const content = [
      ...thinking(thought),
      ...(text || calls.length === 0 ? [{ text: text || "…" }] : []),
      ...thinking(interleaved),
      ...calls.map(({ id, name, input }) => ({ toolUse: { toolUseId: id, name, input } })),
    ];
    const claude = rules.asAnthropic(asked);
    const message = { role: "assistant", content };
    const [{ content: blocks }] = rules.asAnthropic({ ...asked, body: { ...body, messages: [message] } }).body.messages;
    noteThinking(claude, blocks);
    const inputTokens = Math.ceil(JSON.stringify(body.messages).length / 4);
    return {
      body: {
        output: { message },
        stopReason: calls.length > 0 ? "tool_use" : "end_turn",
        usage: { inputTokens, outputTokens: 10, totalTokens: inputTokens + 10 },
        metrics: { latencyMs: 1 },
      },
      entries: [message],
      notes: [...rules.judgeThinking(claude)].filter(({ outcome }) => outcome !== "kept"),
    };
  },

  stream: () => {
    throw new Error("Converse streams are binary and not served here");
  },
};
