// node tests/js/cli/readers.mjs [--update]: the table of transcripts in tests/fixtures/README.md, and the samples in docs/cli.md.
// Every fixture of a reader is inspected, replayed at three windows, compacted and checked by the command line as it is
// published.
import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buildAny } from "../../../js/scripts/build.mjs";
import { at, main } from "../../../js/scripts/common.mjs";

const guide = at("docs/cli.md");
const readme = at("tests/fixtures/README.md");
const folder = "tests/fixtures/";
export const WINDOWS = [1_000, 4_000, 32_000];

/** Whose transcript it is, the file, and how many conversations it holds. Those of packages are in tests/fixtures/README.md. */
export const CASES = [
  ["Claude Code", "transcripts/claude-code.jsonl", "claude-code", 1],
  ["Claude Code, a sub-agent", "transcripts/claude-code-agent.jsonl", "claude-code", 1],
  ["Codex", "transcripts/codex.jsonl", "codex", 1],
  ["opencode, its storage", "transcripts/opencode", "opencode", 2],
  ["Gemini CLI, a document", "transcripts/gemini-cli.json", "gemini-cli", 1],
  ["Gemini CLI, lines", "transcripts/gemini-cli.jsonl", "gemini-cli", 1],
  ["Cline", "transcripts/cline.json", "anthropic", 1],
  ["Cline, compacted", "transcripts/cline-compaction.json", "anthropic", 1],
  ["Copilot CLI", "transcripts/copilot-cli.jsonl", "copilot-cli", 1],
  ["pi", "pi-session/refactoring.jsonl", "pi-session", 1],
  ["ChatGPT's export", "transcripts/chatgpt-tree.json", "chatgpt", 1],
  ["Claude.ai's export", "transcripts/claude-ai.json", "claude-ai", 1],
  ["Open WebUI", "transcripts/open-webui.json", "open-webui", 2],
  ["LibreChat, a tree", "transcripts/librechat-tree.json", "librechat", 1],
  ["LibreChat", "transcripts/librechat.json", "librechat", 1],
  ["ShareGPT", "transcripts/sharegpt.json", "sharegpt", 3],
  ["OpenAI fine-tuning", "transcripts/fine-tuning.jsonl", "openai-chat", 3],
  ["LangSmith", "transcripts/langsmith.json", "langsmith", 1],
  ["LangSmith, reasoning", "transcripts/langsmith-reasoning.json", "langsmith", 1],
  ["Langfuse, LangGraph", "transcripts/langfuse.json", "langfuse", 1],
  ["Langfuse, OpenAI Agents", "transcripts/langfuse-responses.json", "langfuse", 1],
  ["Langfuse, Google ADK", "transcripts/langfuse-gemini.json", "langfuse", 1],
  ["OpenTelemetry, Pydantic AI", "transcripts/opentelemetry-pydantic-ai.json", "opentelemetry", 1],
  ["OpenTelemetry, OpenAI Agents", "transcripts/opentelemetry-openai-agents.json", "opentelemetry", 2],
  ["OpenTelemetry, Google ADK", "transcripts/opentelemetry-adk.json", "opentelemetry", 1],
  ["AI SDK", "ai-sdk/airline.json", "ai-sdk", 1],
  ["SWE-agent", "swe-agent/crypto-eps.traj", "swe-agent", 1],
  ["mini-swe-agent", "mini-swe-agent/github_issue.traj.json", "openai-chat", 1],
  ["OpenHands", "openhands/without-native-calls.json", "openai-chat", 1],
  ["aider", "aider/chat-history.md", "aider", 3],
];

const grouped = (number) => number.toLocaleString("en-US");

/** What the commands said about each of them, or about some. */
export async function seen(cases = CASES) {
  await buildAny();
  const found = [];
  for (const [title, file, shape, conversations] of cases) {
    const path = folder + file;
    const [inspected, compacted, checked, replayed] = await Promise.all([
      precis("inspect", path, "--conversation", "1", "--json"),
      precis("compact", path, "--conversation", "1", "--json"),
      precis("check", path, "--json"),
      precis("replay", path, "--window", WINDOWS.join(), "--json"),
    ]);
    const [own] = inspected;
    const [compaction] = compacted;
    found.push({ title, file, shape, conversations, own, compaction, checked, replayed });
  }
  return found;
}

