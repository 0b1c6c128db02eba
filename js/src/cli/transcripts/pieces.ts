import type { Format, MediaKind, Reader } from "precis";
import { isObject, type JsonObject } from "./conversation.ts";

/** A recorded message of whatever API, in the words of a format's reader. */
export interface Recording {
  readonly role: "system" | "user" | "assistant" | "tool";
  readonly parts: readonly Piece[];
}

export type Piece =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "reasoning"; readonly text: string }
  | { readonly kind: "call"; readonly id: string; readonly name: string; readonly input: unknown }
  | { readonly kind: "result"; readonly id: string; readonly output: unknown }
  | { readonly kind: MediaKind; readonly data: unknown; readonly type: string | undefined }
  | { readonly kind: "opaque"; readonly value: unknown };

export const recording: Format<Recording> = {
  name: "recording",
  read({ role, parts }, to) {
    to.role(role);
    parts.forEach((part, number) => {
      readPiece(part, number, to);
    });
  },
  summary: (text) => ({ role: "user", parts: [{ kind: "text", text }] }),
  replace: (message, number, text) => ({
    ...message,
    parts: message.parts.map((part, at) => {
      if (at !== number) return part;
      return part.kind === "result" ? { ...part, output: text } : { kind: "text", text };
    }),
  }),
};

function readPiece(part: Piece, number: number, to: Reader): void {
  if (part.kind === "text") to.text(number, part.text);
  else if (part.kind === "reasoning") to.reasoning(part.text, false);
  else if (part.kind === "call") to.call(part.id, part.name, part.input);
  else if (part.kind === "result") to.result(number, part.id, part.output, false);
  else if (part.kind === "opaque") to.opaque(part.value);
  else to.media(part.kind, part.data, part.type);
}

/**
 * A message of a request as pieces, whichever API it was for. `hidden` says whether it holds what only the provider can read.
 */
export function recorded(turn: JsonObject, hidden: { any: boolean } = { any: false }): Recording {
  const parts: Piece[] = [];
  const thought = turn.reasoning_content ?? turn.reasoning;
  if (typeof thought === "string") parts.push({ kind: "reasoning", text: thought });
  const content = turn.content ?? turn.parts;
  const isResult = turn.role === "tool" || turn.role === "function";
  if (turn.role === undefined || (turn.type !== undefined && turn.type !== "message"))
    parts.push(...piece(turn, hidden));
  else if (isResult && typeof content === "string")
    parts.push({ kind: "result", id: String(turn.tool_call_id ?? turn.name), output: content });
  else if (Array.isArray(content)) parts.push(...content.flatMap((block) => piece(block, hidden)));
  else if (typeof content === "string") parts.push({ kind: "text", text: content });
  for (const call of Array.isArray(turn.tool_calls) ? turn.tool_calls : []) {
    if (!isObject(call)) continue;
    const called = isObject(call.function) ? call.function : call;
    const input = parsedValue(called.arguments ?? called.args);
    parts.push({ kind: "call", id: String(call.id), name: String(called.name), input });
  }
  return { role: roleOf(turn), parts };
}

function roleOf({ role, type }: JsonObject): Recording["role"] {
  if (role === "system" || role === "developer") return "system";
  if (role === "assistant" || role === "model" || role === "CHATBOT") return "assistant";
  if (role === "tool" || role === "function") return "tool";
  if (role === undefined && type !== "message") return type === "function_call_output" ? "tool" : "assistant";
  return "user";
}

function piece(block: unknown, hidden: { any: boolean }): Piece[] {
  if (typeof block === "string") return [{ kind: "text", text: block }];
  if (!isObject(block)) return [];
  const { type, text } = block;
  // What the model thought comes back in a form that only its provider reads.
  if (block.thoughtSignature || block.encrypted_content || block.signature) hidden.any = true;
  const call =
    inner(block, "toolUse", "functionCall", "function_call") ??
    (/^(tool_use|function_call|tool_call|tool-call)$/.test(String(type)) ? block : null);
  if (call) {
    const { toolUseId, toolCallId, call_id, id, toolName, input, args } = call;
    const name = call.name ?? toolName;
    return [
      {
        kind: "call",
        id: String(toolUseId ?? toolCallId ?? call_id ?? id ?? name),
        name: String(name),
        input: parsedValue(input ?? args ?? call.arguments),
      },
    ];
  }
  const result =
    inner(block, "toolResult", "functionResponse", "function_response") ??
    (/^(tool_result|function_call_output|tool_call_response|tool-result)$/.test(String(type)) ? block : null);
  if (result) {
    const { toolUseId, toolCallId, call_id, tool_use_id, id: own, name } = result;
    const output = result.response ?? result.output ?? result.result ?? result.content;
    const id = String(toolUseId ?? toolCallId ?? call_id ?? tool_use_id ?? own ?? name);
    if (!Array.isArray(output)) return [{ kind: "result", id, output: output ?? "" }];
    const all = output.flatMap((one) => piece(one, hidden));
    const texts = all.flatMap((one) => (one.kind === "text" ? [one.text] : []));
    return [{ kind: "result", id, output: texts.join("\n") }, ...all.filter((one) => one.kind !== "text")];
  }
  const media = mediaIn(block, 4);
  if (media) return [media];
  if (typeof text === "string" && !block.thought) return [{ kind: "text", text }];
  if (typeof text === "string" || type === "thinking" || type === "reasoning")
    return [{ kind: "reasoning", text: String(text ?? block.thinking ?? "") }];
  if (!("cachePoint" in block)) hidden.any = true;
  return [{ kind: "opaque", value: block }];
}

const inner = (block: JsonObject, ...names: string[]): JsonObject | null =>
  names.map((name) => block[name]).find(isObject) ?? null;

/** Inline data was replaced by what it was: kind, pixels or pages, bytes. It is made again as far as counting looks at it. */
function mediaIn(value: JsonObject, depth: number): Piece | null {
  if (value.__b64__ === true) {
    const { kind, w, h, bytes, prefix } = value;
    const data = Buffer.alloc(Number(bytes));
    const made = (kind: MediaKind, type: string): Piece => ({ kind, data: data.toString("base64"), type });
    if (kind === "pdf") {
      data.write(`%PDF-1.4 ${"<< /Type /Page >> ".repeat(Number(w) || 1)}`);
      return made("pdf", "application/pdf");
    }
    if (kind === "mp4") return made("video", "video/mp4");
    if (kind === "mp3" || kind === "wav") return made("audio", `audio/${kind}`);
    if (!kind) return made("file", /data:([^;]+)/.exec(String(prefix))?.[1] ?? "");
    data.write("\x89PNG\r\n\x1a\n", "latin1");
    data.writeUInt32BE(Number(w), 16);
    data.writeUInt32BE(Number(h), 20);
    return made("image", `image/${String(kind)}`);
  }
  if (depth === 0) return null;
  return (
    Object.values(value)
      .filter(isObject)
      .map((one) => mediaIn(one, depth - 1))
      .find((one) => one !== null) ?? null
  );
}

/** What a text of JSON says; the text itself where it is none. */
export function parsedValue(text: unknown): unknown {
  try {
    return typeof text === "string" ? JSON.parse(text) : text;
  } catch {
    return text;
  }
}
