import { input } from "precis";

// biome-ignore lint/suspicious/noExplicitAny: what the SDK passes and takes differs from version to version.
type Any = any;
type Members = Readonly<Record<string, unknown>>;
type Answer = Members | null | undefined;

/**
 * One `prepareStep` of several, asked in their order. Each sees what those before it have returned: their `messages`, their
 * `model`, their instructions and contexts. What they return is merged: of a setting the last one counts, of
 * `maxOutputTokens` the lowest; `providerOptions` are merged by provider. Entries that are not there are skipped.
 *
 * Put the one of `precis` last among those that return messages: it must see what is sent.
 *
 * @throws PrecisError when something else than a function is given.
 */
export function composePrepareSteps<F extends (options: Any) => Any = (options: Any) => Any>(
  ...steps: readonly (NoInfer<F> | null | undefined | false)[]
): F {
  const all = steps.filter((step, at) => {
    if (step === null || step === undefined || step === false) return false;
    input.checkKind(input.FUNCTION, step, "invalid-option", `steps[${at}]`);
    return true;
  }) as ((options: unknown) => unknown)[];
  const composed = async (options: unknown) => {
    let [given, merged]: [Members, Members | undefined] = [options as Members, undefined];
    for (const step of all) {
      const answer = (await step(given)) as Answer;
      if (!answer) continue;
      merged = merge(merged ?? {}, answer);
      given = passedOn(given, answer);
    }
    return merged;
  };
  return composed as F;
}

function merge(earlier: Members, later: Members): Members {
  const said = Object.fromEntries(Object.entries(later).filter(([, value]) => value !== undefined));
  const merged: Record<string, unknown> = { ...earlier, ...said };
  if (typeof earlier.maxOutputTokens === "number" && typeof said.maxOutputTokens === "number")
    merged.maxOutputTokens = Math.min(earlier.maxOutputTokens, said.maxOutputTokens);
  if (earlier.providerOptions && said.providerOptions)
    merged.providerOptions = byProvider(earlier.providerOptions as Members, said.providerOptions as Members);
  return merged;
}

function byProvider(earlier: Members, later: Members): Members {
  const merged: Record<string, unknown> = { ...earlier };
  for (const [provider, options] of Object.entries(later))
    merged[provider] = { ...(earlier[provider] as Members | undefined), ...(options as Members) };
  return merged;
}

/** Members of an answer that the next one finds among what it is given. */
const PASSED_ON = ["messages", "model", "instructions", "runtimeContext", "toolsContext", "experimental_context"];

function passedOn(given: Members, answer: Members): Members {
  const next: Record<string, unknown> = { ...given };
  // The old name of version 7's instructions.
  if (answer.system !== undefined && "instructions" in given) next.instructions = answer.system;
  for (const name of PASSED_ON) if (answer[name] !== undefined) next[name] = answer[name];
  return next;
}
