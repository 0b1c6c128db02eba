// Ways to keep a session inside a window. Each is made for one session and answers, before each message of the model, with
// what it would send; what it asks a summarizer goes to the meter.
import { AIMessage, HumanMessage, ToolMessage } from "@langchain/core/messages";
import { pruneMessages } from "ai";
import { summarizationMiddleware } from "langchain";
import { createCompactor } from "precis";
import { openaiChat } from "precis/formats";
import { half, losesHalf } from "../longterm/summarizer.mjs";
import { contentOf, weigh, weighAll } from "../longterm/work.mjs";
import { tokensOf } from "../recall/session.mjs";
import { PRICES } from "./cost.mjs";
import { fromModelMessage, toModelMessage } from "./prune.mjs";

/** Tool results that masking leaves as they are. */
const UNMASKED = 10;
const MASK = "[Old tool result omitted]";
/** Messages that pruneMessages and the middleware leave as they are. */
const KEPT = 20;
/** Where the middleware summarizes, of the window; and what its summary may have at most. */
const TRIGGER = 0.8;
const SUMMARY = 4_000;

export const EVERYTHING = "sending everything";
export const OURS = "precis";
export const APPENDED = 'precis, summaryRequest: "append"';
export const PRICED = "precis, tune.prices";
export const PRICED_ALONE = "precis, tune.prices, no LLM";

export const ways = {
  [EVERYTHING]: ({ history }) => ({ view: (index) => history.slice(0, index) }),
  "AI SDK pruneMessages": pruning,
  "observation masking": masking,
  "LangChain summarization": langchain,
  "contextguard (preset)": (given) => ours(given, { summarize: losesHalf, tune: { preset: "contextguard" } }),
  "precis, no LLM": (given) => ours(given, {}),
  [OURS]: (given) => ours(given, { summarize: losesHalf }),
  [APPENDED]: (given) => ours(given, { summarize: losesHalf, summaryRequest: "append" }),
  [PRICED_ALONE]: (given) => ours(given, { tune: { prices: PRICES } }),
  [PRICED]: (given) => ours(given, { summarize: losesHalf, tune: { prices: PRICES } }),
};

/** The longest reply, in tokens: an eighth of the window, and not more than 8,000. */
const replyLimit = (window) => Math.min(8_000, window >> 3);

/** A compactor with these options, its state through JSON each time. */
function ours({ history, window, meter }, { summarize, ...options }) {
  const asked = async (request) => {
    const answer = await summarize(request);
    const { append, system, prompt } = request;
    if (append) meter.summary(weighAll(append.messages), tokensOf(answer.text), meter.cachedOf(append.messages));
    else meter.summary(tokensOf(system) + tokensOf(prompt), tokensOf(answer.text));
    return answer;
  };
  const compactor = createCompactor({
    format: openaiChat,
    contextWindow: window,
    maxOutputTokens: replyLimit(window),
    ...(summarize && { summarize: asked }),
    ...options,
  });
  let [state, request] = [null, ""];
  return {
    view: async (index) => {
      const prepared = await compactor.beforeModel({ messages: history.slice(0, index), state, tools: [] });
      request = prepared.report.request;
      state = JSON.parse(JSON.stringify(prepared.state));
      return prepared.view;
    },
    billed: ({ prompt, cached }, reply) => {
      const usage = {
        prompt_tokens: prompt,
        completion_tokens: reply,
        prompt_tokens_details: { cached_tokens: cached },
      };
      state = compactor.afterModel(state, usage, request);
    },
  };
}

/** Results but the newest give way to a placeholder, again at every step. */
function masking({ history }) {
  const masked = new Map();
  const mask = (message) => {
    if (!masked.has(message)) masked.set(message, { ...message, content: MASK });
    return masked.get(message);
  };
  return {
    view: (index) => {
      const now = history.slice(0, index);
      for (let at = index - 1, results = 0; at >= 0; at--)
        if (now[at].role === "tool" && ++results > UNMASKED) now[at] = mask(now[at]);
      return now;
    },
  };
}

/** The published function at every step; it has no budget. Messages it leaves alone are those of the history. */
function pruning({ history }) {
  const origin = new Map();
  const names = new Map(history.flatMap(({ tool_calls = [] }) => tool_calls.map((call) => [call.id, call])));
  const given = history.map((message) => toModelMessage(message, names));
  for (const [index, message] of given.entries()) origin.set(message, history[index]);
  const changed = new Map();
  const back = (message) => {
    const key = JSON.stringify(message);
    if (!changed.has(key)) changed.set(key, fromModelMessage(message));
    return changed.get(key);
  };
  return {
    view: (index) =>
      pruneMessages({
        messages: given.slice(0, index),
        reasoning: "all",
        toolCalls: `before-last-${KEPT}-messages`,
        emptyMessages: "remove",
      }).map((message) => origin.get(message) ?? back(message)),
  };
}

/** The published middleware, with what it returns instead of the messages, as its agent does it. */
function langchain({ history, window, meter }) {
  const known = new Map();
  const weightOf = (message) => (known.has(message.id) ? weigh(known.get(message.id)) : tokensOf(message.text) + 4);
  const count = (messages) => messages.reduce((sum, message) => sum + (message ? weightOf(message) : 0), 0);
  const model = {
    invoke: async (prompt) => {
      const text = half(prompt, SUMMARY);
      meter.summary(tokensOf(prompt), tokensOf(text));
      return new AIMessage(text);
    },
  };
  const middleware = summarizationMiddleware({
    model,
    trigger: { tokens: Math.floor(window * TRIGGER) },
    keep: { messages: KEPT },
    tokenCounter: count,
  });
  let messages = [];
  let next = 1;
  return {
    view: async (index) => {
      for (; next < index; next++) {
        known.set(String(next), history[next]);
        messages.push(toLangChain(history[next], next));
      }
      const changed = await middleware.beforeModel({ messages }, { context: {} });
      if (changed) {
        const [, summary, ...rest] = changed.messages;
        const id = `summary before ${index}`;
        known.set(id, { role: "user", content: summary.text });
        messages = [new HumanMessage({ id, content: summary.text }), ...rest];
      }
      return [history[0], ...messages.map(({ id }) => known.get(id))];
    },
  };
}

function toLangChain(message, index) {
  const fields = { id: String(index), content: contentOf(message) };
  if (message.role === "tool") return new ToolMessage({ ...fields, tool_call_id: message.tool_call_id });
  if (message.role !== "assistant") return new HumanMessage(fields);
  const tool_calls = (message.tool_calls ?? []).map(callOf);
  return new AIMessage({ ...fields, tool_calls });
}

const callOf = ({ id, function: { name, arguments: args } }) => ({ id, name, args: parsed(args) });

function parsed(text) {
  try {
    const value = JSON.parse(text);
    return value && typeof value === "object" ? value : { value };
  } catch {
    return { text };
  }
}
