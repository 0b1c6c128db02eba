// AIChatAgent and Think in a Durable Object, by the programs of docs/frameworks.md: 200 steps, the state beside the messages,
// another process, a `/compact`, an abort, a refusal.
import { deepEqual, equal, match, ok } from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { agents, serveAgent, sized } from "./cloudflare.mjs";
import {
  contentOf,
  FEW,
  holds,
  plainScriptOf,
  REPLY,
  REQUEST,
  STEPS,
  serve,
  tokensOf,
  WINDOW,
  withSummaries,
} from "./scenario.mjs";

const folder = mkdtempSync(join(tmpdir(), "precis-cloudflare-"));
after(() => rmSync(folder, { recursive: true, force: true }));
async function started(t, name, given) {
  const program = sized(agents.get(name), { window: WINDOW, reply: REPLY });
  const agent = await serveAgent(program, mkdtempSync(join(folder, `${name}-`)), { contentOf, ...given });
  t.after(() => agent.close());
  return agent;
}

const toolParts = ({ messages }) =>
  messages.flatMap(({ parts }) => parts).filter(({ type }) => type === "tool-read" || type === "dynamic-tool");
const sizesOf = ({ server }) => server.requests.map(({ body }) => tokensOf(body));

deepEqual([...agents.keys()], ["Chat", "Assistant"]);
for (const name of agents.keys()) {
  const steps = name === "Chat" ? STEPS : FEW;
  test(`${name}: ${steps} steps, one called too long, the state with the messages, and a process that goes on`, async (t) => {
    const served = serve("openai", { steps, script: plainScriptOf(steps), tooLong: [40] });
    const agent = await started(t, name, { fetch: withSummaries(served.fetch) });
    equal((await agent.call("chat-7", "ask", REQUEST)).status, "completed");
    holds(served, { requests: steps });

    // Nothing is lost of what the chat holds: every result is stored, whole.
    const stored = await agent.call("chat-7", "stored");
    const results = toolParts(stored);
    ok(results.length >= steps, `${results.length} results`);
    for (const { input, output } of results) equal(output, contentOf(input.path));
    const [[key, state]] = stored.states;
    equal(key, "main:chat-7");
    equal(state.checkpoints.at(-1).kind, "summary");
    ok(state.calibration, "usage was not learned");
    ok(state.learned, "the refusal was not learned from");

    await agent.restart();
    equal((await agent.call("chat-7", "ask", "Are you sure?")).status, "completed");
    // The next request of the chat begins as the last one did: the same instructions, the same request, the same summary.
    const [before, next] = served.server.requests.slice(-2).map(({ body }) => body.messages);
    deepEqual(next.slice(0, 3), before.slice(0, 3));
    deepEqual(next.at(-1), { role: "user", content: "Are you sure?" });
    equal(served.server.refused.length, 0);
    deepEqual(
      sizesOf(served).filter((size) => size + REPLY > WINDOW),
      [],
    );
  });

  test(`${name}: a \`/compact\`, and a chat of somebody else`, async (t) => {
    const served = serve("openai", { steps: 12, script: plainScriptOf(12) });
    const agent = await started(t, name, { fetch: withSummaries(served.fetch) });
    equal((await agent.call("chat-7", "ask", REQUEST)).status, "completed");
    equal(served.server.requests.length, 12);

    const last = sizesOf(served).at(-1);
    match(await agent.call("chat-7", "compact", "the invoice"), /\w/);
    equal((await agent.call("chat-7", "ask", "And now?")).status, "completed");
    ok(sizesOf(served).at(-1) < last, `${sizesOf(served).at(-1)} tokens after ${last}`);

    equal((await agent.call("chat-8", "ask", "Who are you?")).status, "completed");
    const { states } = await agent.call("chat-8", "stored");
    deepEqual(
      states.map(([key]) => key),
      ["main:chat-8"],
    );
    equal(served.server.requests.at(-1).body.messages.length, 2);
    equal(served.server.refused.length, 0);
  });

  test(`${name}: a turn that is stopped while a summary is written leaves the chat as it was`, async (t) => {
    const served = serve("openai", { steps: FEW, script: plainScriptOf(FEW) });
    const asked = Promise.withResolvers();
    let isWaiting = true;
    const summaries = withSummaries(served.fetch);
    const fetch = (url, init) => {
      if (!isWaiting || JSON.parse(init.body).tools?.length > 0) return summaries(url, init);
      asked.resolve();
      return new Promise(() => {});
    };
    const agent = await started(t, name, { fetch });
    const turn = agent.call("chat-7", "ask", REQUEST);
    await Promise.race([asked.promise, turn]);
    const before = served.server.requests.length;
    await agent.call("chat-7", "stop");
    equal((await turn).status, "aborted");
    equal(served.server.requests.length, before);
    const [[, state]] = (await agent.call("chat-7", "stored")).states;
    equal(state.checkpoints, undefined);

    isWaiting = false;
    equal((await agent.call("chat-7", "ask", REQUEST)).status, "completed");
    holds(served, { requests: served.server.judged });
  });
}
