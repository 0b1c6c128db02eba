// The package passes on the licences of what it contains.
import { equal, ok } from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { at } from "../../../js/scripts/common.mjs";

test("the licence of every crate that the engine is made of stands in the package, with its text", () => {
  const text = readFileSync(at("pkg/THIRD-PARTY-LICENSES"), "utf8");
  const parts = text.split(/^-{80}$/m);
  const manifests = ["Cargo.toml", "src/Cargo.toml"].map((path) => readFileSync(at(path), "utf8"));
  const sections = manifests
    .join("\n")
    .match(/^\[(?:target\..*\.)?dependencies\]\n(?:.+\n)+/gm)
    .join("\n");
  const crates = [...sections.matchAll(/^([\w-]+) = (?!\{ path)/gm)].map(([, name]) => name);
  ok(crates.length >= 7, `${crates}`);
  for (const name of [...crates, "@noble/hashes", "models.dev"])
    equal(parts.filter((part) => part.includes(`\n${name} `)).length, 1, name);
  for (const part of parts) ok(/Permission is hereby granted, free of charge/i.test(part.replace(/\s+/g, " ")), part);
});
