import { isObject, type JsonObject, type Usage, usageOf } from "./conversation.ts";
import type { TranscriptReader } from "./reader.ts";
import { joined } from "./requests.ts";
import { traced } from "./traced.ts";

/** Observations of Langfuse, as its API and its exports write them; generations are the requests. */
export const langfuse: TranscriptReader = {
  title: "Langfuse traces",
  owns: (value) => isObservation(value),
  read({ file, values }) {
    const generations = values.filter(({ type }) => type === "GENERATION");
    const calls = (generations.length > 0 ? generations : values).toSorted(byStart).map((one) => {
      const sent = traced(one.input, "user");
      const reply = traced(one.output, "assistant").turns;
      const model = typeof one.model === "string" ? one.model : undefined;
      return {
        ...sent,
        name: String(one.name ?? "generation"),
        sent: sent.turns,
        reply,
        model,
        usage: usageIn(one),
        id: one.id,
        within: one.parentObservationId,
      };
    });
    return joined(file, "langfuse", calls);
  },
};

const KIND = /^(GENERATION|SPAN|EVENT|AGENT|TOOL|CHAIN|RETRIEVER|EVALUATOR|EMBEDDING|GUARDRAIL)$/;
const isObservation = (value: JsonObject) =>
  typeof value.traceId === "string" && KIND.test(String(value.type)) && "input" in value && "startTime" in value;

const byStart = (one: JsonObject, other: JsonObject) =>
  Date.parse(String(one.startTime)) - Date.parse(String(other.startTime)) || 0;

/** Its details part a whole: what was read from a cache is not in `input`. */
function usageIn({ usageDetails, usage }: JsonObject): Usage | undefined {
  if (!isObject(usageDetails)) return usageOf(usage);
  const sum = (kind: RegExp) =>
    Object.entries(usageDetails).reduce(
      (total, [name, value]) => total + (kind.test(name) ? Number(value) || 0 : 0),
      0,
    );
  return usageOf({ prompt_tokens: sum(/^(input|prompt|cache)/), completion_tokens: sum(/^(output|completion)/) });
}
