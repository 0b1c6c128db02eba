// node js/scripts/tables.mjs [--check]: writes src/tokens/tables.rs from the parameters in benches/tokens/params.
// `--check` only says whether it is what the parameters give.
import { readFileSync, writeFileSync } from "node:fs";
import { at, main } from "./common.mjs";

const target = at("src/tokens/tables.rs");
const read = (name) => JSON.parse(readFileSync(at("benches/tokens/params", name), "utf8"));

/** One token; a weight of 1. */
const one = 1024;
const full = 1024;

const latin = ["LOWER", "UPPER", "ACCENTED", "ACCENTED_UPPER", "EXTENDED", "VIETNAMESE"];
/** Scripts without and with their own numbers; the cased ones come first. */
export const scripts =
  "greek cyrillic armenian hebrew arabic devanagari bengali gurmukhi gujarati odia tamil telugu kannada malayalam sinhala thai lao tibetan burmese georgian ethiopic khmer mongolian hiragana katakana cjk hangul other rare".split(
    " ",
  );
const marks = ["CJK_MARK", "MARK_BEYOND", "BOX", "PICTURE", "SYMBOL"];
const classes = ["UNUSED", "SPACE", "LINE", "BLANK", "DIGIT", "MARK", ...latin, ...scripts, ...marks];
export const classNumber = (name) => classes.indexOf(name);

export const buckets = [
  ...["WORD", "WORD_MORE", "NUMBER", "NUMBER_DIGITS", "MARKS", "MARKS_MORE", "LINES", "INDENT"],
  ...["ACCENTED_WORD", "SYMBOLS"],
  ...scripts,
];

/** Classes beyond ASCII: the first code of each range. What is not named goes on with the range before it. */
const ranges =
  `80 MARK_BEYOND, a0 BLANK, a1 MARK_BEYOND, aa ACCENTED, ab MARK_BEYOND, b2 DIGIT, b4 MARK_BEYOND, b5 ACCENTED,
b6 MARK_BEYOND, b9 DIGIT, ba ACCENTED, bb MARK_BEYOND, bc DIGIT, bf MARK_BEYOND, c0 ACCENTED_UPPER, d7 MARK_BEYOND,
d8 ACCENTED_UPPER, df ACCENTED, f7 MARK_BEYOND, f8 ACCENTED, 100 EXTENDED, 300 other, 370 greek, 400 cyrillic,
530 armenian, 590 hebrew, 600 arabic, 60c SYMBOL, 60d arabic, 61b SYMBOL, 61c arabic, 61f SYMBOL, 620 arabic, 660 DIGIT,
66a SYMBOL, 66d arabic, 6d4 SYMBOL, 6d5 arabic, 6f0 DIGIT, 6fa arabic, 700 other, 750 arabic, 780 other, 900 devanagari,
964 SYMBOL, 966 DIGIT, 970 devanagari, 980 bengali, 9e6 DIGIT, 9f0 bengali, a00 gurmukhi, a80 gujarati, b00 odia,
b80 tamil, c00 telugu, c80 kannada, d00 malayalam, d80 sinhala, e00 thai, e3f SYMBOL, e40 thai, e50 DIGIT, e5a thai,
e80 lao, f00 tibetan, 1000 burmese, 10a0 georgian, 1100 hangul, 1200 ethiopic, 13a0 other, 1780 khmer, 1800 mongolian,
18b0 other, 1c80 cyrillic, 1c90 georgian, 1cc0 other, 1e00 VIETNAMESE, 1f00 greek, 2000 BLANK, 200b MARK_BEYOND,
2028 BLANK, 202a MARK_BEYOND, 202f BLANK, 2030 MARK_BEYOND, 205f BLANK, 2060 MARK_BEYOND, 2070 DIGIT, 208a SYMBOL,
2150 DIGIT, 2190 SYMBOL, 2460 DIGIT, 249c SYMBOL, 2500 BOX, 25a0 SYMBOL, 2600 PICTURE, 27c0 SYMBOL, 2c00 other,
3000 BLANK, 3001 CJK_MARK, 3005 cjk, 3006 CJK_MARK, 3007 DIGIT, 3008 CJK_MARK, 3041 hiragana, 309b CJK_MARK,
309d hiragana, 30a0 CJK_MARK, 30a1 katakana, 30fb CJK_MARK, 30fc katakana, 3100 other, 3130 hangul, 3190 other,
3400 rare, 4dc0 other, 4e00 cjk, a000 other, ac00 hangul, d7b0 other, e000 SYMBOL, f900 cjk, fb00 other, fb50 arabic,
fe00 other, fe0f PICTURE, fe10 other, fe70 arabic, feff BLANK, ff00 CJK_MARK, ff10 DIGIT, ff1a CJK_MARK, ff21 other,
ff3b CJK_MARK, ff41 other, ff5b CJK_MARK, ff66 katakana, ffa0 CJK_MARK`
    .split(/,\s*/)
    .map((range) => range.split(" "))
    .map(([start, name]) => [Number.parseInt(start, 16), name]);

/** The class of a code. */
export function classOf(code) {
  if (code < 128) return ascii(code)[0];
  if (code > 0xffff) return "PICTURE";
  return ranges.findLast(([start]) => start <= code)[1];
}

const punctuation = Array.from({ length: 94 }, (_, i) => i + 33).filter((code) => !/[0-9a-z]/i.test(char(code)));

/** Class of an ASCII code, and its number among letters or marks. */
export function ascii(code) {
  if (code === 32) return ["SPACE", 0];
  if (code === 10 || code === 13) return ["LINE", 0];
  if (code === 9 || code === 11 || code === 12) return ["BLANK", 0];
  if (/[0-9]/.test(char(code))) return ["DIGIT", 0];
  if (/[a-z]/.test(char(code))) return ["LOWER", code - 96];
  if (/[A-Z]/.test(char(code))) return ["UPPER", code - 64];
  return ["MARK", Math.max(0, punctuation.indexOf(code))];
}

