// What a text names, by class: the things that have to be repeated exactly or are worth nothing. These definitions are of
// this measurement alone, and say nothing of what the engine looks for. A span belongs to the first class that takes it.
//
//   ids      mia_li_3668, #W5918442, 8e2b0c1f-…, 1565ff2, 4829106732, ABC-12, a@b.org, https://example.com/x,
//            10.0.0.1:5432, localhost:3000, 555-123-4567
//   codes    K7QZPM, HAT030, E402: capital letters and digits, three characters and more
//   dates    2024-05-20, 2024-05-20T15:00:00, May 20, 20 May 2024, 10:30, 3 pm, 5月20日
//   flags    --no-verify, --window
//   symbols  src/core/tools.ts, tools.ts, get_user, getUser, TimeDelta, MAX_SIZE, fields.DateTime
//   numbers  $54.04, 1,250, 75%, 16GB, v1.2.3, 1867: three digits and more, or with a unit, a currency or a fraction;
//            no years alone, no round numbers (100, 2000), which are chosen rather than remembered
//   names    see names.mjs; phrases see phrases.mjs; cjk see cjk.mjs: these depend on what stood in the session before
import { KNOWN_BRANDS, KNOWN_CODE, KNOWN_MEMBERS } from "./vocabulary.mjs";

export const CLASSES = ["ids", "codes", "dates", "flags", "symbols", "numbers", "names", "phrases", "cjk"];

const MONTH =
  "(?:Jan(?:uary)?|Feb(?:ruary)?|Mar(?:ch)?|Apr(?:il)?|May|June?|July?|Aug(?:ust)?|Sept?(?:ember)?|Oct(?:ober)?|Nov(?:ember)?|Dec(?:ember)?)";
const EXTENSION =
  "py|pyi|js|mjs|cjs|jsx|ts|tsx|mts|rs|go|c|h|cc|cpp|hpp|java|kt|rb|php|sh|json|jsonl|ya?ml|toml|md|rst|txt|cfg|ini|lock|sql|html|css|svg|png|jpg|jpeg|pdf|csv|log|xml|zip|gz|db|so|dll|exe";
const UNIT = "(?:ms|s|min|h|kb|mb|gb|tb|KB|MB|GB|TB|px|pt|em|rem|kg|g|km|cm|mm|m|Mbps|GHz|MHz|K|k|x)";

