/**
 * How a host writes a message for each API. Reasoning is written where it is plain text; what is signed only its server
 * can write.
 *
 * @module
 */
import { isJson, type Json, objects } from "./rule.ts";
import { callsIn, type Piece, reasoningOf, resultsIn, type Spoken, textsOf } from "./spoken.ts";

export interface Wire {
  /** The format of `precis/formats` that reads it. */
  readonly format: string;
  /** The messages, items or contents that stand for one. */
  write(spoken: Spoken): Json[];
}

type Content = Exclude<Piece, { kind: "reasoning" | "call" | "result" }>;

/** What is said or shown, as opposed to calls and results. */
const contentOf = ({ parts }: Spoken): Content[] =>
  parts.filter((part): part is Content => part.kind === "text" || part.kind === "media");
const outputOf = (output: unknown): string => (typeof output === "string" ? output : (JSON.stringify(output) ?? ""));
const isOneText = (content: readonly Content[]): boolean => content.length === 1 && content[0]?.kind === "text";
/** Media that an API takes no other way are named. */
const named = (part: Content): string =>
  part.kind === "text" ? part.text : `[${part.is}: ${part.mediaType ?? "no type"}]`;

/** Base64 of an image, and its type; nothing where it is a reference or another medium. */
function inline(part: Content): { readonly type: string; readonly data: string } | undefined {
  if (part.kind !== "media" || part.is !== "image" || typeof part.data !== "string") return undefined;
  const [, type, data] = /^data:([^;,]+);base64,(.*)$/s.exec(part.data) ?? [];
  if (data !== undefined) return { type: type as string, data };
  return /^[\w+/]+=*$/.test(part.data.slice(0, 200))
    ? { type: part.mediaType ?? "image/png", data: part.data }
    : undefined;
}

const chat: Wire = {
  format: "openai-chat",
  write(spoken) {
    const { role } = spoken;
    const results = resultsIn(spoken).map(({ id, output }) => ({
      role: "tool",
      tool_call_id: id,
      content: outputOf(output),
    }));
    const content = contentOf(spoken);
    const calls = callsIn(spoken).map(({ id, name, input }) => ({
      id,
      type: "function",
      function: { name, arguments: JSON.stringify(input ?? {}) },
    }));
    if (role === "assistant") {
      const reasoning = reasoningOf(spoken);
      const said = content.length > 0 ? textsOf(spoken) || content.map(named).join("\n") : calls.length > 0 ? null : "";
      return [
        ...(content.length > 0 || calls.length > 0 || results.length === 0
          ? [
              {
                role,
                ...(reasoning && { reasoning_content: reasoning }),
                content: said,
                ...(calls.length > 0 && { tool_calls: calls }),
              },
            ]
          : []),
        ...results,
      ];
    }
    if (content.length === 0 && results.length > 0) return results;
    return [
      ...results,
      {
        role: role === "tool" ? "user" : role,
        ...(spoken.name && { name: spoken.name }),
        content: isOneText(content) ? textsOf(spoken) : content.map(chatPart),
      },
    ];
  },
};

function chatPart(part: Content): Json {
  const image = inline(part);
  return image
    ? { type: "image_url", image_url: { url: `data:${image.type};base64,${image.data}` } }
    : { type: "text", text: named(part) };
}

const anthropic: Wire = {
  format: "anthropic",
  write(spoken) {
    const results = resultsIn(spoken).map(({ id, output, failed }) => ({
      type: "tool_result",
      tool_use_id: id,
      content: outputOf(output),
      ...(failed && { is_error: true }),
    }));
    const calls = callsIn(spoken).map(({ id, name, input }) => ({
      type: "tool_use",
      id,
      name,
      input: isJson(input) ? input : { input },
    }));
    const content = contentOf(spoken);
    if (results.length === 0 && calls.length === 0 && isOneText(content))
      return [{ role: roleOf(spoken), content: textsOf(spoken) }];
    return [{ role: roleOf(spoken), content: [...results, ...content.map(anthropicBlock), ...calls] }];
  },
};

