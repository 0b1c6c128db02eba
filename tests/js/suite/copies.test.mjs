// A copy that precis made stands for its original, whatever else looks like it: the same call twice gives the same view.
import { createCompactor } from "precis";
import { aiSdk, anthropic } from "precis/formats";
import { check } from "precis/testing";
import { deepEqual, equal, ok, test } from "./harness.mjs";
import { cases } from "./length.mjs";
import { random } from "./scenarios.mjs";

const picture = (seed) => btoa(String.fromCharCode(...Uint8Array.from({ length: 900 }, (_, at) => (at * seed) % 256)));

/** How each format writes a call and its result, with an image or without. The ids are the same for all. */
const formats = {
  aiSdk: [
    aiSdk,
    (text, image) => [
      { role: "assistant", content: [{ type: "tool-call", toolCallId: "call_0", toolName: "look", input: {} }] },
      {
        role: "tool",
        content: [
          {
            type: "tool-result",
            toolCallId: "call_0",
            toolName: "look",
            output: image
              ? {
                  type: "content",
                  value: [
                    { type: "text", text },
                    { type: "media", data: image, mediaType: "image/png" },
                  ],
                }
              : { type: "text", value: text },
          },
        ],
      },
    ],
  ],
  anthropic: [
    anthropic,
    (text, image) => [
      { role: "assistant", content: [{ type: "tool_use", id: "call_0", name: "look", input: {} }] },
      {
        role: "user",
        content: [
          {
            type: "tool_result",
            tool_use_id: "call_0",
            content: image
              ? [
                  { type: "text", text },
                  { type: "image", source: { type: "base64", media_type: "image/png", data: image } },
                ]
              : text,
          },
        ],
      },
    ],
  ],
};

const policies = [undefined, { look: { clip: 64 } }, { look: { clear: "first" } }];

for (const [name, [format, write]] of Object.entries(formats)) {
  for (const loads of [false, true]) {
    test(`${name}${loads ? ", loaded from where the state says" : ""}: the same call twice gives the same view`, async () => {
      for (let seed = 1; seed <= cases(12, 4); seed++) {
        const next = random(seed);
        const options = {
          format,
          contextWindow: 2_500,
          maxOutputTokens: 100,
          toolPolicy: policies[seed % policies.length],
        };
        const compactor = createCompactor({ ...options, summarize: async () => "- The work goes on." });
        const history = [{ role: "user", content: "Look at all of them." }];
        let state = null;
        for (let round = 0; round < 40; round++) {
          const text = `${round}: ${"a line of it; ".repeat(Math.floor(next() * 60))}`;
          history.push(...write(text, next() < 0.4 ? picture(round + 2) : null));
          if (next() < 0.2) history.push({ role: "user", content: `And then, ${round}?` });
          const from = loads ? (state?.checkpoints?.at(-1)?.from ?? 0) : 0;
          const call = { messages: history.slice(from), offset: from, state };
          const first = await compactor.beforeModel(call);
          equal(first.report.diverged, null, `seed ${seed}, round ${round}`);
          ok(!first.report.warnings.some(({ code }) => code === "outputs-changed"));
          if (!["tight", "infeasible"].includes(first.report.outcome)) {
            const again = await compactor.beforeModel({ ...call, state: first.state });
            equal(again.report.diverged, null, `again, seed ${seed}, round ${round}`);
            deepEqual(again.view, first.view, `again, seed ${seed}, round ${round}`);
            const stored = JSON.parse(JSON.stringify({ ...call, state: first.state }));
            const fresh = await createCompactor({ ...options, summarize: async () => "never" }).beforeModel(stored);
            deepEqual(fresh.view, first.view, `from storage, seed ${seed}, round ${round}`);
          }
          deepEqual(check(format, first.view), []);
          state = first.state;
        }
      }
    });
  }
}
