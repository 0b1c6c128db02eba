// An agent that reads the files of a folder and remembers its chat: node agent.mjs [FOLDER] [CHAT.json]
// Every line of the input is a turn. AI_SDK=ai6 takes version 6 of the SDK; the code is the same.
import { existsSync, readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { createInterface } from "node:readline";
import { compaction, summarizeWith } from "precis/ai-sdk";
import { z } from "zod";
import { standIn } from "./stand-in.mjs";

const sdk = process.env.AI_SDK ?? "ai";
const { gateway, generateText, stepCountIs, isStepCount = stepCountIs, streamText, tool } = await import(sdk);
const folder = resolve(process.argv[2] ?? ".");
const file = resolve(process.argv[3] ?? "chat.json");
const contextWindow = Number(process.env.CONTEXT_WINDOW ?? 16_000);
const maxOutputTokens = 1_000;
const system = "You answer questions about the files of a folder. Read before you answer.";

const real = process.env.AI_GATEWAY_API_KEY !== undefined;
const model = real ? gateway(process.env.MODEL ?? "openai/gpt-5.4-mini") : standIn(sdk);

const tools = {
  list: tool({
    description: "Names the files of the folder.",
    inputSchema: z.object({}),
    execute: async () =>
      readdirSync(folder, { withFileTypes: true }).flatMap((one) => (one.isFile() ? [one.name] : [])),
  }),
  read: tool({
    description: "Reads a file of the folder.",
    inputSchema: z.object({ name: z.string() }),
    execute: async ({ name }) => {
      const path = resolve(folder, name);
      if (relative(folder, path).startsWith("..")) return "That is outside of the folder.";
      return existsSync(path) ? readFileSync(path, "utf8") : "There is no such file.";
    },
  }),
};

const c = compaction({
  contextWindow,
  maxOutputTokens,
  summarize: summarizeWith(generateText, { model }),
  onReport: ({ outcome, rung, reason }) => {
    if (outcome !== "unchanged" && outcome !== "reused") console.error(`  [${outcome}, ${rung}: ${reason}]`);
  },
});

/** A file that was changed by hand is refused here, not by a provider ten turns later. */
const Chat = z.object({
  messages: z.array(z.looseObject({ role: z.enum(["user", "assistant", "tool"]), content: z.unknown() })),
  state: z.looseObject({ version: z.number(), revision: z.number() }).nullable(),
});
const Line = z.string().max(16_000, "A line may have 16,000 characters.");
const chat = existsSync(file) ? Chat.parse(JSON.parse(readFileSync(file, "utf8"))) : { messages: [], state: null };

for await (const line of createInterface({ input: process.stdin, prompt: "> " })) {
  if (line.trim() === "") continue;
  const { success, data, error } = Line.safeParse(line);
  if (success) await turn(data);
  else console.error(z.prettifyError(error));
}

async function turn(text) {
  chat.messages.push({ role: "user", content: text });
  save();
  const run = c.run({ state: chat.state, tools, system, maxOutputTokens });
  const result = streamText({
    model: run.model(model),
    // Version 6 has other names for two options.
    ...(sdk === "ai6"
      ? { system, onStepFinish: run.onStepFinish }
      : { instructions: system, onStepEnd: run.onStepEnd }),
    messages: chat.messages,
    tools,
    maxOutputTokens,
    stopWhen: isStepCount(20),
    prepareStep: run.prepareStep,
  });
  for await (const piece of result.textStream) process.stdout.write(piece);
  process.stdout.write("\n");
  // The messages are kept whole, the state beside them. What is sent is made from both, each time.
  const made = (await result.responseMessages) ?? (await result.response).messages;
  chat.messages.push(...made);
  chat.state = run.state;
  save();
  const { tokens, window, fraction } = run.usage;
  console.error(`  [${chat.messages.length} messages, ${tokens} of ${window} tokens, ${Math.round(100 * fraction)} %]`);
  // While the person reads: a summary now, if one will be needed soon.
  chat.state = await run.ahead();
  save();
}

/** All or nothing: a file that is half written is never the chat. */
function save() {
  const next = join(file, "..", `.${process.pid}.next`);
  writeFileSync(next, JSON.stringify(chat));
  renameSync(next, file);
}