const roleOf = ({ role }: Spoken): string => (role === "tool" ? "user" : role);

function anthropicBlock(part: Content): Json {
  const image = inline(part);
  return image
    ? { type: "image", source: { type: "base64", media_type: image.type, data: image.data } }
    : { type: "text", text: named(part) };
}

const gemini: Wire = {
  format: "gemini",
  write(spoken) {
    const results = resultsIn(spoken).map(({ id, name, output, failed }) => ({
      functionResponse: {
        ...(id && { id }),
        name: name ?? id,
        response: failed ? { error: outputOf(output) } : { result: outputOf(output) },
      },
    }));
    const calls = callsIn(spoken).map(({ id, name, input }) => ({
      functionCall: { ...(id && { id }), name, args: input ?? {} },
    }));
    const role = spoken.role === "assistant" ? "model" : "user";
    const content = contentOf(spoken).map(geminiPart);
    // A person's words beside responses would begin a turn in the middle of a step: they follow.
    return [
      ...(results.length > 0 ? [{ role: "user", parts: results }] : []),
      ...(content.length + calls.length > 0 || results.length === 0 ? [{ role, parts: [...content, ...calls] }] : []),
    ];
  },
};

function geminiPart(part: Content): Json {
  const image = inline(part);
  return image ? { inlineData: { mimeType: image.type, data: image.data } } : { text: named(part) };
}

const responses: Wire = {
  format: "openai-responses",
  write(spoken) {
    const results = resultsIn(spoken).map(({ id, output }) => ({
      type: "function_call_output",
      call_id: id,
      output: outputOf(output),
    }));
    const calls = callsIn(spoken).map(({ id, name, input }) => ({
      type: "function_call",
      call_id: id,
      name,
      arguments: JSON.stringify(input ?? {}),
    }));
    const content = contentOf(spoken).map((part) => responsesPart(part, spoken.role === "assistant"));
    const role = spoken.role === "tool" ? "user" : spoken.role;
    return [
      ...results,
      ...(content.length > 0 || results.length + calls.length === 0 ? [{ type: "message", role, content }] : []),
      ...calls,
    ];
  },
};

function responsesPart(part: Content, isReply: boolean): Json {
  const image = isReply ? undefined : inline(part);
  if (image) return { type: "input_image", image_url: `data:${image.type};base64,${image.data}` };
  return { type: isReply ? "output_text" : "input_text", text: named(part) };
}

const converse: Wire = {
  format: "bedrock-converse",
  write: (spoken) => anthropic.write(spoken).map(toConverse),
};

/** A message of Anthropic's as Converse has it, block for block. */
export function toConverse({ role, content }: Json): Json {
  const blocks = typeof content === "string" ? [{ type: "text", text: content }] : objects(content);
  return { role, content: blocks.map(toConverseBlock) };
}

function toConverseBlock(block: Json): Json {
  const { type, text, thinking, signature, id, name, input, content } = block;
  switch (type) {
    case "text":
      return { text };
    case "thinking":
      return { reasoningContent: { reasoningText: { text: thinking, signature } } };
    case "redacted_thinking":
      return { reasoningContent: { redactedContent: block.data } };
    case "tool_use":
      return { toolUse: { toolUseId: id, name, input } };
    case "tool_result": {
      const blocks = typeof content === "string" ? [{ text: content }] : objects(content).map(toConverseBlock);
      return {
        toolResult: {
          toolUseId: block.tool_use_id,
          content: blocks,
          ...(block.is_error === true && { status: "error" }),
        },
      };
    }
    default: {
      const source = isJson(block.source) ? block.source : {};
      const format = String(source.media_type ?? "image/png").split("/")[1];
      return { image: { format, source: { bytes: source.data ?? "" } } };
    }
  }
}

export const wires = { chat, anthropic, gemini, responses, converse } as const;
