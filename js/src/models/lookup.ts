/**
 * Finds a model by its id, however a platform writes it. An id is taken apart at what is neither letter nor digit, so that
 * `claude-opus-4.8` and `claude-opus-4-8` are one.
 *
 * - What stands before it belongs to a platform if it ends with `/`, `:` or `.`: `anthropic/…`, `us.anthropic.…`, `models/…`.
 * - What stands behind it says when it was made, not what it is: dates, numbers of a revision, `latest`, `preview`.
 *
 * Anything else makes another model: `gpt-5.4-mini` is not `gpt-5.4`.
 */

/** Ids by their words. */
export type Index = ReadonlyMap<string, string>;

export function indexed(ids: Iterable<string>): Index {
  return new Map(Array.from(ids, (id) => [wordsOf(id).join("-"), id]));
}

/** The id in the index that this one names; null if it names none. */
export function find(index: Index, model: string): string | null {
  for (const name of namesIn(model)) {
    const words = wordsOf(name);
    for (let count = words.length; count > 0; count--) {
      const last = words[count];
      if (last !== undefined && !isDating(last, words[count - 1])) break;
      const found = index.get(words.slice(0, count).join("-"));
      if (found !== undefined) return found;
    }
  }
  return null;
}

/** The known id that shares the most words in front with this one; null if none shares two. */
export function closest(index: Index, model: string): string | null {
  let [best, most] = [null as string | null, 1];
  for (const name of namesIn(model)) {
    const words = wordsOf(name);
    for (const [key, id] of index) {
      const own = key.split("-");
      let count = 0;
      while (count < own.length && own[count] === words[count]) count += 1;
      if (count > most) [best, most] = [id, count];
    }
  }
  return best;
}

/** Longer than any id. */
const LONGEST = 300;

/** An id as it is, and without each prefix that may be a platform's: the longest first. A tuned model is one of its base. */
function namesIn(model: string): string[] {
  const id = model.trim().toLowerCase().slice(0, LONGEST);
  const [, base] = /^ft:([^:]+)/.exec(id) ?? [];
  if (base !== undefined) return [base];
  return [id, ...Array.from(id.matchAll(/[/:.](?=[a-z])/g), ({ index }) => id.slice(index + 1))];
}

/** The words of an id. A zero behind it is the first of its generation: `claude-sonnet-4-0`. */
function wordsOf(id: string): string[] {
  const words = id
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== "");
  return words.at(-1) === "0" && /^\d+$/.test(words.at(-2) ?? "") ? words.slice(0, -1) : words;
}

/** Whether a word says when a model was made: `20260305`, `2026`, `03`, `0613`, `002`, `v1`, and the `0` in `v1:0`. */
function isDating(word: string, before: string | undefined): boolean {
  if (word === "latest" || word === "preview" || /^(v\d+|\d{3,8})$/.test(word)) return true;
  // Of a date in parts, or a revision: a lone small number is a generation.
  return /^\d{1,2}$/.test(word) && before !== undefined && /^(v\d+|\d{4}|\d{2}|preview)$/.test(before);
}
