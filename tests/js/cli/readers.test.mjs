// Transcripts of programs: recorded ones through every command, and what is read of trees, compactions, bad input and secrets.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";
import { at } from "../../../js/scripts/common.mjs";
import { program } from "../../../js/scripts/demo.mjs";
import { spread } from "../suite/length.mjs";
import { CASES, faultsOf, lasting, pages, seen } from "./readers.mjs";

const { load } = await import(pathToFileURL(await program("files")).href);
const folder = mkdtempSync(join(tmpdir(), "precis-readers-"));
after(() => rmSync(folder, { recursive: true }));

const save = (name, content) => {
  const path = join(folder, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, typeof content === "string" || content instanceof Uint8Array ? content : JSON.stringify(content));
  return path;
};
const lines = (...values) => values.map((value) => JSON.stringify(value)).join("\n");
const read = (name, content, skipped = (reason) => assert.fail(reason)) => load([save(name, content)], skipped);
const only = (name, content) => {
  const found = read(name, content);
  assert.equal(found.length, 1);
  return found[0];
};
const precis = (...args) => {
  const { stdout, stderr, status } = spawnSync(process.execPath, [at("pkg/cli.js"), ...args], { encoding: "utf8" });
  return { stdout, stderr, status };
};
const textsOf = ({ messages }) =>
  messages.map(({ content }) =>
    typeof content === "string" ? content : content?.map(({ text, type }) => text ?? type).join("+"),
  );

/** Where time is short, some of them. */
const chosen = spread(CASES, 8);

let recorded;
before(async () => {
  recorded = await seen(chosen);
});

test("every recorded transcript is inspected, replayed at three windows without a fault, compacted and checked", () => {
  for (const { title, shape, conversations, own, compaction, checked, replayed } of recorded) {
    assert.equal(own.shape, shape, title);
    assert.equal(checked.length, conversations, title);
    assert.equal(replayed.length, conversations * 3, title);
    for (const one of replayed) assert.equal(faultsOf(one), 0, title);
    assert.equal(
      own.shares.reduce((sum, { tokens }) => sum + tokens, 0),
      own.usage.tokens,
      title,
    );
    assert.deepEqual(own.unread, [], title);
    assert.ok(compaction.report.after.tokens <= compaction.report.before.tokens, title);
  }
});

test("the README of the fixtures shows what the commands say of them", () => {
  const { text, made } = pages(recorded);
  const shown = lasting(text).split("\n");
  assert.ok(shown.length > 20);
  const rows = lasting(made).split("\n");
  assert.equal(rows.filter((row) => row.includes("`")).length, chosen.length);
  for (const row of rows) assert.ok(shown.includes(row), `${row}: node tests/js/cli/readers.mjs --update`);
  if (chosen.length === CASES.length) assert.deepEqual(shown, rows);
});

test("texts that were recorded whole are estimated within 5 tokens or a tenth of what the provider counted", () => {
  const whole = recorded.filter(({ title }) => /^LangSmith|LangGraph|Pydantic AI/.test(title));
  assert.ok(whole.length >= (chosen.length < CASES.length ? 1 : 3));
  for (const { title, own } of whole) {
    const { prompt, estimate } = own.recorded;
    assert.ok(Math.abs(prompt - estimate) <= Math.max(5, prompt / 10), `${title}: ${prompt}, ${estimate}`);
  }
});

let last = 0;
/** Lines of a Claude Code log. */
const claude = {
  user: (uuid, parentUuid, text, more = {}) => ({
    ...{ type: "user", uuid, parentUuid, sessionId: "s", isSidechain: false, ...more },
    message: { role: "user", content: text },
  }),
  reply(uuid, parentUuid, content, { id, usage, ...more } = {}) {
    last += 1;
    const blocks = typeof content === "string" ? [{ type: "text", text: content }] : content;
    const message = { id: id ?? `msg_${last}`, role: "assistant", model: "claude-opus-5", content: blocks, usage };
    return { type: "assistant", uuid, parentUuid, sessionId: "s", isSidechain: false, ...more, message };
  },
};
const use = (id) => ({ type: "tool_use", id, name: "Read", input: { path: id } });
const result = (id) => [{ type: "tool_result", tool_use_id: id, content: `content of ${id}` }];
const { user, reply } = claude;

test("Claude Code: a rewind begins a branch, and the newest is read; the other can be asked for", () => {
  const found = only(
    "rewound.jsonl",
    lines(
      user("u1", null, "Begin."),
      reply("a1", "u1", "Begun.", { usage: { input_tokens: 3, cache_read_input_tokens: 40, output_tokens: 2 } }),
      user("u2", "a1", "Do it wrong."),
      reply("a2", "u2", "Wrong."),
      user("u3", "a1", "Do it right."),
      reply("a3", "u3", "Right.", { usage: { input_tokens: 70, output_tokens: 2 } }),
      // What is written about progress ends no branch.
      { type: "progress", uuid: "p1", parentUuid: "a2", sessionId: "s" },
    ),
  );
  assert.deepEqual(textsOf(found), ["Begin.", "Begun.", "Do it right.", "Right."]);
  assert.deepEqual(
    [...found.usageAfter].map(([at, { prompt_tokens }]) => [at, prompt_tokens]),
    [
      [1, 43],
      [3, 70],
    ],
  );
  assert.deepEqual([found.model, found.provider], ["claude-opus-5", "anthropic"]);
  assert.equal(found.branches.length, 1);
  assert.deepEqual(textsOf(found.branches[0]()), ["Begin.", "Begun.", "Do it wrong.", "Wrong."]);
});

test("Claude Code: parallel calls have all their results, though the tree goes on from one of them", () => {
  const found = only(
    "parallel.jsonl",
    lines(
      user("u1", null, "Read both."),
      reply("a1", "u1", [use("x")], { id: "m" }),
      reply("a2", "a1", [use("y")], { id: "m" }),
      user("r1", "a1", result("x")),
      user("r2", "a2", result("y")),
      reply("a3", "r2", "Both read."),
    ),
  );
  assert.equal(found.branches.length, 0);
  const [, calls, results] = found.messages;
  assert.deepEqual(
    calls.content.map(({ id }) => id),
    ["x", "y"],
  );
  assert.deepEqual(
    results.content.map(({ tool_use_id }) => tool_use_id),
    ["x", "y"],
  );
});

