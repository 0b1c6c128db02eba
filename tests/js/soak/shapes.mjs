// Two shapes of messages: how they are written, and what their providers refuse. Nothing here knows precis.

/** A text block of something that may be a string or blocks. */
const textOf = (content) =>
  typeof content === "string"
    ? content
    : Array.isArray(content)
      ? content.map((block) => block.text ?? textOf(block.content ?? "")).join("\n")
      : "";

const openai = {
  name: "openai",
  say: (role, text) => ({ role, content: text }),
  calls: (ids, text, input) => ({
    role: "assistant",
    content: text,
    tool_calls: ids.map((id) => ({ id, type: "function", function: { name: "read_file", arguments: input } })),
  }),
  results: (ids, texts) => ids.map((id, at) => ({ role: "tool", tool_call_id: id, content: texts[at] })),
  text: (message) => textOf(message.content ?? ""),
  callIds: (message) => (message.tool_calls ?? []).map(({ id }) => id),
  resultIds: (message) => (message.role === "tool" ? [message.tool_call_id] : []),
  refused(messages) {
    let open = new Set();
    for (const [at, message] of messages.entries()) {
      if (!["user", "assistant", "tool"].includes(message.role)) return `messages[${at}]: role ${message.role}`;
      if (message.role === "tool") {
        if (!open.delete(message.tool_call_id)) return `messages[${at}]: a tool message without its call`;
        if (typeof message.content !== "string") return `messages[${at}]: content of a tool message`;
        continue;
      }
      if (open.size > 0) return `messages[${at}]: ${open.size} tool calls were not answered`;
      if (message.content === "" || (!message.content && !message.tool_calls?.length))
        return `messages[${at}]: empty content`;
      open = new Set(this.callIds(message));
      for (const call of message.tool_calls ?? [])
        if (!isJson(call.function.arguments)) return `messages[${at}]: arguments that are no JSON`;
    }
    return open.size > 0 ? "tool calls at the end were not answered" : null;
  },
};

const anthropic = {
  name: "anthropic",
  say: (role, text) => ({ role, content: role === "user" ? text : [{ type: "text", text }] }),
  calls: (ids, text, input) => ({
    role: "assistant",
    content: [
      { type: "text", text },
      ...ids.map((id) => ({ type: "tool_use", id, name: "read_file", input: JSON.parse(input) })),
    ],
  }),
  results: (ids, texts) => [
    {
      role: "user",
      content: ids.map((id, at) => ({ type: "tool_result", tool_use_id: id, content: texts[at] })),
    },
  ],
  text: (message) => textOf(message.content),
  callIds: (message) => blocks(message, "tool_use").map(({ id }) => id),
  resultIds: (message) => blocks(message, "tool_result").map(({ tool_use_id }) => tool_use_id),
  refused(messages) {
    if (messages[0]?.role !== "user") return "messages[0]: the first message must be the user's";
    let open = [];
    for (const [at, message] of messages.entries()) {
      if (!["user", "assistant"].includes(message.role)) return `messages[${at}]: role ${message.role}`;
      if (message.content.length === 0) return `messages[${at}]: empty content`;
      if (blocks(message, "text").some(({ text }) => text.trim() === "")) return `messages[${at}]: an empty text block`;
      const results = this.resultIds(message);
      if (results.some((id) => !open.includes(id))) return `messages[${at}]: a tool_result without its tool_use`;
      if (new Set(results).size !== results.length) return `messages[${at}]: two results for one tool_use`;
      if (open.some((id) => !results.includes(id))) return `messages[${at}]: a tool_use was not answered`;
      if (results.length > 0 && message.content.findIndex(({ type }) => type !== "tool_result") === 0)
        return `messages[${at}]: tool_result blocks must come first`;
      open = this.callIds(message);
    }
    return open.length > 0 ? "a tool_use at the end was not answered" : null;
  },
};

const blocks = (message, type) =>
  Array.isArray(message.content) ? message.content.filter((block) => block.type === type) : [];

function isJson(text) {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

export const shapes = { openai, anthropic };
