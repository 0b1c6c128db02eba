import type { ModelCall, Report, SessionState } from "precis";
import { noMessages, objectOf } from "./given.ts";
import { type KeptRequest, Lines } from "./lineage.ts";
import type { OwnPrompts } from "./own-prompts.ts";
import { asksForCompaction, showsCompaction } from "./provider.ts";
import { ReadPrompts } from "./read-prompts.ts";
import { lowered } from "./reply-limit.ts";
import { type Ask, once, type ProviderRequest, type Streamed, started } from "./retry.ts";
import type { Shared } from "./session.ts";
import { isSame, type Message, modelOf, textOf } from "./steps.ts";
import { withBinding } from "./thinking.ts";
import type { Middleware, ScopedCall } from "./types.ts";

interface Model {
  doGenerate(request: ProviderRequest): PromiseLike<unknown>;
  doStream(request: ProviderRequest): PromiseLike<Streamed>;
}

type Request = ProviderRequest & { readonly providerOptions?: unknown };

/** Some hundred long chats, and the newest requests of short ones. */
const REMEMBERED = { requests: 1_024, bytes: 32 * 1024 * 1024 };

/** Prompts that a middleware further out has made fit, and for which window: within it nothing is to be done again. */
const fitted = new WeakMap<object, number>();

/** Makes the middleware of one `compaction`. `asking`: prompts of its own summarizer, which may be the same model. */
export function middlewareOf(shared: Shared, asking: OwnPrompts): Middleware {
  const { providerOptions, onReport, options, scope } = shared;
  const lines = new Lines<SessionState>(REMEMBERED);
  const prompts = new ReadPrompts();
  /** Models that compact by settings of their own, which no request shows. */
  const compacting = new WeakSet<object>();

  const windowOf = (model: unknown) => {
    const { contextWindow } = options;
    return typeof contextWindow === "function" ? contextWindow(modelOf(model)) : contextWindow;
  };
  const isSettled = (request: Request, model: unknown) => {
    const { prompt } = request;
    if (prompt.length === 0) return true;
    if (compacting.has(model as object)) return true;
    if (asksForCompaction(request.providerOptions ?? providerOptions)) return true;
    const within = fitted.get(prompt);
    return (within !== undefined && within <= (windowOf(model) ?? 0)) || asking.has(textOf(prompt.at(-1)));
  };
  const tell = (report: Report) => {
    try {
      const answer: unknown = onReport?.(report, undefined);
      if (answer instanceof Promise) answer.catch(() => {});
    } catch {}
  };

  /** Asks a model with what fits; `learn` is called with what its answer says of usage. */
  async function through<T>(
    request: Request,
    model: Model,
    ask: (request: Request, learn: (answer: unknown) => void) => PromiseLike<T>,
  ): Promise<T> {
    const { prompt, tools, responseFormat, maxOutputTokens, abortSignal } = request;
    if (isSettled(request, model)) return ask(request, () => {});
    const from = prompt.findIndex(({ role }) => role !== "system");
    // A system prompt that says what time it is makes no other chat.
    const [system, messages] = from < 0 ? [[], prompt] : [prompt.slice(0, from), prompt.slice(from)];
    const within = scope ? scope(request as ScopedCall) : "";
    const isScoped = typeof within === "string";
    const read = prompts.read(messages, isScoped ? within : "", { system, tools, schema: responseFormat?.schema });
    if (read.compacts) return ask(request, () => {});
    const keys = (isScoped ? read.keys : null) ?? [];
    const earlier = lines.find(keys);
    const place = { before: earlier?.key ?? null, stem: stemOf(messages, keys) };
    const compactor = shared.prompts();
    const call: ModelCall<Message> = {
      ...{
        messages: read.own,
        tools: read.tools,
        schemas: read.schema,
        maxOutputTokens,
        state: earlier?.value ?? null,
        model: modelOf(model),
      },
      ...{ signal: abortSignal, system: system.length > 0 ? read.system : undefined },
    };
    let current: SessionState | undefined;
    let kept: KeptRequest<SessionState> | undefined;
    let report: Report | undefined;
    /** Decides, keeps what comes of it, and gives the request to send. */
    const decide = async (call: ModelCall<Message>): Promise<{ request: Request; report: Report }> => {
      const prepared = await compactor.beforeModel(call);
      const { view, state } = prepared;
      report = prepared.report;
      current = state;
      const key = keys.at(-1);
      if (key !== undefined) kept = lines.keep(key, state, worthOf(state), place);
      const given = read.given(view);
      const sent = system.length > 0 ? [...system, ...given] : given;
      if (report.outcome !== "infeasible") fitted.set(sent, report.after.window);
      const limit = lowered(report, maxOutputTokens ?? options.maxOutputTokens);
      const binding = withBinding(report, model, request.providerOptions);
      return { request: { ...request, prompt: sent, ...limit, ...binding }, report };
    };
    const learn = (answer: unknown) => {
      if (!current || !report) return;
      if (showsCompaction(answer)) compacting.add(model);
      current = compactor.afterModel(current, answer, report.request);
      kept?.replace(current, worthOf(current));
    };
    const first = await decide(call);
    tell(first.report);
    return once(
      first.request,
      (request) => ask(request, learn),
      async (refused, error) => {
        const { request: shorter, report } = await decide({
          ...call,
          state: current ?? null,
          overflow: error,
        });
        if (report.outcome === "infeasible" || report.warnings.some(({ code }) => code === "not-an-overflow"))
          return null;
        const limit = shorter.maxOutputTokens ?? Number.POSITIVE_INFINITY;
        const isLess =
          !isSame(shorter.prompt, refused.prompt) || limit < (refused.maxOutputTokens ?? Number.POSITIVE_INFINITY);
        if (!isLess) return null;
        tell(report);
        return shorter;
      },
    );
  }

  return {
    specificationVersion: "v3",
    wrapGenerate: async (options) => {
      const { params, model } = given(options);
      return through(params, model, async (request, learn) => {
        const answer = await model.doGenerate(request);
        learn(answer);
        return answer;
      });
    },
    wrapStream: async (options) => {
      const { params, model } = given(options);
      return through(params, model, async (request, learn) =>
        learning(await started(model.doStream.bind(model) as Ask<Streamed>, request), learn),
      );
    },
  };
}

