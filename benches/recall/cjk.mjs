// What is repeated word for word in texts without blanks: the longest stretches of 2 to 12 characters of Han, kana or
// Hangul that stood before (八达岭长城, ホームセンター, 도서관). From left to right, each stretch as long as it goes.
//   - Chinese and Japanese are parted at the characters and words that only join others (的, 了, 您, 有, は, です):
//     a stretch starts and ends where a word does (Intl.Segmenter), so that 美术馆 and 图书馆 have nothing in common;
//     hiragana is grammar and counts as nothing; a word in katakana counts as a whole.
//   - Korean is parted at blanks: the noun before a particle (도서관에서), or a word of three syllables and more that
//     does not end as verbs do.
//   - The everyday words in vocabulary.mjs do not count.
import { CJK_WORDS } from "./vocabulary.mjs";

const LEAST = 2;
const MOST = 12;
const HAN = /[\p{Script=Han}々]+/gu;
const KATAKANA = /[\p{Script=Katakana}ー]+/gu;
const HANGUL = /\p{Script=Hangul}+/gu;
const ANY = /[\p{Script=Han}\p{Script=Katakana}\p{Script=Hangul}]/u;
/** Characters that join words: no name of a place or a person in these dialogues needs one of them to be known again. */
const JOINTS =
  /[的了是我您你他她它们在有吗呢吧啊哦呀嘛和与跟也都就还又再很太更最这那哪么什怎谁几多想要请给让把被对向从到去来说看吃住玩找会能可以好不没为个家位些点只而且但所因如果或等及其之于此帮您]+/u;
const EVERYDAY = new RegExp(
  [...CJK_WORDS]
    .filter((word) => word.length > 1)
    .sort((a, b) => b.length - a.length)
    .join("|"),
  "gu",
);

/** The stretches in which a repeated one may lie: no joint, no everyday word. */
export function stretches(text) {
  if (!ANY.test(text)) return [];
  const han = [...text.matchAll(HAN)].flatMap(([run]) => run.replace(EVERYDAY, " ").split(" "));
  const parted = han.flatMap((run) => run.split(JOINTS)).filter((run) => run.length >= LEAST);
  const katakana = [...text.matchAll(KATAKANA)].map(([word]) => word).filter((word) => word.length >= LEAST);
  const korean = [...text.matchAll(HANGUL)].map(([word]) => noun(word)).filter((word) => word.length >= LEAST);
  return [...new Set([...parted, ...katakana, ...korean.filter((word) => !CJK_WORDS.has(word))])];
}

const PARTICLE = /(?:에서는|에서|에게|으로|이랑|하고|까지|부터|들을|들이|들은|이|가|을|를|에|의|과|와|도|로|들)$/;
const VERB = /[아어여요다니까지야네고는은던게서면데해려자죠했만]$/;

function noun(word) {
  if (CJK_WORDS.has(word)) return "";
  const stem = word.replace(PARTICLE, "");
  if (stem !== word) return stem;
  return word.length > 2 && !VERB.test(word) ? word : "";
}

/** What a text repeats of the past, `has` telling whether a stretch stood there. */
export function repeated(text, has) {
  const found = new Set();
  for (const run of stretches(text)) {
    const inside = /[\p{Script=Hangul}\p{Script=Katakana}]/u.test(run) ? [has(run) ? run : null] : greedy(run, has);
    for (const one of inside) if (one && !CJK_WORDS.has(one)) found.add(one);
  }
  return [...found].map((one) => ["cjk", one]);
}

const segmenter = new Intl.Segmenter("zh", { granularity: "word" });

function greedy(run, has) {
  const words = [...segmenter.segment(run)].map(({ segment }) => segment);
  const found = [];
  for (let at = 0; at < words.length; ) {
    const [stretch, taken] = longest(words.slice(at), has);
    // Two words of one character each are rarely a name.
    if (stretch.length > LEAST || (taken === 1 && stretch.length === LEAST)) found.push(stretch);
    at += Math.max(1, taken);
  }
  return found;
}

/** As many words from the first on as stood before together, and their number. */
function longest(words, has) {
  let [stretch, taken] = ["", 0];
  for (const word of words) {
    const more = stretch + word;
    if (more.length > MOST || (more.length >= LEAST && !has(more))) break;
    [stretch, taken] = [more, taken + 1];
  }
  return [stretch, taken];
}