test("Claude Code: what came before a compaction and what a sub-agent did are conversations of their own", () => {
  const found = read(
    "compacted.jsonl",
    lines(
      user("u1", null, "Long ago."),
      reply("a1", "u1", "Yes."),
      user("k1", "a1", "Kept."),
      reply("k2", "k1", "Kept, too."),
      user("s1", null, "Look around.", { isSidechain: true, agentId: "agent7" }),
      reply("s2", "s1", "Seen.", { isSidechain: true, agentId: "agent7" }),
      {
        ...{ type: "system", subtype: "compact_boundary", uuid: "b", parentUuid: null, logicalParentUuid: "k2" },
        ...{ sessionId: "s", compactMetadata: { preservedSegment: { headUuid: "k1", tailUuid: "k2" } } },
      },
      user("c", "b", "Summary.", { isCompactSummary: true }),
      reply("a2", "c", "Going on."),
      { ...reply("e", "a2", "API Error"), isApiErrorMessage: true },
    ),
  );
  assert.deepEqual(
    found.map((one) => [one.aside ?? false, textsOf(one)]),
    [
      [false, ["Kept.", "Kept, too.", "Summary.", "Going on."]],
      [true, ["Long ago.", "Yes.", "Kept.", "Kept, too."]],
      [true, ["Look around.", "Seen."]],
    ],
  );
  const { stderr, stdout } = precis("inspect", join(folder, "compacted.jsonl"), "--json");
  assert.match(stderr, /3 conversations, 2 of them sub-agents or before a compaction; this is number 1, the main one/);
  assert.equal(JSON.parse(stdout).messages, 4);
});

test("a message whose parent is not there follows what stands before it; a circle is cut; both are reported", () => {
  const broken = read(
    "cut.jsonl",
    `${lines(user("u1", null, "One."), reply("a1", "u1", "Two."))}\n{"type":"user","uuid":"u2","parentUu\n${lines(reply("a2", "u2", "Four."))}`,
    (reason) => assert.match(reason, /:3: this line is not JSON/),
  );
  assert.deepEqual(textsOf(broken[0]), ["One.", "Two.", "Four."]);
  assert.match(broken[0].doubts.join(), /One message follows a message that the file does not hold/);
  const [circle] = read(
    "circle.jsonl",
    lines(user("u1", "a1", "One."), reply("a1", "u1", "Two."), user("u2", "a1", "Three.")),
  );
  assert.deepEqual(textsOf(circle), ["One.", "Two.", "Three."]);
  assert.match(circle.doubts.join(), /2 messages follow each other in a circle/);
  const { stderr, status } = precis("check", join(folder, "circle.jsonl"));
  assert.match(stderr, /circle/);
  assert.equal(status, 0);
});

test("two programs that wrote one log leave two branches, and the newest is read", () => {
  const found = only(
    "both.jsonl",
    lines(
      user("u1", null, "Begin."),
      reply("a1", "u1", "Begun."),
      user("x1", "a1", "First program."),
      user("y1", "a1", "Second program."),
      reply("x2", "x1", "To the first."),
      reply("y2", "y1", "To the second."),
    ),
  );
  assert.deepEqual(textsOf(found).slice(2), ["Second program.", "To the second."]);
  assert.equal(found.branches.length, 1);
});

test("Codex: the usage is that of the reply before it; a compaction replaces, a rollback takes back", () => {
  const item = (payload) => ({ timestamp: "2026-01-01", type: "response_item", payload });
  const said = (role, text) => item({ type: "message", role, content: [{ type: "input_text", text }] });
  const count = (input_tokens) => ({
    type: "event_msg",
    payload: {
      type: "token_count",
      info: { last_token_usage: { input_tokens, cached_input_tokens: 5, output_tokens: 3 } },
    },
  });
  const [now, earlier] = read(
    "rollout.jsonl",
    lines(
      { type: "session_meta", payload: { id: "s", base_instructions: { text: "Be brief." } } },
      { type: "turn_context", payload: { model: "gpt-5" } },
      said("user", "Old."),
      { type: "compacted", payload: { message: "Summary." } },
      said("user", "List."),
      item({ type: "reasoning", summary: [] }),
      item({ type: "function_call", call_id: "c", name: "shell", arguments: "{}" }),
      item({ type: "function_call_output", call_id: "c", output: "a.py" }),
      count(120),
      count(120),
      said("assistant", "One file."),
      count(150),
      said("user", "Wrong turn."),
      said("assistant", "Oh."),
      { type: "event_msg", payload: { type: "thread_rolled_back", num_turns: 1 } },
      said("user", "Right turn."),
    ),
  );
  assert.deepEqual(
    [...now.usageAfter].map(([at, { prompt_tokens }]) => [at, prompt_tokens]),
    [
      [2, 120],
      [5, 150],
    ],
  );
  assert.equal(textsOf(now).at(-1), "Right turn.");
  assert.deepEqual([now.model, now.system, now.messages.length], ["gpt-5", "Be brief.", 7]);
  assert.equal(textsOf(now.branches[0]()).at(-1), "Oh.");
  assert.deepEqual([earlier.aside, textsOf(earlier)], [true, ["Old."]]);
  // Of a log whose beginning is lost, the first reply may be all of several items.
  const [cut] = read(
    "cut.jsonl",
    lines(
      { type: "session_meta", payload: { id: "s" } },
      item({ type: "reasoning", summary: [] }),
      item({ type: "function_call", call_id: "c", name: "shell", arguments: "{}" }),
      item({ type: "function_call_output", call_id: "c", output: "a.py" }),
      count(90),
    ),
  );
  assert.deepEqual([...cut.usageAfter.keys()], [0]);
});

test("pi: a compaction is sent with what it kept; what came before it is a conversation of its own", () => {
  const entry = (id, parentId, content, usage) => ({
    ...{ type: "message", id, parentId },
    message: { role: usage ? "assistant" : "user", content, ...(usage && { stopReason: "stop", usage }) },
  });
  const used = (input) => ({ input, output: 5 });
  const said = [
    entry("a", null, "Long ago."),
    entry("b", "a", "Yes.", used(40)),
    entry("c", "b", "Kept."),
    entry("d", "c", "Kept, too.", used(60)),
    { type: "compaction", id: "e", parentId: "d", summary: "Work was done.", firstKeptEntryId: "c" },
    entry("f", "e", "Go on."),
    entry("g", "f", "Going on.", used(30)),
  ];
  const session = { type: "session", id: "s" };
  // Older sessions are lists, and a compaction names the place in the file.
  const listed = said.map(({ id, parentId, firstKeptEntryId, ...rest }) => ({
    ...rest,
    ...(firstKeptEntryId && { firstKeptEntryIndex: 3 }),
  }));
  for (const [name, entries] of Object.entries({ tree: said, list: listed })) {
    const found = read(`pi-${name}.jsonl`, lines(session, ...entries));
    const [summary, ...rest] = textsOf(found[0]);
    assert.match(summary, /<summary>\nWork was done\.\n<\/summary>$/);
    assert.deepEqual(rest, ["Kept.", "Kept, too.", "Go on.", "Going on."]);
    assert.deepEqual([...found[0].usageAfter.keys()], [4], name);
    assert.deepEqual(
      found.slice(1).map((one) => [one.aside, textsOf(one), [...one.usageAfter.keys()]]),
      [[true, ["Long ago.", "Yes.", "Kept.", "Kept, too."], [1, 3]]],
    );
  }
});

