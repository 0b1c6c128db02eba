// Two tenants whose chats ask the same and call the same, without ids or with the same ones: only what the tools returned
// differs. A state of one that is given to the other is another chat's.
import { createCompactor } from "precis";
import { aiSdk, anthropic, gemini, openaiChat, openaiResponses } from "precis/formats";
import { equal, notEqual, ok, test } from "./harness.mjs";

const LONG = "and so it went on for the rest of the day, as it always had. ".repeat(9);
const input = { path: "a.txt" };

/** A user's message, a call with its result, and an answer, in each form. */
const forms = {
  openaiChat: [
    openaiChat,
    (text) => [{ role: "user", content: text }],
    (output) => [
      {
        role: "assistant",
        content: null,
        tool_calls: [{ id: "call_0", type: "function", function: { name: "read", arguments: JSON.stringify(input) } }],
      },
      { role: "tool", tool_call_id: "call_0", content: output },
      { role: "assistant", content: "I have read it." },
    ],
  ],
  anthropic: [
    anthropic,
    (text) => [{ role: "user", content: text }],
    (output) => [
      { role: "assistant", content: [{ type: "tool_use", id: "call_0", name: "read", input }] },
      { role: "user", content: [{ type: "tool_result", tool_use_id: "call_0", content: output }] },
      { role: "assistant", content: [{ type: "text", text: "I have read it." }] },
    ],
  ],
  gemini: [
    gemini,
    (text) => [{ role: "user", parts: [{ text }] }],
    (output) => [
      { role: "model", parts: [{ functionCall: { name: "read", args: input } }] },
      { role: "user", parts: [{ functionResponse: { name: "read", response: { result: output } } }] },
      { role: "model", parts: [{ text: "I have read it." }] },
    ],
  ],
  aiSdk: [
    aiSdk,
    (text) => [{ role: "user", content: text }],
    (output) => [
      { role: "assistant", content: [{ type: "tool-call", toolCallId: "call_0", toolName: "read", input }] },
      {
        role: "tool",
        content: [
          { type: "tool-result", toolCallId: "call_0", toolName: "read", output: { type: "text", value: output } },
        ],
      },
      { role: "assistant", content: [{ type: "text", text: "I have read it." }] },
    ],
  ],
  openaiResponses: [
    openaiResponses,
    (text) => [{ type: "message", role: "user", content: text }],
    (output) => [
      { type: "function_call", call_id: "call_0", name: "read", arguments: JSON.stringify(input) },
      { type: "function_call_output", call_id: "call_0", output },
      { type: "message", role: "assistant", content: [{ type: "output_text", text: "I have read it." }] },
    ],
  ],
};

const summarize = async ({ prompt }) =>
  `- read so far: ${[...new Set(prompt.match(/\b(alder|birch)-\d+/g))].slice(-30).join(", ")}`;

for (const [name, [format, user, answered]] of Object.entries(forms))
  for (const asks of [true, false])
    test(`${name}${asks ? "" : ", without a summarizer"}: a state of another tenant's chat is not used`, async () => {
      const chatOf = (tenant, turns) => [
        ...Array.from({ length: turns }, (_, turn) => [
          ...user(`What is in file ${turn}?`),
          ...answered(`${tenant}-${turn} is the name; key=${tenant}${turn * 7919}. ${LONG}`),
        ]).flat(),
        ...user("Go on."),
      ];
      const compactor = createCompactor({
        format,
        contextWindow: 6_000,
        maxOutputTokens: 400,
        ...(asks && { summarize }),
      });
      const theirs = await compactor.beforeModel({ messages: chatOf("alder", 40) });
      notEqual(theirs.state.checkpoints ?? theirs.state.cleared, undefined);
      const own = chatOf("birch", 40);
      const { view, state, report } = await compactor.beforeModel({ messages: own, state: theirs.state });
      ok(!JSON.stringify(view).includes("alder"), "the view names what another tenant's tools returned");
      ok(!JSON.stringify(state).includes("alder"), "the state names what another tenant's tools returned");
      ok(JSON.stringify(view).includes("birch-"));
      notEqual(report.diverged, null);
      // What is its own goes on being used.
      const next = await compactor.beforeModel({ messages: own, state });
      equal(JSON.stringify(next.view), JSON.stringify(view));
      equal(next.report.diverged, null);
    });
