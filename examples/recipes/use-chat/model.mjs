// Your models in place of these stand-ins, which need no network. The first says which question is the oldest that it was
// sent as it was typed, so that it can be seen in the page that the divider stands where it belongs.

const usage = (asked, text) => ({
  inputTokens: { total: Math.ceil(asked.length / 4) },
  outputTokens: { total: Math.ceil(text.length / 4) },
});

/** A model of the SDK's version 7 that says what `write` makes of the prompt. */
function standIn(write) {
  const say = (prompt) => {
    const asked = JSON.stringify(prompt);
    const text = write(asked);
    return { text, finishReason: { unified: "stop", raw: "stop" }, usage: usage(asked, text) };
  };
  return {
    specificationVersion: "v4",
    provider: "stand-in",
    modelId: "stand-in",
    supportedUrls: {},
    async doGenerate({ prompt }) {
      const { text, ...rest } = say(prompt);
      return { content: [{ type: "text", text }], warnings: [], ...rest };
    },
    async doStream({ prompt }) {
      const { text, ...rest } = say(prompt);
      const stream = new ReadableStream({
        start(controller) {
          controller.enqueue({ type: "stream-start", warnings: [] });
          controller.enqueue({ type: "text-start", id: "0" });
          for (const delta of text.split(/(?<= )/)) controller.enqueue({ type: "text-delta", id: "0", delta });
          controller.enqueue({ type: "text-end", id: "0" });
          controller.enqueue({ type: "finish", ...rest });
          controller.close();
        },
      });
      return { stream };
    },
  };
}

export const model = standIn((asked) => {
  // A message begins with it; a summary quotes it.
  const [, oldest] = asked.match(/"text":"(Question \d+)/) ?? [null, "none"];
  return `The oldest question that I was sent is ${oldest}. ${"It is a long story of ships and harbours. ".repeat(8)}`;
});

export const small = standIn(() => "- The person asks about books, one after the other.");
