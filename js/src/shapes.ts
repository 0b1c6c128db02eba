/**
 * Which format a message was made for, recognized by what only one of them has. Nothing is decided by it but whether a
 * history that a format does not understand is refused, and which format the error names.
 */
import { PrecisError } from "./errors.ts";

/** Names of formats, as `Format.name` says them. */
export type ShapeName = "ai-sdk" | "ai-sdk-ui" | "anthropic" | "gemini" | "openai-chat" | "openai-responses";

/** What to use for messages of each shape, in a sentence. */
const USES: Readonly<Record<ShapeName, string>> = {
  "ai-sdk": "They look like model messages of the AI SDK: use the format `aiSdk`.",
  "ai-sdk-ui":
    "They look like UI messages of the AI SDK: convert them with `convertToModelMessages` and use the format `aiSdk`. (To measure them as they are, use `createMeter` with the format `aiSdkUI`.)",
  anthropic: "They look like messages of Anthropic's API: use the format `anthropic`.",
  gemini: "They look like contents of the Gemini API: use the format `gemini`.",
  "openai-chat": "They look like messages of OpenAI's Chat Completions: use the format `openaiChat`.",
  "openai-responses": "They look like items of OpenAI's Responses API: use the format `openaiResponses`.",
};

/** Types of parts that only one shape has. */
const PARTS: Readonly<Record<string, ShapeName>> = {
  tool_use: "anthropic",
  tool_result: "anthropic",
  server_tool_use: "anthropic",
  "tool-call": "ai-sdk",
  "tool-result": "ai-sdk",
  "tool-approval-request": "ai-sdk",
  "tool-approval-response": "ai-sdk",
  image_url: "openai-chat",
  input_audio: "openai-chat",
  input_text: "openai-responses",
  output_text: "openai-responses",
  input_image: "openai-responses",
};

/** Types of items of the Responses API. */
const ITEM = /_call(_output)?$|^(reasoning|item_reference|compaction|mcp_\w+)$/;

/** The shape of a message, if it has what only one shape has. */
export function shapeOf(message: object): ShapeName | null {
  const { type, role, parts, content, tool_calls, tool_call_id, toolInvocations } = message as Record<string, unknown>;
  if (Array.isArray(parts)) return parts.some((part) => typeof typeOf(part) === "string") ? "ai-sdk-ui" : "gemini";
  if (Array.isArray(toolInvocations)) return "ai-sdk-ui";
  if (role === "model") return "gemini";
  if (typeof type === "string" && ITEM.test(type)) return "openai-responses";
  if (Array.isArray(tool_calls) || typeof tool_call_id === "string") return "openai-chat";
  if (!Array.isArray(content)) return null;
  for (const part of content) {
    const type = typeOf(part);
    if (typeof type === "string" && Object.hasOwn(PARTS, type)) return PARTS[type] as ShapeName;
  }
  return null;
}

/** The roles that formats know. */
const ROLES = ["system", "developer", "user", "assistant", "tool", "function", "model"];

/** The first message with a role that no format knows, in a sentence. */
function strangeRole(messages: readonly unknown[]): string | null {
  const roleOf = (message: unknown) => (message as { role?: unknown } | null | undefined)?.role;
  const at = messages.findIndex((message) => {
    const role = roleOf(message);
    return typeof role === "string" && !ROLES.includes(role);
  });
  if (at < 0) return null;
  const shown = JSON.stringify(String(roleOf(messages[at])).slice(0, 40));
  return `messages[${at}] has the role ${shown}. Known are ${ROLES.slice(0, 5).join(", ")}, and in Gemini's contents user and model.`;
}

/** Whether a message that a format read in part was made for another one. Of a format of the host's own nothing is known. */
export function isForeign(message: object, format: string): boolean {
  if (!Object.hasOwn(USES, format)) return false;
  const shape = shapeOf(message);
  return shape !== null && shape !== format;
}

/** The refusal of a history of which most messages, `misread` of them, are in no form that the format knows. */
export function wrongFormat(messages: readonly unknown[], misread: number, format: string): PrecisError {
  const votes = new Map<ShapeName, number>();
  for (const message of messages) {
    const shape = shapeOf(message as object);
    if (shape !== null && shape !== format) votes.set(shape, (votes.get(shape) ?? 0) + 1);
  }
  let [most, likely]: [number, ShapeName | null] = [0, null];
  for (const [shape, count] of votes) if (count > most) [most, likely] = [count, shape];
  const advice = likely
    ? USES[likely]
    : (strangeRole(messages) ??
      "No format of precis/formats can read them. Write a format of your own (docs/formats.md).");
  return new PrecisError(
    "wrong-format",
    "messages",
    `${misread} of ${messages.length} messages cannot be read by the format "${format}". ${advice}`,
  );
}

const typeOf = (part: unknown): unknown =>
  typeof part === "object" && part !== null ? (part as { type?: unknown }).type : undefined;