/** pi's own tests of what it sends: packages/coding-agent/test/session-manager/build-context.test.ts in badlogic/pi-mono, 83378aa. */
const piEntries = {
  of: (type) => (id, parentId, more) => ({ type, id, parentId, timestamp: "2025-01-01T00:00:00Z", ...more }),
  said: (id, parentId, role, text) =>
    piEntries.of("message")(id, parentId, {
      message: { role, content: role === "user" ? text : [{ type: "text", text }], timestamp: 1 },
    }),
  branch: (id, parentId, summary, fromId) => piEntries.of("branch_summary")(id, parentId, { summary, fromId }),
  compaction: (id, parentId, summary, firstKeptEntryId) =>
    piEntries.of("compaction")(id, parentId, { summary, firstKeptEntryId, tokensBefore: 1_000 }),
};

test("pi: the summary of a branch that was left is a message of the branch that goes on", () => {
  const { said, branch, compaction } = piEntries;
  const session = { type: "session", version: 3, id: "s", timestamp: "2025-01-01T00:00:00Z", cwd: "/" };
  // "complex tree with multiple branches and compaction"
  const [found] = read(
    "pi-branches.jsonl",
    lines(
      session,
      said("1", null, "user", "start"),
      said("2", "1", "assistant", "r1"),
      said("3", "2", "user", "q2"),
      said("4", "3", "assistant", "r2"),
      compaction("5", "4", "Compacted history", "3"),
      said("6", "5", "user", "q3"),
      said("7", "6", "assistant", "r3"),
      said("8", "3", "user", "wrong path"),
      said("9", "8", "assistant", "wrong response"),
      branch("10", "3", "Tried wrong approach", "9"),
      said("11", "10", "user", "better approach"),
    ),
  );
  const summarized =
    "The following is a summary of a branch that this conversation came back from:\n\n<summary>\nTried wrong approach</summary>";
  assert.deepEqual(textsOf(found), ["start", "r1", "q2", summarized, "better approach"]);
  assert.equal(found.messages[3].role, "user");
  const [abandoned, main] = found.branches.map((branch) => textsOf(branch()));
  assert.deepEqual(abandoned, ["start", "r1", "q2", "wrong path", "wrong response"]);
  assert.match(main[0], /Compacted history/);
  assert.deepEqual(main.slice(1), ["q2", "r2", "q3", "r3"]);
  // Nothing was said yet behind the summary, and one without a text is not sent.
  const entries = [said("1", null, "user", "start"), said("2", "1", "user", "left"), branch("3", "1", "Tried.", "2")];
  assert.match(textsOf(read("pi-left.jsonl", lines(session, ...entries))[0])[1], /Tried\./);
  entries.push(branch("4", "3", "", "2"), said("5", "4", "user", "on"));
  assert.equal(textsOf(read("pi-left.jsonl", lines(session, ...entries))[0]).length, 3);
});

// `convertToLlm` and `bashExecutionToText` in packages/coding-agent/src/core/messages.ts.
test("pi: messages of extensions and commands of a person are read as pi sends them", () => {
  const { of, said } = piEntries;
  const image = { type: "image", data: "iVBORw0KGgo=", mimeType: "image/png" };
  const command = (id, parentId, more) =>
    of("message")(id, parentId, {
      message: {
        role: "bashExecution",
        command: "ls",
        output: "a\nb",
        exitCode: 0,
        cancelled: false,
        truncated: false,
        ...more,
      },
    });
  const [found] = read(
    "pi-extensions.jsonl",
    lines(
      { type: "session", version: 3, id: "s" },
      said("1", null, "user", "start"),
      of("custom_message")("2", "1", { customType: "my-extension", content: "Injected context.", display: false }),
      of("custom")("3", "2", { customType: "my-extension", data: { count: 42 } }),
      of("custom_message")("4", "3", {
        customType: "x",
        content: [{ type: "text", text: "Look." }, image],
        display: true,
      }),
      of("message")("5", "4", {
        message: { role: "hookMessage", customType: "x", content: "By its older name.", display: true },
      }),
      command("6", "5", {}),
      command("7", "6", { output: "", exitCode: 2 }),
      command("8", "7", { cancelled: true, truncated: true, fullOutputPath: "/tmp/out" }),
      command("9", "8", { excludeFromContext: true }),
    ),
  );
  assert.deepEqual(textsOf(found), [
    "start",
    "Injected context.",
    "Look.+image",
    "By its older name.",
    "Ran `ls`\n```\na\nb\n```",
    "Ran `ls`\n(no output)\n\nCommand exited with code 2",
    "Ran `ls`\n```\na\nb\n```\n\n(command cancelled)\n\n[Output truncated. Full output: /tmp/out]",
  ]);
  assert.ok(found.messages.every(({ role }) => role === "user"));
});

// `findCutPoint` in packages/coding-agent/src/core/compaction/compaction.ts goes back over entries that are no messages.
test("pi: what a compaction kept begins at any entry, and holds summaries and messages of extensions", () => {
  const { of, said, branch, compaction } = piEntries;
  const [found] = read(
    "pi-kept.jsonl",
    lines(
      { type: "session", version: 3, id: "s" },
      said("1", null, "user", "old"),
      said("2", "1", "assistant", "answer"),
      of("model_change")("3", "2", { provider: "anthropic", modelId: "claude-test" }),
      of("custom_message")("4", "3", { customType: "x", content: "kept by an extension", display: true }),
      branch("5", "4", "kept branch", "2"),
      said("6", "5", "user", "kept"),
      compaction("7", "6", "The past.", "3"),
      said("8", "7", "user", "new"),
    ),
  );
  const [summary, extension, left, ...rest] = textsOf(found);
  assert.match(summary, /The past\./);
  assert.equal(extension, "kept by an extension");
  assert.match(left, /kept branch/);
  assert.deepEqual(rest, ["kept", "new"]);
});

test("pi: a call whose result was never recorded gets one in what is sent", () => {
  const call = { type: "toolCall", id: "1", name: "bash", arguments: { command: "ls" } };
  const file = save(
    "pi-unanswered.jsonl",
    lines(
      { type: "session", id: "s" },
      ...[
        { role: "user", content: "What is here?" },
        { role: "assistant", content: [call], stopReason: "toolUse" },
        { role: "user", content: "Go on." },
      ].map((message) => ({ type: "message", message })),
    ),
  );
  for (const provider of ["openai", "anthropic"]) {
    const { problems, left } = JSON.parse(precis("check", file, "--provider", provider, "--json").stdout);
    assert.deepEqual([problems.length > 0, left], [true, 0], provider);
  }
});

