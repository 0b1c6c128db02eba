// What must hold for every history, window, strategy, summarizer, edit and format: the invariants of the design, as a
// host of the package sees them. Locally each run looks somewhere else; PRECIS_CASES says how many cases each property
// has, CI fixes the seed.

import fc from "fast-check";
import { createCompactor, PrecisError, summaryOf } from "precis";
import { aiSdk, anthropic, gemini, openaiChat, openaiResponses } from "precis/formats";
import { check } from "precis/testing";
import { newlyRefused } from "../../providers/relative.mjs";
import { deepEqual, equal, frozen, ok, rejects, same, test } from "./harness.mjs";
import { cases } from "./length.mjs";
import { fingerprint } from "./scenarios.mjs";
import { twins } from "./twins.mjs";

const count = Number(process.env.PRECIS_CASES ?? cases(200, 40));
/** PRECIS_PART: of several processes at once each looks somewhere else. */
const seed = process.env.CI ? { seed: 20261121 + Number(process.env.PRECIS_PART ?? 0) } : {};
/** `examples` are cases that failed once: they come first. Locally properties share the cases. */
const holds = (property, share, examples = []) => {
  const numRuns = Math.ceil(process.env.PRECIS_CASES ? count : count * share) + examples.length;
  return fc.assert(property, { numRuns, ...seed, endOnFailure: false, examples });
};
const copy = (value) => JSON.parse(JSON.stringify(value));

// How each format writes what happens in a chat.

const openai = {
  [fc.toStringMethod]: () => "openai",
  format: openaiChat,
  fold: (parts) => (parts.length === 1 && parts[0].type === "text" ? parts[0].text : parts),
  text: (text) => ({ type: "text", text }),
  media: (data) => ({ type: "image_url", image_url: { url: `data:image/png;base64,${data}` } }),
  user: (parts) => [{ role: "user", content: openai.fold(parts) }],
  assistant: ({ thought, signed, text, calls }) => [
    {
      role: "assistant",
      ...(thought && { reasoning_content: thought }),
      ...(thought && signed && { reasoning_details: [{ type: "reasoning.text", text: thought, signature: "c2ln" }] }),
      content: text,
      ...(calls.length > 0 && {
        tool_calls: calls.map(({ id, input }) => ({
          id,
          type: "function",
          function: { name: "read", arguments: JSON.stringify(input) },
        })),
      }),
    },
  ],
  results: (results) => results.map(({ id, output }) => ({ role: "tool", tool_call_id: id, content: output })),
};

const claude = {
  [fc.toStringMethod]: () => "claude",
  format: anthropic,
  text: (text) => ({ type: "text", text }),
  media: (data) => ({ type: "image", source: { type: "base64", media_type: "image/png", data } }),
  user: (parts) => [{ role: "user", content: openai.fold(parts) }],
  assistant: ({ thought, signed, text, calls }) => [
    {
      role: "assistant",
      content: [
        ...(thought ? [{ type: "thinking", thinking: thought, signature: signed ? "c2ln" : "" }] : []),
        ...(text === null ? [] : [{ type: "text", text }]),
        ...calls.map(({ id, input }) => ({ type: "tool_use", id, name: "read", input })),
      ],
    },
  ],
  results: (results) => [
    {
      role: "user",
      content: results.map(({ id, output, failed }) => ({
        type: "tool_result",
        tool_use_id: id,
        content: output,
        is_error: failed,
      })),
    },
  ],
};

const vercel = {
  [fc.toStringMethod]: () => "vercel",
  format: aiSdk,
  text: (text) => ({ type: "text", text }),
  media: (data) => ({ type: "file", data, mediaType: "image/png" }),
  user: (content) => [{ role: "user", content }],
  assistant: ({ thought, signed, text, calls }) => [
    {
      role: "assistant",
      content: [
        ...(thought
          ? [
              {
                type: "reasoning",
                text: thought,
                ...(signed && { providerOptions: { anthropic: { signature: "c2ln" } } }),
              },
            ]
          : []),
        ...(text === null ? [] : [{ type: "text", text }]),
        ...calls.map(({ id, input }) => ({ type: "tool-call", toolCallId: id, toolName: "read", input })),
      ],
    },
  ],
  results: (results) =>
    results.map(({ id, output, failed }) => ({
      role: "tool",
      content: [
        {
          type: "tool-result",
          toolCallId: id,
          toolName: "read",
          output: { type: failed ? "error-text" : "text", value: output },
        },
      ],
    })),
};

