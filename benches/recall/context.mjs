// Whether a view says what a thing is for, and how much of what a compaction wrote is bare names. The definitions are of
// this measurement alone: no name of a section and no mark that the engine writes is known here.
import { holds, searchable } from "./holds.mjs";
import { tokensOf } from "./session.mjs";

const WORD = /\p{Script=Han}{2}|[\p{L}\p{M}]{3,}/gu;
/** So many bare names in a row are a list of names. */
const LIST = 4;

/**
 * Whether a thing stands in a message that is as it was, or in a line together with a word of a line of the past that it
 * stands in. `sources`: the texts of the messages that say it.
 */
export function isInContext(messages, originals, sources, kind, thing) {
  const said = new Set(sources.flatMap((text) => linesWith(text, kind, thing)).flatMap((line) => wordsOf(line, thing)));
  return messages.some((message) => {
    if (!holds(message.searched, kind, thing)) return false;
    if (originals(message)) return true;
    return linesWith(message.text, kind, thing).some((line) => wordsOf(line, thing).some((word) => said.has(word)));
  });
}

const linesWith = (text, kind, thing) =>
  text
    .replace(/\\n/g, "\n")
    .split("\n")
    .filter((line) => line.includes(thing) && holds(searchable(line), kind, thing));

const wordsOf = (line, thing) => line.replaceAll(thing, " ").toLowerCase().match(WORD) ?? [];

/** The tokens of a text, and those of them that are elements of lists of four and more names without a blank. */
export function namesIn(text) {
  let names = 0;
  for (const line of text.split("\n")) {
    const elements = line.replace(/^[^:\n]{0,40}: /, "").split(/,\s+|;\s+|\s+[|·]\s+/);
    const bare = elements.map((one) => one.trim()).filter((one) => one !== "" && !/\s/.test(one));
    if (bare.length >= LIST) names += bare.reduce((sum, one) => sum + tokensOf(one) + 1, 0);
  }
  return { tokens: tokensOf(text), names };
}
