/**
 * Spans of what precis does, on the OpenTelemetry tracer that you give it. precis depends on no package for that: any
 * object with the two methods will do. No message text is recorded.
 *
 * @module precis/otel
 */
import {
  attributes,
  type CompactionEvent,
  type Compactor,
  type ModelCall,
  type Prepared,
  type Summarize,
  type SummaryAnswer,
  type SummaryRequest,
} from "precis";
import { readUsage } from "./usage.ts";

/** What a span may be given. */
export type SpanAttributes = Record<string, string | number | boolean | string[]>;

/** What is used of a span of `@opentelemetry/api`. */
export interface SpanLike {
  setAttributes(attributes: SpanAttributes): unknown;
  addEvent(name: string, attributes?: SpanAttributes): unknown;
  setStatus(status: { code: number; message?: string }): unknown;
  end(): void;
}

/** What is used of a tracer of `@opentelemetry/api`. */
export interface TracerLike {
  startSpan(name: string, options?: { attributes?: SpanAttributes }): SpanLike;
  startActiveSpan<R>(name: string, options: { attributes?: SpanAttributes }, work: (span: SpanLike) => R): R;
}

/** Options of what makes spans. */
export interface OtelOptions {
  /** `trace.getTracer("…")`. */
  readonly tracer: TracerLike;
  /** Attributes of every span, such as `{ "deployment.environment.name": "production" }`. */
  readonly attributes?: SpanAttributes | undefined;
}

/** Options of {@link traced}. */
export interface TracedOptions extends OtelOptions {
  /** Returns the id of the chat, for `gen_ai.conversation.id`. */
  readonly conversation?: ((call: ModelCall<never>) => string | undefined) | undefined;
}

/** Options of {@link tracedSummarize}. */
export interface TracedSummarizeOptions extends OtelOptions {
  /** The summarizing model, for `gen_ai.request.model`. */
  readonly model?: string | undefined;
  /** Who provides it, for `gen_ai.provider.name`, such as `"openai"`. */
  readonly provider?: string | undefined;
}

/** `SpanStatusCode.ERROR`. */
const ERROR = 2;
/** Spans of {@link otelEvents} that are open at a time, those of aborted calls among them. */
const MOST_OPEN = 1_000;

/**
 * The same compactor, with a span for each `beforeModel`, `compact` and `commit`, in which spans of your own and of
 * {@link tracedSummarize} nest. It has the attributes of the report (see `attributes` of `precis`), and an event for each
 * start, retry and fallback of a compaction.
 */
export function traced<M, Made>(compactor: Compactor<M, Made>, options: TracedOptions): Compactor<M, Made> {
  const { tracer, conversation } = options;
  const asked = <R>(operation: string, call: ModelCall<never>, work: (call: ModelCall<never>) => R): R =>
    within(
      tracer,
      `precis ${operation}`,
      { ...options.attributes, ...ofCall(operation, call, conversation) },
      (span) => {
        if (!span) return work(call);
        const onEvent = (event: CompactionEvent) => {
          noteEvent(span, event);
          call.onEvent?.(event);
        };
        const told = typeof call === "object" && call !== null ? { ...call, onEvent } : call;
        return noting(span, work(told), (prepared) => ofReport((prepared as Prepared<never>).report));
      },
    );
  const { beforeModel, compact, commit } = compactor as unknown as Compactor<never>;
  return {
    ...compactor,
    beforeModel: (call: never) => asked("beforeModel", call, (call) => beforeModel(call)),
    compact: (call: never) => asked("compact", call, (call) => compact(call)),
    commit: (call: never, ...rest: [never]) => asked("commit", call, (call) => commit(call, ...rest)),
  } as unknown as Compactor<M, Made>;
}

/**
 * The same summarizer, with a span for each request that is sent to the model, by the conventions for generative AI:
 * `gen_ai.operation.name`, `gen_ai.request.max_tokens`, and of answers with usage `gen_ai.usage.input_tokens` and
 * `output_tokens`.
 */
export function tracedSummarize(summarize: Summarize, options: TracedSummarizeOptions): Summarize {
  const { tracer, model, provider } = options;
  return (request, context) => {
    const attributes = { ...options.attributes, ...ofRequest(request, context.attempt, model, provider) };
    return within(tracer, model ? `chat ${model}` : "chat", attributes, (span) => {
      const answer = summarize(request, context);
      if (!span) return answer;
      if (Symbol.asyncIterator in (answer as object)) return streamed(span, answer as AsyncIterable<Item>);
      return noting(span, answer, (answer) => ofAnswer(answer as SummaryAnswer));
    });
  };
}

/**
 * A listener for `onEvent`: a span from the start of each compaction to its end, and nothing for calls that have nothing
 * to do. A span of a call that is aborted ends with the next compaction that begins with the same id, or never: use
 * {@link traced} where calls are aborted.
 */
export function otelEvents({ tracer, attributes: own }: OtelOptions): (event: CompactionEvent) => void {
  const open = new Map<string, SpanLike>();
  return (event) => {
    const { type, id } = event;
    if (type === "start") {
      open.get(id)?.end();
      open.delete(id);
      for (const [oldest, span] of open) {
        if (open.size < MOST_OPEN) break;
        span.end();
        open.delete(oldest);
      }
      open.set(id, tracer.startSpan("precis compaction", { attributes: { ...own, "precis.compaction": id } }));
    }
    const span = open.get(id);
    if (!span) return;
    noteEvent(span, event);
    if (type !== "done") return;
    open.delete(id);
    span.setAttributes(ofReport(event.report));
    span.end();
  };
}