const google = {
  [fc.toStringMethod]: () => "google",
  // Messages that are joined for the sake of alternation have tests of their own; here each is to be found again.
  format: { ...gemini, alternation: "free" },
  text: (text) => ({ text }),
  media: (data) => ({ inlineData: { mimeType: "image/png", data } }),
  user: (parts) => [{ role: "user", parts }],
  assistant: ({ thought, signed, text, calls }) => [
    {
      role: "model",
      parts: [
        ...(thought ? [{ text: thought, thought: true, ...(signed && { thoughtSignature: "c2ln" }) }] : []),
        ...(text === null ? [] : [{ text }]),
        ...calls.map(({ id, input }) => ({ functionCall: { id, name: "read", args: input } })),
      ],
    },
  ],
  results: (results) => [
    {
      role: "user",
      parts: results.map(({ id, output, failed }) => ({
        functionResponse: { id, name: "read", response: failed ? { error: output } : { result: output } },
      })),
    },
  ],
  empty: ({ role }) => ({ role: role === "user" ? "user" : "model", parts: [] }),
  // Instructions are no message there.
  system: (text) => google.user([{ text }])[0],
};

const responses = {
  [fc.toStringMethod]: () => "responses",
  format: openaiResponses,
  text: (text) => ({ type: "input_text", text }),
  media: (data) => ({ type: "input_image", image_url: `data:image/png;base64,${data}` }),
  user: (content) => [{ type: "message", role: "user", content }],
  assistant: ({ thought, signed, text, calls }) => [
    ...(thought
      ? [
          {
            type: "reasoning",
            summary: [{ type: "summary_text", text: thought }],
            ...(signed && { encrypted_content: "c2ln" }),
          },
        ]
      : []),
    ...(text === null ? [] : [{ type: "message", role: "assistant", content: [{ type: "output_text", text }] }]),
    ...calls.map(({ id, input }) => ({
      type: "function_call",
      call_id: id,
      name: "read",
      arguments: JSON.stringify(input),
    })),
  ],
  results: (results) => results.map(({ id, output }) => ({ type: "function_call_output", call_id: id, output })),
};

// What happens in a chat. Sizes are in thousandths of the window.

const size = fc.oneof(
  { weight: 6, arbitrary: fc.integer({ min: 0, max: 12 }) },
  { weight: 4, arbitrary: fc.integer({ min: 12, max: 120 }) },
  { weight: 1, arbitrary: fc.integer({ min: 120, max: 500 }) },
  { weight: 1, arbitrary: fc.integer({ min: 500, max: 1_400 }) },
);
const KINDS = [
  "the order and the invoice are as they were; ",
  "订单已经发货。🦀",
  '{"id": 4711, "paid": true},\n',
  "12:04 ERROR no such file\n",
  "\ud800 half a character ",
];
const body = fc.record({ size, kind: fc.nat(KINDS.length - 1) });
const batch = fc.array(
  fc.record({ id: fc.nat(4), size, kind: fc.nat(3), failed: fc.boolean(), write: fc.option(size, { freq: 5 }) }),
  { minLength: 1, maxLength: 3 },
);
const thought = fc.option(fc.record({ signed: fc.boolean() }), { freq: 4 });
const orderly = fc.oneof(
  { weight: 5, arbitrary: fc.record({ type: fc.constant("user"), body, media: fc.boolean() }) },
  { weight: 5, arbitrary: fc.record({ type: fc.constant("assistant"), body, thought }) },
  {
    weight: 8,
    arbitrary: fc.record({ type: fc.constant("tools"), batch, thought, said: fc.boolean(), turned: fc.boolean() }),
  },
);
/** What a broken host brings as well: results without calls, calls without results, empty and unknown messages. */
const anything = fc.oneof(
  { weight: 16, arbitrary: orderly },
  { weight: 1, arbitrary: fc.record({ type: fc.constant("orphan"), id: fc.nat(4) }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant("open"), batch, thought }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant("empty"), role: fc.constantFrom("user", "assistant") }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant("unknown") }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant("system"), body }) },
);

const text = ({ size, kind }, window, number) => {
  const length = Math.floor((size * window * 4) / 1_000 / (kind === 1 ? 3 : 1));
  return `#${number}# ${KINDS[kind].repeat(Math.ceil(length / KINDS[kind].length)).slice(0, length)}`;
};

