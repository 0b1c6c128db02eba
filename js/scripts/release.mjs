// npm run release: everything a release does short of publishing it, which needs credentials and a person. `-- --dry-run`
// accepts a changelog that is not dated yet and prints no command to publish; `--allow-dirty`, only with it, also a working
// tree with changes. `--tagged` is for CI: the tag of the version is on this commit. See "Release" in CONTRIBUTING.md.
import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { build, requireShipped } from "./build.mjs";
import { ask, at, cache, locked, main, must, note, packages, root, run } from "./common.mjs";

/** The tarball, what is in it, and what is known of how it was made. */
const folder = join(cache, "release");

/** Throws everything that speaks against a release, or what publint and arethetypeswrong find. Gives the provenance. */
export async function release({ dryRun = false, allowDirty = false, byTag = false } = {}) {
  if (allowDirty && !dryRun) throw new Error("--allow-dirty is only for --dry-run: a release is made of a commit");
  const version = versionOf("Cargo.toml");
  const facts = {
    version,
    versions: { "Cargo.lock": locked("precis") },
    changelog: readFileSync(at("CHANGELOG.md"), "utf8"),
    ...checkout(allowDirty),
    tagged: ask("git", "rev-parse", "--verify", "--quiet", `v${version}^{commit}`),
    byTag,
    dryRun,
  };
  refuse(refusals(facts));
  await build();
  requireShipped(at("pkg"));
  const manifest = JSON.parse(readFileSync(at("pkg/package.json"), "utf8"));
  refuse(refusals({ ...facts, versions: { "pkg/package.json": manifest.version } }));

  const tarball = await pack(at("pkg"), folder);
  refuse(await lintPackage(at("pkg"), tarball));
  const provenance = await provenanceOf(tarball, manifest);
  const { commit, changes } = checkout(allowDirty);
  if (commit !== facts.commit || changes !== facts.changes) {
    throw new Error("The working tree changed while it was packed. Start again.");
  }
  writeFileSync(join(folder, "provenance.json"), `${JSON.stringify(provenance, null, 2)}\n`);
  return provenance;
}

/** The commit of the working tree, and what was changed since. */
function checkout(allowDirty) {
  const changes = allowDirty ? "" : ask("git", "status", "--porcelain");
  return { commit: ask("git", "rev-parse", "HEAD"), changes };
}

/** Why this must not be released, each as a sentence that says what to do. */
export function refusals({ version, versions, changelog, commit, changes, tagged, byTag = false, dryRun }) {
  const found = [];
  if (!commit) found.push("This is no git checkout: a release names the commit it was made of. Clone the repository.");
  if (changes) found.push(`The working tree has changes. Commit or stash them:\n${changes}`);
  for (const [place, other] of Object.entries(versions)) {
    if (other !== version)
      found.push(`${place} has version ${other}, Cargo.toml ${version}. Run \`cargo check\`, commit.`);
  }
  if (byTag && tagged !== commit) {
    found.push(`The tag v${version} is ${tagged ? `on ${tagged}` : "missing"}: tag the commit that is released.`);
  }
  if (!byTag && tagged) found.push(`The tag v${version} exists: set the next version in Cargo.toml.`);
  const entries = (name) => /^- /m.test(sectionOf(changelog, name));
  const dated = new RegExp(`^## \\[${escaped(version)}\\] - \\d{4}-\\d{2}-\\d{2}$`, "m").test(changelog);
  if (dated ? !entries(version) : !(dryRun && entries("Unreleased"))) {
    found.push(
      `CHANGELOG.md has no entry under \`## [${version}] - YYYY-MM-DD\`. Move what is under "Unreleased" there.`,
    );
  }
  return found;
}

