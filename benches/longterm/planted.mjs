// What a user says once in a long session, in the words of a seed, and what of it must stand in the view at its end.
import * as first from "./script.mjs";
import * as second from "./second.mjs";

/** The scripts by name. Nothing is tuned on the second one. */
export const SCRIPTS = { first, second };

/** How many of the standing things are said before the first change. */
const EARLY = 14;

/**
 * What a script says with a seed: `messages` in their order, `kept` what must stand at the end, `revoked` what may not be
 * asserted, and how a text is judged.
 */
export function script(seed, { STANDING, CHANGED, LIFTED } = first) {
  const random = numbers(seed);
  const one = (list) => list[Math.floor(random() * list.length)];
  const value = (pattern) =>
    pattern.replace(/#/g, () => one([..."123456789"])).replace(/@/g, () => one([..."ABCDEFGHJKLMNPQRTUVWXY"]));
  const other = (values, taken) => {
    let made = value(one(values));
    while (values.length > taken.length && taken.includes(made)) made = value(one(values));
    return made;
  };
  const made = ({ values, says, before, between, keep, stale, ...thing }) => {
    const v = value(one(values));
    const w = other(values, [v]);
    const u = between && other(values, [v, w]);
    const filled = (text) => text.replaceAll("{v}", v).replaceAll("{w}", w).replaceAll("{u}", u);
    const all = (words) => words?.map((word) => (Array.isArray(word) ? word.map(filled) : filled(word)));
    return {
      ...thing,
      says: filled(one(says)),
      ...(before && { before: filled(one(before)) }),
      ...(between && { between: filled(one(between)) }),
      ...{ keep: all(keep), stale: all(stale) },
    };
  };
  const standing = STANDING.map(made);
  const changed = CHANGED.map((thing) => ({ kind: "changed", ...made(thing) }));
  const lifted = LIFTED.map(made);
  const kept = [...standing, ...changed];
  const revoked = [...changed, ...lifted];
  const mixed = standing.map((_, index) => standing[(index * 7) % standing.length].says);
  const early = mixed.splice(0, EARLY);
  const before = revoked.map((thing) => thing.before);
  const between = revoked.flatMap((thing) => thing.between ?? []);
  const after = revoked.map((thing) => thing.says);
  const messages = [...alternating(before, early), ...between, ...alternating(after, mixed)];
  return { kept, revoked, messages, judge: (text) => judge(text, { kept, revoked, messages }) };
}

/** Judges the text of a view: what is lost, what is asserted although it was revoked, what is told more than once. */
function judge(text, { kept, revoked, messages }) {
  const lines = text.toLowerCase().split("\n");
  const last = (words) => lines.findLastIndex((line) => words.every((word) => holds(line, word)));
  return {
    lost: kept.filter(({ keep }) => last(keep) < 0),
    asserted: revoked.filter(({ keep, stale }) => last(stale) > last(keep)),
    duplicates: messages.filter((sentence) => times(text, sentence) > 1),
  };
}

/** Things that a text happens to hold by itself: they could not be judged by it. */
export function collisions({ kept, judge }, text) {
  const { lost } = judge(text);
  return kept.filter((thing) => !lost.includes(thing));
}

function holds(line, word) {
  return [word].flat().some((one) => (/^\d+$/.test(one) ? isNumberIn(line, one) : line.includes(one.toLowerCase())));
}

/** A number stands in a line as such, not as a part of another one, of a name or of a reference. */
function isNumberIn(line, number) {
  return new RegExp(`(?<![\\p{L}\\d.])${number}(?![\\d.]*\\d)`, "u").test(line);
}

/** How often a sentence stands in a text, whatever ends it. */
function times(text, sentence) {
  return text.split(sentence.replace(/[.。]$/, "")).length - 1;
}

/** Two lists as one, evenly mixed. */
function alternating(some, others) {
  const placed = (list) => list.map((one, index) => ({ one, place: (index + 0.5) / list.length }));
  return [...placed(some), ...placed(others)].sort((a, b) => a.place - b.place).map(({ one }) => one);
}

/** Numbers from 0 to 1, the same for the same seed (mulberry32). */
function numbers(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
