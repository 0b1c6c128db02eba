// The runner of the checks: what it chooses, in which order, what it leaves out; and that CI runs all of them.
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { test } from "node:test";
import { parse as parseYaml } from "yaml";
import { checks, checksFor } from "../../../js/scripts/checks.mjs";
import { at, files } from "../../../js/scripts/common.mjs";
import { areas, inputsOf, watchUnread } from "../../../js/scripts/inputs.mjs";
import { levels, runsIn } from "../../../js/scripts/levels.mjs";
import { schedule } from "../../../js/scripts/schedule.mjs";
import { excerpt, isAsked, parse } from "../../../js/scripts/test.mjs";

const chosen = (line, all = checks) => all.filter((check) => isAsked(check, parse(line.split(" ").filter(Boolean))));
const names = (list) => list.map(({ name }) => name);

test("each level runs all checks of the one before it, in every Node", () => {
  for (const major of [20, 22, 24, 26]) {
    const all = checksFor(major);
    assert.deepEqual(names(chosen("full", all)), names(all));
    assert.equal(new Set(names(all)).size, all.length, "a name is of one check");
    const [quick, landing] = [names(chosen("", all)), names(chosen("all", all))];
    assert.ok(quick.every((name) => landing.includes(name)) && quick.length < landing.length);
    assert.ok(
      landing.some((name) => /^suite, Node \d+, require$/.test(name)),
      "CommonJS before a change lands",
    );
    for (const other of [20, 22, 24].filter((node) => node !== major))
      assert.equal(landing.filter((name) => name.startsWith(`suite, Node ${other}`)).length, 1, `Node ${other} once`);
  }
});

test("words, a level and a job choose; what is unknown is refused", () => {
  assert.ok(names(chosen("suite, deno")).includes("suite, deno"));
  assert.deepEqual(names(chosen("all growth")), names(chosen("growth")));
  assert.ok(chosen("all --job wasm").every(({ job }) => job === "wasm"));
  assert.deepEqual(chosen("nothing of this name"), []);
  assert.throws(() => parse(["--froce"]), /--froce is no option/);
});

test("of many tests a failure says those that failed", () => {
  const tap = ["node failed (1)", "# Subtest: a", "ok 1 - a", "  ---", "# Subtest: b", "not ok 2 - b", "  error: x"];
  const said = excerpt([...tap, "# Subtest: c", "ok 3 - c", "  ---", "# fail 1"].join("\n"));
  assert.deepEqual(
    said.split("\n").map((line) => line.trim()),
    ["node failed (1)", "not ok 2 - b", "error: x", "# fail 1"],
  );
});

/** The order in which checks begin and end, on so many cores. */
async function order(list, cores, fails = []) {
  const log = [];
  const jobs = list.map((check) => ({ check, expected: check.expected ?? 0 }));
  await schedule(jobs, {
    first: ({ name }) => name === "build",
    cores,
    run: async ({ name }, ready) => {
      log.push(ready ? `+${name}` : `!${name}`);
      await new Promise((next) => setImmediate(next));
      log.push(`-${name}`);
      return !fails.includes(name);
    },
  });
  return log;
}

test("checks wait for the build and for each other as they have to", async () => {
  const list = [
    { name: "wide", expected: 9 },
    { name: "uses pkg", pkg: true, single: true },
    { name: "build", single: true },
    { name: "short", single: true },
  ];
  assert.deepEqual((await order(list, 2)).slice(0, 2), ["+build", "+wide"]);
  const alone = await order(list, 1);
  assert.ok(
    alone.every((event, index) => index % 2 === 1 || alone[index + 1] === `-${event.slice(1)}`),
    "one at a time",
  );
  assert.ok((await order(list, 2, ["build"])).includes("!uses pkg"), "not run on a broken build");
  const both = await order(
    [
      { name: "a", uses: "x", single: true },
      { name: "b", uses: "x", single: true },
    ],
    4,
  );
  assert.deepEqual(both, ["+a", "-a", "+b", "-b"]);
  const wide = await order([{ name: "a" }, { name: "b" }], 4);
  assert.deepEqual(wide, ["+a", "-a", "+b", "-b"]);
});

test("what a check leaves unread is a place that exists, and a file that no area holds is read by all", () => {
  for (const folders of Object.values(areas)) for (const folder of folders) assert.ok(existsSync(at(folder)), folder);
  const check = { name: "any", ignores: Object.keys(areas) };
  const before = inputsOf(check, "quick");
  assert.equal(inputsOf({ ...check, ignores: undefined }, "quick"), null, "always runs");
  const added = at("tests/a-new-file.txt");
  try {
    writeFileSync(added, "new");
    assert.notEqual(inputsOf(check, "quick"), before);
  } finally {
    rmSync(added, { force: true });
  }
  assert.equal(inputsOf(check, "quick"), before);
  assert.notEqual(inputsOf(check, "all"), before);
  assert.throws(() => inputsOf({ ...check, ignores: ["nowhere"] }, "quick"), /no area is called "nowhere"/);
});