test("opencode: steps have their own usage, and what is sent begins with the newest finished summary", () => {
  const info = (id, role, more = {}) => ({ id, sessionID: "ses_1", role, ...more });
  const text = (text) => ({ type: "text", text });
  const [now, earlier] = read("export.json", {
    info: { id: "ses_1", title: "Fix it", directory: "/x" },
    messages: [
      { info: info("m1", "user"), parts: [text("Fix.")] },
      {
        info: info("m2", "assistant", { modelID: "claude-opus-5", tokens: { input: 9, output: 1 } }),
        parts: [
          { type: "step-start" },
          {
            type: "tool",
            callID: "c1",
            tool: "bash",
            state: { status: "completed", input: { command: "ls" }, output: "a" },
          },
          { type: "step-finish", tokens: { input: 10, output: 4, reasoning: 2, cache: { read: 90, write: 5 } } },
          { type: "step-start" },
          text("Done."),
          { type: "step-finish", tokens: { input: 20, output: 4, reasoning: 0, cache: { read: 100, write: 0 } } },
        ],
      },
      { info: info("m3", "user"), parts: [{ type: "compaction", auto: true }] },
      {
        info: info("m4", "assistant", { parentID: "m3", summary: true, finish: "stop" }),
        parts: [text("It was fixed.")],
      },
      { info: info("m5", "user"), parts: [text("Thanks.")] },
    ],
  });
  assert.deepEqual(textsOf(now), ["What did we do so far?", "It was fixed.", "Thanks."]);
  assert.equal(earlier.aside, true);
  assert.deepEqual(
    earlier.messages.map(({ role }) => role),
    ["user", "assistant", "tool", "assistant"],
  );
  assert.deepEqual(
    [...earlier.usageAfter].map(([at, { prompt_tokens }]) => [at, prompt_tokens]),
    [
      [1, 105],
      [3, 120],
    ],
  );
});

test("opencode and Kilo: behind a summary stands what its compaction retained; one that failed stands for nothing", () => {
  const message = (id, role, text, more = {}) => ({
    info: { id, sessionID: "ses_1", role, ...more },
    parts: [{ type: "text", text }],
  });
  const asked = (id, more) => ({
    info: { id, sessionID: "ses_1", role: "user" },
    parts: [{ type: "compaction", auto: true, ...more }],
  });
  const summary = (id, parentID, text, more) =>
    message(id, "assistant", text, { parentID, summary: true, finish: "stop", ...more });
  const counted = (input) => ({ tokens: { input, output: 1, reasoning: 0, cache: { read: 0, write: 0 } } });
  const messages = [
    message("m01", "user", "Begin."),
    message("m02", "assistant", "Begun.", counted(40)),
    message("m03", "user", "Go on."),
    message("m04", "assistant", "Went on.", counted(60)),
    asked("m05", { tail_start_id: "m03" }),
    summary("m06", "m05", "It was begun."),
    message("m07", "user", "Continue."),
    message("m08", "assistant", "Continued.", counted(50)),
  ];
  const texts = (more) =>
    read("retained.json", { info: { id: "ses_1", title: "t", directory: "/x" }, messages: [...messages, ...more] }).map(
      textsOf,
    );
  const first = ["Begin.", "Begun.", "Go on.", "Went on."];
  const second = ["What did we do so far?", "It was begun.", "Go on.", "Went on.", "Continue.", "Continued."];
  assert.deepEqual(texts([]), [second, first]);
  const [now] = load([join(folder, "retained.json")], assert.fail);
  assert.deepEqual(
    [...now.usageAfter].map(([at, { prompt_tokens }]) => [at, prompt_tokens]),
    [[5, 50]],
    "what was counted before the compaction is of another request",
  );
  assert.deepEqual(texts([asked("m09", { tail_start_id: "m07" }), summary("m10", "m09", "More was done.")]), [
    ["What did we do so far?", "More was done.", "Continue.", "Continued."],
    second,
    first,
  ]);
  for (const more of [{ finish: undefined }, { error: { name: "APIError", data: {} } }, { parentID: "m07" }]) {
    const found = texts([asked("m09"), summary("m10", "m09", "Cut off", more)]);
    assert.equal(found.length, 2);
    const isSent = more.error === undefined;
    assert.deepEqual(found[0], [...second, "What did we do so far?", ...(isSent ? ["Cut off"] : [])]);
  }
});

test("opencode: a call that did not end has the result that is sent for it", () => {
  const tool = (callID, state) => ({ type: "tool", callID, tool: "bash", state: { input: {}, ...state } });
  const found = only("interrupted.json", {
    info: { id: "ses_1", title: "t", directory: "/x" },
    messages: [
      { info: { id: "m1", sessionID: "ses_1", role: "user" }, parts: [{ type: "text", text: "Try." }] },
      {
        info: { id: "m2", sessionID: "ses_1", role: "assistant", error: { name: "MessageAbortedError", data: {} } },
        parts: [
          tool("c1", { status: "running" }),
          tool("c2", { status: "error", error: "aborted", metadata: { interrupted: true, output: "half" } }),
          tool("c3", { status: "error", error: "no such file" }),
          tool("c4", { status: "completed", output: "old", time: { compacted: 1 } }),
        ],
      },
    ],
  });
  assert.deepEqual(
    found.messages.filter(({ role }) => role === "tool").map(({ content }) => content),
    ["[Tool execution was interrupted]", "half", "no such file", "[Old tool result content cleared]"],
  );
});

test("Gemini CLI: a line that comes again replaces the first, a rewind takes back; a checkpoint is its contents", () => {
  const line = (id, type, content, more = {}) => ({ id, timestamp: "t", type, content, ...more });
  const found = only(
    "session.jsonl",
    lines(
      { sessionId: "s", projectHash: "h", startTime: "t" },
      line("1", "user", [{ text: "Hello." }]),
      line("2", "gemini", ""),
      line("2", "gemini", "Hi.", { tokens: { input: 80, output: 2, cached: 40, thoughts: 3 }, model: "gemini-3-pro" }),
      line("3", "user", "Never mind."),
      { $rewindTo: "3" },
      line("4", "user", "Go on."),
      line("5", "info", "A notice of the program."),
    ),
  );
  assert.deepEqual(
    found.messages.map(({ role, parts }) => `${role}: ${parts[0].text}`),
    ["user: Hello.", "model: Hi.", "user: Go on."],
  );
  assert.deepEqual(
    [...found.usageAfter],
    [[1, { prompt_tokens: 80, completion_tokens: 5, completion_tokens_details: { reasoning_tokens: 3 } }]],
  );
  const history = [{ role: "user", parts: [{ text: "Saved." }] }];
  assert.deepEqual(only("checkpoint.json", { history, authType: "x" }).messages, history);
});

test("Cline and Roo: metrics are read as usage; what a summary stands for is not sent", () => {
  const text = (words) => [{ type: "text", text: words }];
  const found = only("api_conversation_history.json", [
    { role: "user", content: text("Old."), condenseParent: "k" },
    { role: "assistant", content: text("Old reply."), condenseParent: "k" },
    { role: "user", content: text("Summary."), isSummary: true, condenseId: "k" },
    {
      ...{ role: "assistant", content: text("<read_file>\n<path>a.ts</path>\n</read_file>") },
      ...{ modelInfo: { modelId: "claude-opus-5" }, metrics: { tokens: { prompt: 900, completion: 20, cached: 800 } } },
    },
    { role: "user", content: text("[read_file for 'a.ts'] Result:\nlet a;") },
    { role: "assistant", content: text("Read."), metrics: { tokens: { prompt: 950, completion: 5, cached: 900 } } },
  ]);
  assert.equal(found.messages.length, 4);
  assert.equal(found.messages[2].content, "let a;");
  assert.deepEqual(
    [...found.usageAfter].map(([at, { prompt_tokens }]) => [at, prompt_tokens]),
    [
      [1, 900],
      [3, 950],
    ],
  );
  assert.equal(found.model, "claude-opus-5");
});

