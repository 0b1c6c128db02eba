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
};

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
