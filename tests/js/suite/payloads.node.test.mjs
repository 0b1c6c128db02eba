// Requests that client libraries really sent, one of each structure: read, left alone, and legal after any compaction.
import { deepEqual, equal, ok, throws } from "node:assert/strict";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { answers, conversations, expected, judge, reported } from "../payloads.mjs";

/** What no format reads: pieces of a provider's own that come back as they are. */
const LEFT_ALONE = new Set([
  "additional_tools",
  "bash_code_execution_result",
  "codeExecutionResult",
  "document_url",
  "executableCode,thoughtSignature",
  "search_result",
  "string", // encrypted reasoning, and documents that are text
  "tool_addition",
  "tool_reference",
  "tool_search_call",
  "tool_search_output",
  "tool_search_tool_search_result",
  "videoMetadata",
  "web_search_call",
]);
/** Shapes of other APIs that were sent to the same addresses. */
const FOREIGN = new Set(["text", "image", "document"]);

const file = fileURLToPath(new URL("../../fixtures/payloads/requests.ndjson", import.meta.url));

/** Amazon Bedrock's Converse API was recorded at addresses of Anthropic's models: no part of it names a `type`. */
const isConverse = ({ messages }) =>
  messages.every(({ content }) => Array.isArray(content) && content.every((part) => !("type" in part)));

test("both conversations in the shape of Bedrock's Converse API are among them", () => {
  const anthropic = conversations(file).filter(({ shape }) => shape === "anthropic");
  equal(anthropic.filter(isConverse).length, 2);
});

for (const [number, one] of conversations(file).entries()) {
  test(`payload ${number}, ${one.shape} of ${one.library}`, () => {
    if (one.shape === "anthropic" && isConverse(one)) {
      throws(() => judge(one), { code: "wrong-format", message: /Converse/ });
      return;
    }
    const { unknown, changed, broken } = judge(one);
    deepEqual(
      unknown.filter((type) => !LEFT_ALONE.has(type) && !FOREIGN.has(type)),
      [],
    );
    ok(!changed, "what has nothing to do comes back as it is");
    deepEqual(broken, []);
  });
}

const pairs = fileURLToPath(new URL("../../fixtures/provider-pairs/requests.jsonl", import.meta.url));

test("usage that providers really reported is read whole", () => {
  const all = answers(pairs);
  ok(all.length >= 18);
  for (const [number, answer] of all.entries()) equal(reported(answer), expected(answer), `line ${number}`);
  ok(all.every((answer) => expected(answer) > 0));
});
