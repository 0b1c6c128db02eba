// Plays a recorded chat against a server: before each reply the history goes through a compactor, and what it returns is
// sent. What the server replies, signed by it, is the history of the next request.
import { anthropic, gemini, openaiChat, openaiResponses, strict } from "../../pkg/formats.js";
import { createCompactor } from "../../pkg/index.js";
import { clients } from "./clients.mjs";
import { createServer } from "./server.mjs";

const formats = { anthropic, gemini, openaiChat, openaiResponses };

/**
 * `name`: the provider's. `options`: those of the compactor. `summarize`: whether there is a model for summaries.
 * `given`: what the client's requests say besides (`model`, `thinking`, `dropBlock`, …). `usage`: whether the compactor
 * learns from what the server counted. `most`: requests, at most. `append`: the summary is asked for behind the chat itself.
 *
 * Resolves to `{ judged, appended, refusals, rungs, silent, infeasible }`: refusals as `{ request, rung, findings, body }`, the
 * steps of the ladder that requests took, and what the server did silently.
 */
export async function replay(
  session,
  name,
  {
    options = {},
    summarize = false,
    append = false,
    given = {},
    account,
    usage = true,
    most = Number.POSITIVE_INFINITY,
  } = {},
) {
  const client = clients[name];
  const server = createServer(name, account ? { account } : {});
  const model = given.model ?? client.model;
  const compactor = createCompactor({
    format: client.strict ? { ...formats[client.format], ...strict } : formats[client.format],
    ...((summarize || append) && {
      summarize: async ({ prompt, append }) => {
        if (append) judgeAppended(append);
        return `- notes of ${prompt.length} characters, made by a model`;
      },
    }),
    ...(append && { summaryRequest: "append", prefer: "summarize" }),
    ...options,
  });
  const { tools } = session;
  const system = client.inline ? undefined : session.system;
  let history = client.inline ? client.system(session.system) : [];
  const found = { judged: 0, appended: 0, refusals: [], rungs: {}, silent: 0, infeasible: 0 };
  let state = null;
  /** The request before this one. */
  let before = null;
  /** The chat as it was sent last, and one message behind it; what is new was not sent yet. */
  const judgeAppended = ({ messages, tools: declared }) => {
    const request = client.request(messages, { ...given, model, system, tools });
    const answer = server.answer(request, { text: "Notes." });
    found.appended += 1;
    const findings = answer.ok ? [] : answer.findings;
    const shared = Math.min(messages.length - 1, before?.length ?? 0);
    const isSame = JSON.stringify(messages.slice(0, shared)) === JSON.stringify(before?.slice(0, shared) ?? []);
    if (!isSame)
      findings.push({ rule: "prefix", source: "this test", text: "The prefix is not that of the last request." });
    if (JSON.stringify(declared) !== JSON.stringify(toolsOf(request)))
      findings.push({ rule: "tools", source: "this test", text: "The tools are not those of the chat." });
    if (findings.length > 0)
      found.refusals.push({ request: found.judged, rung: "append", findings, body: request.body });
  };
  const ask = async (turn) => {
    const beside = toolsOf(client.request([], { ...given, model, system, tools }));
    const call = { messages: history, state, model, ...(system && { system }), ...(beside && { tools: beside }) };
    const prepared = await compactor.beforeModel(call);
    const { view, report } = prepared;
    state = prepared.state;
    if (report.outcome === "infeasible") found.infeasible += 1;
    const { rung } = report;
    for (const taken of new Set(report.changes.map((change) => change.rung)))
      found.rungs[taken] = (found.rungs[taken] ?? 0) + 1;
    const request = client.request(view, { ...given, model, system, tools });
    before = view;
    const reply = replyOf(turn, found.judged);
    let answer = server.answer(request, reply);
    found.judged += 1;
    if (!answer.ok) {
      found.refusals.push({ request: found.judged - 1, rung, findings: answer.findings, body: request.body });
      // What comes after it is judged as if it had been accepted.
      answer = server.reply(request, reply);
    }
    found.silent += answer.notes.length;
    if (usage) state = compactor.afterModel(state, usageOf(answer.body), report.request);
    history = client.follow(history, client.kept ? client.kept(answer.entries) : answer.entries);
  };
  for (const turn of session.turns) {
    if (found.judged >= most) return found;
    if (turn.role === "assistant") await ask(turn);
    else history = client.follow(history, heard(client, turn));
  }
  if (session.turns.at(-1).role !== "assistant") await ask({ parts: [{ kind: "text", text: "Done." }] });
  return found;
}

const toolsOf = ({ body: { tools, toolConfig } }) => tools ?? toolConfig?.tools;
const usageOf = ({ usage, usageMetadata }) => usage ?? usageMetadata;
const textOf = ({ parts }) => parts.flatMap((part) => (part.kind === "text" ? [part.text] : [])).join("\n\n");

/** What people and tools say before the next reply. Nobody sends a message without anything in it. */
function heard(client, { role, parts }) {
  if (role === "system") return textOf({ parts }).trim() === "" ? [] : client.system(textOf({ parts }));
  const results = parts.filter(({ kind }) => kind === "result");
  const said = parts.filter((part) => part.kind === "media" || (part.kind === "text" && part.text.trim() !== ""));
  if (results.length > 0) return client.results(results, said);
  return said.length > 0 ? client.user(said) : [];
}

/** Every reply thinks aloud, so that there is something to bind. */
function replyOf({ parts }, number) {
  const thought = parts.flatMap((part) => (part.kind === "reasoning" ? [part.text] : [])).join("\n");
  const text = textOf({ parts });
  return {
    thought: thought.trim() === "" ? `Step ${number} is clear. `.repeat(20) : thought,
    text: text.trim() === "" ? null : text,
    calls: parts
      .filter(({ kind }) => kind === "call")
      .map(({ id, name, input }) => ({ id, name, input: isObject(input) ? input : { input } })),
  };
}

const isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value);
