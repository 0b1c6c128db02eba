/**
 * precis in the Vercel AI SDK, versions 5, 6 and 7. Imports nothing of it: what it needs is matched by its structure.
 *
 * @module precis/ai-sdk
 */
import { createCompactor } from "precis";
import { checkChatId, checkCompaction, checkRun, checkStep } from "./ai-sdk/given.ts";
import { Handle } from "./ai-sdk/handle.ts";
import { middlewareOf } from "./ai-sdk/middleware.ts";
import { checkModel, within } from "./ai-sdk/model.ts";
import { OwnPrompts } from "./ai-sdk/own-prompts.ts";
import { Session, type Shared } from "./ai-sdk/session.ts";
import { summarizersOf } from "./ai-sdk/summarize.ts";
import type { Compaction, CompactionOptions, PrepareStep, RunOptions } from "./ai-sdk/types.ts";
import { aiSdk } from "./formats/ai-sdk.ts";

export {
  type Compacting,
  type CompactNextOptions,
  type CompactTool,
  type CompactToolOptions,
  compactTool,
} from "./ai-sdk/compact-tool.ts";
export { composePrepareSteps } from "./ai-sdk/compose.ts";
export { type CompactionData, compactionOf, type DataPartOptions, toDataPart } from "./ai-sdk/data-part.ts";
export { type Recalling, type RecallTool, type RecallToolOptions, recallTool } from "./ai-sdk/recall.ts";
export { type SummarizerSettings, summarizeWith } from "./ai-sdk/summarize.ts";
export type {
  ChatOptions,
  Compaction,
  CompactionOptions,
  CompactOptions,
  Covered,
  LanguageModel,
  Middleware,
  PrepareStep,
  Run,
  RunEvent,
  RunOptions,
  ScopedCall,
  StateStore,
  StepOptions,
} from "./ai-sdk/types.ts";

/**
 * Makes what keeps the chats of an AI SDK program inside the window. Make one for each model or agent, and keep it.
 *
 * @throws PrecisError when an option is refused.
 */
// biome-ignore lint/suspicious/noExplicitAny: without `chat`, any context will do.
export function compaction<Context = any>(options: CompactionOptions<Context>): Compaction<Context> {
  checkCompaction(options);
  const { agent, store, chat, scope, providerOptions, onReport, ...given } = options;
  const asking = new OwnPrompts();
  const own = { ...given, summarize: asking.of(summarizersOf(given.summarize, "messages")) };
  const summaries: Shared["summaries"] = new WeakMap();
  const summary: typeof aiSdk.summary = (text, place) => {
    const message = aiSdk.summary(text, place);
    summaries.set(message, place.covers);
    return message;
  };
  const compactor = createCompactor({ ...own, format: { ...aiSdk, summary } });
  /** For prompts below the SDK, whose content is always a list. Made when one is to be compacted. */
  let below: typeof compactor | undefined;
  const prompts = () => {
    const summary = (text: string) => ({ role: "user", content: [{ type: "text", text }] });
    const summarize = asking.of(summarizersOf(given.summarize, "prompts", providerOptions));
    below ??= createCompactor({ ...own, summarize, format: { ...aiSdk, summary } });
    return below;
  };
  const shared: Shared = {
    compactor,
    prompts,
    agent,
    store,
    scope,
    providerOptions,
    onReport,
    options: own,
    summaries,
  };
  const sessions = new WeakMap<object, Session>();

  /** The SDK makes one `steps` array for each call of its functions: it tells calls apart, also of one chat. */
  const prepareStep: PrepareStep = async (step) => {
    checkStep(step);
    let session = sessions.get(step.steps);
    if (!session) {
      session = new Session(shared, { chat: chatOf(options, step.runtimeContext ?? step.experimental_context) });
      sessions.set(step.steps, session);
    }
    return session.prepareStep(step);
  };
  const run = (options: RunOptions = {}) => {
    checkRun(options, shared);
    return new Handle(shared, options);
  };
  const middleware = middlewareOf(shared, asking);
  const model: Compaction["model"] = (model) => {
    checkModel(model, "model", "invalid-call");
    return within(model, middleware);
  };
  return { prepareStep, run, model, middleware };
}

/**
 * The chat that an agent's call names. One that has no store may name none: a function that reads a context it was not given
 * throws.
 */
function chatOf({ chat, store }: CompactionOptions, context: unknown): string | undefined {
  let found: unknown;
  try {
    found = chat?.(context as never);
  } catch {
    found = undefined;
  }
  if (store) {
    const remedy =
      "Give `compaction` the option `chat`, and each call of the agent its `runtimeContext` (`experimental_context` in version 6)";
    checkChatId(found, "chat", remedy);
  }
  return typeof found === "string" && found !== "" ? found : undefined;
}
