// Quoted phrases: two words and more between quotation marks or backticks, as they stood before ("Too many open files",
// `npm run build`, 「…」). At most 120 characters; at least one word of three letters. Code between the quotation marks of
// a program counts only if it reads like words: no braces, semicolons, or signs of assignment.

const MOST = 120;
const QUOTED = [
  /"([^"\n]*)"/g,
  /\u201c([^\u201d\n]*)\u201d/g,
  /`([^`\n]*)`/g,
  /(?<=^|[\s([=:,])'([^'\n]*)'(?=[\s.,;:!?)\]]|$)/gm,
];
const FENCE = /^\s*```.*$/gm;

/** The quoted phrases of a text; blanks in them are one blank each. */
export function phrases(text) {
  const found = new Set();
  const plain = text.replace(FENCE, "");
  for (const expression of QUOTED)
    for (const [, inside] of plain.matchAll(expression)) {
      const phrase = inside.replace(/\s+/g, " ");
      if (phrase.length <= MOST && isPhrase(phrase)) found.add(phrase);
    }
  return [...found].map((phrase) => ["phrases", phrase]);
}

function isPhrase(phrase) {
  // Blanks at its ends: it stands between two quotations.
  if (/^ | $/.test(phrase)) return false;
  if (/[{};=<>\\|]|\$\w/.test(phrase) || /^[,.:;)\]]/.test(phrase) || /[([,]$/.test(phrase)) return false;
  return phrase.split(" ").filter((word) => /[\p{L}\p{N}]/u.test(word)).length > 1 && /\p{L}{3}/u.test(phrase);
}
