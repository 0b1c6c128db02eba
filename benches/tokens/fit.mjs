// node --max-old-space-size=8000 benches/tokens/fit.mjs TRAIN.json… : fits benches/tokens/params/lexical.json to lists of
// {cls, text, share}, where `share` says how much the class counts beside the others (1). Truth is gpt-tokenizer's o200k.
// Then run js/scripts/tables.mjs. The list in use is made by corpus.mjs. Texts that anything is measured on must not be in it.
//
// Texts are cut into samples of 300 to 3,500 characters. What is made small is the mean relative error of the samples,
// which is what benches/tokens.mjs measures, and beside it the error of each piece, so that a sample is not right by
// errors that cancel out. All samples are one batch; the step is Adam's. At the end each table is rounded to sixteen
// levels, and levels and single numbers are fitted once more.
import { readFileSync, writeFileSync } from "node:fs";
import { at, main, packages } from "../../js/scripts/common.mjs";
import { ascii, classNumber, classOf, scripts } from "../../js/scripts/tables.mjs";

const tripleBits = 12;
const otherBits = 12;
const rounds = 100;
const levelRounds = 30;
const sizes = [300, 800, 2_000, 3_500];
/** Errors of a sample below this count by their square, above it as they are. */
const bend = 0.04;
/** Pulls every parameter towards nothing. */
const decay = 3e-7;
/** Words longer than this say nothing of words. */
const longest = 400;

/** Where each kind of parameter begins. */
const layout = {};
let size = 0;
for (const [name, count] of [
  ...[
    ["lead", 38],
    ["length", 24],
    ["case", 15],
    ["scripts", scripts.length * 3],
    ["punct", 38],
  ],
  ...[
    ["pairs", 1024],
    ["triples", 1 << tripleBits],
    ["others", 1 << otherBits],
    ["marks", 1024],
  ],
]) {
  layout[name] = size;
  size += count;
}
const tables = ["pairs", "triples", "others", "marks"];
const sizeOf = (name) => (tables.indexOf(name) === 3 ? size : layout[tables[tables.indexOf(name) + 1]]) - layout[name];

const known = new Map();
/** Class and number of a code, as the engine has them. */
function classify(code) {
  let found = known.get(code);
  if (!found) {
    const name = classOf(code);
    const number = code < 128 ? ascii(code)[1] : name.startsWith("ACCENTED") ? 27 : name === "EXTENDED" ? 28 : 29;
    const kind = classNumber(name);
    const word = kind >= classNumber("LOWER") && kind < classNumber("CJK_MARK");
    const latin = word && kind <= classNumber("VIETNAMESE");
    const upper = name === "UPPER" || name === "ACCENTED_UPPER";
    const mark = name === "MARK" || kind >= classNumber("CJK_MARK");
    found = { name, kind, number, word, latin, upper, mark, blank: kind <= classNumber("BLANK") };
    known.set(code, found);
  }
  return found;
}

