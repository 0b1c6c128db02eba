// Proper names in Latin letters: Portia, Seville, Marshmallow, SFO. No dictionary tells them, but the session does:
// a capitalized word of three letters and more that
//   - stands somewhere after a word in small letters or as a whole argument of a call ("in Seville", {"city": "Seville"}),
//   - is never written in small letters in this session ("Field" is no name where "field" is a word),
//   - is used in an argument of a call, or stood at least twice in what was said before.
// Three capital letters are a name only as a whole argument ({"origin": "SFO"}): in a text they are an abbreviation.
import { NO_NAMES } from "./vocabulary.mjs";

const WORD = /(?<![\w.@/\u00c0-\u024f'-])[A-Z\u00c0-\u00de][a-z\u00df-\u024f]{2,}(?![\w@/\u00c0-\u024f(]|\.\w)/g;
const AFTER_WORD = /[a-z\u00df-\u024f],? [A-Z\u00c0-\u00de][a-z\u00df-\u024f]{2,}/g;
const WHOLE = /^[A-Z\u00c0-\u00de][a-z\u00df-\u024f]{2,}(?: [A-Z\u00c0-\u00de][a-z\u00df-\u024f]+)*$/;

/** What a session says of its words: which are written in small letters, which stand where only names do, how often. */
export function namesOf(items) {
  const small = new Set();
  const inside = new Set();
  const seen = new Map();
  for (const [index, { text, leaves }] of items.entries()) {
    for (const [word] of text.matchAll(/(?<![A-Za-z])[a-z\u00df-\u024f]{3,}/g)) small.add(word);
    for (const [match] of text.matchAll(AFTER_WORD)) inside.add(match.slice(match.lastIndexOf(" ") + 1));
    for (const leaf of leaves) if (WHOLE.test(leaf)) for (const word of leaf.split(" ")) inside.add(word);
    for (const [word] of text.matchAll(WORD)) {
      if (!seen.has(word)) seen.set(word, []);
      seen.get(word).push(index);
    }
  }
  const isName = (word) => inside.has(word) && !small.has(word.toLowerCase()) && !NO_NAMES.has(word);
  return { isName, timesBefore: (word, index) => (seen.get(word) ?? []).filter((at) => at < index).length };
}

/** The names that a message uses. */
export function names(item, index, { isName, timesBefore }) {
  const found = new Set();
  for (const part of item.parts) {
    for (const [word] of part.text.matchAll(WORD))
      if (isName(word) && (part.type === "call" || timesBefore(word, index) > 1)) found.add(word);
    for (const leaf of part.leaves ?? []) if (part.type === "call" && /^[A-Z]{3}$/.test(leaf)) found.add(leaf);
  }
  return [...found].map((word) => ["names", word]);
}
