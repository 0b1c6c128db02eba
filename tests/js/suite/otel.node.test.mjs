// precis/otel: spans on a host's own tracer, here that of the real SDK with its exporter in memory.
import { context, SpanStatusCode, trace } from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from "@opentelemetry/sdk-trace-base";
import { createCompactor } from "precis";
import { openaiChat } from "precis/formats";
import { otelEvents, traced, tracedSummarize } from "precis/otel";
import { chat, deepEqual, equal, frozen, ok, rejects, test, throws } from "./harness.mjs";

const SUMMARY = "- order 4711 was refunded; the customer wants a copy of the invoice";
const SECRET = /order 47|4711|refund/;
const messages = frozen(chat(40));

context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());

function recorded() {
  const exporter = new InMemorySpanExporter();
  const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
  return { tracer: provider.getTracer("precis"), spans: () => exporter.getFinishedSpans() };
}

const make = (more = {}) =>
  createCompactor({
    format: openaiChat,
    contextWindow: 3_000,
    maxOutputTokens: 200,
    summarizer: { contextWindow: 64_000 },
    ...more,
  });
const answer = async () => ({
  text: SUMMARY,
  finishReason: "stop",
  usage: { prompt_tokens: 2_100, completion_tokens: 90 },
});
/** Times are left out: their digits can be any, those of an order as well. */
const withoutText = (spans) => {
  const shown = spans.map(({ attributes, events, status, name }) => {
    return [attributes, events.map((event) => [event.name, event.attributes]), status, name];
  });
  ok(!SECRET.test(JSON.stringify(shown)));
};

test("a traced compactor gives what the compactor gives, and a span in which that of its summarizer nests", async () => {
  const { tracer, spans } = recorded();
  const plain = make({ summarize: answer });
  const expected = await plain.beforeModel({ messages, model: "large" });
  const events = [];
  const summarize = tracedSummarize(answer, { tracer, model: "small", provider: "openai" });
  const compactor = traced(make({ summarize }), {
    tracer,
    attributes: { "service.name": "shop" },
    conversation: () => "chat-1",
  });
  const call = { messages, model: "large", maxOutputTokens: 200, onEvent: (event) => events.push(event.type) };
  const prepared = await compactor.beforeModel(call);
  deepEqual(prepared, expected);
  deepEqual(events, ["start", "done"]);

  const [asked, whole] = spans();
  equal(spans().length, 2);
  equal(whole.name, "precis beforeModel");
  equal(asked.name, "chat small");
  equal(asked.parentSpanContext?.spanId, whole.spanContext().spanId);
  const told = whole.attributes;
  equal(told["gen_ai.operation.name"], "compact_context");
  equal(told["gen_ai.request.model"], "large");
  equal(told["gen_ai.request.max_tokens"], 200);
  equal(told["gen_ai.conversation.id"], "chat-1");
  equal(told["service.name"], "shop");
  equal(told["precis.outcome"], "compacted");
  equal(told["precis.saved"], prepared.report.saved);
  equal(told["precis.after.tokens"], prepared.report.after.tokens);
  deepEqual(told["precis.rungs"], ["summarize"]);
  deepEqual(
    whole.events.map(({ name }) => name),
    ["precis.start", "precis.done"],
  );
  const request = asked.attributes;
  equal(request["gen_ai.operation.name"], "chat");
  equal(request["gen_ai.request.model"], "small");
  equal(request["gen_ai.provider.name"], "openai");
  equal(request["gen_ai.usage.input_tokens"], 2_100);
  equal(request["gen_ai.usage.output_tokens"], 90);
  deepEqual(request["gen_ai.response.finish_reasons"], ["stop"]);
  equal(request["precis.kind"], "summary");
  withoutText(spans());

  const { state } = prepared;
  const again = await compactor.beforeModel({ messages, state });
  const last = spans().at(-1);
  equal(again.report.outcome, "reused");
  equal(last.attributes["precis.outcome"], "reused");
  deepEqual(last.events, []);
  deepEqual([compactor.usage({ messages, state }), spans().length], [plain.usage({ messages, state }), 3]);
});