/** The pieces of a text that have to be estimated: `W` words, `M` runs of marks; with what precedes them. */
function* pieces(text) {
  const codes = Array.from(text, (character) => character.codePointAt(0));
  const slice = (from, to) => String.fromCodePoint(...codes.slice(from, to));
  let lead = -1;
  let spaced = false;
  for (let i = 0; i < codes.length; ) {
    const first = classify(codes[i]);
    let j = i;
    if (first.word) {
      let lower = false;
      for (; j < codes.length; j++) {
        const { word, latin, upper, kind } = classify(codes[j]);
        if (!word || (upper && lower)) break;
        if (latin ? !upper : kind <= classNumber("armenian")) lower = true;
      }
      const end = j;
      const tail = slice(j, j + 3).match(/^'(s|t|m|d|re|ve|ll)/i);
      if (tail) j += tail[0].length;
      yield { kind: "W", lead, text: slice(i, end), whole: (lead < 0 ? "" : String.fromCodePoint(lead)) + slice(i, j) };
      lead = -1;
      spaced = false;
    } else if (first.blank) {
      while (j < codes.length && classify(codes[j]).blank) j++;
      const last = codes[j - 1];
      const next = j < codes.length ? classify(codes[j]) : null;
      lead = next?.word && classify(last).name !== "LINE" ? last : -1;
      spaced = Boolean(next?.mark) && last === 32;
    } else if (first.mark) {
      while (j < codes.length && classify(codes[j]).mark) j++;
      const single = j === i + 1 && codes[i] <= 0xffff;
      if (single && !spaced && j < codes.length && classify(codes[j]).word) lead = codes[i];
      else {
        const end = j;
        while (j < codes.length && classify(codes[j]).name === "LINE") j++;
        yield {
          kind: "M",
          spaced,
          text: slice(i, end),
          lines: slice(end, j),
          whole: (spaced ? " " : "") + slice(i, j),
        };
      }
      spaced = false;
    } else {
      while (j < codes.length && classify(codes[j]).name === "DIGIT") j++;
      lead = -1;
      spaced = false;
    }
    i = j;
  }
}

function leadOf(code) {
  if (code < 0) return 0;
  if (code === 32) return 1;
  if (code === 9) return 2;
  const { name, number } = classify(code);
  if (code < 128) return code > 32 && code < 127 ? 3 + number : 0;
  return name === "CJK_MARK" ? 35 : name === "MARK_BEYOND" ? 36 : 37;
}

const golden = (value, bits) => Math.imul(value, 2654435761) >>> (32 - bits);

/** The parameters a word adds up. */
function wordFeatures({ lead, text }) {
  const on = [layout.lead + leadOf(lead)];
  const other = (code, last, before) => {
    const sum = (Math.imul(code, 31) + Math.imul(last, 0x1f35) + Math.imul(before, 0x3a0b1)) | 0;
    on.push(layout.others + golden(sum, otherBits));
  };
  const [first, behind] = [1, 2];
  let run = "";
  let length = 0;
  let capitals = 0;
  let capital = false;
  let [letter, letters] = [0, 0];
  let [code, before] = [first, first];
  const end = () => {
    if (run === "latin") {
      on.push(layout.pairs + (letter << 5), layout.triples + golden((letters << 10) | (letter << 5), tripleBits));
      const kind = capitals === 0 ? 0 : length === 1 ? 1 : capitals === length ? 3 : capitals === 1 && capital ? 2 : 4;
      on.push(layout.length + Math.min(length, 23), layout.case + kind * 3 + (length > 3) + (length > 7));
    }
    length = 0;
    capitals = 0;
  };
  for (const character of text) {
    const point = character.codePointAt(0);
    const { name, latin, upper, number } = classify(point);
    if (latin) {
      if (run !== "latin") {
        end();
        run = "latin";
        capital = upper;
        letter = 0;
      } else on.push(layout.triples + golden((letters << 10) | (letter << 5) | number, tripleBits));
      on.push(layout.pairs + ((letter << 5) | number));
      letters = letter;
      letter = number;
      length += 1;
      capitals += upper;
      code = first;
      before = first;
      continue;
    }
    const script = layout.scripts + scripts.indexOf(name) * 3;
    if (run !== name) {
      end();
      run = name;
      on.push(script);
    }
    other(point, 0, 0);
    other(point, code, 0);
    if (before !== first) other(point, code, before);
    before = code;
    code = point;
    length += 1;
    on.push(script + 1);
    if (length > 4) on.push(script + 2);
  }
  if (run !== "latin") other(behind, code, 0);
  end();
  return on;
}

/** What a run of marks adds up, what it costs at least or besides, and whether it is fitted; null if its cost is certain. */
function markFeatures({ spaced, text, lines }) {
  const at = layout.punct;
  const on = [at];
  const feeds = (lines.match(/\n/g) ?? []).length;
  let [changes, repeats, foreign, pictures, count, code] = [0, 0, 0, 0, 0, -1];
  for (const character of text) {
    const point = character.codePointAt(0);
    const { name, kind, number } = classify(point);
    const units = point > 0xffff ? 2 : 1;
    if (name === "PICTURE") {
      pictures += units;
      foreign += units;
    } else {
      if (count > 0) {
        if (point === code) repeats += 1;
        else changes += 1;
        if (point < 128 && code < 128) on.push(layout.marks + ((classify(code).number << 5) | number));
      }
      if (kind >= classNumber("CJK_MARK")) {
        foreign += 1;
        const place = kind - classNumber("CJK_MARK") + 1;
        on.push(at + 24 + place);
        if (count > 0 && point === code) on.push(at + 32 + place);
      }
    }
    count += units;
    code = point;
  }
  if (foreign === 0 && count <= 2 && lines === "") return null;
  if (spaced) on.push(at + 1);
  on.push(at + 2 + Math.min(feeds, 3), at + 8 + Math.min(changes, 11));
  for (let i = 11; i < changes; i++) on.push(at + 20);
  for (let i = 0; i < repeats; i++) {
    on.push(at + 21);
    if (i < 8) on.push(at + 22);
    if (i < 2) on.push(at + 23);
  }
  const shown = pictures * 1.03;
  return {
    on,
    beside: Math.max(0, repeats - 16) / 60,
    shown,
    only: pictures === count,
    fitted: pictures === 0 && repeats <= 16,
  };
}

/** All different pieces of the texts, and the samples they make up. */
function read(texts, truth) {
  const seen = new Map();
  const all = [];
  const samples = [];
  let seed = 7;
  const length = () => {
    seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
    return sizes[seed >>> 30];
  };
  for (const { cls, text, share = 1 } of texts) {
    for (let from = 0, to; from < text.length; from = to) {
      to = from + length();
      const part = text.slice(from, to).replace(/^[\udc00-\udfff]|[\ud800-\udbff]$/g, "");
      const counts = new Map();
      for (const piece of pieces(part)) {
        const key = `${piece.kind}${piece.lead} ${piece.text.length} ${piece.whole}`;
        let entry = seen.get(key);
        if (!entry) {
          entry = { piece, at: all.length, tokens: truth(piece.whole), weight: 0, times: {} };
          seen.set(key, entry);
          all.push(entry);
        }
        counts.set(entry, (counts.get(entry) ?? 0) + 1);
      }
      const tokens = truth(part);
      if (tokens < 20 || [...counts.keys()].some(({ piece }) => piece.text.length > longest)) continue;
      for (const [entry, times] of counts) entry.times[cls] = (entry.times[cls] ?? 0) + times;
      samples.push({
        cls,
        share,
        tokens,
        of: Uint32Array.from([...counts].flatMap(([entry, times]) => [entry.at, times])),
      });
    }
  }
  return { all, samples };
}

/** The costs and their slopes of all pieces under some parameters, and how far the samples are off. */
function problem(texts, truth) {
  const { all, samples } = read(texts, truth);
  const [characters, amounts] = [{}, {}];
  for (const { cls, text } of texts) characters[cls] = (characters[cls] ?? 0) + text.length;
  for (const { cls } of samples) amounts[cls] = (amounts[cls] ?? 0) + 1;
  const shares = Object.fromEntries(texts.map(({ cls, share = 1 }) => [cls, share]));
  // Little text says less than its share; a word that comes often says less than its times.
  let sum = 0;
  for (const sample of samples) {
    sample.weight = (sample.share * Math.min(1, characters[sample.cls] / 30_000)) / amounts[sample.cls];
    sum += sample.weight;
  }
  for (const sample of samples) sample.weight /= sum;
  for (const entry of all) {
    const { piece } = entry;
    const marks = piece.kind === "M" ? markFeatures(piece) : null;
    entry.certain = piece.kind === "M" && (!marks || marks.only);
    entry.on = Uint16Array.from(entry.certain ? [] : (marks?.on ?? wordFeatures(piece)));
    entry.cost = marks ? marks.shown : 1;
    entry.slope = 0;
    entry.beside = marks?.beside ?? 0;
    entry.shown = marks?.shown ?? 0;
    const fitted = !entry.certain && (marks?.fitted ?? true);
    for (const cls of fitted ? Object.keys(entry.times) : [])
      entry.weight += (entry.times[cls] * shares[cls] * 1e6) / Math.max(characters[cls], 8_000);
    entry.weight **= 0.8;
  }
  const least = leastCosts(all);
  const fitted = all.filter(({ weight }) => weight > 0);
  let mass = 0;
  for (const { weight, tokens } of fitted) mass += weight * tokens;
  for (const entry of fitted) entry.weight /= mass;
  return { all, fitted, samples, least };
}

/** The least a character of each script costs: two fifths of the mean, three quarters of a token where none was seen. */
function leastCosts(all) {
  const sums = scripts.map(() => [0, 0]);
  const script = (character) => scripts.indexOf(classify(character.codePointAt(0)).name);
  for (const { piece, weight, tokens } of all) {
    const sum = piece.kind === "W" && sums[script(piece.text)];
    if (!sum) continue;
    sum[0] += weight * tokens;
    sum[1] += weight * [...piece.text].length;
  }
  const rare = scripts.indexOf("rare");
  const least = sums.map(([tokens, count], i) => (i === rare ? 2.6 : tokens > 0 ? (tokens / count) * 0.4 : 0.75));
  for (const entry of all) {
    entry.least = 0;
    if (entry.piece.kind !== "W") continue;
    for (const character of entry.piece.text) entry.least += least[script(character)] ?? 0;
    // Latin letters between those of another script.
    if (entry.least > 0) entry.least += (entry.piece.text.match(/[A-Za-z\u00c0-\u024f]+/g) ?? []).length / 2;
  }
  return least;
}

/** Fills `gradient` at `values` and answers the loss and the mean error of the samples. */
function descend({ all, fitted, samples }, values, gradient) {
  for (const entry of all) {
    entry.pull = 0;
    if (entry.certain) continue;
    let z = 0;
    for (const at of entry.on) z += values[at];
    if (entry.beside > 0) z = Math.max(z, entry.beside);
    const grown = z > 8 ? 0 : Math.exp(4 * z);
    entry.cost = 1 + (z > 8 ? z : Math.log1p(grown) / 4) + entry.shown;
    entry.slope = z > 8 ? 1 : grown / (1 + grown);
    if (entry.cost >= entry.least) continue;
    entry.cost = entry.least;
    entry.slope = 0.05;
  }
  let [loss, mean] = [0, 0];
  for (const { weight, tokens, of } of samples) {
    let off = 0;
    for (let i = 0; i < of.length; i += 2) off += of[i + 1] * (all[of[i]].cost - all[of[i]].tokens);
    off /= tokens;
    const bent = Math.sqrt(off * off + bend * bend);
    loss += weight * (bent - bend);
    mean += weight * Math.abs(off);
    const pull = (weight * off) / bent / tokens;
    for (let i = 0; i < of.length; i += 2) all[of[i]].pull += pull * of[i + 1];
  }
  for (const entry of fitted) {
    const off = entry.cost - entry.tokens;
    loss += (entry.weight * off * off) / entry.cost;
    entry.pull += (entry.weight * off) / entry.cost;
  }
  for (let i = 0; i < size; i++) gradient[i] = decay * values[i];
  for (const { on, pull, slope } of all) {
    if (pull * slope !== 0) for (const at of on) gradient[at] += pull * slope;
  }
  return { loss, mean };
}

/** Moves `params` by Adam's rule; `spread` makes all values of them, `gather` their gradient of all values' gradient. */
function adam(given, params, spread, gather, rounds, rate, name) {
  const [mean, square, slopes] = [0, 0, 0].map(() => new Float64Array(params.length));
  const gradient = new Float64Array(size);
  for (let round = 1; round <= rounds; round++) {
    const found = descend(given, spread(params), gradient);
    gather(gradient, slopes);
    const step = rate * Math.min(1, round / 10) * 0.5 * (1 + Math.cos((Math.PI * round) / rounds));
    for (let i = 0; i < params.length; i++) {
      mean[i] = 0.9 * mean[i] + 0.1 * slopes[i];
      square[i] = 0.99 * square[i] + 0.01 * slopes[i] ** 2;
      params[i] -= (step * (mean[i] / (1 - 0.9 ** round))) / (Math.sqrt(square[i] / (1 - 0.99 ** round)) + 1e-9);
    }
    if (round % 20 === 0)
      console.error(`${name} ${round}: loss ${found.loss.toFixed(5)}, mean error ${(found.mean * 100).toFixed(2)} %`);
  }
}

/** Fifteen levels and nothing for the values of a table, and each value's number among them (Lloyd's method). */
function quantised(values) {
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

main(import.meta.url, async (files) => {
  const target = at("benches/tokens/params/lexical.json");
  await packages("benches");
  const { encode } = await import("gpt-tokenizer/encoding/o200k_base");
  const truth = (text) => encode(text, { disallowedSpecial: new Set() }).length;
  const given = problem(
    files.flatMap((file) => JSON.parse(readFileSync(file, "utf8"))),
    truth,
  );
  console.error(`${given.samples.length} samples, ${given.all.length} different pieces`);

  const values = new Float64Array(size);
  for (const [i] of scripts.entries()) values[layout.scripts + i * 3 + 1] = 0.3;
  adam(
    given,
    values,
    (params) => params,
    (all, found) => found.set(all),
    rounds,
    0.05,
    "numbers",
  );

  // Each entry of a table becomes the number of a level, and the levels are what is fitted.
  const used = new Set();
  for (const { on } of given.fitted) for (const place of on) used.add(place);
  const places = new Uint32Array(size).map((_, i) => i);
  const params = Array.from(values.slice(0, layout.pairs));
  const digits = {};
  const begins = {};
  for (const name of tables) {
    const own = Array.from(values.slice(layout[name], layout[name] + sizeOf(name)), (value, i) =>
      used.has(layout[name] + i) ? value : 0,
    );
    const { levels, numbers } = quantised(own);
    begins[name] = params.length;
    digits[name] = numbers.map((number) => number.toString(16)).join("");
    for (const [i, number] of numbers.entries()) places[layout[name] + i] = params.length + number;
    params.push(...levels);
  }
  const few = Float64Array.from(params);
  const whole = new Float64Array(size);
  const spread = () => {
    for (let i = 0; i < size; i++) whole[i] = few[places[i]];
    return whole;
  };
  const gather = (all, found) => {
    found.fill(0);
    for (let i = 0; i < size; i++) found[places[i]] += all[i];
    for (const name of tables) found[begins[name]] = 0;
  };
  adam(given, few, spread, gather, levelRounds, 0.01, "levels");

  const rounded = (from, to) => Array.from(few.slice(from, to), (value) => Math.round(value * 1000) / 1000);
  const part = (name, count) => rounded(layout[name], layout[name] + count);
  const table = (name) => ({ levels: rounded(begins[name], begins[name] + 16), digits: digits[name] });
  const least = given.least.map((value) => Math.round(value * 1000) / 1000);
  const fitted = {
    lead: part("lead", 38),
    length: part("length", 24),
    case: part("case", 15),
    punct: part("punct", 38),
    scripts: Object.fromEntries(
      scripts.map((name, i) => [name, [...rounded(layout.scripts + i * 3, layout.scripts + i * 3 + 3), least[i]]]),
    ),
    ...Object.fromEntries(tables.map((name) => [name, table(name)])),
  };
  writeFileSync(target, `${JSON.stringify(fitted)}\n`);
});
