#!/usr/bin/env node
// node tests/js/payloads.mjs FILE…: reads recorded request bodies ({ request } or { shape, messages } a line) through the
// formats, and says what was not read, what did not come back unchanged, and what a forced compaction would have broken.
// With --usage: reads what was reported with the answers ({ response } a line, one answer, or the events of a stream).
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { anthropic, gemini, openaiChat, openaiResponses } from "../../pkg/formats.js";
import { createCompactor } from "../../pkg/index.js";
import { check } from "../../pkg/testing.js";

const formats = { anthropic, gemini, openai: openaiChat, responses: openaiResponses };

/** Conversations of a file, as `{ library, shape, messages }`. */
export function conversations(file) {
  return readFileSync(file, "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line))
    .map((line) => (line.shape ? line : ofRequest(line)))
    .filter(
      (one) =>
        one &&
        Array.isArray(one.messages) &&
        one.messages.every((message) => message && typeof message === "object" && !Array.isArray(message)),
    );
}

/** Bedrock's own shape, Converse, is none of these; what it passes on to a model in that model's shape is. */
function ofRequest({ repo, uri = "", request }) {
  if (!request) return null;
  if (request.anthropic_version) return { library: repo, shape: "anthropic", messages: request.messages };
  if (uri.includes("bedrock") && !/\/(responses|completions)$/.test(uri)) return null;
  if (request.contents) return { library: repo, shape: "gemini", messages: request.contents };
  if (request.input) return { library: repo, shape: "responses", messages: request.input };
  return { library: repo, shape: uri.includes("anthropic") ? "anthropic" : "openai", messages: request.messages };
}

/** What is wrong: `{ unknown: types of what was not read, changed, broken: what compactions at each message add }`. */
export function judge({ shape, messages }) {
  const format = formats[shape];
  const unknown = messages.flatMap((message) => unread(format, message));
  // What was refused, or only recorded from a stand-in, may need repair; nothing else may change.
  const repairs = check(format, messages).length === 0 ? [true, false] : [false];
  const changed = repairs.some((repair) => {
    const compactor = createCompactor({ format, contextWindow: 1_000_000, maxOutputTokens: 1_000, repair });
    const call = { messages };
    const { view } = compactor.commit(call, compactor.plan(call));
    const expected = messages.slice(compactedBefore(messages));
    return view.length !== expected.length || view.some((message, i) => message !== expected[i]);
  });
  const broken = [];
  for (let end = 1; end <= messages.length; end++) broken.push(...added(format, messages.slice(0, end)));
  return { unknown, changed, broken };
}

/** Where a provider's own summary stands that can be read: what lies before it need not be sent again. */
function compactedBefore(messages) {
  const has = ({ content }) =>
    Array.isArray(content) && content.some(({ type, content }) => type === "compaction" && typeof content === "string");
  return Math.max(0, messages.findLastIndex(has));
}

/** Violations that a compaction of everything it may cover brings into these messages. */
function added(format, messages) {
  const compactor = createCompactor({ format, contextWindow: 400, maxOutputTokens: 50 });
  const call = { messages };
  const { view } = compactor.commit(call, compactor.plan(call));
  const known = check(format, messages).map(({ rule }) => rule);
  const found = check(format, view).filter(({ rule }) => {
    const at = known.indexOf(rule);
    if (at >= 0) known.splice(at, 1);
    return at < 0;
  });
  return found.map(({ rule, index }) => `${rule} at ${index} of ${view.length}, up to message ${messages.length}`);
}

function unread(format, message) {
  const found = [];
  const name = (value) =>
    Array.isArray(value) && value.length > 0
      ? name(value[0])
      : value && typeof value === "object"
        ? String(value.type ?? Object.keys(value))
        : typeof value;
  const nothing = () => {};
  format.read(message, {
    role: nothing,
    text: nothing,
    reasoning: nothing,
    call: nothing,
    result: nothing,
    speaker: nothing,
    media: nothing,
    document: nothing,
    approvalRequest: nothing,
    approvalResponse: nothing,
    compaction: nothing,
    opaque: (value) => found.push(name(value)),
  });
  return found;
}

/** What was reported in a file: the answers of a list of requests, one answer, or the events of one stream. */
export function answers(file) {
  const text = readFileSync(file, "utf8").trim();
  if (file.endsWith(".json")) return [JSON.parse(text)];
  const lines = text.split("\n").map((line) => JSON.parse(line));
  return file.endsWith(".jsonl") ? lines.map(({ response, usage }) => response ?? usage) : [lines];
}

const meter = createCompactor({ format: openaiChat, contextWindow: 10_000_000 });
const hello = { messages: [{ role: "user", content: "Hello." }] };
const { state: fresh } = meter.commit(hello, meter.plan(hello));

/** The prompt's tokens as the package reads them out of an answer; null if it does not believe them. */
export function reported(answer) {
  const state = meter.afterModel(fresh, answer);
  const { source, tokens } = meter.usage({ ...hello, state });
  return source === "reported" ? tokens : null;
}

/** The same by another way: the largest sum of a prompt's members that stands anywhere in the answer. */
export function expected(answer) {
  let most = null;
  const add = (...counts) => {
    const sum = counts.reduce((sum, count) => sum + (Number.isSafeInteger(count) ? count : 0), 0);
    if (sum > 0) most = Math.max(most ?? 0, sum);
  };
  const walk = (value) => {
    if (typeof value !== "object" || value === null) return;
    if ("prompt_tokens" in value) add(value.prompt_tokens);
    else if ("input_tokens" in value && typeof value.input_tokens === "number")
      add(value.input_tokens, value.cache_read_input_tokens, value.cache_creation_input_tokens);
    else if ("promptTokenCount" in value) add(value.promptTokenCount);
    else if ("inputTokens" in value) add(value.inputTokens, value.cacheReadInputTokens, value.cacheWriteInputTokens);
    for (const member of Object.values(value)) walk(member);
  };
  walk(answer);
  return most;
}

function printUsage(file) {
  const all = answers(file).map((answer) => ({ read: reported(answer), told: expected(answer) }));
  const other = all.filter(({ read, told }) => read !== told);
  console.log(
    JSON.stringify({
      file,
      answers: all.length,
      withUsage: all.filter(({ told }) => told !== null).length,
      alike: all.filter(({ read, told }) => told !== null && read === told).length,
      other: other.slice(0, 20),
    }),
  );
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  const [first, ...rest] = process.argv.slice(2);
  if (first === "--usage") rest.forEach(printUsage);
  else
    for (const file of [first, ...rest]) {
      const all = conversations(file);
      const judged = all.map((one) => ({ ...one, ...judge(one) }));
      const unknown = {};
      for (const type of judged.flatMap((one) => one.unknown)) unknown[type] = (unknown[type] ?? 0) + 1;
      const count = (test) => judged.filter(test).length;
      console.log(
        JSON.stringify({
          file,
          conversations: all.length,
          messages: all.reduce((sum, { messages }) => sum + messages.length, 0),
          changed: count((one) => one.changed),
          broken: count((one) => one.broken.length > 0),
          unknown,
          examples: judged.flatMap((one) => one.broken).slice(0, 3),
        }),
      );
    }
}
