// The program that every target runs: for each subpath a few calls, and what they gave as one short text. It is plain
// data from the engine, so every runtime must print the same as Node does here.

/** What a subpath's part imports, and its code: the body of an async function that returns plain data. */
const parts = {
  ".": {
    imports: { precis: ["createCompactor", "PrecisError", "summaryOf", "attributes"] },
    body: `
      const format = {
        read(message, reader) { reader.role(message.role); reader.text(message.text); },
        summary: (text) => ({ role: "user", text }),
        replace: (message, index, text) => ({ ...message, text }),
      };
      // Built at run time: what a bundler makes of such letters in a program is not the question here.
      const beyond = [8230, 28450, 23383].map((code) => String.fromCharCode(code)).join("");
      const messages = Array.from({ length: 40 }, (_, i) => ({ role: i % 2 ? "assistant" : "user", text: "message " + i + " " + beyond + " " + "word ".repeat(40) }));
      const compactor = createCompactor({ format, contextWindow: 3_000, maxOutputTokens: 200, summarize: async () => "- a summary" });
      const { view, state, report } = await compactor.beforeModel({ messages });
      let refused;
      try { compactor.usage({ messages: "none" }); } catch (error) { refused = [error instanceof PrecisError, error.code]; }
      return { view, state, summary: summaryOf(state), told: attributes(report), refused };`,
  },
  "./formats": {
    imports: { precis: ["createCompactor as create"], "precis/formats": ["openaiChat", "anthropic"] },
    body: `
      const messages = Array.from({ length: 30 }, (_, i) => ({ role: i % 2 ? "assistant" : "user", content: "turn " + i + " " + "text ".repeat(60) }));
      const all = [];
      for (const format of [openaiChat, anthropic]) {
        const { view, state } = await create({ format, contextWindow: 2_500, maxOutputTokens: 200 }).beforeModel({ messages });
        all.push(view, state);
      }
      return all;`,
  },
  "./testing": {
    imports: { "precis/testing": ["scriptedSummarizer", "check"], "precis/formats": ["openaiChat as chat"] },
    body: `
      const script = scriptedSummarizer(["one"]);
      const answer = await script({ material: "" });
      return [answer, script.requests.length, check(chat, [{ role: "tool", tool_call_id: "lost", content: "" }])];`,
  },
  "./ai-sdk": {
    imports: { "precis/ai-sdk": ["compaction", "toDataPart", "summarizeWith"] },
    body: `
      const messages = Array.from({ length: 40 }, (_, i) => ({ role: i % 2 ? "assistant" : "user", content: [{ type: "text", text: "step " + i + " " + "words ".repeat(50) }] }));
      const told = [];
      const asked = [];
      const generateText = async (options) => { asked.push(Object.keys(options).sort()); return { text: "- a summary", finishReason: "stop", usage: {} }; };
      const run = compaction({ contextWindow: 3_000, maxOutputTokens: 200, summarize: summarizeWith(generateText, { model: "small" }) })
        .run({ state: null, onEvent: (event) => { if (event.type !== "progress") told.push(toDataPart(event)); } });
      const prepared = await run.prepareStep({ messages, steps: [], stepNumber: 0 });
      run.onStepFinish({ usage: { inputTokens: 1_500, outputTokens: 20 } });
      return { prepared, state: run.state, usage: run.usage, told, asked };`,
  },
  "./langchain": chatOf("precis/langchain", "langchain", '{ type: i % 2 ? "ai" : "human", content: text }'),
  "./openai-agents": chatOf("precis/openai-agents", "openaiAgents", '{ type: "message", role: "user", content: text }'),
  "./tanstack": chatOf("precis/tanstack", "tanstack", '{ role: i % 2 ? "assistant" : "user", content: text }'),
  "./pi": {
    imports: { "precis/pi": ["compaction as piCompaction"] },
    body: `
      const messages = Array.from({ length: 41 }, (_, i) => ({ role: i % 2 ? "assistant" : "user", content: [{ type: "text", text: "turn " + i + " " + "words ".repeat(50) }], timestamp: i }));
      const chat = piCompaction({ contextWindow: 3_000, maxOutputTokens: 200, summarize: async () => "- a summary" });
      const view = await chat.transformContext(messages);
      return { view, state: chat.state };`,
  },
  "./mastra": {
    imports: { "precis/mastra": ["compactionProcessor"] },
    body: `
      const prompt = Array.from({ length: 41 }, (_, i) => ({ role: i % 2 ? "assistant" : "user", content: [{ type: "text", text: "turn " + i + " " + "words ".repeat(50) }] }));
      const processor = compactionProcessor({ contextWindow: 3_000, maxOutputTokens: 200 });
      return [processor.id, await processor.processLLMRequest({ prompt, model: { modelId: "small" }, state: {} })];`,
  },
  "./seal": {
    imports: { "precis/seal": ["openState", "sealState"] },
    body: `
      const key = "a".repeat(64);
      const state = { version: 1, revision: 3 };
      return await openState(await sealState(state, key, "chat"), key, "chat");`,
  },
  "./otel": {
    imports: { "precis/otel": ["otelEvents"] },
    body: `
      const noted = [];
      const span = { setAttributes: (given) => noted.push(Object.keys(given).sort()), end: () => noted.push("end"), recordException() {}, setStatus() {}, addEvent() {} };
      const listen = otelEvents({ tracer: { startSpan: (name) => { noted.push(name); return span; } } });
      listen({ type: "start", id: "one", reason: "size", before: { tokens: 1 } });
      return noted;`,
  },
  "./stores": {
    imports: { "precis/stores": ["fromStorage"] },
    body: `
      const kept = new Map();
      const store = fromStorage({ getItem: (name) => kept.get(name) ?? null, setItem: (name, value) => { kept.set(name, value); } });
      await store.save("main:chat", { version: 1, revision: 3 }, null);
      return [[...kept.keys()], await store.load("main:chat"), await store.load("main:other")];`,
  },
  "./models": {
    imports: { "precis/models": ["auto", "limitsOf"] },
    body: `return [limitsOf("openai/gpt-5.6"), limitsOf("nobody-knows"), Object.keys(auto()).sort()];`,
  },
  "./offload": {
    imports: { "precis/offload": ["readResultDefinition"] },
    body: `return readResultDefinition;`,
  },
  "./native": {
    imports: {
      "precis/native": ["anthropicCompaction", "openaiCompaction"],
      precis: ["createCompactor as compactorOf"],
      "precis/formats": ["anthropic as claude", "openaiResponses"],
    },
    body: `
      const text = (i) => "turn " + i + " " + "words ".repeat(50);
      const all = [];
      const block = { type: "compaction", content: "- a summary of all turns", signature: "signed" };
      const client = { beta: { messages: { create: async () => ({ stop_reason: "compaction", content: [block], usage: {} }) } } };
      const item = { type: "compaction", id: "cmp_1", encrypted_content: "gAAA" };
      const responses = { create: async () => ({ status: "completed", output: [item] }) };
      for (const [format, summarize] of [[claude, anthropicCompaction(client)], [openaiResponses, openaiCompaction({ responses })]]) {
        const messages = Array.from({ length: 41 }, (_, i) => ({ role: i % 2 ? "assistant" : "user", content: text(i) }));
        const compactor = compactorOf({ format, contextWindow: 3_000, maxOutputTokens: 200, summarize, summarizer: { contextWindow: 100_000 } });
        const { view, state } = await compactor.beforeModel({ messages, model: "a-model" });
        all.push(view, state);
      }
      return all;`,
  },
};