/** The JSON lines that a command prints. It may find something in a chat: it must not fail. */
async function precis(...args) {
  const child = spawn(process.execPath, [at("pkg/cli.js"), ...args], { cwd: at(".") });
  let out = "";
  let said = "";
  child.stdout.on("data", (chunk) => {
    out += chunk;
  });
  child.stderr.on("data", (chunk) => {
    said += chunk;
  });
  const code = await new Promise((done) => child.on("close", done));
  if (code !== 0 && code !== 1) throw new Error(`precis ${args.join(" ")} ended with ${code}: ${said}`);
  return out
    .trimEnd()
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line));
}

/** Faults of a replay: what must never happen, whatever the window. */
export const faultsOf = ({ overWindow, newestMissing, userMissing, invalid }) =>
  overWindow + newestMissing + userMissing + invalid;

function row({ title, file, own, compaction, checked }) {
  const { recorded } = own;
  const { before, after } = compaction.report;
  const refused = checked.reduce((sum, { problems }) => sum + problems.length, 0);
  const left = checked.reduce((sum, one) => sum + one.left, 0);
  const cells = [
    `${title} (\`${file}\`)`,
    grouped(own.messages),
    recorded === null ? "–" : `${grouped(recorded.prompt)} / ${grouped(recorded.estimate)}`,
    `${grouped(before.tokens)} → ${grouped(after.tokens)}`,
    refused === 0 ? "" : `${refused}, repaired ${refused - left}`,
  ];
  return `| ${cells.join(" | ")} |`;
}

/** The table of a page without what every change of the engine's texts may change: how much a compaction leaves. */
export const lasting = (page) =>
  (/<!-- readers -->([\s\S]*?)<!-- \/readers -->/.exec(page)?.[1] ?? "").replace(/ → [\d,]+ /g, " → … ");

/** The README of the fixtures, and as it should be. */
export function pages(all) {
  const text = readFileSync(readme, "utf8");
  const rows = [
    "| transcript | messages | recorded / estimated | compacted | refused |",
    "|---|--:|--:|--:|---|",
    ...all.map(row),
  ];
  const made = text.replace(
    /(<!-- readers -->\n)[\s\S]*?(<!-- \/readers -->)/,
    (_, before, after) => `${before}\n${rows.join("\n")}\n\n${after}`,
  );
  return { text, made };
}

/** A history that Mistral refuses: it holds the result of a call that is gone. */
const REFUSED = [
  { role: "assistant", content: "Welcome." },
  { role: "user", content: "List the files." },
  { role: "user", content: "Go on." },
  { role: "tool", tool_call_id: "abc123def", content: "done" },
];

/** What each sample shows: the command as a reader types it, run where its files are. */
const SAMPLES = {
  inspect: "precis demo --save session.jsonl && precis inspect session.jsonl --top 3",
  replay: "precis replay session.jsonl --compare --window 32k --prices 3,0.3,3.75,15",
  check: "npx precis check chat.json --provider mistral",
};

/** The guide with what the commands print today. */
export function withSamples(text) {
  const place = mkdtempSync(join(tmpdir(), "precis-samples-"));
  writeFileSync(join(place, "session.jsonl"), readFileSync(at("tests/fixtures/pi-session/refactoring.jsonl")));
  writeFileSync(join(place, "chat.json"), JSON.stringify(REFUSED));
  const made = Object.entries(SAMPLES).reduce((page, [name, command]) => {
    const args = command.split("precis ").at(-1).split(" ");
    const { stdout } = spawnSync(process.execPath, [at("pkg/cli.js"), ...args], { cwd: place, encoding: "utf8" });
    const shown = `\`\`\`\n$ ${command}\n${stdout.trim()}\n\`\`\``;
    return page.replace(
      new RegExp(`(<!-- sample ${name} -->\\n)[\\s\\S]*?(\\n<!-- /sample -->)`),
      (_, before, after) => before + shown + after,
    );
  }, text);
  rmSync(place, { recursive: true });
  return made;
}

main(import.meta.url, async (words) => {
  const { text, made } = pages(await seen());
  const shown = readFileSync(guide, "utf8");
  const samples = withSamples(shown);
  if (words.includes("--update")) {
    writeFileSync(readme, made);
    writeFileSync(guide, samples);
  } else if (text !== made || shown !== samples)
    throw new Error("the documents show other figures: node tests/js/cli/readers.mjs --update");
});