test("Roo and Kilo: the newest summary begins what is sent; results of calls before it are gone, marks come back", () => {
  const text = (words) => [{ type: "text", text: words }];
  const call = (id) => ({ type: "tool_use", id, name: "read_file", input: {} });
  const result = (id) => ({ type: "tool_result", tool_use_id: id, content: `content of ${id}` });
  const first = [
    { role: "user", content: text("Task."), condenseParent: "k1" },
    { role: "assistant", content: [call("t1")], condenseParent: "k1" },
    { role: "user", content: [...text("First summary.")], isSummary: true, condenseId: "k1", condenseParent: "k2" },
    { role: "assistant", content: [call("t2")], condenseParent: "k2" },
  ];
  const second = [
    { role: "user", content: text("Second summary."), isSummary: true, condenseId: "k2" },
    { role: "user", content: [result("t2"), ...text("<environment_details>\n</environment_details>")] },
    { role: "user", content: [result("t2")] },
    { role: "assistant", content: [call("t3")], metrics: { tokens: { prompt: 70, completion: 5, cached: 0 } } },
    { role: "user", content: [result("t3")] },
  ];
  const found = only("condensed.json", [...first, ...second]);
  assert.deepEqual(textsOf(found), [
    "Second summary.",
    "<environment_details>\n</environment_details>",
    "tool_use",
    "tool_result",
  ]);
  assert.deepEqual([...found.usageAfter.keys()], [2]);
  // The second summary was taken back: the first one stands again.
  assert.deepEqual(textsOf(only("rewound.json", first)), ["First summary.", "tool_use"]);
  // Messages that a mark hides, and such as a mark hid that is gone.
  const hidden = (truncationParent) => [
    { role: "user", content: text("Task.") },
    { role: "assistant", content: text("Hidden."), truncationParent },
    { role: "user", content: text("[1 message hidden]"), isTruncationMarker: true, truncationId: "x1" },
    { role: "assistant", content: text("Shown.") },
  ];
  assert.deepEqual(textsOf(only("cut.json", hidden("x1"))), ["Task.", "[1 message hidden]", "Shown."]);
  assert.equal(only("uncut.json", hidden("x0")).messages.length, 4);
  // Older versions put a summary between messages of which those before it were not marked.
  const older = [...hidden(), { role: "assistant", content: text("Summary."), isSummary: true }, ...hidden("x1")];
  assert.deepEqual(textsOf(only("older.json", older)), ["Summary.", "Task.", "[1 message hidden]", "Shown."]);
});

test("Cline: sessions keep the system prompt, attached files and what tools found beside the messages' texts", () => {
  const metrics = (inputTokens) => ({ inputTokens, outputTokens: 9, cacheReadTokens: inputTokens - 1, cost: 0.1 });
  const modelInfo = { id: "anthropic/claude-opus-5", provider: "cline", family: "claude-opus" };
  const records = [{ query: "a.ts:1-1", result: "1 | let a;", success: true }];
  const found = only("id.messages.json", {
    ...{ version: 1, agent: "lead", sessionId: "id", system_prompt: "You are Cline." },
    messages: [
      {
        role: "user",
        content: [
          { type: "text", text: "Read @a.ts" },
          { type: "file", path: "/a.ts", content: "let a;" },
        ],
      },
      {
        ...{ role: "assistant", modelInfo, metrics: metrics(900) },
        content: [{ type: "tool_use", id: "t1", name: "read_files", input: { files: [{ path: "/a.ts" }] } }],
      },
      { role: "user", content: [{ type: "tool_result", tool_use_id: "t1", name: "read_files", content: records }] },
      { role: "assistant", content: [{ type: "text", text: "Read." }], modelInfo, metrics: metrics(950) },
    ],
  });
  assert.equal(found.system, "You are Cline.");
  assert.equal(found.model, "anthropic/claude-opus-5");
  assert.deepEqual(found.messages[0].content[1], { type: "text", text: "let a;" });
  assert.equal(found.messages[2].content[0].content, JSON.stringify(records));
  assert.deepEqual(
    [...found.usageAfter].map(([at, { prompt_tokens }]) => [at, prompt_tokens]),
    [
      [1, 900],
      [3, 950],
    ],
  );
});

test("Cline: a native call is answered by the text that names it, also on the same line", () => {
  const found = only("native.json", [
    { role: "user", content: [{ type: "text", text: "<task>\nRead it.\n</task>" }] },
    {
      ...{ role: "assistant", content: [{ type: "tool_use", id: "t1", name: "attempt_completion", input: {} }] },
      metrics: { tokens: { prompt: 900, completion: 20, cached: 0 } },
    },
    {
      role: "user",
      content: [
        { type: "text", text: "[attempt_completion] Result: Done" },
        { type: "text", text: "<feedback>\nNow list it.\n</feedback>" },
      ],
    },
  ]);
  const [result, said] = found.messages[2].content;
  assert.deepEqual([result.type, result.tool_use_id, result.content], ["tool_result", "t1", "Done"]);
  assert.match(said.text, /Now list it/);
});

test("Copilot CLI: a sub-agent is a conversation of its own", () => {
  const event = (type, data) => ({ type, data, id: `${type}${data.toolCallId ?? ""}`, parentId: null });
  const [main, agent] = read(
    "events.jsonl",
    lines(
      event("session.start", { sessionId: "s", selectedModel: "gpt-5" }),
      event("user.message", { content: "Explore." }),
      event("assistant.message", { content: "", toolRequests: [{ toolCallId: "t1", name: "task", arguments: {} }] }),
      event("assistant.message", { parentToolCallId: "t1", content: "Exploring.", toolRequests: [] }),
      event("tool.execution_complete", { toolCallId: "t1", success: false, error: { message: "timed out" } }),
    ),
  );
  assert.deepEqual(
    main.messages.map(({ role, content }) => [role, content]),
    [
      ["user", "Explore."],
      ["assistant", null],
      ["tool", "timed out"],
    ],
  );
  assert.deepEqual([agent.aside, textsOf(agent)], [true, ["Exploring."]]);
});

