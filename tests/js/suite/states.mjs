// Chats whose states are recorded, so that later versions show that they go on from them.

/** `formats`: those of the version that plays. */
export function chats(formats) {
  const line = (at) =>
    `Step ${at}: the parser of src/date_${at % 9}.rs rejects 2024-0${1 + (at % 9)}-31, see ticket ${4_000 + at}.`;
  const text = (at) => [line(at), "Never edit src/generated.rs.", line(at + 1)].slice(0, 1 + (at % 3)).join("\n");
  const output = (at) => Array.from({ length: 4 + (at % 5) * 9 }, (_, n) => `${n}: ${line(at + n)}`).join("\n");
  const turns = Array.from({ length: 28 }, (_, at) => at);
  const openai = turns.flatMap((at) => [
    { role: "user", content: text(at) },
    {
      role: "assistant",
      content: null,
      tool_calls: [
        { id: `c${at}`, type: "function", function: { name: "read", arguments: `{"path":"src/${at}.rs"}` } },
      ],
    },
    { role: "tool", tool_call_id: `c${at}`, content: output(at) },
    { role: "assistant", content: `Read it: ${line(at)}` },
  ]);
  const anthropic = turns.flatMap((at) => [
    { role: "user", content: text(at) },
    {
      role: "assistant",
      content: [
        { type: "thinking", thinking: "It may be the month.", signature: `s${at}` },
        { type: "tool_use", id: `c${at}`, name: "read", input: { path: `src/${at}.rs` } },
      ],
    },
    { role: "user", content: [{ type: "tool_result", tool_use_id: `c${at}`, content: output(at) }] },
    { role: "assistant", content: [{ type: "text", text: `Read it: ${line(at)}` }] },
  ]);
  const plain = turns.flatMap((at) => [
    { role: "user", content: text(at).repeat(3) },
    { role: "assistant", content: [{ type: "text", text: `Read it: ${output(at)}` }] },
  ]);
  const of = (name, format, messages, options) => ({ name, format, messages, options });
  return [
    of("digest", formats.openaiChat, openai, { contextWindow: 4_000 }),
    of("clips and clears", formats.openaiChat, openai, { contextWindow: 9_000, tune: { strategy: "full" } }),
    of("signed reasoning", formats.anthropic, anthropic, { contextWindow: 6_000 }),
    of("summary", formats.anthropic, anthropic, {
      contextWindow: 6_000,
      summarize: async () => "- the month is wrong",
    }),
    of("no tools", formats.aiSdk, plain, { contextWindow: 5_000 }),
    of("preset", formats.openaiChat, openai, { contextWindow: 6_000, tune: { preset: "contextguard" } }),
  ];
}

/** What is sent: a message of the history by its place, another as it is. */
export const sent = (view, messages) =>
  view.map((message) => (messages.includes(message) ? messages.indexOf(message) : message));

/** Plays a chat, a request every four messages; says what was sent, and leaves the state as the host stores it. */
export async function* played(createCompactor, { format, messages, options }) {
  const compactor = createCompactor({ format, maxOutputTokens: 200, ...options });
  let state = null;
  for (let end = 4; end <= messages.length; end += 4) {
    const before = state;
    const prepared = await compactor.beforeModel({
      messages: messages.slice(0, end),
      state: before,
      system: "You mend parsers.",
    });
    const usage = { prompt_tokens: Math.round(prepared.report.after.tokens * 1.1), completion_tokens: 40 };
    yield { end, state: before, view: sent(prepared.view, messages), report: prepared.report };
    state = JSON.parse(JSON.stringify(compactor.afterModel(prepared.state, usage)));
  }
}
