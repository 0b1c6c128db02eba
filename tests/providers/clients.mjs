// How a host of each provider keeps what people and tools say, and sends a request: the provider's own messages, and no
// library between.
import { rules } from "./rules.mjs";

const { CONTROLS, toConverse, wires } = rules;
const SCHEMA = { type: "object", properties: {}, additionalProperties: true };

/** What every host does: `user(parts)` and `results(results, parts)`, the entries for what is said and what tools gave. */
const host = (wire, format, model, request, more = {}) => ({
  format,
  model,
  user: (parts) => wires[wire].write({ role: "user", parts: parts.map(said) }),
  /** What a person says beside results comes with them, as far as the API lets it. */
  results: (results, parts = []) =>
    wires[wire].write({
      role: "tool",
      parts: [...results.map((result) => ({ kind: "result", ...result })), ...parts.map(said)],
    }),
  system: (text) => wires[wire].write({ role: "system", parts: [{ kind: "text", text }] }),
  /** Goes on with a history. */
  follow: (history, entries) => [...history, ...entries],
  request: (view, options = {}) => request(view, { model, tools: [], ...options }),
  ...more,
});

const said = (part) => (part.kind ? part : { kind: "text", text: part.text });

const bound = (thinking, name, dropBlock) => ({
  ...thinking,
  ...(dropBlock && { block_binding: { [name]: "drop_block" } }),
});

function toAnthropic(
  view,
  { model, system, tools, thinking = { type: "adaptive" }, dropBlock = false, betas = [], ...more },
) {
  return {
    headers: { "anthropic-beta": [...(dropBlock ? [CONTROLS] : []), ...betas].join() },
    body: {
      model,
      max_tokens: 8_000,
      ...(system && { system }),
      ...(tools.length > 0 && {
        tools: tools.map((name) => ({ name, description: `Calls ${name}.`, input_schema: SCHEMA })),
      }),
      thinking: bound(thinking, "prefix_mismatch_behavior", dropBlock),
      messages: view,
      ...more,
    },
  };
}

function toChat(view, { model, system, tools, thinking }) {
  const declared = (name) => ({
    type: "function",
    function: { name, description: `Calls ${name}.`, parameters: SCHEMA },
  });
  return {
    headers: {},
    body: {
      model,
      ...(tools.length > 0 && { tools: tools.map(declared) }),
      ...(thinking && { thinking }),
      messages: [...(system ? [{ role: "system", content: system }] : []), ...view],
    },
  };
}

function toGemini(view, { model, system, tools }) {
  const declared = (name) => ({ name, description: `Calls ${name}.`, parameters: SCHEMA });
  return {
    headers: {},
    body: {
      model,
      ...(system && { systemInstruction: { parts: [{ text: system }] } }),
      ...(tools.length > 0 && { tools: [{ functionDeclarations: tools.map(declared) }] }),
      contents: view,
    },
  };
}

function toResponses(view, { model, system, tools, store = false }) {
  const declared = (name) => ({
    type: "function",
    name,
    description: `Calls ${name}.`,
    parameters: SCHEMA,
    strict: false,
  });
  return {
    headers: {},
    body: {
      model,
      store,
      ...(!store && { include: ["reasoning.encrypted_content"] }),
      ...(system && { instructions: system }),
      ...(tools.length > 0 && { tools: tools.map(declared) }),
      input: view,
    },
  };
}

/** Converse has other blocks for what Anthropic's messages hold: the history is kept in those, and goes out in these. */
function toBedrock(view, { model, system, tools, thinking = { type: "adaptive" }, dropBlock = false }) {
  const declared = (name) => ({ toolSpec: { name, description: `Calls ${name}.`, inputSchema: { json: SCHEMA } } });
  return {
    headers: {},
    body: {
      modelId: model,
      ...(system && { system: [{ text: system }] }),
      ...(tools.length > 0 && { toolConfig: { tools: tools.map(declared) } }),
      additionalModelRequestFields: {
        ...(dropBlock && { anthropic_beta: [CONTROLS] }),
        thinking: bound(thinking, "mismatch_behavior", dropBlock),
      },
      messages: view.map(converse),
    },
  };
}

const converted = new WeakMap();

/** The same object for the same message, as long as it is not changed. */
function converse(message) {
  if (!converted.has(message)) converted.set(message, toConverse(message));
  return converted.get(message);
}

/** What Converse replied, as the host keeps it. */
const fromConverse = (entries) =>
  entries.map(({ role, content }) => ({
    role,
    content: content.map(({ reasoningContent, text, toolUse }) => {
      if (toolUse) return { type: "tool_use", id: toolUse.toolUseId, name: toolUse.name, input: toolUse.input };
      if (!reasoningContent) return { type: "text", text };
      const { text: thinking, signature } = reasoningContent.reasoningText;
      return { type: "thinking", thinking, signature };
    }),
  }));

const chat = (model, more) => host("chat", "openaiChat", model, toChat, { inline: true, ...more });

/** Where roles take turns, what is said twice in a row is one message, and instructions are a person's words. */
function inTurn(history, entries) {
  const all = history.slice();
  for (const { role, content } of entries) {
    const entry = { role: role === "system" ? "user" : role, content };
    const before = all.at(-1);
    if (before?.role !== "user" || entry.role !== "user") all.push(entry);
    else all[all.length - 1] = { role: "user", content: [...blocksOf(before), ...blocksOf(entry)] };
  }
  return all;
}

const blocksOf = ({ content }) => (typeof content === "string" ? [{ type: "text", text: content }] : content);

/** Behind results Mistral takes the assistant's word alone, and instructions at the front alone. */
function behindAnAnswer(history, entries) {
  const all = history.slice();
  for (const one of entries) {
    const entry = one.role === "system" && all.length > 0 ? { ...one, role: "user" } : one;
    if (entry.role === "user" && all.at(-1)?.role === "tool")
      all.push({ role: "assistant", content: "I have the results." });
    all.push(entry);
  }
  return all;
}

/** `inline`: instructions are the first message. `strict`: roles take turns. `kept`: a reply, as the host keeps it. */
export const clients = {
  anthropic: host("anthropic", "anthropic", "claude-fable-5-2", toAnthropic),
  bedrock: host("anthropic", "anthropic", "us.anthropic.claude-opus-5-5-v1:0", toBedrock, {
    strict: true,
    kept: fromConverse,
    follow: inTurn,
  }),
  deepseek: chat("deepseek-v4-pro"),
  gemini: host("gemini", "gemini", "gemini-3.5-flash", toGemini),
  kimi: chat("kimi-k2-thinking"),
  local: chat("a-local-model", { strict: true }),
  mistral: chat("mistral-large-latest", { strict: true, follow: behindAnAnswer }),
  openai: chat("gpt-5.6"),
  "openai-responses": host("responses", "openaiResponses", "gpt-6", toResponses),
  openrouter: chat("google/gemini-3.5-flash"),
};