test("ChatGPT: what is sent to a tool is a call, what the tool says its result; the branch shown last is read", () => {
  const node = (id, parent, role, content, more = {}) => ({
    [id]: { id, parent, children: [], message: { author: { role }, content, recipient: "all", ...more } },
  });
  const text = (words) => ({ content_type: "text", parts: [words] });
  const found = only("conversations.json", [
    {
      title: "Sums",
      current_node: "4",
      default_model_slug: "gpt-5",
      mapping: {
        root: { id: "root", parent: null, children: ["1"], message: null },
        ...node("1", "root", "user", text("Add.")),
        ...node("2", "1", "assistant", { content_type: "code", text: "1+1" }, { recipient: "python" }),
        ...node("3", "2", "tool", { content_type: "execution_output", text: "2" }),
        ...node("4", "3", "assistant", text("Two.")),
        ...node("5", "3", "assistant", text("2, again.")),
      },
    },
  ]);
  assert.deepEqual(
    found.messages.map(({ role }) => role),
    ["user", "assistant", "tool", "assistant"],
  );
  assert.deepEqual(JSON.parse(found.messages[1].tool_calls[0].function.arguments), { input: "1+1" });
  assert.equal(found.messages[2].content, "2");
  assert.equal(found.messages[3].content, "Two.");
  assert.equal(textsOf(found.branches[0]()).at(-1), "2, again.");
});

test("Claude.ai: calls without ids are answered by the results that follow them", () => {
  const content = [
    { type: "text", text: "I look." },
    { type: "tool_use", name: "search", input: { q: "x" } },
    { type: "tool_result", content: [{ type: "text", text: "found" }] },
    { type: "text", text: "It is x." },
  ];
  const found = only("export.json", {
    uuid: "c",
    name: "A search",
    chat_messages: [
      {
        uuid: "1",
        sender: "human",
        text: "What is it?",
        attachments: [{ file_name: "a.txt", extracted_content: "pasted" }],
      },
      { uuid: "2", sender: "assistant", text: "", content },
    ],
  });
  const kinds = found.messages.map(({ role, content }) => `${role}: ${content.map(({ type }) => type)}`);
  assert.deepEqual(kinds, ["user: document,text", "assistant: text,tool_use", "user: tool_result", "assistant: text"]);
  assert.equal(found.messages[1].content[1].id, found.messages[2].content[0].tool_use_id);
});

test("Open WebUI: calls and reasoning that stand in the text of older chats", () => {
  const content =
    '<details type="reasoning" done="true"><summary>Thought</summary>\n&gt; Rain?\n</details>\n<details type="tool_calls" done="true" id="c1" name="weather" arguments="{&quot;city&quot;:&quot;Oslo&quot;}" result="&quot;rain&quot;">\n<summary>Tool Executed</summary>\n</details>\nIt rains.';
  const messages = {
    1: { id: "1", parentId: null, role: "user", content: "Weather?" },
    2: {
      id: "2",
      parentId: "1",
      role: "assistant",
      content,
      model: "llama3",
      usage: { prompt_tokens: 90, completion_tokens: 4 },
    },
  };
  const found = only("webui.json", [{ title: "Oslo", chat: { history: { messages, currentId: "2" } } }]);
  assert.deepEqual(
    found.messages.map(({ role }) => role),
    ["user", "assistant", "tool", "assistant"],
  );
  const [, called, answered, said] = found.messages;
  assert.deepEqual(
    [called.reasoning_content.trim(), called.tool_calls[0].function],
    ["Rain?", { name: "weather", arguments: '{"city":"Oslo"}' }],
  );
  assert.deepEqual([answered.content, said.content.trim()], ["rain", "It rains."]);
  assert.equal(found.usageAfter.size, 0, "the usage is of two requests");
});

test("ShareGPT: elements in the text are calls only where all of them are", () => {
  const turn = (from, value) => ({ from, value });
  const found = only("share.json", [
    {
      conversations: [
        turn("human", "Weather?"),
        turn("gpt", 'I ask.\n<tool_call>{"name":"weather","arguments":{"city":"Oslo"}}</tool_call>'),
        turn("tool", "rain"),
        turn("gpt", "Write <tool_call>…</tool_call>."),
      ],
    },
  ]);
  assert.deepEqual(
    found.messages.map(({ role, content }) => [role, content]),
    [
      ["user", "Weather?"],
      ["assistant", "I ask."],
      ["tool", "rain"],
      ["assistant", "Write <tool_call>…</tool_call>."],
    ],
  );
});

const attribute = (key, value) => ({
  key,
  value: typeof value === "number" ? { intValue: String(value) } : { stringValue: value },
});
const span = (spanId, start, attributes, more = {}) => ({
  ...{ traceId: "t", spanId, name: "chat gpt-5", startTimeUnixNano: start, ...more },
  attributes: Object.entries(attributes).map(([key, value]) => attribute(key, value)),
});

test("OpenTelemetry: spans of the conventions, of those before them, and events; they go on from each other", () => {
  const part = (content) => ({ type: "text", content });
  const asked = [{ role: "user", parts: [part("Weather in Paris?")] }];
  const called = {
    role: "assistant",
    parts: [{ type: "tool_call", id: "c1", name: "weather", arguments: { city: "Paris" } }],
  };
  const answered = { role: "tool", parts: [{ type: "tool_call_response", id: "c1", response: "rainy, 57°F" }] };
  const spans = [
    span("b", "2000", {
      "gen_ai.request.model": "gpt-5",
      "gen_ai.input.messages": JSON.stringify([...asked, called, answered]),
      "gen_ai.output.messages": JSON.stringify([{ role: "assistant", parts: [part("It rains.")] }]),
      "gen_ai.usage.input_tokens": 97,
    }),
    span("a", "1000", {
      "gen_ai.system_instructions": JSON.stringify([part("Be brief.")]),
      "gen_ai.input.messages": JSON.stringify(asked),
      "gen_ai.output.messages": JSON.stringify([called]),
      "gen_ai.usage.input_tokens": 40,
    }),
  ];
  const found = only("spans.json", { resourceSpans: [{ scopeSpans: [{ spans }] }] });
  assert.deepEqual(
    found.messages.map(({ role }) => role),
    ["user", "assistant", "tool", "assistant"],
  );
  assert.deepEqual(
    [...found.usageAfter].map(([at, { prompt_tokens }]) => [at, prompt_tokens]),
    [
      [1, 40],
      [3, 97],
    ],
  );
  const before = span("c", "1", {
    "gen_ai.prompt.0.role": "user",
    "gen_ai.prompt.0.content": "Hi",
    "gen_ai.completion.0.role": "assistant",
    "gen_ai.completion.0.tool_calls.0.id": "c9",
    "gen_ai.completion.0.tool_calls.0.name": "look",
    "gen_ai.completion.0.tool_calls.0.arguments": "{}",
  });
  assert.equal(only("before.json", [before]).messages[1].tool_calls[0].id, "c9");
  const inference = span("d", "1", {
    "llm.input_messages.0.message.role": "user",
    "llm.input_messages.0.message.content": "Hi",
    "llm.output_messages.0.message.role": "assistant",
    "llm.output_messages.0.message.content": "Hello",
    "llm.token_count.prompt": 8,
  });
  assert.deepEqual(textsOf(only("inference.json", [inference])), ["Hi", "Hello"]);
  const events = [
    { name: "gen_ai.user.message", attributes: [attribute("content", "Hi")] },
    { name: "gen_ai.choice", attributes: [attribute("message", JSON.stringify({ content: "Hello" }))] },
  ];
  assert.deepEqual(textsOf(only("events.json", [span("e", "1", { "gen_ai.system": "openai" }, { events })])), [
    "Hi",
    "Hello",
  ]);
  const cached = (input) =>
    only("cached.json", [
      span("j", "1", {
        "gen_ai.input.messages": JSON.stringify(asked),
        "gen_ai.output.messages": JSON.stringify([{ role: "assistant", parts: [part("It rains.")] }]),
        "gen_ai.usage.input_tokens": input,
        "gen_ai.usage.cache_read.input_tokens": 900,
        "llm.token_count.prompt_details.cache_read": 900,
        "llm.token_count.prompt_details.cache_write": 60,
      }),
    ]).usageAfter.get(1).prompt_tokens;
  assert.deepEqual([cached(4), cached(960), cached(1000)], [964, 960, 1000]);
  const details = {
    name: "gen_ai.client.inference.operation.details",
    attributes: [
      attribute("gen_ai.input.messages", JSON.stringify(asked)),
      attribute("gen_ai.output.messages", JSON.stringify([{ role: "assistant", parts: [part("It rains.")] }])),
    ],
  };
  const described = span("h", "1", { "gen_ai.request.model": "gpt-5" }, { events: [details] });
  assert.deepEqual(textsOf(only("details.json", [described])), ["Weather in Paris?", "It rains."]);
  // The call has the id of an item here, and its result that of the call.
  const item = { role: "assistant", parts: [{ ...called.parts[0], id: "fc_1" }] };
  const items = span("i", "1", { "gen_ai.input.messages": JSON.stringify([...asked, item, answered]) });
  const [, call, result] = only("items.json", [items]).messages;
  assert.deepEqual([call.tool_calls[0].id, result.tool_call_id], ["fc_1", "fc_1"]);
  const sdk = [
    span("f", "1", { "ai.prompt": JSON.stringify({ prompt: "Hi" }), "ai.response.text": "Hello" }),
    span(
      "g",
      "2",
      {
        "ai.prompt.messages": JSON.stringify([{ role: "user", content: [{ type: "text", text: "Hi" }] }]),
        "ai.response.text": "Hello",
      },
      { parentSpanId: "f" },
    ),
  ];
  assert.deepEqual(textsOf(only("sdk.json", sdk)), ["Hi", "Hello"], "what wraps a call is the same call");
});

