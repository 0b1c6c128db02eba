/**
 * A stream function of pi's that asks once more, with less, where the provider says that a request was too long.
 */
import type { PiMessage } from "./format.ts";

/** What a stream function is given, and returns. */
export interface Context {
  readonly messages: readonly PiMessage[];
}
export interface Stream extends AsyncIterable<Event> {
  result(): PromiseLike<object>;
}
interface Event {
  readonly type: string;
  readonly error?: { readonly errorMessage?: unknown };
}
interface Model {
  readonly id?: unknown;
}
interface Options {
  readonly signal?: AbortSignal | undefined;
  readonly maxTokens?: number | undefined;
}

/** The context made shorter; null if the error is about something else, or nothing helps. */
export type Shorten = (
  context: Context,
  error: unknown,
  about: { model: string | undefined; signal: AbortSignal | undefined; limit: number | undefined },
) => Promise<Context | null>;

/** Of pi's streams nothing rejects: a failure is the stream's last event. */
export function asking(stream: (...args: never[]) => unknown, shorten: Shorten) {
  const ask = stream as unknown as (model: Model, context: Context, options?: Options) => Stream | Promise<Stream>;
  return async (model: Model, context: Context, options?: Options): Promise<Stream> => {
    const first = await ask(model, context, options);
    const events = first[Symbol.asyncIterator]();
    const read: IteratorResult<Event>[] = [await events.next()];
    // A reply that has begun to say something is not asked for again.
    if (read[0]?.value?.type === "start") read.push(await events.next());
    const { value: last } = read.at(-1) as IteratorResult<Event>;
    if (last?.type === "error" && !options?.signal?.aborted) {
      const about = {
        model: typeof model.id === "string" ? model.id : undefined,
        signal: options?.signal,
        limit: options?.maxTokens,
      };
      const shorter = await shorten(context, last.error?.errorMessage, about).catch(() => null);
      if (shorter) return ask(model, shorter, options);
    }
    return { [Symbol.asyncIterator]: () => following(read, events), result: () => first.result() };
  };
}

async function* following(read: IteratorResult<Event>[], events: AsyncIterator<Event>): AsyncGenerator<Event> {
  try {
    for (let next = read.shift(); next && !next.done; next = read.shift() ?? (await events.next())) yield next.value;
  } finally {
    await events.return?.();
  }
}
