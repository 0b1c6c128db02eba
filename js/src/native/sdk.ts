/** A model of the AI SDK that compacts: asked below the SDK with a prompt, or through `generateText` with its messages. */
import type { CoveredChat, NativeBlock } from "precis";
import { isModel } from "../ai-sdk/model.ts";
import { modelOf } from "../ai-sdk/steps.ts";
import { callOf } from "../ai-sdk/summarize.ts";
import type { LanguageModel } from "../ai-sdk/types.ts";

/** A model of the AI SDK: for `compaction(…).model(…)` and its middleware alone, for runs with the function that asks it. */
export type SdkModel =
  | LanguageModel
  | {
      // biome-ignore lint/suspicious/noExplicitAny: the parameter differs from version to version.
      readonly generateText: (options: any) => PromiseLike<any>;
      readonly model: unknown;
    };

/** What a provider compacted: the part of the answer, and how the answer ended in the provider's word, if it gives one. */
export interface SdkAnswer {
  readonly parts: readonly Part[];
  readonly finish: string | undefined;
  readonly usage: unknown;
}

type Part = Readonly<Record<string, unknown>>;

export function isSdkModel(given: unknown): given is SdkModel {
  const { generateText, model } = (given ?? {}) as { generateText?: unknown; model?: unknown };
  return isModel(given) || (typeof generateText === "function" && model !== undefined && model !== null);
}

/** Asks for a compaction of a chat by `providerOptions`. */
export async function askSdk(
  given: SdkModel,
  chat: CoveredChat,
  settings: { readonly providerOptions: unknown; readonly maxOutputTokens?: number; readonly abortSignal: AbortSignal },
): Promise<SdkAnswer> {
  const isDirect = isModel(given);
  const model = modelOf(isDirect ? given : given.model);
  if (chat.model !== undefined && chat.model !== model)
    throw new Error(`Only the chat's own model compacts it: this is ${model}, and the chat's is ${chat.model}.`);
  const answer = isDirect
    ? await given.doGenerate({ ...promptOf(chat), ...settings })
    : await given.generateText({ model: given.model, ...messagesOf(chat), ...settings });
  const { content, finishReason, rawFinishReason, usage } = answer as {
    readonly content?: unknown;
    readonly finishReason?: unknown;
    readonly rawFinishReason?: unknown;
    readonly usage?: unknown;
  };
  const raw = rawFinishReason ?? (finishReason as { raw?: unknown } | null | undefined)?.raw;
  return {
    parts: Array.isArray(content) ? content : [],
    finish: typeof raw === "string" ? raw : undefined,
    usage,
  };
}

/** A part as it is sent back: what the provider has said of it, under the name that it has in a prompt. */
export function blockOf({ providerMetadata, text, ...part }: Part): NativeBlock {
  return { ...part, ...(typeof text === "string" ? { content: text } : {}), providerOptions: providerMetadata };
}

/** The members that the provider of a part has said of it. */
export function saidOf({ providerMetadata }: Part): Part {
  const all = Object.values((providerMetadata ?? {}) as Part);
  return (all.find((one) => (one as Part | null)?.type === "compaction") ?? {}) as Part;
}

function promptOf({ messages, system, tools }: CoveredChat): object {
  if (tools !== undefined && !Array.isArray(tools))
    throw new Error("A run compacts through the SDK: pass { generateText, model } in place of the model.");
  const above = typeof system === "string" ? [{ role: "system", content: system }] : (system ?? []);
  return { prompt: [...above, ...messages], tools };
}

function messagesOf(chat: CoveredChat): object {
  if (Array.isArray(chat.tools))
    throw new Error("Below the SDK the model itself compacts: pass the model in place of { generateText, model }.");
  return callOf(chat);
}