test("LangSmith: messages as LangChain dumps and constructs them", () => {
  const made = (kind, kwargs) => ({ lc: 1, type: "constructor", id: ["langchain_core", "messages", kind], kwargs });
  const run = {
    ...{
      id: "r",
      run_type: "llm",
      name: "ChatOpenAI",
      dotted_order: "1",
      extra: { metadata: { ls_model_name: "gpt-5" } },
    },
    inputs: {
      messages: [
        [
          made("SystemMessage", { content: "Be brief." }),
          made("HumanMessage", { content: "Weather?" }),
          made("AIMessage", {
            content: "",
            tool_calls: [{ id: "c", name: "weather", args: { city: "Oslo" }, type: "tool_call" }],
          }),
          { type: "tool", data: { content: "rain", tool_call_id: "c" } },
        ],
      ],
    },
    outputs: {
      generations: [
        [
          {
            text: "It rains.",
            message: made("AIMessage", {
              content: "It rains.",
              usage_metadata: { input_tokens: 50, output_tokens: 3 },
            }),
          },
        ],
      ],
    },
  };
  const found = only("run.json", { runs: [run] });
  assert.deepEqual(
    found.messages.map(({ role }) => role),
    ["system", "user", "assistant", "tool", "assistant"],
  );
  assert.equal(found.messages[2].tool_calls[0].id, found.messages[3].tool_call_id);
  assert.deepEqual([...found.usageAfter], [[4, { prompt_tokens: 50, completion_tokens: 3 }]]);
});

test("tables of chats: rows by chat and time, parts as values or as text; chats may lie in a file of their own", () => {
  const row = (chatId, role, text, createdAt, asText) => {
    const parts = [{ type: "text", text }];
    return {
      id: `${chatId}${createdAt}`,
      chatId,
      role,
      parts: asText ? JSON.stringify(parts) : parts,
      attachments: [],
      createdAt,
    };
  };
  save("table/Message_v2.json", [
    row("a", "assistant", "Hello.", "2026-01-01T00:00:02Z", true),
    row("b", "user", "Other.", "2026-01-01T00:00:00Z"),
    row("a", "user", "Hi.", "2026-01-01T00:00:01Z"),
  ]);
  save("table/Chat.json", [{ id: "a", title: "Greeting", userId: "u", visibility: "private" }]);
  const found = load([join(folder, "table")], (reason) => assert.fail(reason));
  assert.deepEqual(found.map(textsOf), [["Hi.", "Hello."], ["Other."]]);
  const rows = {
    Chat: [{ id: "a", title: "Greeting", userId: "u", visibility: "private" }],
    Message_v2: [row("a", "user", "Hi.", 1)],
  };
  assert.equal(only("dump.json", rows).name, "Greeting");
});

test("a large file is read line by line, to the same conversations and the same reports", () => {
  const content = (number) => `${"a line of what a tool has printed, 日本語 😀; ".repeat(400)}${number}`;
  const messages = Array.from({ length: 1_000 }, (_, number) => ({
    role: number % 2 ? "assistant" : "user",
    content: content(number),
  }));
  const text = lines(...messages);
  assert.ok(text.length > 16_000_000);
  const broken = `${text.slice(0, 100_000)}\n${text.slice(200_000)}\n{"role":"user","conte`;
  for (const [name, one] of Object.entries({
    "whole.jsonl": text,
    "broken.jsonl": broken,
    "document.json": [messages],
  })) {
    const reports = { large: [], small: [] };
    const all = read(name, one, (reason) => reports.large.push(reason));
    const bytes = typeof one === "string" ? one : JSON.stringify(one);
    const small = load(["-"], (reason) => reports.small.push(reason), { stdin: Buffer.from(bytes) });
    assert.deepEqual(
      all.map(({ messages, shape }) => ({ messages, shape })),
      small.map(({ messages, shape }) => ({ messages, shape })),
      name,
    );
    assert.deepEqual(
      reports.large.map((reason) => reason.replace(/^.*?:/, "")),
      reports.small.map((reason) => reason.replace(/^.*?:/, "")),
    );
    assert.equal(reports.large.length, name === "broken.jsonl" ? 3 : 0, reports.large.join("\n"));
  }
});

test("records of several kinds in one file are read each by its reader", () => {
  const found = read(
    "mixed.jsonl",
    lines(
      user("u1", null, "Claude."),
      { type: "response_item", payload: { type: "message", role: "user", content: "Codex." } },
      { messages: [{ role: "user", content: "A request." }] },
    ),
  );
  assert.deepEqual(found.map(({ shape }) => shape).sort(), ["claude-code", "codex", "openai-chat"]);
});

