// Formats for the clients of Bedrock, Mistral and Ollama: the same loop through their own packages.
import { deepEqual, equal, ok } from "node:assert/strict";
import { Readable } from "node:stream";
import { test } from "node:test";
import { BedrockRuntimeClient, ConverseCommand } from "@aws-sdk/client-bedrock-runtime";
import { Mistral } from "@mistralai/mistralai";
import { HTTPClient } from "@mistralai/mistralai/lib/http.js";
import { Ollama } from "ollama";
import { createCompactor } from "precis";
import { bedrock, mistral, openaiChat } from "precis/formats";
import { check } from "precis/testing";
import {
  contentOf,
  FEW,
  holds,
  NEEDLE,
  plainScriptOf,
  REPLY,
  REQUEST,
  SYSTEM,
  serve,
  tokensOf,
  WINDOW,
} from "./scenario.mjs";

const parameters = { type: "object", properties: { path: { type: "string" } }, required: ["path"] };

/** A loop as a host writes it: `ask` sends a view, and gives the reply, its usage, and its calls by id. */
async function loop({ format, first, ask, results, tools, model }) {
  const compactor = createCompactor({ format, contextWindow: WINDOW, maxOutputTokens: REPLY });
  const history = first;
  const reports = [];
  let state = null;
  for (;;) {
    const prepared = await compactor.beforeModel({ messages: history, state, system: SYSTEM, tools, model });
    reports.push(prepared.report);
    deepEqual(check(format, prepared.view), []);
    const { reply, usage, calls } = await ask(prepared.view);
    state = JSON.parse(JSON.stringify(compactor.afterModel(prepared.state, usage, prepared.report.request)));
    history.push(reply);
    if (calls.length === 0) return { history, reports };
    history.push(...results(calls.map((call) => ({ ...call, output: contentOf(call.path) }))));
  }
}

test(`Bedrock's client and the format bedrock: ${FEW} steps`, async () => {
  const served = serve("bedrock", { steps: FEW, script: plainScriptOf(FEW) });
  const requestHandler = {
    async handle({ protocol, hostname, path, headers, body }) {
      const response = await served.fetch(`${protocol}//${hostname}${path}`, { headers, body });
      const answer = { statusCode: response.status, headers: Object.fromEntries(response.headers) };
      return { response: { ...answer, body: Readable.from([Buffer.from(await response.arrayBuffer())]) } };
    },
  };
  const credentials = { accessKeyId: "a", secretAccessKey: "b" };
  const client = new BedrockRuntimeClient({ region: "eu-central-1", credentials, requestHandler });
  const modelId = "us.anthropic.claude-sonnet-4-5-20250929-v1:0";
  const tools = [{ toolSpec: { name: "read", description: "Reads a file", inputSchema: { json: parameters } } }];
  const { history, reports } = await loop({
    ...{
      format: bedrock,
      model: modelId,
      tools: [{ name: "read", description: "Reads a file", inputSchema: parameters }],
    },
    first: [{ role: "user", content: [{ text: REQUEST }] }],
    async ask(messages) {
      const system = [{ text: SYSTEM }];
      const inferenceConfig = { maxTokens: REPLY };
      const answer = await client.send(
        new ConverseCommand({ modelId, system, messages, toolConfig: { tools }, inferenceConfig }),
      );
      const { message } = answer.output;
      const uses = message.content.flatMap(({ toolUse }) => toolUse ?? []);
      const calls = uses.map(({ toolUseId, input }) => ({ id: toolUseId, path: input.path }));
      // The server counts messages alone.
      const { body } = served.server.requests.at(-1);
      const inputTokens = tokensOf({ ...body, tools: body.toolConfig.tools });
      return { reply: message, usage: { inputTokens, outputTokens: tokensOf({ messages: message }) }, calls };
    },
    results: (calls) => [
      {
        role: "user",
        content: calls.map(({ id, output }) => ({ toolResult: { toolUseId: id, content: [{ text: output }] } })),
      },
    ],
  });
  holds(served, { requests: FEW, reports });
  equal(history[0].content[0].text, REQUEST);
});

test(`Mistral's client and the format mistral: ${FEW} steps`, async () => {
  const served = serve("mistral", { steps: FEW, script: plainScriptOf(FEW) });
  const fetcher = async (request) =>
    served.fetch(request.url, { headers: Object.fromEntries(request.headers), body: await request.text() });
  const client = new Mistral({ apiKey: "a key", httpClient: new HTTPClient({ fetcher }) });
  const model = "mistral-large-latest";
  const tools = [{ type: "function", function: { name: "read", description: "Reads a file", parameters } }];
  const { history, reports } = await loop({
    ...{ format: mistral, model, tools },
    first: [{ role: "user", content: REQUEST }],
    async ask(view) {
      const messages = [{ role: "system", content: SYSTEM }, ...view];
      const { choices, usage } = await client.chat.complete({ model, messages, tools, maxTokens: REPLY });
      const { message } = choices[0];
      const calls = (message.toolCalls ?? []).map(({ id, function: called }) => ({
        id,
        path: (typeof called.arguments === "string" ? JSON.parse(called.arguments) : called.arguments).path,
      }));
      const reported = { input_tokens: usage.promptTokens, output_tokens: usage.completionTokens };
      return { reply: message, usage: reported, calls };
    },
    results: (calls) =>
      calls.map(({ id, output }) => ({ role: "tool", toolCallId: id, name: "read", content: output })),
  });
  holds(served, { requests: FEW, reports });
  equal(history[0].content, REQUEST);
});

test(`Ollama's client and the format openaiChat: ${FEW} steps`, async () => {
  const bodies = [];
  const script = plainScriptOf(FEW);
  const fetch = async (_, { body }) => {
    const request = JSON.parse(body);
    const { text, calls = [] } = script(request, bodies.push(request) - 1);
    const message = {
      role: "assistant",
      content: text,
      tool_calls: calls.map(({ name, input }) => ({ function: { name, arguments: input } })),
    };
    return Response.json({
      model: "m",
      message,
      done: true,
      done_reason: "stop",
      prompt_eval_count: tokensOf(request),
      eval_count: 40,
    });
  };
  const client = new Ollama({ fetch });
  const tools = [{ type: "function", function: { name: "read", description: "Reads a file", parameters } }];
  const { reports } = await loop({
    ...{ format: openaiChat, model: "m", tools },
    first: [{ role: "user", content: REQUEST }],
    async ask(view) {
      const messages = [{ role: "system", content: SYSTEM }, ...view];
      const answer = await client.chat({
        model: "m",
        messages,
        tools,
        options: { num_ctx: WINDOW, num_predict: REPLY },
      });
      const calls = (answer.message.tool_calls ?? []).map(({ function: called }) => ({ path: called.arguments.path }));
      return { reply: answer.message, usage: answer, calls };
    },
    results: (calls) => calls.map(({ output }) => ({ role: "tool", tool_name: "read", content: output })),
  });
  equal(bodies.length, FEW);
  ok(bodies.every((body) => tokensOf(body) + REPLY <= WINDOW && JSON.stringify(body).includes(NEEDLE)));
  ok(
    reports.some(({ outcome }) => outcome === "compacted") &&
      reports.some(({ before }) => before.source === "reported"),
  );
});