/** The messages of one event, frozen: whoever writes to one throws. */
function told(shape, event, window, number) {
  const thinks = (thought) => ({ thought: thought ? `thought ${number}` : null, signed: thought?.signed ?? false });
  const calls = () => {
    const all = event.batch.map(({ id, write }) => ({
      id: `call_${id}`,
      input:
        write === null
          ? { path: `${number}.txt` }
          : { path: "a", text: text({ size: write, kind: 0 }, window, number) },
    }));
    return all.filter(({ id }, at) => all.findIndex((other) => other.id === id) === at);
  };
  switch (event.type) {
    case "user": {
      const parts = [shape.text(text(event.body, window, number))];
      return shape.user(event.media ? [...parts, shape.media("iVBORw0KGgo=")] : parts);
    }
    case "assistant":
      return shape.assistant({ ...thinks(event.thought), text: text(event.body, window, number), calls: [] });
    case "tools": {
      const asked = calls();
      const results = asked.map(({ id }, at) => {
        const { size, kind, failed } = event.batch[at];
        return { id, output: text({ size, kind }, window, number), failed };
      });
      return [
        ...shape.assistant({ ...thinks(event.thought), text: event.said ? `I look. #${number}#` : null, calls: asked }),
        ...shape.results(event.turned ? results.reverse() : results),
      ];
    }
    case "orphan":
      return shape.results([{ id: `call_${event.id}`, output: `lost #${number}#`, failed: false }]);
    case "open":
      return shape.assistant({ ...thinks(event.thought), text: null, calls: calls() });
    case "empty":
      return [shape.empty?.(event) ?? { role: event.role, content: "" }];
    case "unknown":
      return [{ role: "narrator", content: [{ type: "aside", value: number }] }];
    default:
      return [
        shape.system?.(text(event.body, window, number)) ?? {
          role: "system",
          content: text(event.body, window, number),
        },
      ];
  }
}

/** What happens to a history between two requests. */
const step = (event) =>
  fc.oneof(
    {
      weight: 12,
      arbitrary: fc.record({ type: fc.constant("append"), events: fc.array(event, { minLength: 1, maxLength: 6 }) }),
    },
    { weight: 1, arbitrary: fc.record({ type: fc.constant("edit"), at: fc.nat(999), body }) },
    { weight: 1, arbitrary: fc.record({ type: fc.constant("delete"), at: fc.nat(999) }) },
    { weight: 1, arbitrary: fc.record({ type: fc.constant("rewind"), at: fc.nat(999) }) },
    { weight: 1, arbitrary: fc.record({ type: fc.constant("branch"), at: fc.nat(999), event }) },
    { weight: 1, arbitrary: fc.record({ type: fc.constant("lose") }) },
  );
const stepsOf = (event) => fc.array(step(event), { minLength: 1, maxLength: 7 });
const append = fc.record({ type: fc.constant("append"), events: fc.array(orderly, { minLength: 1, maxLength: 5 }) });

/** One chat of one host. */
class Chat {
  history = [];
  state = null;
  number = 0;

  constructor(shape, window) {
    this.shape = shape;
    this.window = window;
  }

  say(event) {
    this.history.push(...frozen(told(this.shape, event, this.window, this.number++)));
  }

  take(step) {
    const at = step.at % Math.max(1, this.history.length);
    switch (step.type) {
      case "append":
        for (const event of step.events) this.say(event);
        break;
      case "edit": {
        const edited = this.shape.user([this.shape.text(text(step.body, this.window, this.number++))]);
        if (this.history.length > 0) this.history = this.history.with(at, frozen(edited[0]));
        break;
      }
      case "delete":
        this.history = this.history.toSpliced(at, 1);
        break;
      case "rewind":
        this.history = this.history.slice(0, at);
        break;
      case "branch":
        this.history = this.history.slice(0, at);
        this.say(step.event);
        break;
      default:
        this.state = null;
    }
  }
}

/** Summarizers a host may bring. */
const summarizers = {
  absent: undefined,
  good: async ({ prompt }) => `- notes of ${fingerprint(prompt)}`,
  throwing: () => {
    throw new Error("overloaded");
  },
  rejecting: () => Promise.reject(new Error("overloaded")),
  slow: (_, { signal }) => new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason))),
  empty: async () => "",
  garbage: async () => ({ text: 42, finishReason: {} }),
  cutOff: async () => ({ text: "- half a no", finishReason: "length" }),
  huge: async () => "word ".repeat(12_000),
  stream: async function* () {
    yield "- notes, ";
    yield "piece by piece";
    yield { finishReason: "stop" };
  },
};