test("what is no transcript is reported with what it is, and what is known", () => {
  const refused = (name, content, pattern) => {
    const { stderr, status } = precis("inspect", save(name, content));
    assert.equal(status, 2);
    assert.match(stderr, pattern);
  };
  refused(
    "export.zip",
    new Uint8Array([80, 75, 3, 4, 0, 0]),
    /is a ZIP archive: unpack it, and name the JSON file in it/,
  );
  refused("webui.db", "SQLite format 3\0\0\0", /is a SQLite database: export its chats as JSON first/);
  refused("rollout.jsonl.zst", new Uint8Array([0x28, 0xb5, 0x2f, 0xfd, 0]), /compressed with zstd/);
  refused(
    "other.json",
    { products: [1], total: 3 },
    /an object with products, total\. Known are .*Claude Code.*Vercel/,
  );
  refused("list.json", [{ sku: 1 }, { sku: 2 }], /a list of 2, of objects with sku/);
});

test("a folder is listed to choose from, by name and by number", () => {
  save("home/projects/x/1.jsonl", lines(user("u1", null, "Fix the login."), reply("a1", "u1", "Fixed.")));
  save("home/projects/x/settings.json", { theme: "dark" });
  const { stdout, status } = precis("inspect", join(folder, "home"));
  assert.equal(status, 0);
  assert.match(stdout, /1 conversation in .*newest file first/);
  assert.match(stdout, /2 {2}claude-code {2}\S*1\.jsonl {2}Fix the login\./);
  const [entry] = precis("compact", join(folder, "home"), "--json").stdout.trim().split("\n");
  assert.deepEqual(JSON.parse(entry).messages, 2);
  const tool = precis("inspect", at("tests/fixtures/transcripts/opencode"), "--conversation", "small", "--json");
  assert.equal(JSON.parse(tool.stdout).name, "OpenCode Small");
  const many = precis("inspect", at("tests/fixtures/transcripts/opencode"), "--conversation", "opencode");
  assert.deepEqual([many.status, /2 conversations have it in their names/.test(many.stderr)], [2, true]);
});

test("--branch takes another branch, and says how many there are", () => {
  const file = at("tests/fixtures/transcripts/chatgpt-tree.json");
  assert.match(precis("inspect", file).stderr, /This chat has 3 branches; this is the newest/);
  const { stdout } = precis("compact", file, "--branch", "3", "--window", "32k", "--keep", "100");
  assert.match(stdout, /tell me a story/);
  assert.match(
    precis("inspect", file, "--branch", "4").stderr,
    /--branch 4 is too high: the conversation has 3 branches/,
  );
});

// Forms that an earlier table of prefixes did not know. They are put together here, because scanners look for them in repositories.
test("--redact finds keys by where they stand, and by the forms of many issuers", () => {
  const random = "q7Wc2Zk9Xb4Vn1Ms8Lp3Rt6Yd5Hf0Jg";
  const lines = `${random}${random}`;
  const all = [
    ...["github_pat_", "xapp-1-", "SG.", "GOCSPX-", "hvs.", "lin_api_", "ntn_", "pplx-", "whsec_", "nvapi-"],
    ...[
      "1//0",
      "Authorization: Bearer ",
      "https://",
      "redis://:",
      "AccountKey=",
      "DB_PASSWORD=",
      'password: "two words ',
    ],
    ...["Cookie: session=", "curl -u admin:", "?sv=2022&sig=", "hooks.slack.com/services/T0/B0/"],
  ].map((before) => [before, /:\/\/:?$/.test(before) ? "@host/x" : before.includes('"') ? '"' : " and more"]);
  const blocks = ["RSA PRIVATE KEY", "PGP PRIVATE KEY BLOCK"].map(
    (name) => `-----BEGIN ${name}-----\n${lines}\n-----END ${name}-----`,
  );
  const words =
    "Basic authentication. Bearer YOUR_API_KEY_HERE, key_path=/etc/ssl/key1.pem, call_Zk9Xb4Vn1Ms8Lp3Rt6Yd, sk-estimator-doc-link-label, postgres://me:$PASSWORD1@host/db";
  const messages = [
    ...[
      ...all.map(([before, behind]) => before + random + behind),
      ...blocks,
      `cut: -----BEGIN PRIVATE KEY-----\n${lines}`,
    ],
    ...[words, "The end."],
  ].flatMap((content) => [
    { role: "user", content },
    { role: "assistant", content: "Seen." },
  ]);
  const { stdout } = precis("compact", save("many.json", messages), "--redact", "--keep", "99", "--window", "64k");
  const written = JSON.parse(stdout);
  assert.equal(written.length, messages.length);
  for (const [at, { content }] of written.entries())
    assert.ok(!content.includes(random.slice(0, 12)), `${messages[at].content} became ${content}`);
  assert.ok(written.some(({ content }) => content === words));
  const page = join(folder, "many.html");
  precis("inspect", save("many.json", messages), "--redact", "--html", page);
  assert.ok(!readFileSync(page, "utf8").includes(random.slice(0, 12)));
});

test("--redact replaces keys, tokens and passwords by one name each, and nothing that only looks alike", () => {
  const secrets = [
    ["sk-ant-api03-", "abcdEFGHijklMNOPqrst1234"],
    ["ghp_", "abcdefghijklmnopqrstuvwxyz0123456789"],
    ["AKIA", "IOSFODNN7EXAMPLE"],
    ["eyJhbGciOiJIUzI1NiJ9.", "eyJzdWIiOiIxMjM0In0.dozjgNryP4J3jVmNHl0w5N"],
  ].map((parts) => parts.join(""));
  const kept =
    "max_tokens: 4096, token: string, password: $PASSWORD, process.env.API_KEY2, monkey: banana12345, https://x.org:8080/a@b";
  const said = `${secrets.join(" ")} DB_PASSWORD=hunter2hunter2 postgres://me:s3cretpass@host/db Authorization: Bearer abc123def456ghi`;
  const input = JSON.stringify({ api_key: "zz11yy22xx33ww44" });
  const file = save("secrets.json", {
    messages: [
      { role: "user", content: said },
      {
        role: "assistant",
        content: kept,
        tool_calls: [{ id: "c", type: "function", function: { name: "f", arguments: input } }],
      },
      { role: "tool", tool_call_id: "c", content: `again ${secrets[0]}` },
    ],
  });
  const { stdout, stderr } = precis("compact", file, "--redact", "--keep", "9", "--window", "64k");
  const { messages } = JSON.parse(stdout);
  for (const secret of [...secrets, "hunter2", "s3cretpass", "abc123def456ghi", "zz11yy22"])
    assert.ok(!stdout.includes(secret), secret);
  assert.equal(messages[1].content, kept);
  const [name] = /\[redacted key 1\]/.exec(messages[0].content) ?? [];
  assert.equal(messages[2].content, `again ${name}`);
  assert.match(JSON.parse(messages[1].tool_calls[0].function.arguments).api_key, /^\[redacted value \d+\]$/);
  assert.match(stderr, /Replaced 9 keys or tokens/);
});
