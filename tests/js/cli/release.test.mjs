// What `npm run release` refuses, and that the tools that judge the tarball can say no.
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { lintPackage, pack, refusals } from "../../../js/scripts/release.mjs";

const unreleased = "# Changelog\n\n## [Unreleased]\n\n### Added\n\n- A thing.\n";
const dated = "# Changelog\n\n## [Unreleased]\n\n## [1.2.3] - 2026-11-24\n\n### Added\n\n- A thing.\n";
const fine = {
  version: "1.2.3",
  versions: { "Cargo.lock": "1.2.3" },
  changelog: dated,
  commit: "4e7050f",
  changes: "",
  tagged: null,
  dryRun: false,
};

test("a clean commit with a dated changelog may be released", () => {
  assert.deepEqual(refusals(fine), []);
  assert.deepEqual(refusals({ ...fine, byTag: true, tagged: fine.commit }), []);
});

test("each thing that is wrong is refused with what to do about it", () => {
  const wrong = [
    [{ commit: null }, /Clone the repository/],
    [{ changes: " M src/lib.rs" }, /Commit or stash them:\n M src\/lib\.rs/],
    [{ versions: { "Cargo.lock": "1.2.2" } }, /Cargo\.lock has version 1\.2\.2, Cargo\.toml 1\.2\.3/],
    [{ versions: { "Cargo.lock": null } }, /Cargo\.lock has version null/],
    [{ tagged: "4e7050f" }, /v1\.2\.3 exists/],
    [{ byTag: true }, /v1\.2\.3 is missing: tag the commit/],
    [{ byTag: true, tagged: "0a1b2c3" }, /v1\.2\.3 is on 0a1b2c3: tag the commit/],
  ];
  for (const [what, says] of wrong) {
    const found = refusals({ ...fine, ...what });
    assert.equal(found.length, 1, JSON.stringify(what));
    assert.match(found[0], says);
  }
  assert.equal(refusals({ ...fine, changes: " M a", tagged: "4e7050f", changelog: "" }).length, 3);
});

test("the changelog needs an entry for the version; before it is dated that is enough for a dry run", () => {
  const faults = (changelog, dryRun) => refusals({ ...fine, changelog, dryRun });
  assert.match(faults(unreleased, false)[0], /no entry under `## \[1\.2\.3\] - YYYY-MM-DD`/);
  assert.deepEqual(faults(unreleased, true), []);
  assert.deepEqual(faults(dated, true), []);
  for (const dryRun of [true, false]) {
    assert.equal(faults("# Changelog\n\n## [Unreleased]\n", dryRun).length, 1);
    assert.equal(faults(dated.replace("- A thing.\n", ""), dryRun).length, 1);
    assert.equal(faults(dated.replaceAll("1.2.3", "1.2.30"), dryRun).length, 1);
    assert.equal(faults(dated.replaceAll("1.2.3", "1x2.3"), dryRun).length, 1);
  }
});

test("publint and arethetypeswrong find what is wrong with a package", async () => {
  const folder = mkdtempSync(join(tmpdir(), "release-"));
  try {
    const source = join(folder, "source");
    mkdirSync(source);
    const write = (name, text) => writeFileSync(join(source, name), text);
    const exports = { ".": { types: "./index.d.ts", import: "./missing.js", require: "./index.cjs" } };
    write("package.json", JSON.stringify({ name: "wrong", version: "1.0.0", type: "module", exports }));
    write("index.cjs", "exports.a = 1;\n");
    write("index.d.ts", "export const a: number;\n");
    const faults = await lintPackage(source, await pack(source, join(folder, "packed")));
    assert.match(faults[0], /^publint:\n[\s\S]*missing\.js/);
    assert.match(faults[1], /^are the types wrong:\n[\s\S]*Masquerading as ESM/);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
