// A ranker of the host finds what shares no word with the query; whatever it does wrong, the words decide.
import { answerRecall, createCompactor, PrecisError } from "precis";
import { openaiChat } from "precis/formats";
import { chat, deepEqual, equal, frozen, match, ok, rejects, test, throws } from "./harness.mjs";

const compactor = createCompactor({ format: openaiChat, contextWindow: 3_000, maxOutputTokens: 200 });
const walrus = { role: "assistant", content: "The walrus at the Köln zoo is called Antje-3." };
const messages = (() => {
  const all = chat(60);
  all.splice(9, 0, walrus);
  all.push({ role: "user", content: "And now?" });
  return frozen(all);
})();
const { state } = await compactor.beforeModel({ messages, state: null });
const query = "big tusked animal";
const of = (more) => ({ messages, state, query, ...more });
const words = compactor.recall(of());
ok(words.excerpts.every(({ index }) => index !== 9));

/** A model of two dimensions: what is about animals, and what is not. */
const vectorOf = (text) => (/walrus|animal/.test(text) ? [0.9, 0.1] : [0.02, -0.7]);
const embedder = async ({ query, texts }) => ({ query: vectorOf(query), vectors: texts.map(vectorOf) });
const reranker = ({ texts }) => ({ scores: texts.map((text) => (text.includes("walrus") ? 3.5 : -20)) });

test("an embedder or a reranker finds what shares no word with the query", async () => {
  for (const rank of [embedder, reranker]) {
    const found = await compactor.recall(of({ rank }));
    deepEqual([found.excerpts[0].index, found.excerpts[0].text], [9, walrus.content]);
    equal(found.ranker.failed, null);
    ok(found.ranker.texts > 9 && found.ranker.texts <= 512);
    ok(found.tokens <= 1_000);
    equal("candidates" in found, false);
    deepEqual(await compactor.recall(of({ rank })), found);
  }
  const typed = ({ query, texts }) => ({
    query: Float32Array.from(vectorOf(query)),
    vectors: texts.map((text) => Float64Array.from(vectorOf(text))),
  });
  equal((await compactor.recall(of({ rank: typed }))).excerpts[0].index, 9);
});

test("what matches the words counts beside what the ranker says", async () => {
  const same = ({ texts }) => ({ scores: texts.map(() => 7) });
  const found = await compactor.recall(of({ query: "what is the walrus called?", rank: same }));
  equal(found.excerpts[0].index, 9);
  const against = ({ texts }) => ({ scores: texts.map((text) => (text.includes("walrus") ? 0.9 : text.length % 2)) });
  equal((await compactor.recall(of({ query: "what is the walrus called?", rank: against }))).excerpts[0].index, 9);
});

test("it is asked once, for the query and the passages, and told when its time is over", async () => {
  const asked = [];
  let signal;
  const rank = (request, context) => {
    asked.push(request);
    signal = context.signal;
    return new Promise(() => {});
  };
  const found = await compactor.recall(of({ rank, rankTimeoutMs: 20 }));
  deepEqual({ ...found, ranker: undefined }, { ...words, ranker: undefined });
  match(found.ranker.failed, /more than 20 ms \(rankTimeoutMs\)/);
  equal(signal.aborted, true);
  equal(asked.length, 1);
  equal(asked[0].query, query);
  ok(asked[0].texts.includes(walrus.content));
});

test("whatever a ranker does wrong is reported, and the words decide", async () => {
  const wrong = {
    "“no network”": () => {
      throw new Error("no network");
    },
    "“later”": () => Promise.reject(new Error("later")),
    "return { scores } or { query, vectors }": () => "best first",
    "0 scores for": () => ({ scores: [] }),
    "not all finite": ({ texts }) => ({ scores: texts.map(() => Number.NaN) }),
    "1 vectors for": () => ({ query: [1], vectors: [[1]] }),
    "0 dimensions": ({ texts }) => ({ query: [], vectors: texts.map(() => []) }),
    "the 2 dimensions": ({ texts }) => ({ query: [1, 2], vectors: texts.map(() => [1]) }),
    "not all made of finite": ({ texts }) => ({ query: [1], vectors: texts.map(() => ["1"]) }),
  };
  for (const [reason, rank] of Object.entries(wrong)) {
    const found = await compactor.recall(of({ rank }));
    ok(found.ranker.failed.includes(reason), found.ranker.failed);
    deepEqual(found.excerpts, words.excerpts);
  }
});

test("vectors of zeros and scores that are all the same leave it to the words", async () => {
  const zeros = ({ texts }) => ({ query: [0, 0], vectors: texts.map(() => [0, 0]) });
  const found = await compactor.recall(of({ query: "walrus", rank: zeros }));
  equal(found.excerpts[0].index, 9);
  equal(found.ranker.failed, null);
});

test("what is loaded is ranked, too; what a reference names is not", async () => {
  const { index: from } = compactor.keepFrom(state);
  const later = { messages: messages.slice(from), state, offset: from, query };
  const load = async (from, to) => messages.slice(from, to);
  deepEqual(await compactor.recall({ ...later, load, rank: embedder }), await compactor.recall(of({ rank: embedder })));
  const read = await compactor.recall({ messages, state, reference: "r9", rank: embedder });
  equal(read.excerpts[0].text, walrus.content);
  equal("ranker" in read, false);
});

test("a ranker that is none is refused", async () => {
  const refused = (error) => error instanceof PrecisError && error.code === "invalid-call";
  throws(() => compactor.recall(of({ rank: "cosine" })), refused);
  await rejects(compactor.recall(of({ rank: embedder, rankTimeoutMs: 0 })), refused);
  await rejects(compactor.recall({ messages, state, rank: embedder }), (error) => error.code === "empty-query");
});

test("a model's call is answered with it", async () => {
  const answer = answerRecall(compactor, { messages, state, rank: embedder }, JSON.stringify({ query }));
  ok(answer instanceof Promise);
  match(await answer, /^\[r9: message 9, assistant\]\nThe walrus/);
  match(await answerRecall(compactor, { messages, state, rank: embedder }, "{"), /not JSON/);
});