test("a refused call, an aborted call and a failing summarizer are errors of their spans, which end", async () => {
  const { tracer, spans } = recorded();
  const abort = new AbortController();
  const summarize = tracedSummarize(
    async () => {
      if (abort.signal.aborted) throw new TypeError("The summarizer is overloaded.");
      abort.abort();
      throw abort.signal.reason;
    },
    { tracer },
  );
  const compactor = traced(make({ summarize }), { tracer });
  await rejects(compactor.beforeModel({ messages: 5 }), { code: "messages-not-array" });
  await rejects(compactor.beforeModel(null), { name: "PrecisError" });
  throws(() => compactor.commit({ messages }, { version: 9 }), { code: "invalid-plan" });
  const errors = spans().map(({ attributes }) => attributes["error.type"]);
  deepEqual([errors[0], errors[2]], ["messages-not-array", "invalid-plan"]);
  ok(spans().every(({ status, ended }) => status.code === SpanStatusCode.ERROR && ended));

  await rejects(compactor.beforeModel({ messages, signal: abort.signal }), { name: "AbortError" });
  const before = spans().length;
  const { report } = await compactor.beforeModel({ messages });
  equal(report.rung, "digest");
  const [asked, whole] = spans().slice(before);
  equal(asked.attributes["error.type"], "TypeError");
  equal(asked.status.code, SpanStatusCode.ERROR);
  equal(whole.status.code, SpanStatusCode.UNSET);
  equal(whole.attributes["precis.summarizer.failed"], true);
  deepEqual(
    whole.events.map(({ name }) => name),
    ["precis.start", "precis.fallback", "precis.done"],
  );
  equal(spans().length, before + 2);
});

test("a streaming summarizer keeps its stream, and its span ends with it", async () => {
  const { tracer, spans } = recorded();
  const stream = async function* () {
    yield "- order 4711 ";
    yield "was refunded";
    yield { finishReason: "stop", usage: { input_tokens: 7, output_tokens: 3 } };
  };
  const summarize = tracedSummarize(() => stream(), { tracer, model: "small" });
  const { report } = await traced(make({ summarize }), { tracer }).beforeModel({ messages });
  equal(report.rung, "summarize");
  const [asked, whole] = spans();
  equal(asked.attributes["gen_ai.usage.output_tokens"], 3);
  equal(asked.parentSpanContext?.spanId, whole.spanContext().spanId);
  withoutText(spans());
});

test("otelEvents makes a span of each compaction, whichever rung, and none of calls with nothing to do", async () => {
  const { tracer, spans } = recorded();
  const compactor = make({ onEvent: otelEvents({ tracer, attributes: { tier: "free" } }) });
  const small = await compactor.beforeModel({ messages: messages.slice(0, 4) });
  deepEqual([small.report.rung, spans().length], ["pass", 0]);
  const { report, state } = await compactor.beforeModel({ messages });
  await compactor.beforeModel({ messages, state });
  const [span] = spans();
  equal(spans().length, 1);
  equal(span.name, "precis compaction");
  equal(span.attributes.tier, "free");
  equal(span.attributes["precis.rung"], report.rung);
  deepEqual(span.attributes["precis.rungs"], ["digest"]);
  withoutText(spans());
});

test("spans of aborted compactions do not pile up", async () => {
  let [begun, ended] = [0, 0];
  const span = { setAttributes() {}, addEvent() {}, setStatus() {}, end: () => void ended++ };
  const listen = otelEvents({
    tracer: {
      startSpan: () => {
        begun++;
        return span;
      },
    },
  });
  const { before } = make().plan({ messages }).report;
  for (let at = 0; at < 1_500; at++) listen({ type: "start", id: `${at}`, reason: "full", before });
  deepEqual([begun, ended], [1_500, 500]);
});

test("a tracer that throws costs spans and nothing else", async () => {
  const broken = () => {
    throw new Error("no exporter");
  };
  const span = { setAttributes: broken, addEvent: broken, setStatus: broken, end: broken };
  const tracers = [
    { startSpan: broken, startActiveSpan: broken },
    { startSpan: () => span, startActiveSpan: (_name, _options, work) => work(span) },
  ];
  const expected = await make({ summarize: answer }).beforeModel({ messages });
  for (const tracer of tracers) {
    const summarize = tracedSummarize(answer, { tracer });
    const compactor = traced(make({ summarize, onEvent: otelEvents({ tracer }) }), { tracer });
    deepEqual(await compactor.beforeModel({ messages }), expected);
    await rejects(compactor.beforeModel({ messages: 5 }), { code: "messages-not-array" });
  }
});

test("the tracer of the API without an SDK will do", async () => {
  const compactor = traced(make(), { tracer: trace.getTracer("none") });
  equal((await compactor.beforeModel({ messages })).report.rung, "digest");
});
