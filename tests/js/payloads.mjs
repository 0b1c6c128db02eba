#!/usr/bin/env node
// node tests/js/payloads.mjs FILE…: reads recorded request bodies ({ request } or { shape, messages } a line) through the
// formats, and says what was not read, what did not come back unchanged, and what a forced compaction would have broken.
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
        one && Array.isArray(one.messages) && one.messages.every((message) => message && typeof message === "object"),
    );
}

function ofRequest({ repo, uri = "", request }) {
  if (!request || uri.includes("bedrock")) return null;
  if (request.contents) return { library: repo, shape: "gemini", messages: request.contents };
  if (request.input) return { library: repo, shape: "responses", messages: request.input };
  return { library: repo, shape: uri.includes("anthropic") ? "anthropic" : "openai", messages: request.messages };
}

/** What is wrong: `{ unknown: types of what was not read, changed, broken: what compactions at each message add }`. */
export function judge({ shape, messages }) {
  const format = formats[shape];
  const unknown = messages.flatMap((message) => unread(format, message));
  const compactor = createCompactor({ format, contextWindow: 1_000_000, maxOutputTokens: 1_000 });
  const call = { messages };
  const { view, changed } = compactor.commit(call, compactor.plan(call));
  const same = !changed && view.length === messages.length && view.every((message, i) => message === messages[i]);
  const broken = [];
  for (let end = 1; end <= messages.length; end++) broken.push(...added(format, messages.slice(0, end)));
  return { unknown, changed: !same, broken };
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
    value && typeof value === "object" ? String(value.type ?? Object.keys(value)) : typeof value;
  const nothing = () => {};
  format.read(message, {
    role: nothing,
    text: nothing,
    reasoning: nothing,
    call: nothing,
    result: nothing,
    media: nothing,
    opaque: (value) => found.push(name(value)),
  });
  return found;
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  for (const file of process.argv.slice(2)) {
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
