// What the recipes have in common: a chat to play with, and a stand-in for your model.

/** A support chat of so many messages, half of them by the person. */
export function chat(count, size = 400) {
  const message = (_, at) => ({
    role: at % 2 === 0 ? "user" : "assistant",
    content: `${at % 2 === 0 ? "Where is" : "I looked up"} order ${4700 + at}? ${"It was sent by post. ".repeat(size / 21)}`,
  });
  return Array.from({ length: count }, message);
}

/** A tool's call and its result. */
export function looked(id, result, name = "look_up") {
  const call = { id, type: "function", function: { name, arguments: JSON.stringify({ id }) } };
  return [
    { role: "assistant", content: null, tool_calls: [call] },
    { role: "tool", tool_call_id: id, content: result },
  ];
}

/** Your model in place of this stand-in: send `system`, `prompt` and `maxOutputTokens`. */
export async function summarize({ prompt }) {
  const orders = [...new Set(prompt.match(/order \d+/g))];
  return {
    text: `- The person asked about ${orders.slice(0, 20).join(", ") || "their orders"}.`,
    finishReason: "stop",
    usage: { prompt_tokens: Math.ceil(prompt.length / 4), completion_tokens: 40 },
  };
}
