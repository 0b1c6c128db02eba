/**
 * What a request of LangChain's agents holds, as the compactor takes it.
 */
import type { ChatCall } from "../adapter/chat.ts";
import { isPart, type Part } from "../formats/parts.ts";
import type { LangChainMessage } from "./format.ts";

/** What `wrapModelCall` is given, as far as it is used here. */
export interface Request {
  readonly messages: readonly LangChainMessage[];
  readonly model?: unknown;
  readonly systemMessage?: unknown;
  readonly tools?: readonly unknown[];
  readonly responseFormat?: unknown;
  readonly modelSettings?: Readonly<Record<string, unknown>> | undefined;
  readonly state?: unknown;
  readonly runtime?: { readonly signal?: AbortSignal; readonly configurable?: Readonly<Record<string, unknown>> };
}

/** `limit`: the reply limit that the host has set; otherwise that of the model counts. */
export function callOf(request: Request, limit: number | undefined): ChatCall<LangChainMessage> {
  const { messages, model, systemMessage, tools, responseFormat, modelSettings, runtime } = request;
  return {
    messages,
    model: nameOf(model),
    system: systemMessage,
    tools: tools && definitions(tools),
    schemas: schemasOf(responseFormat),
    maxOutputTokens: limit === undefined ? limitOf(modelSettings, model) : undefined,
    signal: runtime?.signal,
  };
}

/** The chat that a request belongs to, as LangGraph names it. */
export function threadOf({ runtime }: Request): string | undefined {
  const thread = runtime?.configurable?.thread_id;
  return typeof thread === "string" ? thread : undefined;
}

/** The usage of an answer, also of one that is a structured response. */
export function usageOf(answer: unknown): unknown {
  const { messages } = (answer ?? {}) as { messages?: readonly unknown[] };
  const { usage_metadata, response_metadata } = (messages?.[0] ?? answer ?? {}) as {
    usage_metadata?: unknown;
    response_metadata?: { readonly usage?: unknown };
  };
  return usage_metadata ?? response_metadata?.usage;
}

/** A model says its name in one of several ways; one with tools bound holds the model itself. */
function nameOf(model: unknown): string | undefined {
  if (typeof model === "string") return model;
  const { model: own, modelName, bound, _defaultConfig } = isPart(model) ? model : ({} as Part);
  if (typeof own === "string") return own;
  if (typeof modelName === "string") return modelName;
  return isPart(bound) ? nameOf(bound) : isPart(_defaultConfig) ? nameOf(_defaultConfig.model) : undefined;
}

function limitOf(settings: Request["modelSettings"], model: unknown): number | undefined {
  const of = isPart(model) ? model : ({} as Part);
  const said = [settings?.max_tokens, settings?.maxTokens, of.maxTokens, of.maxOutputTokens];
  return said.find((limit): limit is number => Number.isSafeInteger(limit) && (limit as number) > 0);
}

/** Tools as they are counted: the same objects for the same tools. */
const known = new WeakMap<object, unknown>();
const lists = new WeakMap<object, { readonly tools: readonly unknown[]; readonly made: readonly unknown[] }>();

function definitions(tools: readonly unknown[]): readonly unknown[] {
  const before = lists.get(tools);
  if (before && before.tools.length === tools.length && tools.every((tool, at) => tool === before.tools[at]))
    return before.made;
  const made = tools.map(definition);
  lists.set(tools, { tools: [...tools], made });
  return made;
}

/** A tool of LangChain's has a `schema`; those of a provider are what they are. */
function definition(tool: unknown): unknown {
  if (!isPart(tool) || tool.schema === undefined) return tool;
  let made = known.get(tool);
  if (!made) {
    const { name, description, schema } = tool;
    made = { name, description, parameters: schema };
    known.set(tool, made);
  }
  return made;
}

/** Of a structured response the schemas, which are sent. */
function schemasOf(format: unknown): unknown {
  if (!isPart(format)) return undefined;
  if (Array.isArray(format)) return format.map(schemaOf);
  return schemaOf(format);
}

const schemaOf = (format: unknown): unknown =>
  isPart(format) && !("~standard" in format) && isPart(format.schema) ? format.schema : format;
