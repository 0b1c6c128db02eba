/**
 * A model of the SDK's whose every request is kept inside the window.
 */
import type { Prepared } from "precis";
import type { Chat, ChatCall } from "../adapter/chat.ts";
import { lowered } from "../ai-sdk/reply-limit.ts";
import { isPart, type Part } from "../formats/parts.ts";
import type { AgentItem } from "./format.ts";
import type { AgentModel } from "./summarize.ts";

/** What a model of the SDK's is asked, as far as it is used here. */
export interface ModelRequest {
  readonly input: string | readonly AgentItem[];
  readonly systemInstructions?: string | undefined;
  readonly tools?: readonly object[] | undefined;
  readonly handoffs?: readonly object[] | undefined;
  readonly outputType?: unknown;
  readonly modelSettings?: Readonly<Record<string, unknown>> | undefined;
  readonly previousResponseId?: string | undefined;
  readonly conversationId?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** How a model's requests are kept inside the window. */
export interface Keeping {
  /** The chat that messages are of, and the messages as they are to be read. */
  of(messages: readonly AgentItem[]): { readonly chat: Chat<AgentItem>; readonly messages: readonly AgentItem[] };
  /** What the host says of every request. */
  readonly flags: Pick<ChatCall<AgentItem>, "pin" | "isTyped" | "mustKeep">;
  /** The reply limit that the host has set for all requests; otherwise that of each request counts. */
  readonly limit: number | undefined;
}

/** The same model, kept inside the window. `name`: that of the model, if it is known. */
export function keptModel<M extends AgentModel>(model: M, keeping: Keeping, name?: string): M {
  return new Proxy(model, {
    get(target, key) {
      const value: unknown = Reflect.get(target, key, target);
      if (typeof value !== "function") return value;
      // Members see the model itself: some are private.
      const own = value.bind(target);
      if (key === "getResponse") return (request: ModelRequest) => answered(request, own as Respond, keeping, name);
      if (key === "getStreamedResponse")
        return (request: ModelRequest) => streamed(request, own as Stream, keeping, name);
      return own;
    },
  });
}

type Respond = (request: ModelRequest) => PromiseLike<{ readonly usage?: unknown }>;
type Stream = (request: ModelRequest) => AsyncIterable<Event>;
type Event = { readonly type?: string; readonly response?: { readonly usage?: unknown } };

async function answered(
  request: ModelRequest,
  ask: Respond,
  keeping: Keeping,
  name: string | undefined,
): Promise<{ readonly usage?: unknown }> {
  if (isHeld(request)) return ask(request);
  const { chat, call } = callOf(request, keeping, name);
  const answer = await chat.ask(call, async (prepared) => ask(withView(request, prepared, keeping.limit)));
  chat.learn(answer?.usage);
  return answer;
}

/** A stream is asked for once more only as long as it has said nothing. Its last event has the usage. */
async function* streamed(
  request: ModelRequest,
  ask: Stream,
  keeping: Keeping,
  name: string | undefined,
): AsyncGenerator<Event> {
  if (isHeld(request)) {
    yield* ask(request);
    return;
  }
  const { chat, call } = callOf(request, keeping, name);
  const { events, first } = await chat.ask(call, async (prepared) => {
    const events = ask(withView(request, prepared, keeping.limit))[Symbol.asyncIterator]();
    return { events, first: await events.next() };
  });
  try {
    for (let next = first; !next.done; next = await events.next()) {
      if (next.value?.type === "response_done") chat.learn(next.value.response?.usage);
      yield next.value;
    }
  } finally {
    await events.return?.();
  }
}

/** Whether the provider holds the chat itself: then only what is new is sent. */
const isHeld = ({ previousResponseId, conversationId }: ModelRequest): boolean =>
  Boolean(previousResponseId || conversationId);

function callOf(request: ModelRequest, { of, flags, limit }: Keeping, name: string | undefined) {
  const { input, systemInstructions, tools = [], handoffs = [], outputType, modelSettings, signal } = request;
  const { chat, messages } = of(typeof input === "string" ? [{ role: "user", content: input }] : input);
  const call: ChatCall<AgentItem> = {
    ...flags,
    messages,
    model: name,
    system: systemInstructions,
    tools: [...tools, ...handoffs.map(transfer)],
    schemas: isPart(outputType) ? outputType.schema : undefined,
    maxOutputTokens: limit === undefined ? (modelSettings?.maxTokens as number | undefined) : undefined,
    signal,
  };
  return { chat, call };
}

/** A handoff is a tool to the model. */
function transfer(handoff: object): Part {
  const { toolName, toolDescription, inputJsonSchema } = handoff as Part;
  return { name: toolName, description: toolDescription, parameters: inputJsonSchema };
}

function withView(
  request: ModelRequest,
  { view, report }: Prepared<AgentItem>,
  limit: number | undefined,
): ModelRequest {
  const { input, modelSettings } = request;
  const most = lowered(report, limit ?? (modelSettings?.maxTokens as number | undefined)).maxOutputTokens;
  // A text that fits is sent as it is.
  const isText = typeof input === "string" && view.length === 1 && (view[0] as AgentItem).content === input;
  return {
    ...request,
    input: isText ? input : view,
    ...(most === undefined ? {} : { modelSettings: { ...modelSettings, maxTokens: most } }),
  };
}
