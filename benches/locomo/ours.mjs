// What `recall` returns to a question, without and with an embedder.
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

/** Milliseconds for a ranker, on a machine that has other things to do. */
const PATIENCE = 3_600_000;

/** The indexes of the messages whose text is returned. */
const indexes = ({ excerpts }) => excerpts.map(({ index }) => index);

export function ours({ compactor, messages, state }, maxTokens) {
  return async (query) => indexes(compactor.recall({ messages, state, query, maxTokens }));
}

/** With an embedder of @huggingface/transformers from a folder. What it made of a text is kept, as an app would. */
export async function reranked(folder) {
  const embed = await embedder(folder);
  return ({ compactor, messages, state }, maxTokens) => {
    const known = new Map();
    const rank = async ({ query, texts }) => {
      const unknown = [query, ...texts].filter((text) => !known.has(text));
      for (const [at, vector] of (await embed(unknown)).entries()) known.set(unknown[at], vector);
      return { query: known.get(query), vectors: texts.map((text) => known.get(text)) };
    };
    return async (query) => {
      const found = await compactor.recall({ messages, state, query, maxTokens, rank, rankTimeoutMs: PATIENCE });
      if (found.ranker?.failed) throw new Error(found.ranker.failed);
      return indexes(found);
    };
  };
}

const AT_ONCE = 16;

async function embedder(folder) {
  const from = createRequire(join(process.env.PRECIS_TRANSFORMERS ?? import.meta.dirname, "package.json"));
  const { env, pipeline } = await import(pathToFileURL(from.resolve("@huggingface/transformers")).href);
  env.allowRemoteModels = false;
  env.localModelPath = join(folder, "..");
  const extract = await pipeline("feature-extraction", folder.split(/[\\/]/).filter(Boolean).at(-1), { dtype: "fp32" });
  return async (texts) => {
    const vectors = [];
    for (let at = 0; at < texts.length; at += AT_ONCE) {
      const out = await extract(texts.slice(at, at + AT_ONCE), { pooling: "mean", normalize: true });
      vectors.push(...out.tolist());
    }
    return vectors;
  };
}
