// js/scripts/typescript.mjs, by which the check “programs compile” judges what users will write.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { at } from "../../../js/scripts/common.mjs";

const compilerOptions = { strict: true, noEmit: true, lib: ["es2023"], types: [], module: "esnext" };
const library = "/** @deprecated Use `now`. */\nexport declare const old: number;\nexport declare const now: number;\n";
const project = (code) => ({
  "library.d.ts": library,
  "program.ts": `import { now, old } from "./library";\n${code}\n`,
});

/** What it says of projects, each the files of a folder, in one process. */
function judged(projects, ...deprecated) {
  const folder = mkdtempSync(join(tmpdir(), "precis projects "));
  try {
    const places = projects.map((files, index) => {
      const place = join(folder, `${index}`);
      mkdirSync(place);
      for (const [name, text] of Object.entries(files)) writeFileSync(join(place, name), text);
      if (!files["tsconfig.json"])
        writeFileSync(join(place, "tsconfig.json"), JSON.stringify({ compilerOptions, include: ["*.ts"] }));
      return place;
    });
    const args = [
      at("js/scripts/typescript.mjs"),
      ...places,
      ...deprecated.flatMap((index) => ["--deprecated", places[index]]),
    ];
    const { status, stderr } = spawnSync(process.execPath, args, { encoding: "utf8" });
    return { status, stderr };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

test("a project that compiles passes, whatever another that reads the same has of errors", () => {
  const sound = project("export const sum: number = now + old;");
  assert.deepEqual(judged([sound, sound]), { status: 0, stderr: "" });
  const { status, stderr } = judged([
    sound,
    project('export const sum: string = now + old;\nconst n: number = "";'),
    sound,
  ]);
  assert.equal(status, 1);
  assert.match(stderr, /1\/program\.ts\(2,14\): error TS2322/);
  assert.match(stderr, /1\/program\.ts\(3,7\): error TS2322/);
  assert.equal(stderr.match(/error TS/g).length, 2, stderr);
});

test("deprecated names are listed of the projects that it is asked for", () => {
  const uses = project("export const sum: number = now + old;");
  const { status, stderr } = judged([uses], 0);
  assert.equal(status, 1);
  assert.match(stderr, /deprecated: .*program\.ts:2: 'old' is deprecated/);
  assert.doesNotMatch(stderr, /'now'/);
});

test("a configuration that is no JSON, none at all, and one that names no file are failures", () => {
  assert.equal(judged([{ "tsconfig.json": '{ "include": [' }]).status, 1);
  assert.equal(judged([{ "tsconfig.json": '{ "include": ["*.ts"] }' }]).status, 1);
  const { status, stderr } = spawnSync(process.execPath, [at("js/scripts/typescript.mjs"), "no/such/project"], {
    encoding: "utf8",
  });
  assert.equal(status, 1);
  assert.match(stderr, /no\/such\/project/);
});

test("a project that passed is compiled again once what it reads has changed, be it a library's types", () => {
  const folder = mkdtempSync(join(tmpdir(), "precis kept "));
  const place = join(folder, "project");
  const write = (name, text) => writeFileSync(join(place, name), text);
  const passes = () => {
    const args = [at("js/scripts/typescript.mjs"), "--keep", join(folder, "kept"), place];
    return spawnSync(process.execPath, args, { encoding: "utf8" }).status === 0;
  };
  try {
    mkdirSync(place);
    for (const [name, text] of Object.entries(project("export const sum: number = now + old;"))) write(name, text);
    write("tsconfig.json", JSON.stringify({ compilerOptions, include: ["*.ts"] }));
    assert.ok(passes() && passes());
    assert.equal(readdirSync(join(folder, "kept")).length, 1);
    write("library.d.ts", library.replaceAll("number", "string"));
    assert.ok(!passes() && !passes(), "a library's types");
    write("library.d.ts", library);
    assert.ok(passes());
    write("more.ts", 'export const more: number = "";\n');
    assert.ok(!passes(), "a new file");
    rmSync(join(place, "more.ts"));
    write(
      "tsconfig.json",
      JSON.stringify({ compilerOptions: { ...compilerOptions, lib: ["es5"] }, include: ["*.ts"] }),
    );
    write("program.ts", 'import { now } from "./library";\nexport const has = [now].includes(1);\n');
    assert.ok(!passes(), "its options");
  } finally {
    rmSync(folder, { recursive: true });
  }
});