function char(code) {
  return String.fromCharCode(code);
}

/** Sixteen levels for the values of a table, and each value's number among them (Lloyd's method). */
export function quantised(values) {
  const used = values.filter((value) => value !== 0).sort((a, b) => a - b);
  const sorted = used.length > 0 ? used : [0];
  let levels = Array.from({ length: 15 }, (_, i) => sorted[Math.floor(((i + 0.5) * sorted.length) / 15)]);
  const nearest = (value) =>
    levels.reduce((best, level, i) => (Math.abs(value - level) < Math.abs(value - levels[best]) ? i : best), 0);
  for (let round = 0; round < 50; round++) {
    const sums = levels.map(() => [0, 0]);
    for (const value of sorted) {
      const sum = sums[nearest(value)];
      sum[0] += value;
      sum[1] += 1;
    }
    levels = levels.map((level, i) => (sums[i][1] > 0 ? sums[i][0] / sums[i][1] : level));
  }
  // What was never seen in fitting stays at nothing.
  levels = [0, ...levels];
  return { levels, numbers: values.map(nearest) };
}

/** The file. */
export function tables() {
  const params = read("lexical.json");
  const families = read("families.json");
  const out = [
    "//! Generated by `node js/scripts/tables.mjs` from `benches/tokens/params`: change those, not this.",
    "",
    "/// Class of a character.",
    "pub type Class = u8;",
    "",
  ];
  const constant = (name, type, value) => out.push(`pub const ${name}: ${type} = ${value};`);
  const array = (name, type, values) => {
    const lines = [];
    for (let i = 0; i < values.length; i += 32) lines.push(`    ${values.slice(i, i + 32).join(", ")},`);
    out.push(`pub const ${name}: [${type}; ${values.length}] = [`, ...lines, "];");
  };
  const parts = (values) => values.map((value) => clamp(Math.round(value * one)));
  const packed = (name, levels, values) => {
    const { levels: found, numbers } = quantised(values);
    array(levels, "i16", parts(found));
    const bytes = [];
    for (let i = 0; i < numbers.length; i += 2) bytes.push(numbers[i] | (numbers[i + 1] << 4));
    out.push(`pub static ${name}: [u8; ${bytes.length}] = [`);
    for (let i = 0; i < bytes.length; i += 32) out.push(`    ${bytes.slice(i, i + 32).join(", ")},`);
    out.push("];");
  };

  for (const name of ["SPACE", "LINE", "BLANK", "DIGIT", "MARK", ...latin, ...marks]) {
    if (name === "BOX" || name === "SYMBOL") continue;
    constant(name, "Class", classNumber(name));
  }
  constant("FIRST_SCRIPT", "Class", classNumber(scripts[0]));
  constant("LAST_CASED", "Class", classNumber("armenian"));
  for (const name of buckets.slice(0, 10))
    constant(name === "MARKS" ? "MARK_RUN" : name, "usize", buckets.indexOf(name));
  constant("FIRST_BUCKET", "usize", 10);
  constant("BUCKETS", "usize", buckets.length);
  constant("FULL", "u64", full);
  constant(
    "FAMILIES",
    "&[&str]",
    `&[${Object.keys(families)
      .map((name) => JSON.stringify(name))
      .join(", ")}]`,
  );
  array(
    "ASCII",
    "u8",
    Array.from({ length: 128 }, (_, code) => ascii(code)).map(([name, number]) => (classNumber(name) << 5) | number),
  );
  array(
    "STARTS",
    "u16",
    ranges.map(([start]) => start),
  );
  array(
    "CLASSES",
    "Class",
    ranges.map(([, name]) => classNumber(name)),
  );
  array("LEAD", "i16", parts(params.lead));
  array("LENGTH", "i16", parts(params.length));
  array("CASE", "i16", parts(params.case));
  array("PUNCT", "i16", parts(params.punct.slice(0, 38)));
  array(
    "SCRIPTS",
    "[i16; 4]",
    scripts.map((name) => `[${parts(params.scripts[name]).join(", ")}]`),
  );
  array(
    "SOFT",
    "u8",
    Array.from({ length: 32 }, (_, i) => Math.round((Math.log1p(Math.exp((-4 * (i + 0.5)) / 16)) / 4) * one)),
  );
  packed("PAIRS", "PAIR_LEVELS", params.pairs);
  packed("TRIPLES", "TRIPLE_LEVELS", params.triples);
  packed("OTHERS", "OTHER_LEVELS", params.others);
  packed("MARK_PAIRS", "MARK_LEVELS", params.marks);
  constant("TRIPLE_SHIFT", "u32", 32 - Math.log2(params.triples.length));
  constant("OTHER_SHIFT", "u32", 32 - Math.log2(params.others.length));
  out.push(`pub static WEIGHTS: [[u16; BUCKETS]; ${Object.keys(families).length}] = [`);
  for (const weights of Object.values(families)) {
    out.push(`    [${buckets.map((name) => Math.round(weights[name] * full)).join(", ")}],`);
  }
  out.push("];", "");
  return out.join("\n");
}

function clamp(value) {
  return Math.max(-32768, Math.min(32767, value));
}

/** Throws unless the file is what the parameters give. */
export function checkTables() {
  if (readFileSync(target, "utf8") === tables()) return;
  throw new Error("src/tokens/tables.rs is not what benches/tokens/params give: node js/scripts/tables.mjs");
}

main(import.meta.url, async (args) => {
  if (args.includes("--check")) checkTables();
  else writeFileSync(target, tables());
});