const setup = fc.record({
  shape: fc.constantFrom(openai, claude, vercel, google, responses),
  // Large ones take the longest, and decide no other way: many cases in a small one find more than few in a large one.
  window: fc.oneof(
    { weight: 140, arbitrary: fc.constantFrom(1_000, 2_000) },
    { weight: 40, arbitrary: fc.constant(4_000) },
    { weight: 8, arbitrary: fc.constant(8_000) },
    { weight: 1, arbitrary: fc.constant(32_000) },
  ),
  strategy: fc.constantFrom("tail", "full", "sliding-window"),
  summarizer: fc.constantFrom(...Object.keys(summarizers)),
  output: fc.option(fc.integer({ min: 0, max: 4_000 })),
  system: fc.option(size),
  /** Whether signed thinking is bound to what is sent before it, by the format or never. */
  thinking: fc.constantFrom(undefined, "free"),
  /** Reported tokens for ten raw ones. */
  ratio: fc.option(fc.integer({ min: 5, max: 40 })),
});

const compactorOf = ({ shape, window, strategy, summarizer, summarize = summarizers[summarizer], output, thinking }) =>
  createCompactor({
    format: shape.format,
    thinking,
    contextWindow: window,
    // A reply limit as large as the window is refused.
    maxOutputTokens: output === null ? undefined : Math.min(output, window - 1),
    summarize,
    summarizer: { timeoutMs: 2 },
    // What a history brings is sent as it is, so that what is sent can be compared with it.
    repair: false,
    tune: { strategy },
  });

const callOf = ({ system, window }, { history, state }) => ({
  messages: history,
  state,
  ...(system === null ? {} : { system: text({ size: Math.min(system, 700), kind: 0 }, window, 0) }),
});

const learn = ({ ratio }, compactor, { state, report }) =>
  ratio === null
    ? state
    : compactor.afterModel(state, { prompt_tokens: Math.ceil((report.after.raw * ratio) / 10) }, report.request);

// What a message says, as far as the invariants go.

const partsOf = ({ content, parts }) =>
  parts ?? (Array.isArray(content) ? content : [{ type: "text", text: content ?? "" }]);
const isResult = (message) =>
  message.role === "tool" ||
  message.type === "function_call_output" ||
  partsOf(message).some(
    ({ type, functionResponse }) => functionResponse || type === "tool_result" || type === "tool-result",
  );
const saidBy = (message) => partsOf(message).find(({ text }) => typeof text === "string")?.text ?? "";
const isTyped = (message) => message.role === "user" && !isResult(message) && saidBy(message) !== "";
const isSigned = (message) => JSON.stringify(message).includes("c2ln");
/** A copy that says where something was cut or taken out. */
const isCut = (sent, message) => {
  const now = JSON.stringify(sent);
  return sent.role === message.role && (now.includes("precis") || now.includes("[Here was "));
};

const thoughtsOf = ({ content }) => content.filter(({ type }) => type === "thinking" || type === "reasoning");
/** What stays of a message whose thinking is left out: of what is bound and what follows it, all, signed or not. */
const bare = (message) => ({
  ...message,
  content: message.content.filter((part) => !thoughtsOf(message).includes(part)),
});
/** The messages of a history whose thinking is left out by the report, and how each is sent then. */
function leftOut({ thinking }, input) {
  const indices = (thinking?.leftOut ?? []).flatMap(({ from, to }) =>
    Array.from({ length: Math.min(to, input.length) - from }, (_, at) => from + at),
  );
  const thoughts = indices.filter(
    (index) =>
      input[index].role === "assistant" && Array.isArray(input[index].content) && thoughtsOf(input[index]).length > 0,
  );
  return new Map(thoughts.map((index) => [input[index], JSON.stringify(bare(input[index]))]));
}

const subjects = (messages, { rule, index }) => {
  const calls = JSON.stringify(messages[index]).match(/call_\d+/g) ?? [];
  return calls.length > 0 ? calls : [rule];
};

