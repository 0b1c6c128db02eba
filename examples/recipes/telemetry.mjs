// Spans of what precis does, on your own OpenTelemetry tracer: `node telemetry.mjs`.
import { context } from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from "@opentelemetry/sdk-trace-base";
import { createCompactor } from "precis";
import { openaiChat } from "precis/formats";
import { traced, tracedSummarize } from "precis/otel";
import { chat, summarize } from "./support.mjs";

// Your app has these already; with its own exporter instead of the one in memory.
const exporter = new InMemorySpanExporter();
const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());

const tracer = provider.getTracer("my-app");
const compactor = traced(
  createCompactor({
    format: openaiChat,
    contextWindow: 4_000,
    maxOutputTokens: 500,
    summarizer: { contextWindow: 64_000 },
    summarize: tracedSummarize(summarize, { tracer, model: "small", provider: "openai" }),
  }),
  { tracer, conversation: () => "chat-7" },
);

await compactor.beforeModel({ messages: chat(60), model: "large" });
for (const { name, attributes, parentSpanContext } of exporter.getFinishedSpans()) {
  console.log(`${parentSpanContext ? "  in the span of the call: " : ""}${name}`);
  for (const [key, value] of Object.entries(attributes)) console.log(`    ${key} = ${value}`);
}
