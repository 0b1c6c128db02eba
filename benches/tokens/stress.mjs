// Texts that are no language, the same every time: what an estimator without a vocabulary is worst at.

let random = 12_345;
/** A whole number below `most`. */
function below(most) {
  random = (Math.imul(random, 1_664_525) + 1_013_904_223) >>> 0;
  return (random >>> 8) % most;
}

const of = (characters) => () => characters[below(characters.length)];
const between = (first, last) => () => String.fromCodePoint(first + below(last - first + 1));
const many = (length, piece) => {
  let text = "";
  while (text.length < length) text += piece();
  return text;
};
/** Words of 2 to 9 characters between two code points. */
const words = (first, last) => () => `${many(2 + below(8), between(first, last))} `;
const hex = (length) => many(length, of("0123456789abcdef"));

/** `{ cls, text }` of each. */
export const stress = Object.entries({
  "random words a-z": many(4000, words(97, 122)),
  "random a-z": many(4000, between(97, 122)),
  "random base32": many(4000, of("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567")),
  "random ASCII": many(4000, between(33, 126)),
  "random accents": many(4000, words(0xc0, 0xff)),
  emoji: many(2000, between(0x1f600, 0x1f64f)),
  "emoji families": "👨‍👩‍👧‍👦".repeat(100),
  flags: many(1000, between(0x1f1e6, 0x1f1ff)),
  "emoji in text": many(3000, () => `ok done ${between(0x1f600, 0x1f64f)()} `),
  "rare CJK": many(2000, between(0x3400, 0x4db5)),
  "random CJK": many(2000, between(0x4e00, 0x9fa5)),
  "random Hangul": many(2000, between(0xac00, 0xd7a3)),
  "random Georgian": many(2000, words(0x10d0, 0x10f0)),
  "random Armenian": many(2000, words(0x561, 0x586)),
  "random Tamil": many(2000, words(0xb95, 0xbb9)),
  "random Bengali": many(2000, words(0x995, 0x9b9)),
  "random Ethiopic": many(2000, words(0x1200, 0x1350)),
  "random Khmer": many(2000, words(0x1780, 0x17b3)),
  "random Burmese": many(2000, words(0x1000, 0x1020)),
  "random Hebrew": many(2000, words(0x5d0, 0x5ea)),
  "random Arabic": many(2000, words(0x627, 0x64a)),
  "random Cyrillic": many(2000, words(0x430, 0x44f)),
  "random Cyrillic capitals": many(2000, words(0x410, 0x42f)),
  "letters beyond the BMP": many(2000, between(0x1d400, 0x1d433)),
  "private use": many(1000, between(0xe000, 0xf8ff)),
  "box drawing":
    `┌${"─".repeat(30)}┬${"─".repeat(20)}┐\n│ a cell with text in it       │ 12345              │\n`.repeat(20),
  "4,000 spaces": " ".repeat(4000),
  "2,000 line ends": "\n".repeat(2000),
  tabs: "a\tb\tc\t1\t2\t3\n".repeat(200),
  "one letter": "a".repeat(4000),
  "one word": "farewell ".repeat(500),
  "one mark": "=".repeat(4000),
  "random marks": many(3000, of("!@#$%^&*()_+-=[]{}|;:,.<>?/~`")),
  digits: many(4000, between(48, 57)),
  decimals: many(4000, () => `${(below(1_000_000) / 1000).toFixed(3)}, `),
  "hex bytes": many(4000, () => `${hex(2)} `),
  ids: many(4000, () => `${hex(8)}-${hex(4)}\n`),
  "combining marks": many(2000, () => between(97, 122)() + many(2, between(0x300, 0x36f))),
  capitals: "THE BUILD FAILED AGAIN BECAUSE THE LINKER CANNOT FIND A SYMBOL OF THE SECOND CRATE. ".repeat(40),
  camelCase: many(
    4000,
    () => `${of(["getUser", "setHttp", "parseXml", "onClick"])()}${of(["Name", "Request", "ById"])()}(`,
  ),
  "JSON in JSON in JSON": JSON.stringify(
    JSON.stringify(JSON.stringify({ a: [1, 2, { b: 'c "d" e' }], path: "/usr/local/bin", ok: true })),
  ).repeat(20),
  "colours of a terminal": many(4000, () => `\u001b[3${below(8)}mtext\u001b[0m `),
}).map(([cls, text]) => ({ cls, text }));
