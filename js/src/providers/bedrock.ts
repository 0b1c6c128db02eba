import { shape as anthropicShape } from "./anthropic.ts";
import { bindingRules } from "./anthropic-binding.ts";
import { type Asked, inner, isBlank, isJson, type Json, listed, objects, type Provider, type Rule } from "./rule.ts";

const CONVERSE = "docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Converse.html";
const BINDING = "docs.aws.amazon.com/bedrock/latest/userguide/claude-messages-thinking-block-binding.html";

const messagesOf = ({ messages }: Json): Json[] =>
  Array.isArray(messages) ? messages.map((message) => (isJson(message) ? message : {})) : [];
const usesIn = (message: Json | undefined): Json[] =>
  objects(message?.content).flatMap(({ toolUse }) => (isJson(toolUse) ? [toolUse] : []));
const resultsIn = (message: Json | undefined): Json[] =>
  objects(message?.content).flatMap(({ toolResult }) => (isJson(toolResult) ? [toolResult] : []));

const pairs: Rule[] = [
  {
    id: "unanswered-call",
    about: "All calls of a message have their results in the message behind it.",
    source: "github.com/genkit-ai/aws-bedrock-js-plugin/issues/664",
    *find({ body }) {
      const messages = messagesOf(body);
      for (const [at, message] of messages.entries()) {
        const answered = new Set(resultsIn(messages[at + 1]).map(({ toolUseId }) => toolUseId));
        const open = usesIn(message).filter(({ toolUseId }) => !answered.has(toolUseId));
        if (open.length > 0)
          yield {
            at,
            text: `Expected toolResult blocks at messages.${at + 1}.content for the following Ids: ${listed(open.map(({ toolUseId }) => toolUseId))}`,
          };
      }
    },
  },
  {
    id: "orphan-result",
    about: "A message holds no more results than the message before it holds calls.",
    source: "github.com/strands-agents/harness-sdk/issues/1435",
    *find({ body }) {
      const messages = messagesOf(body);
      for (const [at, message] of messages.entries()) {
        const calls = new Set(usesIn(messages[at - 1]).map(({ toolUseId }) => toolUseId));
        const results = resultsIn(message);
        if (results.length > calls.size || results.some(({ toolUseId }) => !calls.has(toolUseId)))
          yield {
            at,
            text: `The number of toolResult blocks at messages.${at}.content exceeds the number of toolUse blocks of previous turn.`,
          };
      }
    },
  },
];

const shape: Rule[] = [
  {
    id: "opening",
    about: "The user begins.",
    source: CONVERSE,
    *find({ body }) {
      const messages = messagesOf(body);
      if (messages[0]?.role === "assistant")
        yield {
          at: 0,
          text: "A conversation must start with a user message. Try again with a conversation that starts with a user message.",
        };
    },
  },
  {
    id: "alternation",
    about: "Messages of the user and of the assistant take turns.",
    source: "github.com/langchain-ai/langchainjs/issues/6724",
    *find({ body }) {
      const messages = messagesOf(body);
      for (const [at, { role }] of messages.entries())
        if (at > 0 && role === messages[at - 1]?.role)
          yield {
            at,
            text: "A conversation must alternate between user and assistant roles. Make sure the conversation alternates between user and assistant roles and try again.",
          };
    },
  },
  {
    id: "empty-content",
    about: "A message has content, and a text is not blank.",
    source: CONVERSE,
    *find({ body }) {
      for (const [at, { content }] of messagesOf(body).entries()) {
        if (!Array.isArray(content) || content.length === 0)
          yield {
            at,
            text: `The content field in the Message object at messages.${at} is empty. Add a ContentBlock object to the content field and try again.`,
          };
        for (const [index, block] of objects(content).entries())
          if (isBlank(block.text))
            yield {
              at,
              text: `The text field in the ContentBlock object at messages.${at}.content.${index} is blank. Add text to the text field, and try again.`,
            };
      }
    },
  },
];

/** A request to a Claude model as the Messages API has it: one block for one block, so that places stay what they are. */
export function asAnthropic({ body, headers, ...more }: Asked): Asked {
  const fields = inner(body, "additionalModelRequestFields");
  const thinking = inner(fields, "thinking");
  const { mismatch_behavior, ...binding } = inner(thinking, "block_binding");
  const given = mismatch_behavior ?? binding.prefix_mismatch_behavior;
  const known = headers && {
    ...headers,
    "anthropic-beta": Array.isArray(fields.anthropic_beta) ? fields.anthropic_beta.join() : "",
  };
  return {
    ...more,
    headers: known,
    body: {
      model: body.modelId,
      system: body.system,
      tools: toolsOf(body),
      ...(fields.thinking !== undefined && {
        thinking: {
          ...thinking,
          ...(thinking.block_binding !== undefined && { block_binding: { prefix_mismatch_behavior: given } }),
        },
      }),
      messages: messagesOf(body).map(({ role, content }) => ({ role, content: objects(content).map(asBlock) })),
    },
  };
}

const toolsOf = (body: Json): Json[] => objects(inner(body, "toolConfig").tools);

const blocks = new WeakMap<object, Json>();

/** The same object for the same block, whose digest is then known. */
function asBlock(block: Json): Json {
  const known = blocks.get(block) ?? converted(block);
  blocks.set(block, known);
  return known;
}

function converted(block: Json): Json {
  const { reasoningContent, toolUse, toolResult, text } = block;
  if (isJson(reasoningContent)) {
    const { reasoningText, redactedContent } = reasoningContent;
    if (isJson(reasoningText))
      return { type: "thinking", thinking: reasoningText.text, signature: reasoningText.signature };
    return { type: "redacted_thinking", data: redactedContent };
  }
  if (isJson(toolUse)) return { type: "tool_use", id: toolUse.toolUseId, name: toolUse.name, input: toolUse.input };
  if (isJson(toolResult))
    return {
      type: "tool_result",
      tool_use_id: toolResult.toolUseId,
      content: toolResult.content,
      status: toolResult.status,
    };
  return typeof text === "string" ? { type: "text", text } : { type: "other", block };
}

const isClaude = ({ modelId }: Json): boolean => /claude|anthropic/.test(String(modelId ?? ""));

/** What Anthropic's own API asks of thinking; Bedrock has another name for the member that says what is done about it. */
const thinking: Rule[] = [...anthropicShape, ...bindingRules]
  .filter(({ id }) => id.includes("thinking") || id === "binding-controls")
  .map((rule) => ({
    ...rule,
    source: BINDING,
    *find(asked: Asked) {
      if (!isClaude(asked.body)) return;
      for (const { at, text } of rule.find(asAnthropic(asked)))
        yield {
          at,
          text: text.replaceAll("block_binding.prefix_mismatch_behavior", "block_binding.mismatch_behavior"),
        };
    },
  }));

const bindingName: Rule = {
  id: "binding-name",
  about: "Bedrock's name for what is done about a changed prefix is `mismatch_behavior`; some regions know no other.",
  source: BINDING,
  *find({ body }) {
    const binding = inner(inner(inner(body, "additionalModelRequestFields"), "thinking"), "block_binding");
    if (isClaude(body) && binding.prefix_mismatch_behavior !== undefined)
      yield { at: null, text: "thinking.block_binding.prefix_mismatch_behavior: Extra inputs are not permitted" };
  },
};

/** Amazon Bedrock's Converse API. */
export const bedrock: Provider = {
  name: "bedrock",
  title: "Bedrock Converse",
  list: "messages",
  wire: "converse",
  rules: [...shape, ...pairs, bindingName, ...thinking],
};
