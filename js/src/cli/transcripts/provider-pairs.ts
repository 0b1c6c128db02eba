import type { Format, MediaKind, Reader } from "precis";
import { type Conversation, isObject, type JsonObject, type Usage, usageOf } from "./conversation.ts";
import type { Source } from "./source.ts";

/** A recorded message of whatever API, in the words of a format's reader. */
export interface Recording {
  readonly role: "system" | "user" | "assistant" | "tool";
  readonly parts: readonly Piece[];
}

type Piece =
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
 * Lines of `{uri, model, usage, request}`: requests as they went over the wire to many providers. Requests of one file that
 * go on from each other are one conversation.
 */
export function providerPairs({ file, values }: Source): Conversation[] | null {
  const lines = values.filter(isObject);
  if (!lines.length || !lines.every((line) => "uri" in line && "request" in line && "usage" in line)) return null;
  const found: (Conversation & {
    texts: string[];
    origin: unknown;
    messages: Recording[];
    usageAfter: Map<number, Usage>;
  })[] = [];
  for (const { uri, model: named, usage: reported, request, file: origin } of lines) {
    const usage = usageOf(reported);
    if (!usage || !isObject(request) || !CHATS.test(pathOf(uri)) || OTHERS.test(pathOf(uri))) continue;
    const { messages, system, tools, complete } = opened(request);
    const texts = messages.map((message) => JSON.stringify(message));
    const last = found.at(-1);
    const model = typeof named === "string" ? named : /\/models?\/([^/:]+)/.exec(decodeURIComponent(pathOf(uri)))?.[1];
    const same = last && last.origin === origin && last.model === model && last.messages.length < messages.length;
    if (same && last.texts.every((text, at) => text === texts[at])) {
      last.messages.push(...messages.slice(last.messages.length));
      last.texts.push(...texts.slice(last.texts.length));
      last.usageAfter.set(messages.length, usage);
    } else if (messages.length) {
      const name = `${String(origin)} ${found.length + 1}`;
      const usageAfter = new Map([[messages.length, usage]]);
      const whole = {
        file,
        name,
        shape: "provider-pairs" as const,
        format: recording,
        messages,
        system,
        tools,
        save: null,
      };
      found.push({ ...whole, model, provider: hostOf(uri), complete, usageAfter, texts, origin });
    }
  }
  return found;
}

const CHATS = /completions|messages|responses|converse|generatecontent|invoke|chat|v1\/?$/i;
const OTHERS = /embed|image|audio|moderation|batch|rerank|compact|count_?tokens|(?<!chat\/)completions/i;

/** What only the provider sees, or adds on its own. */
const HIDING = [
  "previous_response_id",
  "conversation",
  "cachedContent",
  "response_format",
  "output_config",
  "outputConfig",
  "output_format",
  "context_management",
  "container",
  "mcp_servers",
  "prompt",
  "documents",
  "web_search_options",
  "guardrailConfig",
];

interface Opened {
  messages: Recording[];
  system: unknown;
  tools: unknown[] | undefined;
  complete: boolean;
}

function opened(request: JsonObject): Opened {
  const hidden = { any: HIDING.some((name) => name in request) };
  const config = request.generationConfig;
  if (isObject(config) && ("responseSchema" in config || "responseJsonSchema" in config)) hidden.any = true;
  if (isObject(request.text) && isObject(request.text.format) && request.text.format.type !== "text") hidden.any = true;
  const list = request.messages ?? request.contents ?? request.input ?? [];
  const turns = typeof list === "string" ? [{ role: "user", content: list }] : Array.isArray(list) ? list : [];
  const messages = turns.filter(isObject).map((turn) => recorded(turn, hidden));
  const system = request.system ?? request.systemInstruction ?? request.instructions ?? undefined;
  const tools = toolsOf(request, hidden);
  return { messages, system: systemText(system), tools, complete: !hidden.any };
}

function systemText(system: unknown): unknown {
  return isObject(system) && Array.isArray(system.parts) ? system.parts : system;
}

function toolsOf(request: JsonObject, hidden: { any: boolean }): unknown[] | undefined {
  const config = isObject(request.toolConfig) ? request.toolConfig.tools : undefined;
  const given = request.tools ?? config ?? request.functions;
  const tools = (Array.isArray(given) ? given : []).filter(isObject).flatMap((tool) => {
    const declared = tool.functionDeclarations ?? tool.function_declarations;
    if (Array.isArray(declared))
      return declared
        .filter(isObject)
        .map((one) => ({ ...one, parameters: one.parameters ?? one.parametersJsonSchema ?? {} }));
    const spec = tool.toolSpec;
    if (isObject(spec)) return [{ ...spec, parameters: (spec.inputSchema as JsonObject | undefined)?.json }];
    const plain = isObject(tool.function) || tool.input_schema || tool.parameters || tool.type === "custom";
    if (!plain || tool.defer_loading) hidden.any = true;
    return [tool];
  });
  return tools.length ? tools : undefined;
}

function recorded(turn: JsonObject, hidden: { any: boolean }): Recording {
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
    const called = isObject(call) && isObject(call.function) ? call.function : {};
    parts.push({ kind: "call", id: String(call?.id), name: String(called.name), input: parsedValue(called.arguments) });
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
    (/^(tool_use|function_call)$/.test(String(type)) ? block : null);
  if (call) {
    const { toolUseId, call_id, id, name, input, args } = call;
    return [
      {
        kind: "call",
        id: String(toolUseId ?? call_id ?? id ?? name),
        name: String(name),
        input: input ?? args ?? parsedValue(call.arguments),
      },
    ];
  }
  const result =
    inner(block, "toolResult", "functionResponse", "function_response") ??
    (/^(tool_result|function_call_output)$/.test(String(type)) ? block : null);
  if (result) {
    const { toolUseId, call_id, tool_use_id, id: own, name } = result;
    const output = result.response ?? result.output ?? result.content;
    const id = String(toolUseId ?? call_id ?? tool_use_id ?? own ?? name);
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

function parsedValue(text: unknown): unknown {
  try {
    return typeof text === "string" ? JSON.parse(text) : text;
  } catch {
    return text;
  }
}

const pathOf = (uri: unknown): string => String(uri).replace(/^\w+:\/\/[^/]+/, "");

/** Who answered, by the host's name. */
function hostOf(uri: unknown): string {
  const host = /^\w+:\/\/([^/:]+)/.exec(String(uri))?.[1] ?? "";
  const names = {
    azure: /azure/,
    google: /googleapis/,
    bedrock: /bedrock|api\.aws/,
    vercel: /vercel/,
    xai: /x\.ai$/,
    zai: /z\.ai$/,
  };
  const known = Object.entries(names).find(([, pattern]) => pattern.test(host))?.[0];
  return known ?? (/^[\d.]*$|localhost/.test(host) ? "other" : (host.split(".").at(-2) ?? "other"));
}