/** Invariants of one request. `input` is what was sent in, frozen. */
function sound({ shape, strategy, thinking }, input, prepared) {
  const { view, report, state, changed } = prepared;
  const stripped = leftOut(report, input);
  ok(stripped.size === 0 || (thinking !== "free" && [claude, vercel].includes(shape)), "free thinking was left out");
  /** How a message may be sent: as it is, or cut; without its thinking if, and only if, the report says so. */
  const stands = (sent, message) =>
    isCut(sent, message)
      ? !stripped.has(message) || !isSigned(sent)
      : stripped.has(message)
        ? JSON.stringify(sent) === stripped.get(message)
        : sent === message;
  // 1 to 3: nothing illegal that the history did not bring. Where one of two calls of the same id is covered, what was a
  // duplicate is an orphan: a fault is known by its call, or by its rule where no call is concerned.
  const known = new Set(check(shape.format, input).flatMap((fault) => subjects(input, fault)));
  // A result that the host put behind the cut, whose call is covered, is named by a warning: nothing is repaired here.
  const warned = new Set(report.warnings.map(({ path }) => input[/^messages\[(\d+)\]$/.exec(path)?.[1] ?? -1]));
  const blamed = check(shape.format, view).filter(
    (fault) => !subjects(view, fault).some((subject) => known.has(subject)) && !warned.has(view[fault.index]),
  );
  deepEqual(blamed, [], "a view has no violation its history does not have");
  const isOrphaned = view.some((message) => message !== undefined && warned.has(message));
  const mentions = (refusal) =>
    refusal.match(/call_\d+/g)?.some((id) => known.has(id)) ?? (isOrphaned && refusal.includes(" orphan-result"));
  const refused = newlyRefused(shape.format, input, view).filter((refusal) => !mentions(refusal));
  deepEqual(refused, [], "no provider refuses what it would take of the history");
  // 4: the newest message and the newest one that a person wrote.
  const newest = input.at(-1);
  if (newest) ok(stands(view.at(-1), newest), "the newest message is last");
  const typed = input.findLast(isTyped);
  if (typed)
    ok(
      view.includes(typed) ||
        view.some((sent) => isCut(sent, typed) && saidBy(sent).slice(0, 3) === saidBy(typed).slice(0, 3)),
      "what was typed last is in the view",
    );
  // 2 and 5: kept messages are the same objects, and nothing signed or newest of the assistant is remade.
  const own = new Map(input.map((message, index) => [message, index]));
  const texts = new Set(input.map((message) => JSON.stringify(message)));
  for (const sent of view) {
    if (own.has(sent)) continue;
    ok(!texts.has(JSON.stringify(sent)), "a copy was made for nothing");
    ok(sent.role === "user" || !isSigned(sent), "a signed message was remade");
  }
  // Instructions are hoisted when what they stood in is covered; all else keeps its order.
  const places = view.filter((sent) => own.has(sent) && sent.role !== "system").map((sent) => own.get(sent));
  ok(
    places.every((place, at) => at === 0 || place > places[at - 1]),
    "the order is the history's",
  );
  equal(changed, !same(view, input));
  // 6: below the trigger, or the outcome says why not.
  const { tokens, bound, trigger, window } = report.after;
  if (report.outcome === "tight") ok(tokens < window, `tight at ${tokens} of ${window}`);
  else if (report.outcome !== "infeasible")
    ok(tokens + bound < trigger, `${tokens} + ${bound} of ${trigger}: ${strategy}`);
  equal(report.replyRoom, Math.max(0, window - tokens - bound));
  // 7: nothing is lost: what is not covered is in the view, whole or cut, one for one from the end.
  const covers = state.checkpoints?.at(-1)?.covers.count ?? 0;
  ok(covers <= input.length);
  const open = input.slice(covers);
  const sent = open.length > 0 ? view.slice(-open.length) : [];
  ok(sent.length === open.length && open.every((message, at) => stands(sent[at], message)), "lost");
  ok(covers === 0 || typeof summaryOf(state) === "string");
  // The state is plain, whole and small.
  deepEqual(copy(state), state);
  ok(JSON.stringify(state).length <= 64_000);
}

