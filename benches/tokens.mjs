// node benches/tokens.mjs FILE… [--family o200k|cl100k|claude|llama3] [--stress] [--json]: how far estimators are off.
// FILE is a JSON list of {cls, text}, or a transcript; without one, the texts of benches/tokens/held-out.json. Truth is
// gpt-tokenizer (o200k, cl100k), @anthropic-ai/tokenizer (Claude's legacy one) or llama3-tokenizer-js. A text counts
// from 20 tokens on; MAPE and p95 are over texts, percent; `ratio` is all estimated over all true tokens, `worst` the
// lowest estimate over truth. `--stress`: on texts that are no language; those outside of 0.5 to 2 times the truth.
import { at, main, packages } from "../js/scripts/common.mjs";
import { families, ours } from "./tokens/ours.mjs";
import { stress } from "./tokens/stress.mjs";
import { textsOf } from "./tokens/texts.mjs";

const least = 20;

/** Counters of the truth, by family. */
const truths = {
  o200k: async () => gpt(await import("gpt-tokenizer/encoding/o200k_base")),
  cl100k: async () => gpt(await import("gpt-tokenizer/encoding/cl100k_base")),
  claude: async () => (await import("@anthropic-ai/tokenizer")).countTokens,
  llama3: async () => {
    const { default: llama3 } = await import("llama3-tokenizer-js");
    return (text) => llama3.encode(text, { bos: false, eos: false }).length;
  },
};

function gpt({ encode }) {
  return (text) => encode(text, { disallowedSpecial: new Set() }).length;
}

main(import.meta.url, async (args) => {
  const json = args.includes("--json");
  const named = args.indexOf("--family");
  const family = named < 0 ? "o200k" : args[named + 1];
  if (!truths[family]) throw new Error(`no tokenizer for "${family}"; there are ${Object.keys(truths).join(", ")}`);
  const files = args.filter((arg, i) => !arg.startsWith("--") && (named < 0 || i !== named + 1));
  await packages("benches");
  const truth = await truths[family]();
  const { estimateTokenCount } = await import("tokenx");
  const estimators = {
    "bytes/4": (text) => Buffer.byteLength(text) / 4,
    "length/4": (text) => text.length / 4,
    tokenx: estimateTokenCount,
    ours: await ours(families.includes(family) ? family : undefined),
  };
  if (args.includes("--stress")) {
    const ratios = stress.map(({ cls, text }) => [cls, round(estimators.ours(text) / truth(text) / 100, 2)]);
    const outside = ratios.filter(([, ratio]) => ratio < 0.5 || ratio > 2);
    if (json) console.log(JSON.stringify({ family, n: ratios.length, ratios: Object.fromEntries(ratios) }));
    else for (const [cls, ratio] of outside) console.log(`${cls}: ${ratio}`);
    if (!json)
      console.log(`${ratios.length - outside.length} of ${ratios.length} texts within 0.5 and 2.0 (${family})`);
    return;
  }
  const texts = await textsOf(files.length > 0 ? files : [at("benches/tokens/held-out.json")]);
  const samples = texts
    .map(({ cls, text }) => ({ cls, text, tokens: truth(text) }))
    .filter(({ tokens }) => tokens >= least);
  if (samples.length === 0) throw new Error(`no text of ${least} tokens or more`);
  for (const sample of samples)
    sample.guesses = Object.fromEntries(Object.entries(estimators).map(([name, count]) => [name, count(sample.text)]));
  const measured = (chosen) => Object.fromEntries(Object.keys(estimators).map((name) => [name, measure(chosen, name)]));
  const classes = {};
  for (const cls of [...new Set(samples.map((sample) => sample.cls))].sort()) {
    const chosen = samples.filter((sample) => sample.cls === cls);
    classes[cls] = { n: chosen.length, estimators: measured(chosen) };
  }
  const result = { family, n: samples.length, estimators: measured(samples), classes };
  if (json) console.log(JSON.stringify(result));
  else print(result);
});

function measure(samples, name) {
  const off = samples.map(({ tokens, guesses }) => Math.abs(guesses[name] / tokens - 1)).sort((a, b) => a - b);
  const sum = (of) => samples.reduce((total, sample) => total + of(sample), 0);
  return {
    mape: round(off.reduce((total, one) => total + one, 0) / off.length, 1),
    p95: round(off[Math.ceil(off.length * 0.95) - 1], 1),
    ratio: round(sum(({ guesses }) => guesses[name]) / sum(({ tokens }) => tokens) / 100, 3),
    worst: round(Math.min(...samples.map(({ tokens, guesses }) => guesses[name] / tokens)) / 100, 2),
  };
}

function round(part, digits) {
  return Number((part * 100).toFixed(digits));
}

function print({ family, n, estimators, classes }) {
  const names = Object.keys(estimators);
  console.log(`${family}, ${n} texts of ${least} tokens and more. MAPE % · p95 % · estimated/true · worst`);
  console.log(`| class | n | ${names.join(" | ")} |\n|---|--:|${names.map(() => "---|").join("")}`);
  const row = (title, count, found) =>
    console.log(`| ${title} | ${count} | ${names.map((name) => Object.values(found[name]).join(" · ")).join(" | ")} |`);
  for (const [cls, found] of Object.entries(classes)) row(cls, found.n, found.estimators);
  row("**all**", n, estimators);
}