type Item = string | { readonly finishReason: string; readonly usage?: unknown };

/** Runs work in a span of its own. A tracer that fails costs the span, not the work. */
function within<R>(
  tracer: TracerLike,
  name: string,
  attributes: SpanAttributes,
  work: (span: SpanLike | undefined) => R,
): R {
  let begun = false;
  const begin = (span: SpanLike | undefined) => {
    begun = true;
    try {
      return work(span);
    } catch (error) {
      if (span) failed(span, error);
      throw error;
    }
  };
  try {
    return tracer.startActiveSpan(name, { attributes }, begin);
  } catch (error) {
    if (begun) throw error;
    return begin(undefined);
  }
}

/** Ends a span with what came of its work. What throws at once is ended by {@link within}. */
function noting<R>(span: SpanLike, result: R, told: (result: unknown) => SpanAttributes): R {
  const done = (result: unknown) =>
    safely(() => {
      span.setAttributes(told(result));
      span.end();
    });
  if (typeof (result as PromiseLike<unknown>)?.then !== "function") {
    done(result);
    return result;
  }
  return (result as PromiseLike<unknown>).then(
    (result) => {
      done(result);
      return result;
    },
    (error) => {
      failed(span, error);
      throw error;
    },
  ) as R;
}

/** A stream whose span ends where it ends. */
async function* streamed(span: SpanLike, items: AsyncIterable<Item>): AsyncGenerator<Item> {
  try {
    for await (const item of items) {
      if (typeof item === "object") safely(() => span.setAttributes(ofAnswer(item)));
      yield item;
    }
  } catch (error) {
    safely(() => failure(span, error));
    throw error;
  } finally {
    safely(() => span.end());
  }
}

function failed(span: SpanLike, error: unknown): void {
  safely(() => {
    failure(span, error);
    span.end();
  });
}

function failure(span: SpanLike, error: unknown): void {
  const { code, name, message } = (error ?? {}) as { code?: unknown; name?: unknown; message?: unknown };
  const type = [code, name].find((text) => typeof text === "string") as string | undefined;
  span.setAttributes({ "error.type": type ?? "_OTHER" });
  span.setStatus(typeof message === "string" ? { code: ERROR, message } : { code: ERROR });
}

function safely(work: () => void): void {
  try {
    work();
  } catch {}
}

function noteEvent(span: SpanLike, event: CompactionEvent): void {
  const { type } = event;
  // Each piece of a stream would be an event; their total is reported at the end.
  if (type === "progress" && event.text !== "") return;
  const of: SpanAttributes = {};
  if ("reason" in event) of["precis.reason"] = event.reason;
  if ("before" in event) of["precis.before.tokens"] = event.before.tokens;
  if (type === "progress") Object.assign(of, { "precis.done": event.done, "precis.total": event.total });
  safely(() => span.addEvent(`precis.${type}`, of));
}

function ofCall(
  operation: string,
  call: ModelCall<never>,
  conversation: TracedOptions["conversation"],
): SpanAttributes {
  const told: SpanAttributes = { "gen_ai.operation.name": "compact_context", "precis.operation": operation };
  safely(() => {
    const { model, maxOutputTokens } = call;
    if (typeof model === "string") told["gen_ai.request.model"] = model;
    if (typeof maxOutputTokens === "number") told["gen_ai.request.max_tokens"] = maxOutputTokens;
    const id = conversation?.(call);
    if (typeof id === "string") told["gen_ai.conversation.id"] = id;
  });
  return told;
}

function ofReport(report: Prepared<never>["report"]): SpanAttributes {
  const told: SpanAttributes = { ...attributes(report) };
  const rungs = report.changes.map(({ rung }) => rung);
  if (rungs.length > 0) told["precis.rungs"] = [...new Set(rungs)];
  return told;
}

function ofRequest(
  { id, kind, maxOutputTokens }: SummaryRequest<unknown>,
  attempt: number,
  model: string | undefined,
  provider: string | undefined,
): SpanAttributes {
  return {
    "gen_ai.operation.name": "chat",
    "gen_ai.request.max_tokens": maxOutputTokens,
    ...(model ? { "gen_ai.request.model": model } : {}),
    ...(provider ? { "gen_ai.provider.name": provider } : {}),
    "precis.request": id,
    "precis.kind": kind,
    "precis.attempt": attempt,
  };
}

function ofAnswer(answer: SummaryAnswer | Exclude<Item, string>): SpanAttributes {
  const told: SpanAttributes = {};
  if (typeof answer !== "object" || answer === null) return told;
  if (typeof answer.finishReason === "string") told["gen_ai.response.finish_reasons"] = [answer.finishReason];
  const { prompt, output } = readUsage(answer.usage) ?? { prompt: null, output: null };
  if (prompt !== null) told["gen_ai.usage.input_tokens"] = prompt;
  if (output !== null) told["gen_ai.usage.output_tokens"] = output;
  return told;
}