const workflows = Object.fromEntries(
  readdirSync(at(".github/workflows")).map((file) => [
    file,
    parseYaml(readFileSync(at(".github/workflows", file), "utf8")),
  ]),
);

/** A workflow's commands, each with its variables replaced by every value that the matrix of its job has. */
function commands({ jobs }) {
  return Object.values(jobs).flatMap(({ steps, strategy }) =>
    steps.flatMap(({ run }) => {
      if (run === undefined) return [];
      const [, variable] = run.match(/\$\{\{ matrix\.(\w+) \}\}/) ?? [];
      if (!variable) return [run];
      return strategy.matrix[variable].map((value) => run.replace(`\${{ matrix.${variable} }}`, value));
    }),
  );
}

test("workflows run commands that exist, one in each step, and jobs that were there before them", () => {
  const { scripts } = JSON.parse(readFileSync(at("package.json"), "utf8"));
  for (const [file, workflow] of Object.entries(workflows)) {
    assert.ok(workflow.on && workflow.jobs, file);
    for (const { needs = [], steps } of Object.values(workflow.jobs)) {
      for (const name of [needs].flat()) assert.ok(workflow.jobs[name], `${file}: ${name}`);
      assert.ok(
        steps.every(({ uses, run }) => (uses === undefined) !== (run === undefined)),
        file,
      );
    }
    for (const command of commands(workflow)) {
      assert.doesNotMatch(command, /\$\{\{|&&|;|\n/, `${file}: ${command}`);
      const [program, action, ...rest] = command.split(" ");
      if (program !== "npm") assert.match(command, /^(tar -c?x?f build\.tar|rustup toolchain install nightly)/, file);
      else if (action === "test")
        assert.notEqual(chosen(rest.filter((word) => word !== "--").join(" ")).length, 0, command);
      else if (action === "run") assert.ok(scripts[rest[0]], `${file}: ${command}`);
      else assert.match(command, /^npm publish \S+\.tgz --provenance/, file);
    }
  }
});

test("CI runs every check that a landing needs, and the night every check there is", () => {
  const ran = (workflow, level) =>
    new Set(
      commands(workflow)
        .filter((command) => command.startsWith(`npm test -- ${level}`))
        .flatMap((command) => names(chosen(command.replace("npm test -- ", "")))),
    );
  const missing = (level, set) =>
    names(checks.filter((check) => runsIn(check, level))).filter((name) => !set.has(name));
  assert.deepEqual(missing("all", ran(workflows["ci.yml"], "all")), []);
  assert.deepEqual(missing("full", ran(workflows["nightly.yml"], "full")), []);
});

test("only the job that publishes may say who it is", () => {
  const { jobs } = workflows["release.yml"];
  assert.deepEqual(jobs.publish.permissions, { contents: "read", "id-token": "write" });
  for (const [file, { jobs: all, permissions }] of Object.entries(workflows)) {
    assert.deepEqual(permissions, { contents: "read" }, file);
    for (const [name, { permissions: own }] of Object.entries(all))
      assert.ok(own === undefined || (file === "release.yml" && name === "publish"), `${file}: ${name}`);
  }
});

test("documents name only levels and checks that exist", () => {
  for (const path of ["README.md", "CONTRIBUTING.md", ".github/PULL_REQUEST_TEMPLATE.md"]
    .map((name) => at(name))
    .concat(files("docs"))) {
    if (!path.endsWith(".md")) continue;
    for (const [line, words] of readFileSync(path, "utf8").matchAll(/`npm test -- ([^`]+)`/g)) {
      if (/WORDS/.test(words)) continue;
      assert.notEqual(chosen(words).length, 0, `${path}: ${line}`);
    }
  }
});

test("a file that was read although a check says that it ignores it is found", (t) => {
  const read = watchUnread({ ignores: ["documents"] });
  readFileSync(at("docs/faq.md"));
  readFileSync(at("package.json"));
  try {
    const found = read();
    // Other checks may read documents at the same time.
    assert.ok(
      found.includes("docs/faq.md") && found.every((path) => /^docs|^\.github|^[A-Z]+\.md$/.test(path)),
      `${found}`,
    );
  } catch (error) {
    if (!/noatime/.test(error.message)) throw error;
    t.skip(error.message);
  }
});

/** Runs a program that imports common.mjs with a target folder of its own. */
function withCommon(target, code) {
  const program = `import { exclusively } from ${JSON.stringify(at("js/scripts/common.mjs"))}; ${code}`;
  const env = { ...process.env, CARGO_TARGET_DIR: target, PRECIS_RUN: undefined };
  return { args: ["--input-type=module", "-e", program], options: { env, encoding: "utf8" } };
}

test("a lock is waited for while its owner lives, and taken over when it was killed", async () => {
  const target = mkdtempSync(join(tmpdir(), "a lock "));
  let owner;
  try {
    const hold = withCommon(
      target,
      "await exclusively('build', () => { console.log('has it'); return new Promise(() => setInterval(() => {}, 1000)); });",
    );
    const take = withCommon(target, "await exclusively('build', () => console.log('taken'));");
    owner = spawn(process.execPath, hold.args, hold.options);
    await new Promise((next) => owner.stdout.once("data", next));
    const late = spawn(process.execPath, take.args, take.options);
    const [waits] = await once(late.stderr, "data");
    assert.match(String(waits), new RegExp(`waiting for process ${owner.pid}`));
    owner.kill("SIGKILL");
    const [taken] = await once(late.stdout, "data");
    assert.equal(String(taken), "taken\n");
    // What a full disk leaves, and a number that another program has now.
    mkdirSync(join(target, "precis"), { recursive: true });
    for (const left of ["", `${process.pid} 1`]) {
      writeFileSync(join(target, "precis/build.lock"), left);
      assert.equal(spawnSync(process.execPath, take.args, take.options).stdout, "taken\n", left);
    }
  } finally {
    owner?.kill("SIGKILL");
    rmSync(target, { recursive: true, force: true });
  }
});

test("what a compilation that was killed left behind is removed once, and only where the crate itself has no fault", () => {
  const folder = mkdtempSync(join(tmpdir(), "precis-compile-"));
  try {
    const parts = join(folder, "target/wasm32-unknown-unknown/debug/incremental");
    const calls = join(folder, "calls");
    // It links only where nothing is left of earlier compilations.
    const cargo = [
      "#!/bin/sh",
      `echo "$1" >> "${calls}"`,
      'case "$1" in check) exit "$PRECIS_FAULT";; esac',
      `[ ! -e "${parts}" ]`,
    ];
    writeFileSync(join(folder, "cargo"), cargo.join("\n"), { mode: 0o755 });
    const program = `import { compile } from ${JSON.stringify(at("js/scripts/common.mjs"))};
      await compile(["rustc"], { wasm: "wasm32-unknown-unknown", quiet: true });`;
    const compiled = (fault) => {
      mkdirSync(parts, { recursive: true });
      writeFileSync(calls, "");
      const { status } = spawnSync(process.execPath, ["--input-type=module", "--eval", program], {
        env: {
          ...process.env,
          PATH: `${folder}:${process.env.PATH}`,
          CARGO_TARGET_DIR: join(folder, "target"),
          PRECIS_FAULT: fault,
        },
      });
      return [status, readFileSync(calls, "utf8").trim().split("\n"), existsSync(parts)];
    };
    assert.deepEqual(compiled("0"), [0, ["rustc", "check", "rustc"], false]);
    assert.deepEqual(compiled("101"), [1, ["rustc", "check"], true]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test("each level does at least as much as the one before it", () => {
  assert.ok(levels.quick.cases <= levels.all.cases && levels.all.cases <= levels.full.cases);
  assert.ok(levels.all.soak.chats <= levels.full.soak.chats && levels.all.fuzzSeconds <= levels.full.fuzzSeconds);
  assert.equal(levels.all.kind, "shipped");
  assert.equal(levels.full.kind, "shipped");
});

test("on a machine that has no package yet the checks start: nothing that they load at once is from npm", () => {
  const seen = new Set();
  const walk = (file) => {
    if (seen.has(file)) return;
    seen.add(file);
    for (const [, name] of readFileSync(file, "utf8").matchAll(/^(?:import|export)\b[^;]*?from "([^"]+)"/gm)) {
      assert.match(name, /^(node:|\.)/, `${file} imports ${name}`);
      if (name.startsWith(".")) walk(resolve(dirname(file), name));
    }
  };
  walk(at("js/scripts/test.mjs"));
  assert.ok(seen.size > 20, `${seen.size} files`);
});

test("what a change can break, `npm test` runs again after it", () => {
  const reads = (path) => (check) =>
    !(check.ignores ?? [])
      .flatMap((area) => areas[area])
      .some((place) => path === place || path.startsWith(`${place}/`));
  const after = (path) => {
    assert.ok(existsSync(at(path)), `${path} is not there any more`);
    return names(chosen("").filter(reads(path)));
  };
  const engine = [
    "build",
    "suite, this Node",
    "command line",
    "native and wasm decide alike",
    "conformance, both presets",
  ];
  for (const [path, found] of [
    // A decision, a reader, and a document's example.
    ["src/memory/select.rs", ["rust tests", "rust lint", ...engine]],
    ["js/src/formats/index.ts", ["typescript types", "programs compile", ...engine]],
    ["docs/start.md", ["README and documentation examples", "programs compile", "links", "style"]],
  ])
    for (const name of found) assert.ok(after(path).includes(name), `${path}: ${name}`);
});
