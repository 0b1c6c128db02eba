// Agents that write their calls as text: recorded, their steps read as calls and results, and what is no step as it is.
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { pathToFileURL } from "node:url";
import { at } from "../../../js/scripts/common.mjs";
import { program } from "../../../js/scripts/demo.mjs";

const { load } = await import(pathToFileURL(await program("files")).href);
const folder = mkdtempSync(join(tmpdir(), "precis-prose-"));
after(() => rmSync(folder, { recursive: true }));

const fixture = (name) => at("tests/fixtures", name);
const recorded = (file) => load([fixture(file)], (reason) => assert.fail(reason));

function read(name, value) {
  const file = join(folder, name);
  writeFileSync(file, JSON.stringify(value));
  const found = load([file], (reason) => assert.fail(reason));
  assert.equal(found.length, 1);
  return found[0];
}

const text = (words) => ({ type: "text", text: words });
const callsOf = ({ tool_calls = [] }) =>
  tool_calls.map(({ function: { name, arguments: input } }) => [name, JSON.parse(input)]);

/** Every call is answered by the messages behind it, in its order, and nothing is answered that was not called. */
function assertPaired(messages) {
  let open = [];
  for (const { role, tool_calls = [], tool_call_id } of messages) {
    if (role === "tool") assert.equal(tool_call_id, open.shift());
    else {
      assert.deepEqual(open, []);
      open = tool_calls.map(({ id }) => id);
    }
  }
  assert.deepEqual(open, []);
}

