import { isObject, type JsonObject, type Usage, usageOf } from "./conversation.ts";
import type { TranscriptReader } from "./reader.ts";
import { joined } from "./requests.ts";
import { traced } from "./traced.ts";

/** Runs of LangSmith: exported, one or many, nested or as the SDK posts and patches them. Runs of a model are its requests. */
export const langSmith: TranscriptReader = {
  title: "LangSmith runs",
  owns: (value) => isRun(value),
  read({ file, values }) {
    const runs = [...mergedRuns(values.flatMap(withChildren)).values()];
    const models = runs.filter(({ run_type }) => run_type === "llm");
    const calls = (models.length > 0 ? models : runs).toSorted(byStart).map((run) => {
      const sent = traced(run.inputs, "user");
      const reply = traced(run.outputs, "assistant").turns;
      return {
        ...sent,
        name: String(run.name ?? "run"),
        sent: sent.turns,
        reply,
        model: modelOf(run),
        usage: usageIn(run),
        ...{ id: run.id, within: run.parent_run_id },
      };
    });
    return joined(file, "langsmith", calls);
  },
};

const isRun = ({ run_type, inputs, outputs, dotted_order }: JsonObject) =>
  (typeof run_type === "string" && isObject(inputs)) ||
  (typeof dotted_order === "string" && (isObject(inputs) || isObject(outputs)));

function withChildren(run: JsonObject): JsonObject[] {
  const children = Array.isArray(run.child_runs) ? run.child_runs.filter(isObject) : [];
  return [run, ...children.flatMap(withChildren)];
}

/** What was posted when a run began, with what was patched when it ended. */
function mergedRuns(runs: readonly JsonObject[]): Map<string, JsonObject> {
  const found = new Map<string, JsonObject>();
  for (const [at, run] of runs.entries()) {
    const key = String(run.dotted_order ?? run.id ?? at);
    found.set(key, { ...found.get(key), ...run });
  }
  return found;
}

const order = ({ dotted_order, start_time }: JsonObject) => String(dotted_order ?? start_time ?? "");
const byStart = (one: JsonObject, other: JsonObject) =>
  order(one) < order(other) ? -1 : Number(order(one) > order(other));

function modelOf({ extra, inputs, outputs }: JsonObject): string | undefined {
  const metadata = isObject(extra) && isObject(extra.metadata) ? extra.metadata.ls_model_name : undefined;
  const named = [isObject(outputs) ? outputs.model : undefined, metadata, isObject(inputs) ? inputs.model : undefined];
  return named.find((one): one is string => typeof one === "string");
}

/** What the run says itself, or the reply in it. */
function usageIn(run: JsonObject): Usage | undefined {
  const { outputs } = run;
  const own = usageOf({ prompt_tokens: run.prompt_tokens, completion_tokens: run.completion_tokens });
  if (own || !isObject(outputs)) return own;
  const told = isObject(outputs.llm_output) ? outputs.llm_output.token_usage : undefined;
  return usageOf(outputs.usage_metadata) ?? usageOf(outputs.usage) ?? usageOf(told) ?? deepUsage(outputs, 6);
}

function deepUsage(value: unknown, depth: number): Usage | undefined {
  if (depth === 0 || typeof value !== "object" || value === null) return undefined;
  const own = isObject(value) ? usageOf(value.usage_metadata) : undefined;
  if (own) return own;
  for (const inner of Object.values(value)) {
    const found = deepUsage(inner, depth - 1);
    if (found) return found;
  }
  return undefined;
}