/** A call tries many summaries, and in the end sends one that an earlier call had sent: the next one must find it. */
const manyTriedOneSent = () => {
  const tool = (id, size) => ({ id, size, kind: 0, failed: false, write: null });
  const tools = (...batch) => ({ type: "tools", batch, thought: null, said: false, turned: false });
  const said = (type, size, more) => ({ type, body: { size, kind: 0 }, ...more });
  const append = (...events) => ({ type: "append", events });
  const setup = {
    shape: openai,
    window: 1_000,
    strategy: "tail",
    summarizer: "absent",
    output: null,
    system: null,
    ratio: null,
  };
  const steps = [
    append(
      tools(tool(0, 0), tool(2, 12), tool(1, 0)),
      said("user", 12, { media: false }),
      said("system", 0),
      said("user", 0, { media: true }),
      tools(tool(0, 12)),
    ),
    append(
      tools(tool(0, 500)),
      tools(tool(0, 120), tool(1, 0)),
      said("user", 120, { media: true }),
      said("assistant", 12, { thought: null }),
    ),
    append(said("assistant", 0, { thought: null }), { type: "orphan", id: 0 }),
    { type: "rewind", at: 717 },
    { type: "branch", at: 862, event: tools(tool(0, 12)) },
    { type: "delete", at: 0 },
  ];
  return [setup, steps];
};

/**
 * A call is cleared with its results, before the assistant has gone on; its arguments follow once it has. The history is
 * rewound in between, so nothing else changes.
 */
const clearedBeforeItsArguments = () => {
  const tool = (size, write) => ({ id: 0, size, kind: 0, failed: false, write });
  const tools = (...batch) => ({ type: "tools", batch, thought: null, said: false, turned: false });
  const body = (size) => ({ size, kind: 0 });
  const append = (...events) => ({ type: "append", events });
  const setup = {
    shape: openai,
    window: 1_000,
    strategy: "tail",
    summarizer: "absent",
    output: null,
    system: null,
    ratio: null,
  };
  const steps = [
    append(tools(tool(500, null)), tools(tool(12, 500), tool(0, 12)), {
      type: "assistant",
      body: body(12),
      thought: { signed: false },
    }),
    { type: "rewind", at: 64 },
    append({ type: "assistant", body: body(0), thought: null }),
    append({ type: "user", body: body(12), media: false }),
  ];
  return [setup, steps];
};

/** A turn opens with signed thinking, which is bound, and is covered up to a message that does not begin with any. */
const coveredBehindSignedThinking = () => {
  const tools = (size, write, thought, said) => ({
    type: "tools",
    batch: [{ id: 0, size, kind: 0, failed: false, write }],
    thought,
    said,
    turned: false,
  });
  const body = (size) => ({ size, kind: 0 });
  const append = (...events) => ({ type: "append", events });
  const setup = {
    shape: vercel,
    window: 1_000,
    strategy: "tail",
    summarizer: "absent",
    output: null,
    system: null,
    ratio: null,
  };
  const steps = [
    append({ type: "user", body: body(12), media: false }),
    append(tools(0, null, { signed: true }, false)),
    append({ type: "assistant", body: body(500), thought: null }, tools(120, 43, { signed: false }, true), {
      type: "unknown",
    }),
  ];
  return [setup, steps];
};

/** A history of which most messages are in no form that the format knows is taken for one of another format. */
function isMostlyUnknown(history) {
  return history.filter(({ role }) => role === "narrator").length * 2 > history.length;
}

test("every request keeps the invariants, and is the same again", async () => {
  await holds(
    fc.asyncProperty(setup, fc.oneof(stepsOf(orderly), stepsOf(anything)), async (setup, steps) => {
      const compactor = compactorOf(setup);
      const chat = new Chat(setup.shape, setup.window);
      for (const step of steps) {
        chat.take(step);
        const input = Object.freeze(chat.history.slice());
        const call = frozen(callOf(setup, { history: input, state: chat.state }));
        if (isMostlyUnknown(input)) {
          await rejects(compactor.beforeModel(call), (error) => error.code === "wrong-format");
          continue;
        }
        const prepared = await compactor.beforeModel(call);
        sound(setup, input, prepared);
        // 8: another compactor, another copy of all that goes in, the same bytes.
        const again = await compactorOf(setup).beforeModel(copy({ ...call, state: call.state ?? null }));
        equal(JSON.stringify(again.view), JSON.stringify(prepared.view), "the same input gives the same bytes");
        deepEqual(again.state, prepared.state);
        // What fits is not compacted again.
        if (prepared.report.outcome !== "tight" && prepared.report.outcome !== "infeasible") {
          const next = await compactor.beforeModel({ ...call, state: copy(prepared.state) });
          ok(same(next.view, prepared.view), "a request again is the same objects");
          equal(next.state.revision, prepared.state.revision);
        }
        chat.state = learn(setup, compactor, prepared);
      }
    }),
    0.55,
    [manyTriedOneSent(), clearedBeforeItsArguments(), coveredBehindSignedThinking()],
  );
});

