// Gemini's generateContent.
export const gemini = {
  read: (url, headers, body) => {
    const [, model, method] = /models\/([^:]+):(\w+)/.exec(url) ?? [];
    return {
      headers,
      body: { model, ...body },
      stream: method === "streamGenerateContent",
      use: method === "countTokens" ? "count" : "answer",
    };
  },

  refusal: ({ text, status }) => ({ error: { code: status, message: text, status: "INVALID_ARGUMENT" } }),

  respond({ body, memory, use }, { thought, text, calls = [] }) {
    const tokens = Math.ceil(JSON.stringify(body.contents).length / 4);
    if (use === "count") return { body: { totalTokens: tokens }, entries: [], notes: [] };
    const sign = () => {
      const signature = Buffer.from(memory.next("thought ")).toString("base64");
      memory.note("thoughtSignature", signature, { backend: memory.account.name });
      return { thoughtSignature: signature };
    };
    const parts = [
      ...(thought ? [{ text: thought, thought: true }] : []),
      ...(text ? [{ text, ...(calls.length === 0 && sign()) }] : []),
      // Of parallel calls only the first one is signed.
      ...calls.map(({ id, name, input }, at) => ({
        functionCall: { ...(id && { id }), name, args: input },
        ...(at === 0 && sign()),
      })),
    ];
    const content = { role: "model", parts: parts.length > 0 ? parts : [{ text: "…" }] };
    const usageMetadata = { promptTokenCount: tokens, candidatesTokenCount: 10, totalTokenCount: tokens + 10 };
    return {
      body: { candidates: [{ content, finishReason: "STOP", index: 0 }], usageMetadata, modelVersion: body.model },
      entries: [content],
      notes: [],
    };
  },

  stream: (body) => `data: ${JSON.stringify(body)}\n\n`,
};
