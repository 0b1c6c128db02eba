// node js/scripts/models.mjs FOLDER: writes js/src/models/table.ts, what `precis/models` knows of models.
//   FOLDER: a clone of github.com/anomalyco/models.dev (MIT), of which the files of the makers of models are read, not those of
//   who resells them: a model has one window, and whoever offers less says so in a refusal.
// models.newer.json beside this file has what is not in that clone yet, with the page of the maker that says so.
// Whether thinking is bound is asked of the engine in pkg/, whose table says it to every call (src/limits/thinking.rs).
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { anthropic } from "../../pkg/formats.js";
import { createCompactor } from "../../pkg/index.js";
import { at, main } from "./common.mjs";

const MAKERS = [
  "anthropic",
  "openai",
  "google",
  "xai",
  "mistral",
  "deepseek",
  "moonshotai",
  "minimax",
  "zai",
  "alibaba",
  "cohere",
  "xiaomi",
];

main(import.meta.url, async ([folder]) => {
  if (!folder) throw new Error("usage: node js/scripts/models.mjs FOLDER, a clone of github.com/anomalyco/models.dev");
  const git = (...args) => execFileSync("git", ["-C", folder, ...args], { encoding: "utf8", maxBuffer: 2 ** 28 });
  const [commit, date] = git("log", "-1", "--format=%H %cs").trim().split(" ");
  const models = new Map();
  for (const maker of MAKERS)
    for (const path of git("ls-tree", "-r", "--name-only", "HEAD", `providers/${maker}/models/`).trim().split("\n")) {
      const found = limitsOf(read(path));
      if (found) models.set(path.replace(/^.*\/models\/|\.toml$/g, "").toLowerCase(), found);
    }
  const newer = JSON.parse(readFileSync(at("js/scripts/models.newer.json"), "utf8"));
  for (const { ids, window, output, input, cliffs } of newer.models)
    for (const id of ids) models.set(id, { window, output, input: input ?? 0, cliffs: cliffs ?? [] });

  const groups = new Map();
  for (const [id, limits] of withoutAliases(models)) {
    const key = JSON.stringify([
      limits.window,
      limits.output,
      limits.input,
      (await isBound(id)) ? 1 : 0,
      ...limits.cliffs,
    ]);
    groups.set(key, [...(groups.get(key) ?? []), id]);
  }
  const rows = [...groups].map(([key, ids]) => `  [${JSON.stringify(ids.sort().join(" "))}, ${key.slice(1)},`);
  writeFileSync(
    at("js/src/models/table.ts"),
    `${head({ commit, date, newer: newer.date })}${rows.sort().join("\n")}\n];\n`,
  );
  console.log(`${models.size} models, ${groups.size} rows`);

  /** Sections of a file, and of the one that it is based on, as far as they are read here. */
  function read(path) {
    const text = git("show", `HEAD:${path}`);
    const [, base] = text.match(/^base_model\s*=\s*"([^"]+)"/m) ?? [];
    return `${base ? git("show", `HEAD:models/${base}.toml`) : ""}\n${text}`;
  }
});

/** The limits in a file of models.dev; null for a model that writes no text or has no window. */
function limitsOf(text) {
  const section = (name) =>
    text
      .split(new RegExp(`^\\[${name}\\]$`, "m"))
      .slice(1)
      .map((rest) => rest.split(/^\[/m)[0]);
  const number = (name) => {
    const all = section("limit").flatMap((part) => [...part.matchAll(new RegExp(`^${name}\\s*=\\s*([\\d_]+)`, "gm"))]);
    return Number(all.at(-1)?.[1].replaceAll("_", "") ?? 0);
  };
  const writes =
    section("modalities")
      .at(-1)
      ?.match(/^output\s*=\s*\[(.*)\]/m)?.[1] ?? "";
  const [window, output, input] = ["context", "output", "input"].map(number);
  if (!writes.includes("text") || window < 1_000 || output < 1_000) return null;
  const tiers = [...text.matchAll(/tier\s*=\s*\{[^}]*\bsize\s*=\s*([\d_]+)/g)];
  const cliffs = [...new Set(tiers.map(([, size]) => Number(size.replaceAll("_", ""))))].sort((a, b) => a - b);
  return {
    window,
    output,
    input: input > 0 && input < window ? input : 0,
    cliffs: cliffs.filter((cliff) => cliff < window),
  };
}

/** A dated id says nothing that the undated one of the same limits does not. */
function withoutAliases(models) {
  const same = (one, other) => JSON.stringify(one) === JSON.stringify(other);
  return [...models].filter(([id, limits]) => {
    const base = id.replace(/-(latest|preview)$|-\d{4}-\d{2}-\d{2}$|-\d{4,8}$|-0$/, "");
    return base === id || !models.has(base) || !same(models.get(base), limits);
  });
}

/** Asks the engine about thinking whose beginning has changed. */
async function isBound(model) {
  const compactor = createCompactor({ format: anthropic, contextWindow: 200_000 });
  const thought = { type: "thinking", thinking: "It says four.", signature: "AAAA" };
  const call = (text) => ({
    model,
    messages: [
      { role: "user", content: text },
      { role: "assistant", content: [thought, { type: "text", text: "Four." }] },
      { role: "user", content: "And now?" },
    ],
  });
  const { state } = await compactor.beforeModel(call("How many?"));
  const { report } = await compactor.beforeModel({ ...call("How many, please?"), state });
  const { rule, source } = report.thinking ?? {};
  return rule === "bound" && source === "model";
}

function head({ commit, date, newer }) {
  return `// Written by js/scripts/models.mjs: do not edit.
// From models.dev at ${commit} of ${date}, Copyright (c) 2025 models.dev, MIT (THIRD-PARTY-LICENSES),
// and from pages of the makers, read on ${newer} (js/scripts/models.newer.json).

/** The day of the newest row. */
export const DATE = "${newer > date ? newer : date}";

/** Ids; the window, the most output, the most input (0: as much as the window), whether thinking is bound; price cliffs. */
export type Row = readonly [string, number, number, number, 0 | 1, ...number[]];

// biome-ignore format: a row a line.
export const TABLE: readonly Row[] = [
`;
}
