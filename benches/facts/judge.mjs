// Which facts of a chat a view holds. The definitions are of this measure alone: no name of a section, no mark and no word
// that the engine writes is known here.
import { textOf } from "./chats.mjs";

/** Words of its own line that a fact must stand beside, or all of them where the line has fewer. */
const BESIDE = 2;

const words = new Intl.Segmenter("und", { granularity: "word" });
const pattern = (source, flags = "iu") => new RegExp(source, flags);

/**
 * `kept`: a pattern of the fact stands in the view. `told`: it stands in a message that is as it was, or in a line together
 * with words of the line it came from, so that one sees what it is for. `stale`: what the compaction wrote has the old value
 * and the view says the new one nowhere after it; `beside`: it does. `left`: the same of messages that are as they were.
 */
export function judge(facts, view, originals) {
  const own = new Set(originals);
  const lines = view.flatMap((message) => linesOf(message).map((text) => ({ text, own: own.has(message) })));
  const sources = originals.flatMap(linesOf);
  const result = { kept: [], told: [], missing: [], stale: [], beside: [], left: [] };
  for (const fact of facts) {
    const patterns = fact.match.map((one) => pattern(one));
    const stands = (text) => patterns.some((one) => one.test(text));
    const found = lines.filter(({ text }) => stands(text));
    (found.length ? result.kept : result.missing).push(fact);
    if (found.some(({ text, own }) => own || isTold(text, sources, patterns))) result.told.push(fact);
    const outdated = fact.stale && old(lines, pattern(fact.stale), stands);
    if (outdated) result[outdated.kind].push({ ...fact, line: outdated.line });
  }
  return result;
}

/** Whether the last line with the old value stands behind the last one with the new value, and who wrote it. */
function old(lines, stale, stands) {
  const last = (test) => lines.findLastIndex(test);
  const newer = last(({ text }) => stands(text));
  const isOld = ({ text }) => stale.test(text) && !stands(text);
  const made = last((line) => !line.own && isOld(line));
  if (made > newer) return { kind: "stale", line: lines[made].text };
  const kept = last((line) => line.own && isOld(line));
  if (kept > newer) return { kind: "left", line: lines[kept].text };
  return made >= 0 ? { kind: "beside", line: lines[made].text } : null;
}

function isTold(text, sources, patterns) {
  const here = wordsOf(text, patterns);
  return sources.some((source) => {
    if (!patterns.some((one) => one.test(source))) return false;
    const there = wordsOf(source, patterns);
    const shared = [...there].filter((word) => here.has(word)).length;
    return shared >= Math.min(BESIDE, there.size);
  });
}

/** The words of a line, in small letters, without numbers and without what the patterns match. */
function wordsOf(text, patterns) {
  const rest = patterns.reduce((left, one) => left.replace(pattern(one.source, "giu"), " "), text);
  const found = new Set();
  for (const { segment } of words.segment(rest.toLowerCase()))
    if (/^[\p{L}\p{M}]{2,}$/u.test(segment)) found.add(segment);
  return found;
}

/** JSON in a text has its line breaks and quotation marks escaped. */
const linesOf = (message) => textOf(message).replace(/\\"/g, '"').replace(/\\n/g, "\n").split("\n");
