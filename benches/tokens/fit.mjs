// node --max-old-space-size=6000 benches/tokens/fit.mjs [--scripts] TRAIN.json… : fits benches/tokens/params/lexical.json
// to lists of {cls, text}. Truth is gpt-tokenizer's o200k, piece by piece. `--scripts` fits what words in other scripts
// than Latin cost, each script having the same say, and leaves the rest as it is. Then run js/scripts/tables.mjs. Texts
// that anything is measured on must not be among the lists.
import { readFileSync, writeFileSync } from "node:fs";
import { at, main, packages } from "../../js/scripts/common.mjs";
import { ascii, classNumber, classOf, scripts } from "../../js/scripts/tables.mjs";

const tripleBits = 12;
const otherBits = 11;
const rounds = 12;
const rate = 0.08;

/** Where each kind of parameter begins. */
const layout = {};
let size = 0;
for (const [name, count] of [
  ...[
    ["lead", 38],
    ["length", 24],
    ["case", 15],
    ["scripts", scripts.length * 3],
  ],
  ...[
    ["pairs", 1024],
    ["triples", 1 << tripleBits],
    ["others", 1 << otherBits],
    ["punct", 38],
    ["marks", 1024],
  ],
]) {
  layout[name] = size;
  size += count;
}

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
  let run = "";
  let length = 0;
  let capitals = 0;
  let capital = false;
  let [before, last, code] = [0, 0, 0];
  const end = () => {
    if (run === "latin") {
      on.push(layout.pairs + (last << 5), layout.triples + golden((before << 10) | (last << 5), tripleBits));
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
        last = 0;
      } else on.push(layout.triples + golden((before << 10) | (last << 5) | number, tripleBits));
      on.push(layout.pairs + ((last << 5) | number));
      before = last;
      last = number;
      length += 1;
      capitals += upper;
      continue;
    }
    const script = layout.scripts + scripts.indexOf(name) * 3;
    const hash = (previous) => golden((Math.imul(point, 31) + Math.imul(previous, 0x1f35)) | 0, otherBits);
    on.push(layout.others + hash(0));
    if (run === name) on.push(layout.others + hash(code));
    else {
      end();
      run = name;
      on.push(script);
    }
    code = point;
    length += 1;
    on.push(script + 1);
    if (length > 4) on.push(script + 2);
  }
  end();
  return on;
}

/** The parameters a run of marks adds up; null if its cost is certain. */
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
  if ((foreign === 0 && count <= 2 && lines === "") || pictures > 0 || repeats > 16) return null;
  if (spaced) on.push(at + 1);
  on.push(at + 2 + Math.min(feeds, 3), at + 8 + Math.min(changes, 11));
  for (let i = 11; i < changes; i++) on.push(at + 20);
  for (let i = 0; i < repeats; i++) {
    on.push(at + 21);
    if (i < 8) on.push(at + 22);
    if (i < 2) on.push(at + 23);
  }
  return on;
}

const soft = (z) => (z > 8 ? z : Math.log1p(Math.exp(4 * z)) / 4);
const slope = (z) => 1 / (1 + Math.exp(-4 * z));

