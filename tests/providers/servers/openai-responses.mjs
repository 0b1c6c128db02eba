// OpenAI's Responses API. With `store` it knows its items by their ids; without, reasoning comes and goes encrypted.
export const openaiResponses = {
  read: (_url, headers, body) => ({ headers, body, stream: body.stream === true }),

  refusal: ({ text, code }) => ({
    error: { message: text, type: "invalid_request_error", param: "input", code: code ?? null },
  }),

  respond({ body, memory }, { thought, text, calls = [], phase, stop, size = 400 }) {
    if (body.input.at?.(-1)?.type === "compaction_trigger") return compacted({ body, memory }, { stop, size });
    const encrypted = body.include?.includes("reasoning.encrypted_content");
    const reasoning = thought && {
      id: memory.next("rs_"),
      type: "reasoning",
      summary: [{ type: "summary_text", text: thought }],
      ...(encrypted && { encrypted_content: memory.next("gAAA") }),
    };
    const output = [
      ...(reasoning ? [reasoning] : []),
      ...(text || calls.length === 0
        ? [
            {
              id: memory.next("msg_"),
              type: "message",
              role: "assistant",
              status: "completed",
              content: [{ type: "output_text", text: text || "…", annotations: [] }],
              ...(phase && { phase }),
            },
          ]
        : []),
      ...calls.map(({ id, name, input }) => ({
        id: memory.next("fc_"),
        type: "function_call",
        status: "completed",
        call_id: id,
        name,
        arguments: JSON.stringify(input),
      })),
    ];
    output.forEach((item, at) => {
      const own = item.type === "reasoning";
      memory.note("item", item.id, {
        reasoning: own ? null : (reasoning?.id ?? null),
        next: own ? (output[at + 1]?.id ?? null) : null,
        item,
        stored: body.store !== false,
      });
    });
    if (encrypted && reasoning) memory.note("ciphertext", reasoning.encrypted_content, { id: reasoning.id });
    const input_tokens = Math.ceil(JSON.stringify(body.input).length / 4);
    const output_tokens = Math.ceil(JSON.stringify(output).length / 4);
    return {
      body: {
        id: memory.next("resp_"),
        object: "response",
        created_at: 1795000000,
        model: body.model,
        status: "completed",
        error: null,
        incomplete_details: null,
        output,
        usage: {
          input_tokens,
          input_tokens_details: { cached_tokens: 0 },
          output_tokens,
          output_tokens_details: { reasoning_tokens: 0 },
          total_tokens: input_tokens + output_tokens,
        },
      },
      entries: output,
      notes: substituted(body, memory),
    };
  },

  stream: streamOf,
};

/** What a trigger is answered: one encrypted item of `size` characters, or nothing where the answer ended otherwise. */
function compacted({ body, memory }, { stop, size }) {
  const encrypted_content = memory.next("gCMP").padEnd(size, "0");
  const item = { id: memory.next("cmp_"), type: "compaction", encrypted_content };
  memory.note("ciphertext", encrypted_content, { id: item.id });
  memory.note("item", item.id, { reasoning: null, next: null, item, stored: body.store !== false });
  const output = stop ? [] : [item];
  const usage = { input_tokens: Math.ceil(JSON.stringify(body.input).length / 4), output_tokens: 200 };
  const ended = stop ? { status: "incomplete", incomplete_details: { reason: stop } } : { status: "completed" };
  const response = { id: memory.next("resp_"), object: "response", created_at: 1795000000, model: body.model };
  return {
    body: { ...response, error: null, incomplete_details: null, ...ended, output, usage },
    entries: output,
    notes: [],
  };
}

/** Items that were sent by reference: the stored text is used, whatever the host holds. */
function substituted({ input }, memory) {
  const items = Array.isArray(input) ? input : [];
  return items
    .filter(({ type }) => type === "item_reference")
    .map(({ id }) => ({ type: "stored_item_used", id, item: memory.recall("item", id).item }));
}

function streamOf(response) {
  const { output, ...rest } = response;
  const events = [["response.created", { response: { ...rest, output: [], status: "in_progress", usage: null } }]];
  output.forEach((item, output_index) => {
    const open =
      item.type === "message"
        ? { ...item, content: [] }
        : item.type === "function_call"
          ? { ...item, arguments: "" }
          : item;
    events.push(["response.output_item.added", { output_index, item: open }]);
    if (item.type === "message")
      events.push([
        "response.output_text.delta",
        { output_index, content_index: 0, item_id: item.id, delta: item.content[0].text },
      ]);
    if (item.type === "function_call")
      events.push([
        "response.function_call_arguments.delta",
        { output_index, item_id: item.id, delta: item.arguments },
      ]);
    events.push(["response.output_item.done", { output_index, item }]);
  });
  events.push(["response.completed", { response }]);
  return events
    .map(
      ([type, data], sequence_number) =>
        `event: ${type}\ndata: ${JSON.stringify({ type, sequence_number, ...data })}\n\n`,
    )
    .join("");
}