/** A chat in the format of a framework, which needs nothing of it. `message`: one of a `text`, number `i`. */
function chatOf(from, format, message) {
  return {
    imports: { precis: [`createCompactor as ${format}Compactor`], [from]: [format] },
    body: `
      const messages = Array.from({ length: 41 }, (_, i) => { const text = "turn " + i + " " + "words ".repeat(50); return ${message}; });
      const { view, state } = await ${format}Compactor({ format: ${format}, contextWindow: 3_000, maxOutputTokens: 200 }).beforeModel({ messages });
      return { view, state };`,
  };
}

export const known = Object.keys(parts);

/** The program's text as a module that exports `results()`, an object of one text for each subpath. */
export function program(subpaths, way = "import") {
  const imported = new Map();
  for (const { imports } of subpaths.map((path) => parts[path]))
    for (const [from, names] of Object.entries(imports)) imported.set(from, [...(imported.get(from) ?? []), ...names]);
  const lines = [...imported].map(([from, names]) => importing(from, [...new Set(names)], way));
  const bodies = subpaths.map((path) => `${JSON.stringify(path)}: async () => {${parts[path].body}\n}`);
  return `${lines.join("\n")}
const parts = { ${bodies.join(",\n")} };
${way === "require" ? "exports.results = results;" : "export { results };"}
async function results() {
  const said = {};
  for (const [path, run] of Object.entries(parts)) said[path] = print(JSON.stringify(await run(), present));
  return said;
}
// What a program asks for and is not there would be left out without a word.
function present(key, value) {
  if (value === undefined) throw new Error(key + " is undefined");
  return value;
}
function print(text) {
  let sum = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) sum = Math.imul(sum ^ text.charCodeAt(i), 0x01000193) >>> 0;
  return text.length + " characters, " + sum.toString(16);
}
`;
}

function importing(from, names, way) {
  const whole = names.find((name) => name.startsWith("* as "));
  if (way === "import") return `import ${whole ?? `{ ${names.join(", ")} }`} from "${from}";`;
  const target = whole ? whole.slice(5) : `{ ${names.map((name) => name.replace(" as ", ": ")).join(", ")} }`;
  return `const ${target} = require("${from}");`;
}
