// A provider's server: it refuses what the rules refuse, in the provider's words, and otherwise replies as it is told to,
// with signatures, ids and ciphertexts of its own, which it remembers.
import { createHash } from "node:crypto";
import { provider, rules } from "./rules.mjs";
import { anthropic } from "./servers/anthropic.mjs";
import { bedrock } from "./servers/bedrock.mjs";
import { deepseek, kimi, mistral, openai, openrouter } from "./servers/chat.mjs";
import { gemini } from "./servers/gemini.mjs";
import { openaiResponses } from "./servers/openai-responses.mjs";

const servers = {
  anthropic,
  bedrock,
  deepseek,
  gemini,
  kimi,
  local: openai,
  mistral,
  openai,
  "openai-responses": openaiResponses,
  openrouter,
};

/**
 * A server of one provider.
 *
 * @param name one of the names of `precis check --provider`.
 * @param options `account`: `{ name, isNew }`, by default one that was made after thinking was bound; `memory`: of another
 * server, whose blocks this one knows.
 *
 * `answer(request, reply)` judges `{ body, headers, use }` and resolves nothing: it returns
 * - `{ ok: true, status, body, entries, notes }`: the response, what a host appends to its history, and what was done
 *   silently (thinking dropped, a stored text used in place of the one that was sent);
 * - `{ ok: false, status, body, findings }`: the refusal, and which rules were broken.
 *
 * `fetch(script)` is the same behind the face of `fetch`: `script(request, n)` returns the reply to the n-th request.
 * `judged` and `refused` count.
 */
export function createServer(name, { account = { name: "acme", isNew: true }, memory = createMemory(account) } = {}) {
  const court = provider(name);
  const own = servers[name];
  if (!court || !own) throw new Error(`there is no server of ${name}`);
  const server = {
    name,
    memory,
    judged: 0,
    refused: [],
    requests: [],

    judge(request) {
      return rules.findings(court, { headers: {}, ...request, memory });
    },

    answer(request, reply) {
      server.judged += 1;
      const asked = { headers: {}, ...request, memory };
      const findings = rules.findings(court, asked);
      if (findings.length > 0) {
        server.refused.push(findings);
        return { ok: false, status: findings[0].status, body: own.refusal(findings[0]), findings };
      }
      return server.reply(request, reply);
    },

    /** The reply to a request, as if it had been accepted. */
    reply(request, reply) {
      const asked = { headers: {}, ...request, memory };
      return { ok: true, status: 200, ...own.respond(asked, typeof reply === "function" ? reply() : reply) };
    },

    fetch(script) {
      return async (url, init = {}) => {
        const request = own.read(String(url), headersOf(init.headers), JSON.parse(init.body));
        const n = server.requests.push(request) - 1;
        const { status, body } = server.answer(request, () => script(request, n));
        if (status !== 200 || !request.stream)
          return new Response(JSON.stringify(body), {
            status,
            headers: { "content-type": "application/json", ...own.errorHeaders },
          });
        return new Response(own.stream(body), { status, headers: { "content-type": "text/event-stream" } });
      };
    },
  };
  return server;
}

export function createMemory(account) {
  const notes = new Map();
  let number = 0;
  return {
    account,
    digest: (text) => createHash("sha256").update(text).digest("base64"),
    recall: (kind, key) => notes.get(`${kind} ${key}`),
    note: (kind, key, value) => void notes.set(`${kind} ${key}`, value),
    /** A name that was never given before. */
    next: (prefix) => `${prefix}${createHash("sha256").update(`${prefix} ${number++}`).digest("hex").slice(0, 24)}`,
  };
}

function headersOf(headers) {
  return Object.fromEntries([...new Headers(headers)].map(([name, value]) => [name.toLowerCase(), value]));
}
