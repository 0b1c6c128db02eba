// A model from a GGUF file, through node-llama-cpp: it reads a text once, and whatever is asked branches from there.
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

/** `ask(before, question, most)`: what the model says, at most so many tokens, to the text and the question behind it. */
export async function model(file, { threads, room }) {
  const from = createRequire(join(process.env.PRECIS_LLAMA ?? import.meta.dirname, "package.json"));
  const { getLlama, resolveChatWrapper } = await import(pathToFileURL(from.resolve("node-llama-cpp")).href);
  const llama = await getLlama({ gpu: false, build: "never", maxThreads: threads, logLevel: "error" });
  const loaded = await llama.loadModel({ modelPath: file });
  const contextSize = Math.min(room, loaded.trainContextSize);
  const context = await loaded.createContext({ contextSize, threads });
  const sequence = context.getSequence();
  const wrapper = resolveChatWrapper(loaded);
  const tokensOf = (text) => {
    const chatHistory = [
      { type: "user", text },
      { type: "model", response: [] },
    ];
    return wrapper.generateContextState({ chatHistory }).contextText.tokenize(loaded.tokenizer);
  };
  const counts = { read: 0, written: 0 };
  return {
    name: loaded.filename ?? file,
    room: contextSize,
    counts,
    size: (text) => loaded.tokenize(text).length,
    async ask(text, most) {
      const tokens = tokensOf(text);
      if (tokens.length + most > contextSize) return { text: "", finishReason: "too-long" };
      // What the text has in common with the one before stands in the context already.
      await sequence.adaptStateToTokens(tokens.slice(0, -1), false);
      const rest = tokens.slice(sequence.nextTokenIndex);
      counts.read += rest.length;
      const said = [];
      for await (const token of sequence.evaluate(rest, { temperature: 0 })) {
        if (loaded.isEogToken(token)) return { text: loaded.detokenize(said), finishReason: "stop" };
        said.push(token);
        counts.written += 1;
        if (said.length >= most) break;
      }
      return { text: loaded.detokenize(said), finishReason: "length" };
    },
  };
}
