// The textbook: BM25 (k1 = 1.2, b = 0.75) over whole turns, best first, while they fit.
import { tokensOf } from "../recall/session.mjs";

const K1 = 1.2;
const B = 0.75;

/** Made for a conversation's turns that are out of view; asked a question, returns the indexes of what it returns. */
export function bm25({ stemmed = false } = {}) {
  const words = (text) =>
    (text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []).map((word) => (stemmed ? stem(word) : word));
  return ({ messages, hidden }, room) => {
    const turns = hidden.map((index) => turnOf(index, words(messages[index].content), messages[index].content));
    const average = turns.reduce((sum, { length }) => sum + length, 0) / turns.length;
    const spread = new Map();
    for (const { often } of turns) for (const word of often.keys()) spread.set(word, (spread.get(word) ?? 0) + 1);
    const weigh = (word, { often, length }) => {
      const found = often.get(word) ?? 0;
      const rare = Math.log(1 + (turns.length - spread.get(word) + 0.5) / (spread.get(word) + 0.5));
      return found && (rare * found * (K1 + 1)) / (found + K1 * (1 - B + (B * length) / average));
    };
    return async (question) => {
      const asked = [...new Set(words(question))].filter((word) => spread.has(word));
      const scored = turns.map((turn) => ({ ...turn, score: asked.reduce((sum, word) => sum + weigh(word, turn), 0) }));
      return fitting(
        scored.filter(({ score }) => score > 0).sort((a, b) => b.score - a.score || b.index - a.index),
        room,
      );
    };
  };
}

function turnOf(index, words, text) {
  const often = new Map();
  for (const word of words) often.set(word, (often.get(word) ?? 0) + 1);
  return { index, often, length: words.length, tokens: tokensOf(text) };
}

function fitting(sorted, room) {
  const found = [];
  let left = room;
  for (const { index, tokens } of sorted)
    if (tokens <= left) {
      found.push(index);
      left -= tokens;
    }
  return found;
}

/** What English adds to its words, as far as a line of code knows. */
const stem = (word) => (word.length > 4 ? word.replace(/(?:ing|ed|es|s|ly|er)$/, "") : word);
