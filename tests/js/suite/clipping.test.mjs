// What leaves a view without a summary: arguments and media, in every built-in format.
import { createCompactor } from "precis";
import { aiSdk, anthropic, openaiChat } from "precis/formats";
import { check } from "precis/testing";
import { deepEqual, equal, frozen, notEqual, ok, test } from "./harness.mjs";

const input = { path: "a.txt", edits: [{ at: 7, text: "a line of text\n".repeat(3_000) }], force: true };
const picture = "iVBORw0KGgo".padEnd(60_000, "A");

const shapes = {
  openaiChat: {
    format: openaiChat,
    call: {
      role: "assistant",
      content: null,
      tool_calls: [{ id: "c", type: "function", function: { name: "write", arguments: JSON.stringify(input) } }],
    },
    result: { role: "tool", tool_call_id: "c", content: "written" },
    sees: (text) => ({
      role: "user",
      content: [
        { type: "image_url", image_url: { url: `data:image/png;base64,${picture}` } },
        { type: "text", text },
      ],
    }),
    inputOf: (message) => JSON.parse(message.tool_calls[0].function.arguments),
  },
  anthropic: {
    format: anthropic,
    call: { role: "assistant", content: [{ type: "tool_use", id: "c", name: "write", input }] },
    result: { role: "user", content: [{ type: "tool_result", tool_use_id: "c", content: "written" }] },
    sees: (text) => ({
      role: "user",
      content: [
        { type: "image", source: { type: "base64", media_type: "image/png", data: picture } },
        { type: "text", text },
      ],
    }),
    inputOf: (message) => message.content[0].input,
  },
  aiSdk: {
    format: aiSdk,
    call: {
      role: "assistant",
      content: [{ type: "tool-call", toolCallId: "c", toolName: "write", input }],
    },
    result: {
      role: "tool",
      content: [
        { type: "tool-result", toolCallId: "c", toolName: "write", output: { type: "text", value: "written" } },
      ],
    },
    sees: (text) => ({
      role: "user",
      content: [
        { type: "file", data: picture, mediaType: "image/png", filename: "cat.png" },
        { type: "text", text },
      ],
    }),
    inputOf: (message) => message.content[0].input,
  },
};

const said = (role, content) => ({ role, content });

for (const [name, { format, call, result, sees, inputOf }] of Object.entries(shapes)) {
  const compactor = createCompactor({
    format,
    contextWindow: 16_000,
    maxOutputTokens: 1_000,
    tune: { tokens: { estimator: "bytes4" } },
  });

  test(`${name}: a long argument of an earlier turn is cut inside legal JSON`, async () => {
    const messages = frozen([said("user", "Write."), call, result, said("assistant", "Done."), said("user", "Now?")]);
    const { view, report, state } = await compactor.beforeModel({ messages });
    equal(report.rung, "clip");
    const cut = inputOf(view[1]);
    const { text } = cut.edits[0];
    deepEqual(cut, { ...input, edits: [{ at: 7, text }] });
    ok(text.length < 25_000 && text.includes(" characters left out here.]"), text.length);
    deepEqual(check(format, view), []);
    messages.forEach((message, at) => {
      if (at !== 1) equal(view[at], message);
    });
    // Equal states give the same objects.
    const again = await compactor.beforeModel({ messages, state });
    equal(again.view[1], view[1]);
    equal((await compactor.beforeModel({ messages: view, state })).view[1], view[1]);
  });

  test(`${name}: pictures of earlier turns are described, those of the active one stay`, async () => {
    const messages = frozen([
      sees("One?"),
      said("assistant", "A cat."),
      sees("Two?"),
      said("assistant", "A dog."),
      said("user", "Thanks."),
    ]);
    const { view, report } = await compactor.beforeModel({ messages });
    ok(report.outcome === "compacted", report.outcome);
    const [medium, text] = view[0].content;
    ok(/^\[Here was an image \(image\/png, .*45 kB\)\. /.test(medium.text), medium.text);
    equal(medium.type, "text");
    equal(text, messages[0].content[1]);
    deepEqual(check(format, view), []);
  });

  test(`${name}: a picture that alone is too large does not keep a request over the window`, async () => {
    const { view, report } = await createCompactor({
      format,
      contextWindow: 8_000,
      maxOutputTokens: 1_000,
      tune: { tokens: { estimator: "bytes4" } },
    }).beforeModel({ messages: frozen([sees("What is it?")]) });
    notEqual(report.outcome, "infeasible");
    equal(view[0].content[0].type, "text");
    equal(view[0].content[1].text, "What is it?");
  });
}
