/**
 * A model that asks once more, with less, where the provider says that a request was too long.
 *
 * It works below the SDK's functions, on one request: no step is repeated and no tool runs twice, and it serves
 * streams, whose errors never reach the caller of streamText.
 */

/** What a provider is asked, as far as it is used here; the same in versions 2 to 4 of the SDK's interface. */
export interface ProviderRequest {
  readonly prompt: readonly { role: string; content: unknown }[];
  readonly tools?: unknown;
  /** What the reply must be; its schema is sent as well. */
  readonly responseFormat?: { readonly schema?: unknown } | undefined;
  readonly maxOutputTokens?: number | undefined;
  readonly abortSignal?: AbortSignal | undefined;
}

/** The request made shorter; null if the error is about something else, or nothing can be done. */
export type Shorten = (request: ProviderRequest, error: unknown) => Promise<ProviderRequest | null>;

export type Ask<T> = (request: ProviderRequest) => PromiseLike<T>;
export interface Streamed {
  readonly stream: ReadableStream<{ readonly type: string; readonly error?: unknown }>;
}

/** A model as it is, except that it asks once more. */
export function retrying<T>(model: T, shorten: Shorten): T {
  if (typeof model !== "object" || model === null) return model;
  return new Proxy(model, {
    get(target, key) {
      const value: unknown = Reflect.get(target, key, target);
      if (typeof value !== "function") return value;
      // Members see the model itself: some are private.
      const ask = value.bind(target);
      if (key === "doGenerate") return (request: ProviderRequest) => once(request, ask as Ask<unknown>, shorten);
      if (key === "doStream")
        return (request: ProviderRequest) =>
          once(request, (request) => started(ask as Ask<Streamed>, request), shorten);
      return ask;
    },
  });
}

/** Asks, and once more with less if the provider says that it was too much. */
export async function once<T>(request: ProviderRequest, ask: Ask<T>, shorten: Shorten): Promise<T> {
  try {
    return await ask(request);
  } catch (error) {
    const shorter = await shorten(request, error);
    if (shorter === null) throw error;
    return ask(shorter);
  }
}

/** Parts that come before there is anything to show. */
const PREFACE = new Set(["stream-start", "response-metadata", "raw"]);

/** A stream that has begun to answer; one that begins with an error rejects with it. */
export async function started(ask: Ask<Streamed>, request: ProviderRequest): Promise<Streamed> {
  const answer = await ask(request);
  const reader = answer.stream.getReader();
  const read: { readonly type: string; readonly error?: unknown }[] = [];
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    if (value.type === "error" && read.every(({ type }) => PREFACE.has(type))) {
      await reader.cancel();
      throw value.error;
    }
    read.push(value);
    if (!PREFACE.has(value.type)) break;
  }
  const stream: Streamed["stream"] = new ReadableStream({
    async pull(controller) {
      const next = read.shift();
      if (next) return controller.enqueue(next);
      const { done, value } = await reader.read();
      if (done) controller.close();
      else controller.enqueue(value);
    },
    cancel: (reason) => reader.cancel(reason),
  });
  return { ...answer, stream };
}