/** A message is cut, later ones less far, and then again as far as the first: what stayed of it must not grow back. */
const cutFarThenLess = () => {
  const tool = (id, size, kind = 0, write = null) => ({ id, size, kind, failed: false, write });
  const tools = (batch, said = false) => ({ type: "tools", batch, thought: null, said, turned: false });
  const setup = {
    shape: openai,
    window: 1_000,
    strategy: "tail",
    summarizer: "absent",
    output: 0,
    system: null,
    ratio: 12,
  };
  const steps = [
    [
      { type: "user", body: { size: 500, kind: 0 }, media: true },
      tools([tool(0, 12), tool(1, 4, 2, 136), tool(2, 4, 2, 25)], true),
    ],
    [tools([tool(0, 12)])],
    [tools([tool(0, 76, 0, 10)], true)],
    [tools([tool(0, 500)]), { type: "assistant", body: { size: 12, kind: 0 }, thought: null }],
    [tools([tool(0, 67)])],
  ];
  return [setup, null, steps.map((events) => ({ type: "append", events }))];
};

/** A digest takes the place of a summary, and the summarizer's next words are those of its last. */
const theSameWordsAfterADigest = () => {
  const wrote = (size, write) => ({
    type: "tools",
    batch: [{ id: 0, size, kind: 0, failed: false, write }],
    thought: null,
    said: false,
    turned: false,
  });
  const user = (size, media = false) => ({ type: "user", body: { size, kind: 0 }, media });
  const setup = {
    shape: openai,
    window: 32_000,
    strategy: "tail",
    summarizer: "huge",
    output: null,
    system: null,
    ratio: 5,
  };
  const steps = [
    [{ type: "assistant", body: { size: 500, kind: 2 }, thought: null }, user(0)],
    [wrote(0, 120), wrote(12, null)],
    [user(34, true), user(713)],
    [user(0)],
    [wrote(0, 500)],
  ];
  return [setup, null, steps.map((events) => ({ type: "append", events }))];
};

/** A message loses its signed thinking, which is bound, and then what was cleared before concerns it, too. */
const clearedWithoutItsThinking = () => {
  const tool = (size, write = null) => ({ id: 0, size, kind: 0, failed: false, write });
  const tools = (batch, said = false) => ({ type: "tools", batch: [batch], thought: null, said, turned: false });
  const setup = {
    shape: vercel,
    window: 4_000,
    strategy: "tail",
    summarizer: "absent",
    output: null,
    system: null,
    ratio: null,
  };
  const steps = [
    [tools(tool(500)), tools(tool(12, 0))],
    [tools(tool(12, 30))],
    [tools(tool(0, 20), true), tools(tool(41, 11))],
    [tools(tool(12, 234))],
    [tools(tool(12))],
  ];
  return [setup, { signed: true }, steps.map((events) => ({ type: "append", events }))];
};

/** How a model thinks that does so in every message or in none, as providers have it. */
const thinking = fc.constantFrom(null, { signed: false }, { signed: true });

test("a view that is given back stands for its history", async () => {
  // Not so where a turn begins unsigned and is signed later: what opened it is seen in the history alone.
  await holds(
    fc.asyncProperty(
      setup,
      thinking,
      fc.array(append, { minLength: 2, maxLength: 12 }),
      async (setup, thought, steps) => {
        // After a digest a summary starts again from the messages, which a host that gives views back no longer holds:
        // what the summarizer returns must not depend on the prompt, nor repeat what one of the two prompts holds.
        let taken = 0;
        const unlike = {
          good: summarizers.stream,
          huge: async () => `step ${taken} `.repeat(9_000),
        };
        const compactor = compactorOf({ ...setup, summarize: unlike[setup.summarizer] });
        const raw = new Chat(setup.shape, setup.window);
        const mayDiffer = twins();
        let given = [];
        let state = null;
        for (const step of steps) {
          taken += 1;
          const from = raw.history.length;
          for (const event of step.events) raw.say({ ...event, thought });
          given = [...given, ...raw.history.slice(from)];
          const expected = await compactor.beforeModel(callOf(setup, raw));
          const prepared = await compactor.beforeModel(callOf(setup, { history: given, state }));
          equal(prepared.report.diverged, null);
          const before = raw.state;
          raw.state = learn(setup, compactor, expected);
          state = learn(setup, compactor, prepared);
          if (mayDiffer(before, [raw.state, state], [expected.report, prepared.report])) {
            given = expected.view;
            state = raw.state;
          } else {
            equal(JSON.stringify(prepared.view), JSON.stringify(expected.view), `at message ${raw.history.length}`);
            given = prepared.view;
          }
        }
      },
    ),
    0.15,
    [cutFarThenLess(), theSameWordsAfterADigest(), clearedWithoutItsThinking()],
  );
});

