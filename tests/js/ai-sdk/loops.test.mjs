// Long tool loops through each version of the AI SDK.
import { deepEqual, equal, notEqual, ok } from "node:assert/strict";
import { test } from "node:test";
import { compaction, summarizeWith } from "precis/ai-sdk";
import { z } from "zod";
import { faults, OVERHEAD, projected, scripted, sdks, tokensOf, ways } from "./sdks.mjs";

const WINDOW = 6_000;
const REPLY = 500;
const STEPS = 60;
const SUMMARY = "- files 1 to 20 were read; none of them mentions the invoice";

const tools = (sdk) => ({
  read: sdk.ai.tool({
    description: "Reads a file",
    inputSchema: z.object({ path: z.string() }),
    execute: async ({ path }) => `${path}: ${"the quick brown fox jumps over the lazy dog. ".repeat(8)}`,
  }),
});

/** Reads a file, or two at once, in each step, and says something in the end. */
const reading =
  (steps, calls = 1) =>
  (_, n) =>
    n < steps - 1
      ? {
          content: [
            { type: "text", text: `Step ${n}: I look into the next file.` },
            ...Array.from({ length: calls }, (_, i) => ({
              type: "tool-call",
              toolCallId: `call-${n}-${i}`,
              toolName: "read",
              input: { path: `src/file-${n}-${i}.ts` },
            })),
          ],
        }
      : { content: [{ type: "text", text: "Nothing was found." }] };

async function loop(sdk, way, { calls = 1, steps = STEPS, run: bound = {}, ...more } = {}) {
  const big = scripted(sdk, reading(steps, calls));
  const small = scripted(sdk, () => ({ content: [{ type: "text", text: SUMMARY }] }));
  const c = compaction({
    contextWindow: WINDOW,
    maxOutputTokens: REPLY,
    summarize: summarizeWith(sdk.ai.generateText, { model: small.model }),
    ...more,
  });
  const own = tools(sdk);
  const run = c.run({ tools: own, system: "You search files.", ...bound });
  const result = await ways[way](sdk, {
    model: big.model,
    system: "You search files.",
    messages: [{ role: "user", content: "Which file mentions the invoice 4711?" }],
    tools: own,
    maxOutputTokens: REPLY,
    stopWhen: sdk.stepCountIs(steps),
    prepareStep: run.prepareStep,
    onStepFinish: run.onStepFinish,
  });
  return { result, run, requests: big.requests, summaries: small.requests };
}

function sound(requests) {
  for (const { prompt, at, maxOutputTokens } of requests) {
    deepEqual(faults(prompt), [], `request ${at}`);
    const tokens = tokensOf(prompt) + OVERHEAD;
    ok(tokens + (maxOutputTokens ?? REPLY) <= WINDOW, `request ${at}: ${tokens} + ${maxOutputTokens} of ${WINDOW}`);
  }
}

for (const sdk of sdks) {
  for (const way of Object.keys(ways)) {
    for (const calls of [1, 3]) {
      test(`${sdk.name}, ${way}: 60 steps of ${calls} call(s) fit, are legal, and nothing is lost`, async () => {
        const { result, run, requests, summaries } = await loop(sdk, way, { calls });
        equal(requests.length, STEPS);
        sound(requests);
        equal(result.text, "Nothing was found.");
        equal(result.steps.length, STEPS);
        ok(summaries.length > 0, "nothing was summarized");
        ok(summaries.length < STEPS / 5, `${summaries.length} summaries`);
        equal(run.reports.length, STEPS);
        ok(run.reports.every(({ outcome }) => outcome !== "infeasible"));
        ok(run.reports.every(({ diverged }) => diverged === null));
        for (const { warnings } of run.reports) deepEqual(warnings, []);
        // Declared with zod, and counted all the same.
        ok(run.usage.parts.tools > 20, `${run.usage.parts.tools}`);
        ok(run.usage.fraction > 0 && run.usage.fraction < 1);
        equal(run.usage.source, "reported");
      });
    }
  }
}

test("the same script gives the same prompts in every version and both ways", async () => {
  const [first, ...others] = await Promise.all(
    sdks.flatMap((sdk) => Object.keys(ways).map(async (way) => (await loop(sdk, way, { calls: 2 })).requests)),
  );
  for (const requests of others)
    deepEqual(
      requests.map(({ prompt }) => projected(prompt)),
      first.map(({ prompt }) => projected(prompt)),
    );
  ok(others.length >= sdks.length * 2 - 1);
});

for (const sdk of sdks) {
  test(`${sdk.name}: what is compacted stays compacted, byte for byte, until the next compaction`, async () => {
    const { requests, run } = await loop(sdk, "generateText");
    let kept = 0;
    for (let i = 1; i < requests.length; i++) {
      if (run.reports[i].firstChanged !== null) continue;
      const before = projected(requests[i - 1].prompt);
      deepEqual(projected(requests[i].prompt).slice(0, before.length), before, `request ${i}`);
      kept += 1;
    }
    ok(kept > STEPS / 2, `${kept}`);
    ok(requests.some(({ prompt }) => JSON.stringify(prompt).includes("none of them mentions the invoice")));
  });

  test(`${sdk.name}: when nothing has to be done, nothing is answered and the prompt is the SDK's own`, async () => {
    const answers = [];
    const big = scripted(sdk, reading(3));
    const c = compaction({ contextWindow: 1_000_000, maxOutputTokens: REPLY });
    await sdk.ai.generateText({
      model: big.model,
      prompt: "Which file?",
      tools: tools(sdk),
      stopWhen: sdk.stepCountIs(3),
      prepareStep: async (step) => {
        const answer = await c.prepareStep(step);
        answers.push(answer);
        return answer;
      },
    });
    deepEqual(answers, [undefined, undefined, undefined]);
  });

  test(`${sdk.name}: a cut-off summary is never stored`, async () => {
    const half = scripted(sdk, () => ({ content: [{ type: "text", text: "- the invoice is in" }], finish: "length" }));
    const { run, requests } = await loop(sdk, "generateText", {
      summarize: summarizeWith(sdk.ai.generateText, { model: half.model }),
    });
    sound(requests);
    ok(half.requests.length > 0);
    ok(run.reports.some(({ rung }) => rung === "digest"));
    ok(!JSON.stringify(run.state).includes("the invoice is in"));
    notEqual(run.state, null);
  });
}
