/** Models of the SDK as objects: what they are known by, and the same model with a middleware around it. */
import { input, type PrecisError } from "precis";
import type { LanguageModel, Middleware } from "./types.ts";

/** Whether this is a model object of the SDK, of any version. */
export function isModel(value: unknown): value is LanguageModel {
  const { doGenerate, doStream } = (value ?? {}) as Partial<LanguageModel>;
  return typeof doGenerate === "function" && typeof doStream === "function";
}

/**
 * Checks a model.
 *
 * @throws PrecisError naming `path` where it is no model object. The SDK looks names up, which only the SDK can do.
 */
export function checkModel(model: unknown, path: string, code: "invalid-call" | "invalid-option"): void {
  if (!isModel(model)) throw noModel(model, path, code);
}

export function noModel(model: unknown, path: string, code: "invalid-call" | "invalid-option"): PrecisError {
  const remedy =
    typeof model === "string"
      ? `Pass the object that this name stands for: gateway("${model}"), or what the function of its provider returns.`
      : 'Pass what the function of a provider returns: openai("…").';
  return input.wrong(code, path, "a language model of the AI SDK", model, remedy);
}

/** The same model, whose calls go through a middleware. */
export function within<T extends LanguageModel>(model: T, { wrapGenerate, wrapStream }: Middleware): T {
  return new Proxy(model, {
    get(target, key) {
      const value: unknown = Reflect.get(target, key, target);
      if (typeof value !== "function") return value;
      // Members see the model itself: some are private.
      if (key === "doGenerate") return (params: unknown) => wrapGenerate({ params, model: target });
      if (key === "doStream") return (params: unknown) => wrapStream({ params, model: target });
      return value.bind(target);
    },
  });
}