test("SWE-agent: each command is a call of bash, and what followed it its result; the last was not answered", () => {
  const file = "swe-agent/crypto-eps.traj";
  const { history } = JSON.parse(readFileSync(fixture(file), "utf8"));
  const [{ messages }] = recorded(file);
  assertPaired(messages);
  const answered = history.filter(({ role }) => role === "assistant").length - 1;
  assert.equal(messages.filter(({ role }) => role === "tool").length, answered);
  assert.equal(messages.length, history.length);
  assert.deepEqual(
    messages
      .flatMap((message) => callsOf(message))
      .slice(0, 2)
      .map(([name, input]) => [name, Object.keys(input)]),
    [
      ["bash", ["command"]],
      ["bash", ["command"]],
    ],
  );
  // Nothing that was printed or run is lost or added.
  const outputs = history.slice(3).filter(({ role }) => role === "user");
  assert.deepEqual(
    messages.filter(({ role }) => role === "tool").map(({ content }) => content),
    outputs.map(({ content }) => content),
  );
  for (const [index, message] of messages.entries())
    for (const [, { command }] of callsOf(message)) assert.ok(history[index].content.includes(command));
  assert.match(messages.at(-1).content, /```\nsubmit/);
  assert.deepEqual(
    messages.filter(({ role }) => role === "user").map(({ content }) => content),
    [history[1].content],
  );
});

test("SWE-agent: steps of a trajectory, with the action as it was recorded", () => {
  const trajectory = [
    { response: "I look.\n<command>\nls\n</command>", thought: "I look.", action: "ls", observation: "a.py\n" },
    { response: "I say what I do.", action: "open a.py", observation: "" },
    { response: "Done.\n```\nsubmit\n```", action: "submit\n", observation: "" },
  ];
  const { messages } = read("run.traj", { trajectory });
  assertPaired(messages);
  assert.deepEqual(
    messages.map(({ role, content }) => [role, content]),
    [
      ["assistant", "I look."],
      ["tool", "a.py\n"],
      ["assistant", "I say what I do."],
      ["tool", ""],
      ["assistant", "Done."],
      ["tool", ""],
    ],
  );
  assert.deepEqual(messages.flatMap(callsOf), [
    ["bash", { command: "ls" }],
    ["bash", { command: "open a.py" }],
    ["bash", { command: "submit" }],
  ]);
});

test("mini-swe-agent: a list of messages; a reply that was refused, and the last command, stay text", () => {
  const file = "mini-swe-agent/github_issue.traj.json";
  const all = JSON.parse(readFileSync(fixture(file), "utf8"));
  const [{ messages }] = recorded(file);
  assertPaired(messages);
  const outputs = all.filter(({ role, content }) => role === "user" && content.startsWith("<returncode>"));
  assert.ok(outputs.length > 5);
  assert.deepEqual(
    messages.filter(({ role }) => role === "tool").map(({ content }) => content),
    outputs.map(({ content }) => content),
  );
  const two = [
    { role: "user", content: "Fix it." },
    { role: "assistant", content: "Both:\n```bash\nls\n```\n```bash\npwd\n```" },
    { role: "user", content: "Please always provide EXACTLY ONE action." },
    { role: "assistant", content: "One:\n```bash\nls\n```" },
    { role: "user", content: "Stop, I do that myself." },
    { role: "assistant", content: "Again:\n```bash\nls\n```" },
    { role: "user", content: "<returncode>0</returncode>\n<output>\na.py\n</output>" },
  ];
  const found = read("two.json", two).messages;
  assert.deepEqual(found.slice(0, 5), two.slice(0, 5));
  assert.deepEqual(callsOf(found[5]), [["bash", { command: "ls" }]]);
  assert.deepEqual([found[5].content, found[6].role], ["Again:", "tool"]);
});

test("OpenHands: function calls of a model without native ones; the manual goes, the task and the tools stay", () => {
  const file = "openhands/without-native-calls.json";
  const log = JSON.parse(readFileSync(fixture(file), "utf8"));
  const [{ messages, tools, usageAfter }] = recorded(file);
  assertPaired(messages.slice(0, -1));
  assert.deepEqual(tools, log.tools);
  assert.deepEqual(
    messages.map(({ role }) => role).join(" "),
    "system user assistant tool assistant tool assistant tool assistant",
  );
  assert.doesNotMatch(JSON.stringify(messages), /<function=|EXECUTION RESULT|BEGIN FUNCTION/);
  assert.equal(
    messages[1].content,
    "Hello! Can you create a new Python file named hello.py that prints 'Hello, World!'?",
  );
  assert.deepEqual(callsOf(messages[2]), [["terminal", { command: "pwd && ls -la", security_risk: "LOW" }]]);
  assert.equal(
    messages[2].content.split(". ").at(-1),
    "Let me first check the current directory and then create the file.",
  );
  assert.match(messages[5].content, /^Here's the result of running `cat -n`/);
  // The provider counted the manual.
  assert.equal(usageAfter.size, 0);
});

test("OpenHands: parameters have the types that their tool declares", () => {
  const parameters = { properties: { path: { type: "string" }, view_range: { type: "array" } } };
  const call = "<function=view>\n<parameter=path>7</parameter>\n<parameter=view_range>[1, 9]</parameter>\n</function>";
  const { messages } = read("types.json", {
    tools: [{ type: "function", function: { name: "view", parameters } }],
    messages: [
      { role: "user", content: "Look." },
      { role: "assistant", content: `I look.\n\n${call}` },
      { role: "user", content: "EXECUTION RESULT of [view]:\nseven" },
      { role: "assistant", content: call },
      { role: "user", content: "EXECUTION RESULT of [other]:\nseven" },
    ],
  });
  assert.deepEqual(callsOf(messages[1]), [["view", { path: "7", view_range: [1, 9] }]]);
  assert.equal(messages[2].content, "seven");
  assert.equal(messages[3].content, call, "a result of another tool is none of this call");
});

test("aider: the edits that were applied are calls by file, those that failed are text, what was typed is a person's", () => {
  const chats = recorded("aider/chat-history.md");
  const printed = readFileSync(fixture("aider/chat-history.md"), "utf8");
  assert.deepEqual(
    chats.map(({ shape }) => shape),
    ["aider", "aider", "aider"],
  );
  for (const { messages } of chats) assertPaired(messages);
  const calls = chats.flatMap(({ messages }) => messages.flatMap(callsOf));
  assert.equal(calls.length, printed.match(/^> Applied edit to /gm).length);
  for (const [name, { path, edits }] of calls) {
    assert.equal(name, "edit");
    assert.ok(printed.includes(`> Applied edit to ${path}`));
    for (const { search, replace } of edits) assert.ok(printed.includes(`${search}=======\n${replace}>>>>>>> REPLACE`));
  }
  const said = chats.flatMap(({ messages }) => messages);
  assert.match(said.find(({ role }) => role === "tool").content, /^Applied edit to aider\/utils\.py$/m);
  assert.ok(
    said.some(({ role, content }) => role === "assistant" && /<<<<<<< SEARCH/.test(content ?? "")),
    "what failed",
  );
  assert.ok(
    said.some(
      ({ role, content }) => role === "user" && content === "Use the Spinner instead of the inlined custom spinner",
    ),
  );
});

/** As Cline's api_conversation_history.json keeps it. */
const ENVIRONMENT = "<environment_details>\n# Current Mode\nACT MODE\n</environment_details>";
const cline = (...messages) => read("api_conversation_history.json", messages).messages;
const user = (...texts) => ({ role: "user", content: texts.map(text) });
const assistant = (...texts) => ({ role: "assistant", content: texts.map(text) });

test("Cline: an element that a result names is a call; values keep their tags; what surrounds it stays the user's", () => {
  const page = "<html>\n<content>\n</content>\n<p>Hi</p>\n</html>";
  const messages = cline(
    user("<task>\nWrite a page.\n</task>", ENVIRONMENT),
    assistant(`I write it.\n\n<write_to_file>\n<path>a.html</path>\n<content>\n${page}\n</content>\n</write_to_file>`),
    user("[write_to_file for 'a.html'] Result:", "The content was saved.", ENVIRONMENT),
    assistant("Shall I\n<b>go</b> on?\n<ask_followup_question>\n<question>On?</question>\n</ask_followup_question>"),
    user("[ask_followup_question for 'On?\nReally?'] Result:\n<answer>\nOnly with a title.\n</answer>", ENVIRONMENT),
    assistant("<execute_command>\n<command>rm a.html</command>\n</execute_command>"),
    user("[TASK RESUMPTION] This task was interrupted."),
  );
  assert.deepEqual(
    messages.map(({ role }) => role),
    ["user", "assistant", "tool", "user", "assistant", "tool", "user", "assistant", "user"],
  );
  assertPaired(messages);
  assert.deepEqual(callsOf(messages[1]), [["write_to_file", { path: "a.html", content: page }]]);
  assert.equal(messages[1].content, "I write it.");
  assert.equal(messages[2].content, "The content was saved.");
  assert.deepEqual(messages[3], { role: "user", content: ENVIRONMENT });
  assert.equal(messages[4].content, "Shall I\n<b>go</b> on?");
  assert.match(messages[6].content, /^<answer>\nOnly with a title\.\n<\/answer>\n/);
  assert.match(messages[7].content[0].text, /^<execute_command>/);
});

test("Cline: results in text of calls that are native answer them", () => {
  const use = (id, name) => ({ type: "tool_use", id, name, input: {} });
  const messages = cline(
    user("<task>\nLook.\n</task>"),
    { role: "assistant", content: [text("I look."), use("a", "list_files"), use("b", "read_file")] },
    user("[list_files for '.'] Result:\nx.md", "[read_file for 'x.md'] Result:\n[1] Result:\nof it", ENVIRONMENT),
    { role: "assistant", content: [use("c", "execute_command")] },
    user("[TASK RESUMPTION] This task was interrupted."),
  );
  assert.deepEqual(messages[2].content, [
    { type: "tool_result", tool_use_id: "a", content: "x.md" },
    { type: "tool_result", tool_use_id: "b", content: "[1] Result:\nof it" },
    text(ENVIRONMENT),
  ]);
  assert.equal(messages[4].content[0].type, "text", "nothing is made up for a call that nobody answered");
});

test("a chat that only talks about calls stays as it is", () => {
  const messages = [
    { role: "user", content: "How do I list files?" },
    { role: "assistant", content: "Like this:\n```bash\nls\n```" },
    { role: "user", content: "And <function=x>?" },
    { role: "assistant", content: "<function=x>\n</function>" },
    { role: "user", content: "[x] Result: nothing" },
  ];
  assert.deepEqual(read("talk.json", { messages }).messages, messages);
});

test("usage stays with the replies that it was reported for", () => {
  const usage = { prompt_tokens: 500, completion_tokens: 20 };
  const found = read("usage.json", [
    { role: "user", content: "Hello" },
    { role: "assistant", content: "Hello!", usage },
    { role: "user", content: "List files." },
    { role: "assistant", content: "```bash\nls\n```", usage },
    { role: "user", content: "<returncode>0</returncode>\na.py" },
    { role: "assistant", content: "One file.", usage },
  ]);
  assert.deepEqual([...found.usageAfter.keys()], [1, 3, 5]);
});
