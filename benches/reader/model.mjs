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
  let busy = Promise.resolve();
  return {
    name: loaded.filename ?? file,
    room: contextSize,
    counts,
    size: (text) => loaded.tokenize(text).length,
    /** One at a time: a summarizer may be asked for several pieces at once. */
    ask(text, most) {
      const answer = busy.then(() => this.answer(text, most));
      busy = answer.catch(() => {});
      return answer;
    },
    async answer(text, most) {
      const tokens = tokensOf(text);
      if (tokens.length + most > contextSize) return { text: "", finishReason: "too-long" };
      // What the text has in common with the one before stands in the context already.
      const from = shared(sequence.contextTokens, tokens);
      const end = sequence.nextTokenIndex;
      if (from < end) await sequence.eraseContextTokenRanges([{ start: from, end }]);
      const rest = tokens.slice(from);
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

/** How many tokens two texts begin with alike; the last of the new one is always read. */
function shared(known, tokens) {
  let count = 0;
  while (count < known.length && count < tokens.length - 1 && known[count] === tokens[count]) count += 1;
  return count;
}