/** What losing a state would cost: a compaction would have to be made again. */
function worthOf(state: SessionState): number {
  return state.revision === 0 ? 0 : JSON.stringify(state).length;
}

/**
 * The key of what came before the newest user message. Programs add to that message what they send once (what was retrieved
 * for it, the date), so that the next request does not begin with this one. A first message is preceded by nothing.
 */
function stemOf(messages: readonly Message[], keys: readonly string[]): string | null {
  const newest = messages.findLastIndex(({ role }) => role === "user");
  return keys[newest - 1] ?? null;
}

/** A stream as it is, whose end is learned from. */
function learning(answer: Streamed, learn: (answer: unknown) => void): Streamed {
  type Part = { readonly type: string };
  const tap = new TransformStream<Part, Part>({
    transform(part, controller) {
      if (part.type === "finish") learn(part);
      controller.enqueue(part);
    },
  });
  return { ...answer, stream: answer.stream.pipeThrough(tap) };
}

/** What the SDK passes. */
function given(options: unknown): { params: Request; model: Model } {
  const { params, model } = objectOf(options, "options", "what the AI SDK passes to a middleware");
  const request = objectOf(params, "options.params", "the parameters of the model's call");
  const { prompt } = request;
  if (!Array.isArray(prompt)) throw noMessages("options.params.prompt", prompt);
  const wrong = prompt.findIndex((message) => typeof message !== "object" || message === null);
  if (wrong >= 0) objectOf(prompt[wrong], `options.params.prompt[${wrong}]`, "a message");
  objectOf(model, "options.model", "the model that is wrapped");
  return { params: params as Request, model: model as Model };
}
