/** Asks the host's ranker, and hands what it said to the engine in whole numbers. */
import { patienceOf, reasonOf, timeoutError } from "./host-function.ts";
import { shown } from "./members.ts";
import type { Rank, RankRequest } from "./types.ts";

/** The engine's largest number of a vector or score, and its most dimensions. */
const LARGEST = 32_767;
const MOST_DIMENSIONS = 8_192;

/** What a ranker said: 0 dimensions and a score for each text, or vectors one after another, that of the query first. */
export interface Said {
  readonly dimensions: number;
  readonly numbers: Int32Array;
}

/** Asks the ranker once. Whatever it does becomes an answer or a reason why there is none. */
export function asked(rank: Rank, request: RankRequest, timeoutMs?: number): Promise<Said | { failed: string }> {
  return new Promise((resolve) => {
    const stop = new AbortController();
    const patience = patienceOf(timeoutMs);
    const timer = setTimeout(() => {
      const failed = `The ranker took more than ${patience} ms (rankTimeoutMs).`;
      resolve({ failed });
      stop.abort(timeoutError(failed));
    }, patience);
    const settle = (answer: Said | { failed: string }) => {
      clearTimeout(timer);
      resolve(answer);
    };
    Promise.resolve()
      .then((): unknown => rank(request, { signal: stop.signal }))
      .then((answer) => read(answer, request.texts.length))
      .then(settle, (error: unknown) => settle({ failed: `The ranker threw “${reasonOf(error)}”.` }));
  });
}

function read(answer: unknown, count: number): Said | { failed: string } {
  const { scores, query, vectors } = (answer ?? {}) as { [name in "scores" | "query" | "vectors"]?: unknown };
  if (isList(scores)) {
    if (scores.length !== count) return { failed: `The ranker returned ${scores.length} scores for ${count} texts.` };
    return inRange(scores) ?? { failed: "The ranker's scores are not all finite numbers." };
  }
  if (!isList(query) || !isList(vectors))
    return { failed: `The ranker returned ${shown(answer)}: return { scores } or { query, vectors }.` };
  if (vectors.length !== count) return { failed: `The ranker returned ${vectors.length} vectors for ${count} texts.` };
  return inOne([query, ...Array.from(vectors as ArrayLike<unknown>)]);
}

const isList = (value: unknown): value is ArrayLike<unknown> =>
  Array.isArray(value) || (ArrayBuffer.isView(value) && !(value instanceof DataView));

/** Scores from 0 for the least to the largest number for the most. */
function inRange(scores: ArrayLike<unknown>): Said | null {
  let [low, high] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (let at = 0; at < scores.length; at++) {
    const score = scores[at];
    if (typeof score !== "number" || !Number.isFinite(score)) return null;
    low = Math.min(low, score);
    high = Math.max(high, score);
  }
  const range = high - low;
  const numbers = Int32Array.from(scores as ArrayLike<number>, (score) =>
    range > 0 ? Math.round(((score - low) / range) * LARGEST) : 0,
  );
  return { dimensions: 0, numbers };
}

/** Vectors one after another, each by its largest number. */
function inOne(vectors: readonly unknown[]): Said | { failed: string } {
  const dimensions = (vectors[0] as ArrayLike<unknown>).length;
  if (dimensions < 1 || dimensions > MOST_DIMENSIONS)
    return { failed: `The ranker's vectors have ${dimensions} dimensions: 1 to ${MOST_DIMENSIONS} are possible.` };
  const numbers = new Int32Array(vectors.length * dimensions);
  for (const [at, vector] of vectors.entries()) {
    if (!isList(vector) || vector.length !== dimensions)
      return { failed: `The ranker's vectors do not all have the ${dimensions} dimensions of the query's.` };
    let largest = 0;
    for (let index = 0; index < dimensions; index++) {
      const number = vector[index];
      if (typeof number !== "number" || !Number.isFinite(number))
        return { failed: "The ranker's vectors are not all made of finite numbers." };
      largest = Math.max(largest, Math.abs(number));
    }
    for (let index = 0; largest > 0 && index < dimensions; index++)
      numbers[at * dimensions + index] = Math.round(((vector[index] as number) / largest) * LARGEST);
  }
  return { dimensions, numbers };
}
