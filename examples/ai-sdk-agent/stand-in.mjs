// A model that needs no key: it lists the folder, reads a file or two, and answers.

/** `sdk`: the package that will call it. Version 6 speaks the third form of the provider's interface, version 7 the fourth. */
export function standIn(sdk) {
  return {
    specificationVersion: sdk === "ai6" ? "v3" : "v4",
    provider: "stand-in",
    modelId: "stand-in",
    supportedUrls: {},
    doGenerate: async ({ prompt }) => ({ ...answer(prompt), warnings: [] }),
    doStream: async ({ prompt }) => {
      const { content, finishReason, usage } = answer(prompt);
      const parts = [{ type: "stream-start", warnings: [] }];
      for (const [index, part] of content.entries()) {
        const id = String(index);
        if (part.type !== "text") parts.push(part);
        else {
          parts.push({ type: "text-start", id });
          for (const delta of part.text.split(/(?<= )/)) parts.push({ type: "text-delta", id, delta });
          parts.push({ type: "text-end", id });
        }
      }
      parts.push({ type: "finish", finishReason, usage });
      return { stream: ReadableStream.from(parts) };
    },
  };
}

function answer(prompt) {
  const content = [decide(prompt)];
  const reason = content[0].type === "tool-call" ? "tool-calls" : "stop";
  const input = Math.ceil(JSON.stringify(prompt).length / 4);
  const output = Math.ceil(JSON.stringify(content).length / 4);
  return {
    content,
    finishReason: { unified: reason, raw: reason },
    usage: {
      inputTokens: { total: input, noCache: input, cacheRead: 0, cacheWrite: 0 },
      outputTokens: { total: output, text: output, reasoning: 0 },
    },
  };
}

function decide(prompt) {
  const asked = prompt.findLastIndex(({ role }) => role === "user");
  const done = prompt.slice(asked).filter(({ role }) => role === "tool");
  const call = (toolName, input) => ({
    type: "tool-call",
    toolCallId: `call-${prompt.length}-${done.length}`,
    toolName,
    input: JSON.stringify(input),
  });
  if (!text(prompt[0]).startsWith("You answer questions"))
    return { type: "text", text: "The person asks about the files of a folder; several were read." };
  if (done.length === 0) return call("list", {});
  const names = JSON.stringify(done[0].content).match(/[\w-]+\.\w+/g) ?? [];
  const question = text(prompt[asked]);
  if (done.length < 3 && names.length > 0)
    return call("read", { name: names[(question.length + done.length) % names.length] });
  return { type: "text", text: `I read ${done.length - 1} files to answer “${question.slice(0, 60)}”.` };
}

const text = ({ content }) =>
  typeof content === "string" ? content : content.map((part) => part.text ?? "").join(" ");