/** In the order in which they take their spans: `[class, expression, whether a match is one]`. */
const RULES = [
  ["ids", /\bhttps?:\/\/[^\s"'`<>()[\]{}\\|,;]+/g],
  ["ids", /[\w.%+-]+@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)+/g],
  ["ids", /\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/gi],
  ["dates", /\b\d{4}[-/]\d\d?[-/]\d\d?(?:[T ]\d\d:\d\d(?::\d\d)?(?:\.\d+)?(?:Z|[+-]\d\d:?\d\d)?)?(?![\d-])/g],
  ["dates", /\b\d\d?\/\d\d?\/\d{4}\b/g],
  ["dates", new RegExp(`\\b${MONTH}\\.? \\d{1,2}(?:st|nd|rd|th)?(?:,? \\d{4})?\\b(?!:)`, "g")],
  ["dates", new RegExp(`\\b\\d{1,2}(?:st|nd|rd|th)? ${MONTH}(?:,? \\d{4})?\\b`, "g")],
  ["dates", /(?:\d{2,4}年)?\d{1,2}月(?:\d{1,2}[日号])?|\d{1,2}月\d{1,2}日/g],
  // A time of day, not the line and column of a file: path.py:22:1 belongs to the path before it.
  ["dates", /(?<![\w.:/-])(?:[01]?\d|2[0-3]):[0-5]\d(?::[0-5]\d)?(?: ?[AaPp]\.?[Mm]\b)?(?![\w:])/g],
  ["dates", /\b(?:1[0-2]|[1-9]) ?[AaPp]\.?[Mm]\b/g],
  [
    "ids",
    /(?<![\w.-])(?:localhost|\d{1,3}(?:\.\d{1,3}){3})(?::\d{2,5})\b|(?<![\w.-])\d{1,3}(?:\.\d{1,3}){3}(?![\w.])/g,
  ],
  ["ids", /(?<![\w.-])\+?\d{1,4}(?:-\d{2,5}){2,4}(?![\w-])/g],
  // A path: from a root, or with a file's extension, or of three parts one of which is no plain word.
  ["symbols", /(?<![\w/.@-])(?:~|\.{1,2})?(?:\/[\w.@+-]*\w[\w@+-]*)+\/?/g, isRooted],
  ["symbols", /(?<![\w/.-])@?[\w.+-]+(?:\/[\w.@+-]*\w)+/g, isRelative],
  ["symbols", new RegExp(`(?<![\\w/-])[\\w-]+(?:\\.[\\w-]+)*\\.(?:${EXTENSION})\\b(?!\\.\\w|\\()`, "g")],
  ["flags", /(?<![\w-])--[A-Za-z][\w-]*\w/g],
  ["numbers", /(?<![\w.-])v?\d+\.\d+\.\d+(?:[-+][0-9A-Za-z.-]*[0-9A-Za-z])?(?![\w.]*\w)/g],
  // Letters, an underscore and a number at the end (mia_li_3668, gift_card_7250692), or a prefix and a sign (#W5918442).
  ["ids", /(?<![\w.])[A-Za-z][A-Za-z0-9]*(?:_[A-Za-z0-9]+)*_\d{3,}\b/g],
  ["ids", /#[A-Z]*\d{3,}\b/g],
  ["ids", /\b[A-Z]{2,}-\d+\b/g, (one) => !/^(?:UTF|SHA|ISO|RFC|CVE|HTTP|GPT|PEP)-/.test(one)],
  ["ids", /\b[0-9a-f]{7,64}\b/g, (one) => /\d/.test(one) && /[a-f]/.test(one)],
  ["ids", /(?<![\w.,-])\d{6,20}(?![\w]|[.,]\d)/g, (one) => !isRound(one)],
  ["ids", /\b(?=\w*\d\w*\d\w*\d)(?=\w*[a-z])(?=\w*[A-Z])[A-Za-z0-9]{8,}\b/g],
  ["codes", /(?<![\w-])(?=[A-Z0-9]*[A-Z])(?=[A-Z0-9]*\d)[A-Z0-9]{3,12}(?![\w-])/g, isCode],
  ["symbols", /(?<![\w.])[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+/g, isDotted],
  ["symbols", /\b_*[A-Za-z][A-Za-z0-9]*(?:_+[A-Za-z0-9]+)+_*\b|\b__?[A-Za-z]\w+\b/g],
  ["symbols", /\b[a-z]+[a-z0-9]*(?:[A-Z][a-z0-9]+|[A-Z]{2,})+[A-Za-z0-9]*\b/g],
  [
    "symbols",
    /\b(?:[A-Z]+[a-z0-9]+){2,}[A-Z]*\b|\b[A-Z][a-z]+[A-Z]{2,}\b/g,
    (one) => !/^(?:Mc|Mac|O)[A-Z]\w+$/.test(one),
  ],
  ["numbers", /(?<![\w.,])[$€£¥]\d[\d,]*(?:\.\d+)?/g, (one) => one.length > 1],
  ["numbers", /(?<![\w.,-])\d{1,3}(?:,\d{3})+(?:\.\d+)?(?!\w|,\d)/g],
  ["numbers", /(?<![\w.,-])\d+\.\d+(?:%|(?![\w.]))/g, (one) => !/^\d\.0?$/.test(one)],
  ["numbers", /(?<![\w.,-])\d+%/g, (one) => !isRound(one.slice(0, -1))],
  [
    "numbers",
    new RegExp(`(?<![\\w.,-])\\d+(?:\\.\\d+)? ?(?:USD|EUR|dollars|euros)\\b|(?<![\\w.,-])\\d{2,}${UNIT}\\b`, "g"),
  ],
  ["numbers", /(?<![\w.,-])\d{1,5}(?=元|块|分钟|小时|人|円|원)/g, (one) => one.length > 1],
  ["numbers", /(?<![\w.,-])\d{3,5}(?![\w]|[.,]\d)/g, (one) => !isRound(one) && !/^(?:19|20)\d\d$/.test(one)],
];

const LONGEST = 200;

/** The things of a text that need nothing else to be told: `[class, thing]`, each once. */
export function lexical(text) {
  const found = new Map();
  // A line end that is written as in a string is none of the letters of the next word.
  let rest = text.replace(/\\+[nrt]/g, "  ");
  for (const [kind, expression, is = () => true] of RULES) {
    rest = rest.replace(expression, (match) => {
      const one = trimmed(kind, match);
      if (!one || one.length > LONGEST || !is(one)) return match;
      if (!KNOWN_CODE.has(one) && !KNOWN_BRANDS.has(one) && !found.has(one)) found.set(one, kind);
      return " ".repeat(match.length);
    });
  }
  return [...found].map(([thing, kind]) => [kind, thing]);
}

/** Without the sentence's own punctuation, and without `self.` and `this.`, which say nothing of what is named. */
function trimmed(kind, match) {
  const one = match.replace(/[.:,;!?'*-]+$/, "");
  if (kind !== "symbols") return one.replace(/^\$/, "");
  return ofMembers(one.replace(/^(?:self|this|cls)\.(?=\w+[._A-Z])/, ""));
}

/** Without what any value can be asked for at the end; nothing, where only a plain word would be left. */
function ofMembers(one) {
  if (one.includes("/") || one.startsWith(".") || !KNOWN_MEMBERS.has(one.slice(one.lastIndexOf(".") + 1))) return one;
  const head = one.slice(0, Math.max(0, one.lastIndexOf(".")));
  return /[a-z][A-Z]|_|\.|^[A-Z]/.test(head) ? ofMembers(head) : "";
}

function isRooted(one) {
  const parts = one.split("/").filter((part) => part && !/^[.~]+$/.test(part));
  return /[A-Za-z]{2}/.test(one) && (parts.length > 1 || /[._]/.test(parts[0] ?? "") || /^(?:~|\.)/.test(one));
}

function isRelative(one) {
  const parts = one.split("/");
  if (!/[A-Za-z]{2}/.test(one)) return false;
  if (new RegExp(`\\.(?:${EXTENSION})$`).test(one)) return true;
  if (one.startsWith("@")) return true;
  return parts.length > 2 ? /[\d._-]/.test(one) : /[\d_-]/.test(parts[0]) && /[\d_-]/.test(parts[1]);
}

/** Two parts of a dotted name have to be more than letters of an abbreviation; `end.The` is two sentences. */
function isDotted(one) {
  if (/^(?:self|this|cls)\.[a-z]+$/.test(one)) return false;
  const parts = one.split(".");
  if (
    parts.length === 2 &&
    /^[a-z]+$/.test(parts[0]) &&
    /^(?:The|This|It|If|We|In|A|I|For|To|And|But|You)$/.test(parts[1])
  )
    return false;
  return parts.every((part) => part.length > 1) && one.length > 5;
}

function isCode(one) {
  if (/^(?:\d+[A-Z]|[A-Z]\d|\d+(?:ST|ND|RD|TH|KB|MB|GB|TB|AM|PM|PX|X|D|K|H))$/.test(one)) return false;
  return !/^(?:UTF\d+|SHA\d+|MD5|MP[34]|H264|S3|EC2|B2B|P2P|I18N|L10N|GPT\d|BASE64|INT\d+|HTTP2|X86|ES\d+|E2E|A11Y|K8S)$/.test(
    one,
  );
}

const isRound = (one) => /^[1-9]0+$|^0+$/.test(one);
