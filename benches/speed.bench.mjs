// What precis costs, beside peers in the same process. One row a line: `{ workload, peer, ratio, unit, goal, ok }`, with
// times in milliseconds and all samples.
import { FakeListChatModel } from "@langchain/core/utils/testing";
import { pruneMessages } from "ai";
import { countTokens } from "gpt-tokenizer";
import { AIMessage, countTokensApproximately, HumanMessage, summarizationMiddleware, trimMessages } from "langchain";
import { createCompactor } from "precis";
import { aiSdk, openaiChat } from "precis/formats";
import { estimateTokenCount } from "tokenx";
import { chat, said, session } from "./speed/chats.mjs";
import { inTurn, typical } from "./speed/measure.mjs";

const WIDE = 1_000_000_000;
const chatting = (contextWindow = WIDE) =>
  createCompactor({ format: openaiChat, contextWindow, maxOutputTokens: 4096 });
/** Every session has to be compacted: the window holds an eighth of it. */
const compacting = (count) =>
  createCompactor({ format: aiSdk, contextWindow: Math.max(2_000, count * 10), maxOutputTokens: 256 });

await hotPath(1000, "1 kB", 50);
await hotPath(200, "200 B");
await hotPath(4000, "4 kB");
await coldRead();
await compaction();
await linear();

/** A chat of 1,000 messages that were seen before, one that is new, nothing to do. */
async function hotPath(length, size, goal) {
  const workload = `hot path: 1,000 messages of ${size}, one new`;
  const messages = chat(1000, length);
  const compactor = chatting();
  let { state } = await compactor.beforeModel({ messages });
  const samples = await inTurn(
    {
      precis: {
        prepare: () => messages.push(said(messages.length, length)),
        run: async () => {
          ({ state } = await compactor.beforeModel({ messages, state }));
        },
      },
      "JSON.stringify(messages).length / 4": { run: () => JSON.stringify(messages).length / 4 },
    },
    { rounds: 200, warm: 100 },
  );
  faster(workload, samples, goal);
}

/** A session of 1 MB that nobody has seen, as a server loads it for one request. */
async function coldRead() {
  const workload = "cold read of a 1 MB session";
  const json = JSON.stringify(chat(1000, 1000));
  const compactor = chatting();
  const prepare = () => JSON.parse(json);
  const samples = await inTurn(
    {
      precis: { prepare, run: (messages) => compactor.beforeModel({ messages }) },
      "JSON.stringify(messages)": { prepare, run: (messages) => JSON.stringify(messages) },
      tokenx: { prepare, run: (messages) => sum(messages, estimateTokenCount) },
      "gpt-tokenizer": { prepare, run: (messages) => sum(messages, countTokens) },
    },
    { rounds: 15, warm: 5 },
  );
  slower(workload, pick(samples, "JSON.stringify(messages)"), 3);
  faster(workload, pick(samples, "tokenx"), 10);
  faster(workload, pick(samples, "gpt-tokenizer"), 15);
}

/** 10,000 messages become a view that fits, without an LLM. LangChain's take seconds, so they run less often. */
async function compaction() {
  const workload = "compaction without LLM of 10,000 messages";
  const json = JSON.stringify(session(10_000));
  const compactor = compacting(10_000);
  const messages = JSON.parse(json);
  compactor.usage({ messages });
  const prune = () =>
    pruneMessages({ messages, toolCalls: "before-last-message", reasoning: "all", emptyMessages: "remove" });
  const quick = await inTurn(
    {
      precis: { run: () => compactor.beforeModel({ messages }) },
      cold: { prepare: () => JSON.parse(json), run: (messages) => compactor.beforeModel({ messages }) },
      pruneMessages: { run: prune },
    },
    { rounds: 15, warm: 5 },
  );
  const theirs = asLangChain(messages);
  const maxTokens = 50_000;
  const middleware = summarizationMiddleware({
    model: new FakeListChatModel({ responses: ["What was done so far: the parser was mended."] }),
    trigger: { tokens: maxTokens },
    keep: { tokens: maxTokens / 2 },
  });
  const slow = await inTurn(
    {
      trimMessages: {
        run: () => trimMessages(theirs, { maxTokens, strategy: "last", tokenCounter: countTokensApproximately }),
      },
      "summarization middleware": { run: () => middleware.beforeModel({ messages: theirs }, { context: {} }) },
    },
    { rounds: 1, warm: 0 },
  );
  const read = `${workload}, in a chat that was read`;
  faster(read, { precis: quick.precis, "LangChain trimMessages": slow.trimMessages }, 500);
  faster(read, { precis: quick.precis, "LangChain summarization": slow["summarization middleware"] }, 500);
  slower(read, { precis: quick.precis, "AI SDK pruneMessages": quick.pruneMessages }, 3);
  const cold = `${workload}, never seen before`;
  faster(cold, { precis: quick.cold, "LangChain trimMessages": slow.trimMessages });
  slower(cold, { precis: quick.cold, "AI SDK pruneMessages": quick.pruneMessages });
}

/** Ten times the messages, about ten times the cost. */
async function linear() {
  const of = (count) => {
    const messages = session(count);
    const compactor = compacting(count);
    compactor.usage({ messages });
    return { run: () => compactor.beforeModel({ messages }) };
  };
  const samples = await inTurn({ precis: of(100_000), "precis, 10,000 messages": of(10_000) }, { rounds: 7, warm: 3 });
  slower("compaction of 100,000 messages", samples, 11);
}

function asLangChain(messages) {
  return messages.map(({ role, content }) => {
    const text = typeof content === "string" ? content : JSON.stringify(content);
    return role === "assistant" ? new AIMessage(text) : new HumanMessage(text);
  });
}

function pick({ precis, ...peers }, peer) {
  return { precis, [peer]: peers[peer] };
}

function sum(messages, count) {
  let tokens = 0;
  for (const { content } of messages) tokens += count(content);
  return tokens;
}

/** How many times faster than the peer; without a goal it is only reported. */
function faster(workload, samples, goal) {
  row(
    workload,
    samples,
    (ours, theirs) => theirs / ours,
    "times faster",
    goal,
    (ratio) => ratio >= goal,
  );
}

/** How many times the peer's time. */
function slower(workload, samples, goal) {
  row(
    workload,
    samples,
    (ours, theirs) => ours / theirs,
    "times its time",
    goal,
    (ratio) => ratio <= goal,
  );
}

function row(workload, samples, ratioOf, unit, goal, holds) {
  const [[, ours], [peer, theirs]] = Object.entries(samples);
  const [precisMs, peerMs] = [typical(ours), typical(theirs)];
  const ratio = ratioOf(precisMs, peerMs);
  const judged = goal === undefined ? { goal: null, ok: true } : { goal, ok: holds(ratio) };
  console.log(JSON.stringify({ workload, peer, ratio, unit, ...judged, precisMs, peerMs, samples }));
}