test("a call that is refused or aborted leaves everything as it was", async () => {
  const wrongs = [
    { state: { version: 99, revision: 1 } },
    { state: "none" },
    { offset: 10_000 },
    { messages: null },
    { threshold: "hard" },
    { maxOutputTokens: Number.NaN },
    { signal: AbortSignal.abort(new Error("enough")) },
  ];
  await holds(
    fc.asyncProperty(
      setup,
      fc.array(step(anything), { minLength: 1, maxLength: 5 }),
      fc.constantFrom(...wrongs),
      async (setup, steps, wrong) => {
        const compactor = compactorOf(setup);
        const chat = new Chat(setup.shape, setup.window);
        for (const step of steps) chat.take(step);
        if (isMostlyUnknown(chat.history)) return;
        chat.state = (await compactor.beforeModel(callOf(setup, chat))).state;
        const call = frozen(callOf(setup, { ...chat, history: chat.history.slice() }));
        const before = JSON.stringify(call);
        await rejects(compactor.beforeModel({ ...call, ...wrong }), (error) =>
          wrong.signal ? error === wrong.signal.reason : error instanceof PrecisError && error.code !== "engine-trap",
        );
        equal(JSON.stringify(call), before);
        const [one, two] = [await compactorOf(setup).beforeModel(call), await compactor.beforeModel(call)];
        equal(JSON.stringify(two.view), JSON.stringify(one.view));
        deepEqual(two.state, one.state);
      },
    ),
    0.1,
  );
});

test("an abort while a summary is written changes nothing", async () => {
  await holds(
    fc.asyncProperty(setup, fc.array(append, { minLength: 3, maxLength: 8 }), async (setup, steps) => {
      const chat = new Chat(setup.shape, setup.window);
      for (const step of steps) chat.take(step);
      const controller = new AbortController();
      let asked = 0;
      const options = { format: setup.shape.format, contextWindow: setup.window, tune: { strategy: setup.strategy } };
      const compactor = createCompactor({
        ...options,
        summarize: (_, { signal }) => {
          asked += 1;
          queueMicrotask(() => controller.abort(new Error("enough")));
          return new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
        },
      });
      const call = frozen(callOf(setup, { ...chat, history: chat.history.slice() }));
      const failure = await compactor.beforeModel({ ...call, signal: controller.signal }).then(
        () => null,
        (error) => error,
      );
      equal(failure, asked > 0 ? controller.signal.reason : null);
      const [one, two] = [compactor, createCompactor(options)].map((it) => it.commit(call, it.plan(call)));
      equal(JSON.stringify(one.view), JSON.stringify(two.view));
    }),
    0.1,
  );
});

test("a plan may wait as JSON while the chat goes on", async () => {
  await holds(
    fc.asyncProperty(
      setup,
      fc.array(append, { minLength: 1, maxLength: 5 }),
      step(anything),
      async (setup, steps, later) => {
        const compactor = compactorOf(setup);
        const chat = new Chat(setup.shape, setup.window);
        for (const step of steps) chat.take(step);
        const call = callOf(setup, chat);
        const plan = copy(compactor.plan(call));
        const answers = compactor.requests(call, plan).map(({ id }) => `- notes of ${id}`);
        equal(answers.length, plan.requests.length);
        chat.take(later);
        if (isMostlyUnknown(chat.history)) return;
        const input = frozen(chat.history.slice());
        sound(setup, input, compactor.commit(callOf(setup, { history: input, state: chat.state }), plan, answers));
      },
    ),
    0.1,
  );
});
