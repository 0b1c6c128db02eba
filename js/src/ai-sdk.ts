/**
 * precis in the Vercel AI SDK, versions 5, 6 and 7. Imports nothing of it: what it needs is matched by its structure.
 *
 * @module
 */
import { createCompactor } from "precis";
import { checkCompaction, checkRun, checkStep } from "./ai-sdk/given.ts";
import { Session } from "./ai-sdk/session.ts";
import type { Compaction, CompactionOptions, PrepareStep, RunOptions } from "./ai-sdk/types.ts";
import { aiSdk } from "./formats/ai-sdk.ts";

export { type CompactionData, toDataPart } from "./ai-sdk/data-part.ts";
export { type SummarizerSettings, summarizeWith } from "./ai-sdk/summarize.ts";
export type {
  Compaction,
  CompactionOptions,
  PrepareStep,
  Run,
  RunOptions,
  StateStore,
  StepOptions,
} from "./ai-sdk/types.ts";

/**
 * Makes what keeps the chats of an AI SDK program inside the window. Make one for each model or agent, and keep it.
 *
 * @throws PrecisError when an option is refused.
 */
export function compaction(options: CompactionOptions): Compaction {
  checkCompaction(options);
  const { agent, store, chat, providerOptions, onReport, ...own } = options;
  const compactor = createCompactor({ ...own, format: aiSdk });
  /** For prompts below the SDK, whose content is always a list. Made when a provider refuses a request. */
  let refused: typeof compactor | undefined;
  const prompts = () => {
    const summary = (text: string) => ({ role: "user", content: [{ type: "text", text }] });
    refused ??= createCompactor({ ...own, format: { ...aiSdk, summary } });
    return refused;
  };
  const shared = { compactor, prompts, agent, store, providerOptions, onReport, options: own };
  const sessions = new WeakMap<object, Session>();

  /** The SDK makes one `steps` array for each call of its functions: it tells calls apart, also of one chat. */
  const prepareStep: PrepareStep = async (step) => {
    checkStep(step);
    let session = sessions.get(step.steps);
    if (!session) {
      session = new Session(shared, { chat: chatOf(chat, step.runtimeContext ?? step.experimental_context) });
      sessions.set(step.steps, session);
    }
    return session.prepareStep(step);
  };
  const run = (options: RunOptions = {}) => {
    checkRun(options, shared);
    return new Session(shared, options);
  };
  return { prepareStep, run };
}

/** A function that reads a context it was not given throws: then the call belongs to no chat. */
function chatOf(chat: CompactionOptions["chat"], context: unknown): string | undefined {
  try {
    const found: unknown = chat?.(context as never);
    return typeof found === "string" ? found : undefined;
  } catch {
    return undefined;
  }
}
