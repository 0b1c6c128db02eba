import { type Conversation, isObject, type JsonObject, type Usage, usageOf } from "./conversation.ts";
import { type Recording, recorded, recording } from "./pieces.ts";
import type { RecordSource, TranscriptReader } from "./reader.ts";

export const providerPairs: TranscriptReader = {
  title: "recorded requests with their usage",
  owns: (value) => "uri" in value && "request" in value && "usage" in value,
  read: (source) => conversationsOf(source),
};

/**
 * Lines of `{uri, model, usage, request}`: requests as they went over the wire to many providers. Requests of one file that
 * go on from each other are one conversation.
 */
function conversationsOf({ file, values: lines }: RecordSource): Conversation[] {
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
