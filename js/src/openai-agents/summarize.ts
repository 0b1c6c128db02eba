import { input, type Summarize } from "precis";

/** A model of the SDK's, as far as it is used here. */
export interface AgentModel {
  // biome-ignore lint/suspicious/noExplicitAny: the parameters differ from version to version.
  getResponse(request: any): PromiseLike<any>;
  // biome-ignore lint/suspicious/noExplicitAny: as above.
  getStreamedResponse(request: any): AsyncIterable<any>;
}

/** Who asks a model for something: the SDK takes no instructions of more than this. */
const NOTHING_ELSE = { tools: [], handoffs: [], outputType: "text", tracing: false } as const;

/**
 * A summarizer that asks a model of the SDK's.
 *
 * @param settings - the `modelSettings` of the request: `temperature`, `reasoning`, `providerData`.
 * @throws PrecisError `invalid-option` without a model object.
 */
export function summarizeWith(model: AgentModel, settings: object = {}): Summarize {
  if (typeof (model as Partial<AgentModel> | null)?.getResponse !== "function") {
    const remedy = "A model given by name has to be resolved first: await provider.getModel(name).";
    throw input.wrong("invalid-option", "summarize", "a model of the Agents SDK, or a function", model, remedy);
  }
  return async ({ system, prompt, maxOutputTokens }, { signal }) => {
    const answer = await model.getResponse({
      ...NOTHING_ELSE,
      systemInstructions: system,
      input: prompt,
      modelSettings: { ...settings, maxTokens: maxOutputTokens, store: false },
      signal,
    });
    const { output, usage, providerData } = (answer ?? {}) as Answer;
    const said = (output ?? []).flatMap(({ content }) => (Array.isArray(content) ? content : []));
    return { text: said.map(({ text }) => text ?? "").join(""), finishReason: reasonOf(output, providerData), usage };
  };
}

interface Answer {
  readonly output?: readonly { readonly content?: unknown; readonly status?: string }[];
  readonly usage?: unknown;
  readonly providerData?: {
    readonly status?: string;
    readonly choices?: readonly { readonly finish_reason?: string }[];
  };
}

/** How an answer ended: its own item says so, or what the provider sent. */
function reasonOf(output: Answer["output"], providerData: Answer["providerData"]): string {
  if (output?.some(({ status }) => status === "incomplete")) return "incomplete";
  return providerData?.choices?.[0]?.finish_reason ?? (providerData?.status === "incomplete" ? "incomplete" : "stop");
}