main(import.meta.url, async (args) => {
  const files = args.filter((arg) => arg !== "--scripts");
  const only = args.includes("--scripts");
  const target = at("benches/tokens/params/lexical.json");
  const old = JSON.parse(readFileSync(target, "utf8"));
  await packages("benches");
  const { encode } = await import("gpt-tokenizer/encoding/o200k_base");
  const truth = (text) => encode(text, { disallowedSpecial: new Set() }).length;

  const texts = files.flatMap((file) => JSON.parse(readFileSync(file, "utf8")));
  const seen = new Map();
  const totals = {};
  const counts = {};
  for (const { cls, text } of texts) counts[cls] = (counts[cls] ?? 0) + text.length;
  for (const { cls, text } of texts) {
    const share = 1e6 / counts[cls];
    for (const piece of pieces(text)) {
      if (piece.text.length > 60 || (only && !foreign(piece))) continue;
      const key = piece.kind + piece.whole;
      const entry = seen.get(key);
      if (entry) entry.weight += share;
      else seen.set(key, { piece, weight: share });
    }
    totals[cls] = (totals[cls] ?? 0) + 1;
  }
  const rows = [];
  const perScript = scripts.map(() => [0, 0]);
  for (const { piece, weight } of seen.values()) {
    const on = piece.kind === "W" ? wordFeatures(piece) : markFeatures(piece);
    if (!on) continue;
    const tokens = truth(piece.whole);
    const script = piece.kind === "W" ? scripts.indexOf(classOf(piece.text.codePointAt(0))) : -1;
    rows.push({ on: Uint16Array.from(on), tokens, weight: weight ** 0.8, script });
    if (piece.kind === "W") {
      if (script >= 0) {
        perScript[script][0] += tokens * weight;
        perScript[script][1] += [...piece.text].length * weight;
      }
    }
  }
  console.error(`${texts.length} texts, ${rows.length} different pieces`);
  if (only) {
    // Each script has the same say, those that were seen little have less.
    const mass = scripts.map(() => 0);
    for (const { script, weight, tokens } of rows) mass[script] += weight * tokens;
    for (const row of rows) row.weight /= mass[row.script] + 2e-4 * Math.max(...mass);
  }
  const mean = rows.reduce((sum, row) => sum + row.weight, 0) / rows.length;
  for (const row of rows) row.weight /= mean;

  const values = new Float64Array(size);
  const squares = new Float64Array(size).fill(1);
  for (const [i] of scripts.entries()) values[layout.scripts + i * 3 + 1] = 0.3;
  if (only) for (const name of ["lead", "length", "case", "pairs", "triples"]) values.set(old[name], layout[name]);
  const fixed = (at) => only && (at < layout.scripts || (at >= layout.pairs && at < layout.others));
  for (let round = 0; round < rounds; round++) {
    shuffle(rows, round + 1);
    let [loss, weights, bias] = [0, 0, 0];
    const step = rate * 0.8 ** round * 4;
    for (const { on, tokens, weight } of rows) {
      let z = 0;
      for (const at of on) z += values[at];
      const guess = 1 + soft(z);
      loss += weight * (guess - tokens) ** 2;
      bias += weight * (guess - tokens);
      weights += weight * tokens;
      const pull = ((guess - tokens) / guess) * slope(z) * Math.min(weight, 50);
      if (pull === 0) continue;
      for (const at of on) {
        if (fixed(at)) continue;
        const gradient = pull + (at >= layout.pairs ? 0.0004 * values[at] : 0);
        squares[at] += gradient * gradient;
        values[at] -= (step * gradient) / Math.sqrt(squares[at]);
      }
    }
    console.error(
      `round ${round + 1}: squared error ${(loss / weights).toFixed(4)} a token, bias ${(bias / weights).toFixed(4)}`,
    );
  }
  const part = (name, count) =>
    Array.from(values.slice(layout[name], layout[name] + count), (value) => Math.round(value * 1000) / 1000);
  const numbers = part("scripts", scripts.length * 3);
  const least = (i) => (perScript[i][1] > 100 ? Math.round((perScript[i][0] / perScript[i][1]) * 400) / 1000 : 0.75);
  const fitted = {
    lead: part("lead", 38),
    length: part("length", 24),
    case: part("case", 15),
    punct: part("punct", 38),
    scripts: Object.fromEntries(
      scripts.map((name, i) => [name, [...numbers.slice(i * 3, i * 3 + 3), name === "rare" ? 2.6 : least(i)]]),
    ),
    pairs: part("pairs", 1024),
    triples: part("triples", 1 << tripleBits),
    others: part("others", 1 << otherBits),
    marks: part("marks", 1024),
  };
  const params = only ? { ...old, scripts: fitted.scripts, others: fitted.others } : fitted;
  writeFileSync(target, `${JSON.stringify(params)}\n`);
});

/** A word with a script of its own. */
function foreign({ kind, text }) {
  return kind === "W" && scripts.includes(classOf(text.codePointAt(0)));
}

/** The same order every time. */
function shuffle(rows, seed) {
  let state = seed;
  for (let i = rows.length - 1; i > 0; i--) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    const j = state % (i + 1);
    [rows[i], rows[j]] = [rows[j], rows[i]];
  }
}
