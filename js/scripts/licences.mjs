// The licences of what is not ours in the package: the crates within the engine, and what the JavaScript bundles.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { at, must } from "./common.mjs";

const ENGINE = "wasm32-unknown-unknown";

/**
 * The text of THIRD-PARTY-LICENSES. `bundled`: the folders of npm packages that stand in the bundles. Throws if the licence
 * of one of them is not among those that may be passed on with nothing but their text.
 */
export async function thirdPartyLicences(bundled) {
  const parts = [...(await crates()), ...bundled.map(npmPackage), tableOfModels()];
  const texts = parts.map(({ name, version, licence, text }) => `${name} ${version}\n${licence}\n\n${text}`);
  return `What of others is in this package, and under which licence.\n\n${texts.join(`\n\n${"-".repeat(80)}\n\n`)}\n`;
}

/** The crates that are linked into the engine: what only runs while it is compiled is not in it. */
async function crates() {
  const args = ["metadata", "--format-version", "1", "--locked", "--filter-platform", ENGINE];
  const { packages, resolve } = JSON.parse(await must("cargo", args, { quiet: true }));
  const packageOf = new Map(packages.map((one) => [one.id, one]));
  const needs = new Map(resolve.nodes.map(({ id, deps }) => [id, deps]));
  const linked = new Set();
  const walk = (id) => {
    if (linked.has(id) || packageOf.get(id).targets.some(({ kind }) => kind.includes("proc-macro"))) return;
    linked.add(id);
    for (const { pkg, dep_kinds: kinds } of needs.get(id)) if (kinds.some(({ kind }) => kind === null)) walk(pkg);
  };
  walk(resolve.root);
  // What comes from nowhere is ours.
  const foreign = [...linked].map((id) => packageOf.get(id)).filter(({ source }) => source !== null);
  return foreign.map(crate);
}

function crate({ name, version, license, authors, manifest_path: manifest }) {
  return { name, version, licence: license, text: textOf(name, license, dirname(manifest), authors) };
}

/** What `precis/models` knows comes from models.dev: data, which nobody bundles as a package. */
function tableOfModels() {
  const [, commit, owner] = readFileSync(at("js/src/models/table.ts"), "utf8").match(
    /models\.dev at (\w+) .* Copyright \(c\) (.+), MIT/,
  );
  return { name: "models.dev", version: commit, licence: "MIT", text: mitOf([owner]) };
}

function npmPackage(folder) {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  return { name, version, licence: license, text: textOf(name, license, folder, []) };
}

/** Of several licences that may be chosen from the MIT one, and what is demanded beside it. */
function textOf(name, licence, folder, authors) {
  if (!/\bMIT\b/.test(licence)) throw new Error(`${name} is under ${licence}: nothing here says how to pass it on`);
  const names = readdirSync(folder).filter((file) => /^licen[cs]e/i.test(file));
  const chosen = names.find((file) => /mit/i.test(file)) ?? names.find((file) => /^licen[cs]e(\.\w+)?$/i.test(file));
  const more = /\bAND Unicode-3\.0/.test(licence) ? ["LICENSE-UNICODE"] : [];
  const files = [chosen, ...more].filter(Boolean);
  if (files.length === 0) return mitOf(authors);
  return files.map((file) => readFileSync(join(folder, file), "utf8").trim()).join("\n\n");
}

/** For a crate that names its licence and holds no text of it. */
function mitOf(authors) {
  const terms = readFileSync(at("LICENSE-MIT"), "utf8");
  return `Copyright (c) ${authors.join(", ")}\n\n${terms.slice(terms.indexOf("Permission is hereby granted")).trim()}`;
}

/** The folders of the npm packages among the inputs of a bundle, each once. */
export function packagesAmong(inputs) {
  const names = inputs.map((input) => input.match(/node_modules\/((?:@[^/]+\/)?[^/]+)\//)?.[1]).filter(Boolean);
  return [...new Set(names)]
    .sort()
    .map((name) => at("node_modules", name))
    .filter(existsSync);
}
