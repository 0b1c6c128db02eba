// A scripted stand-in for a model that summarizes badly: of all that it is given it tells every second sentence, in
// fewer words, and of these every second one again until it fits. The same material gives the same text.
import { tokensOf } from "../recall/session.mjs";

/** Of the tokens it is allowed, how many it uses: models rarely fill what they may. */
const SHARE = 0.6;
/** More words than these of a sentence it does not repeat. */
const MOST_WORDS = 20;
const SENTENCES = /\n+|(?<=[.!?])\s+|(?<=[。！？])/u;
/** It says something. */
const TELLS = /\p{L}{3}|\p{Script=Han}{2}/u;
/** A tag of the prompt, on a line of its own. */
const FRAME = /^<\/?[\w-]+>$/;
/** What notes leave out: small words, and what is punctuation in code. */
const SMALL =
  /^(?:the|a|an|is|are|to|of|and|that|this|it|in|with|for|der|die|das|und|ist|le|la|les|et|est|el|los|de|y|es)$/i;
const MARKS = /[|{}()[\]<>;"'`=*#│━]+/g;

/** Answers like `summarize` of precis: half of the material. */
export async function losesHalf({ prompt, maxOutputTokens }) {
  return { text: half(prompt, maxOutputTokens), finishReason: "stop" };
}

/** Every second sentence of a text, as notes of at most so many tokens. */
export function half(text, maxOutputTokens) {
  const sentences = text.split(SENTENCES).filter((one) => TELLS.test(one) && !FRAME.test(one));
  let notes = [...new Set(everySecond(sentences).map(noteOf).filter(Boolean))];
  const most = maxOutputTokens * SHARE;
  while (notes.length > 1 && tokensOf(notes.join("\n")) > most) notes = everySecond(notes);
  return notes.join("\n") || "- The work goes on.";
}

const everySecond = (list) => list.filter((_, index) => index % 2 === 0);

function noteOf(sentence) {
  const words = sentence
    .replace(MARKS, " ")
    .split(/\s+/)
    .filter((word) => word && !SMALL.test(word));
  const text = words.slice(0, MOST_WORDS).join(" ").slice(0, 160).replace(/^- /, "");
  return TELLS.test(text) ? `- ${text}` : "";
}