/** What stands under the heading of a version, up to the next one. */
function sectionOf(changelog, name) {
  const [, ...after] = changelog.split(new RegExp(`^## \\[${escaped(name)}\\].*$`, "m"));
  return after.join("").split(/^## /m)[0];
}

const escaped = (text) => text.replaceAll(".", "\\.");
const versionOf = (path) => readFileSync(at(path), "utf8").match(/^version = "(.+)"/m)[1];

function refuse(faults) {
  if (faults.length > 0) throw new Error(faults.join("\n"));
}

/** Packs a package into an empty folder. Gives the path of the tarball. */
export async function pack(source, to) {
  rmSync(to, { recursive: true, force: true });
  mkdirSync(to, { recursive: true });
  const args = ["pack", "--json", "--silent", "--pack-destination", to];
  const [{ filename }] = JSON.parse(await must("npm", args, { cwd: source, quiet: true }));
  return join(to, filename);
}

/** What publint and arethetypeswrong have against a package and its tarball, each with the name of the tool. */
export async function lintPackage(source, tarball) {
  await packages();
  const [first, second] = await Promise.all([publint(source), typesWrong(tarball)]);
  return [first && `publint:\n${first}`, second && `are the types wrong:\n${second}`].filter(Boolean);
}

async function publint(pkgDir) {
  const { publint: lint } = await import("publint");
  const { formatMessage } = await import("publint/utils");
  const manifest = JSON.parse(readFileSync(join(pkgDir, "package.json"), "utf8"));
  const { messages } = await lint({ pkgDir, strict: true });
  return messages.map((message) => formatMessage(message, manifest)).join("\n");
}

async function typesWrong(tarball) {
  const command = at("node_modules/@arethetypeswrong/cli/dist/index.js");
  const args = [command, tarball, "--no-color", "--exclude-entrypoints", "./precis.wasm"];
  const { code, all } = await run(process.execPath, args, { quiet: true, timeout: 120_000 });
  return code === 0 ? "" : all;
}

/** What anybody needs to make the same tarball again, and to compare it file by file. */
async function provenanceOf(tarball, { name, version }) {
  await must("tar", ["-xzf", tarball, "-C", folder], { quiet: true });
  const unpacked = join(folder, "package");
  const files = readdirSync(unpacked, { recursive: true })
    .map((file) => join(unpacked, file))
    .filter((path) => statSync(path).isFile())
    .sort();
  const bytes = readFileSync(tarball);
  return {
    name,
    version,
    commit: ask("git", "rev-parse", "HEAD"),
    changedSinceCommit: ask("git", "status", "--porcelain") !== "",
    tools: {
      rustc: ask("rustc", "--version"),
      cargo: ask("cargo", "--version"),
      "wasm-bindgen": locked("wasm-bindgen"),
      ...Object.fromEntries(["binaryen", "esbuild", "typescript"].map((tool) => [tool, installed(tool)])),
      node: process.version,
      npm: ask("npm", "--version"),
    },
    tarball: {
      file: relative(folder, tarball),
      bytes: bytes.length,
      sha256: digest(bytes, "sha256", "hex"),
      integrity: `sha512-${digest(bytes, "sha512", "base64")}`,
    },
    wasm: { sha256: digest(readFileSync(join(unpacked, "precis.wasm")), "sha256", "hex") },
    files: Object.fromEntries(
      files.map((path) => [
        relative(unpacked, path).replaceAll("\\", "/"),
        digest(readFileSync(path), "sha256", "hex"),
      ]),
    ),
  };
}

const digest = (bytes, algorithm, form) => createHash(algorithm).update(bytes).digest(form);
const installed = (tool) => JSON.parse(readFileSync(at("node_modules", tool, "package.json"), "utf8")).version;

main(import.meta.url, async (args) => {
  const known = ["--dry-run", "--allow-dirty", "--tagged"];
  const unknown = args.find((arg) => !known.includes(arg));
  if (unknown) throw new Error(`${unknown} is no option of this command; there are ${known.join(", ")}`);
  const dryRun = args.includes("--dry-run");
  const byTag = args.includes("--tagged");
  const { version, commit, tarball, files } = await release({
    dryRun,
    byTag,
    allowDirty: args.includes("--allow-dirty"),
  });
  const place = relative(root, join(folder, tarball.file));
  note(`publint and arethetypeswrong have nothing to say of ${Object.keys(files).length} files`);
  console.log(`${place}: ${tarball.bytes.toLocaleString("en")} bytes, sha256 ${tarball.sha256}`);
  console.log(`${relative(root, join(folder, "provenance.json"))}: commit, tools and the hash of every file`);
  if (dryRun) return console.log("dry run: nothing is published or tagged");
  if (byTag) return console.log("nothing is published yet");
  console.log(`\nNothing is published yet. To publish:\n
  git tag -s v${version} ${commit} -m "precis ${version}"
  git push origin v${version}
  npm publish ${place}`);
});
