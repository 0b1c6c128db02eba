/**
 * The windows of models by their ids: a small table with a date, for programs that would rather not look them up. It is an
 * entry of its own, so that nobody bundles it unasked.
 *
 * @module precis/models
 */
import { PrecisError, type Size } from "precis";
import { closest, find, indexed } from "./models/lookup.ts";
import { DATE, type Row, TABLE } from "./models/table.ts";

/** What is known of a model. */
export interface ModelLimits {
  /** Tokens of a request and its reply together. */
  readonly contextWindow: number;
  /** The most tokens of a request alone, where that is less. */
  readonly maxInputTokens?: number | undefined;
  /** The most tokens of a reply. */
  readonly maxOutputTokens?: number | undefined;
  /** Tokens of a request above which every token of it costs more, ascending. */
  readonly cliffs?: readonly number[] | undefined;
  /** Whether signed thinking is refused once anything before it has changed. The engine knows this by itself. */
  readonly bindsThinking?: boolean | undefined;
}

/** The options of {@link auto}. */
export interface AutoOptions {
  /** Models that the table does not know, or knows otherwise than you do: limits by id, or the window alone. */
  readonly models?: Readonly<Record<string, number | ModelLimits>> | undefined;
  /** Whether a compaction begins below the lowest price cliff of the model, where it has one. Default false. */
  readonly cliffs?: boolean | undefined;
}

/** Options of `createCompactor` and of `compaction`, to be spread into yours. */
export interface Auto {
  /** @throws PrecisError `invalid-window` for a model that nobody knows. */
  readonly contextWindow: (model: string | undefined) => number;
  readonly trigger?: (model: string | undefined) => Size | undefined;
}

/** The day of the newest row of the table: `"2026-11-28"`. A model that is newer is not in it. */
export const modelsDate: string = DATE;

/**
 * The context window of each call, by its model:
 *
 * ```js
 * compaction({ ...auto(), summarize });
 * compaction({ ...auto({ models: { "my-tuned-model": 32_000 }, cliffs: true }) });
 * ```
 *
 * Where a provider limits the request alone, that limit counts as the window. A limit that a refusal reveals wins over the
 * table, as it does over any window. A model that is in neither `models` nor the table is refused, never guessed.
 *
 * @throws PrecisError `invalid-option` for limits that are none.
 */
export function auto({ models = {}, cliffs = false }: AutoOptions = {}): Auto {
  const own = new Map(Object.entries(models).map(([id, given]) => [id, checked(id, given)]));
  const triggers = new Map<string, Size | undefined>();
  const limits = (model: string | undefined) => {
    const found = typeof model === "string" ? known(own, model) : null;
    if (found) return found;
    throw unknown(model);
  };
  const contextWindow = (model: string | undefined) => {
    const { contextWindow, maxInputTokens } = limits(model);
    return Math.min(contextWindow, maxInputTokens ?? contextWindow);
  };
  if (!cliffs) return { contextWindow };
  return {
    contextWindow,
    trigger: (model) => {
      const name = String(model);
      // The same object for the same model: nothing is decided again for it.
      if (!triggers.has(name)) {
        const [tokens] = limits(model).cliffs ?? [];
        if (triggers.size > MOST_TRIGGERS) triggers.clear();
        triggers.set(name, tokens === undefined ? undefined : { tokens });
      }
      return triggers.get(name);
    },
  };
}

const MOST_TRIGGERS = 64;

/** What the table knows of a model; null if it does not know it. Prefixes of providers and dated suffixes do not matter. */
export function limitsOf(model: string): ModelLimits | null {
  return typeof model === "string" ? known(new Map(), model) : null;
}

function known(own: ReadonlyMap<string, ModelLimits>, model: string): ModelLimits | null {
  const exact = own.get(model);
  if (exact) return exact;
  const of = own.size > 0 ? find(indexed(own.keys()), model) : null;
  if (of !== null) return own.get(of) ?? null;
  const id = find(table().ids, model);
  return id === null ? null : limitsIn(table().rows.get(id) as Row);
}

/** Read when it is first asked. */
let read: { ids: ReturnType<typeof indexed>; rows: ReadonlyMap<string, Row> } | undefined;
function table(): NonNullable<typeof read> {
  if (!read) {
    const rows = new Map(TABLE.flatMap((row) => row[0].split(" ").map((id) => [id, row] as const)));
    read = { rows, ids: indexed(rows.keys()) };
  }
  return read;
}

function limitsIn([, contextWindow, maxOutputTokens, input, bound, ...cliffs]: Row): ModelLimits {
  return {
    ...{ contextWindow, maxOutputTokens, cliffs, bindsThinking: bound === 1 },
    ...(input > 0 ? { maxInputTokens: input } : {}),
  };
}

function checked(id: string, given: number | ModelLimits): ModelLimits {
  const limits = typeof given === "number" ? { contextWindow: given } : given;
  const { contextWindow, maxInputTokens, cliffs = [] } = limits ?? {};
  const isTokens = (value: unknown) => Number.isSafeInteger(value) && (value as number) > 0;
  const all: unknown[] = [contextWindow, ...(maxInputTokens === undefined ? [] : [maxInputTokens]), ...cliffs];
  if (all.every(isTokens)) return limits;
  throw new PrecisError(
    "invalid-option",
    `models[${JSON.stringify(id)}]`,
    "Expected the context window in tokens, a whole number above 0, or { contextWindow, maxInputTokens, cliffs } of such numbers.",
  );
}

function unknown(model: string | undefined): PrecisError {
  if (typeof model !== "string" || model === "") {
    const advice =
      "The call names no model, so its window cannot be looked up. Pass `model`, or set `contextWindow` to a number of tokens.";
    return new PrecisError("invalid-window", "contextWindow", advice);
  }
  const similar = closest(table().ids, model);
  const name = JSON.stringify(model.slice(0, 200));
  const advice = `The table of ${DATE} does not know the model ${name}${similar ? ` (it knows ${similar})` : ""}. Write auto({ models: { ${name}: 128_000 } }) with the window that the provider's model list gives; it is never guessed.`;
  return new PrecisError("invalid-window", "contextWindow", advice);
}
