// Your model: any server with OpenAI's chat completions. Without a key a stand-in answers, which needs no network.

/** The summarizer for these settings: those of `process.env`, or of a Worker's `env`. */
export function summarizer({ OPENAI_API_KEY, OPENAI_BASE_URL = "https://api.openai.com/v1", MODEL = "gpt-5.4-mini" }) {
  if (!OPENAI_API_KEY) return standIn;
  return async ({ system, prompt, maxOutputTokens }) => {
    const response = await fetch(`${OPENAI_BASE_URL}/chat/completions`, {
      method: "POST",
      headers: { "content-type": "application/json", authorization: `Bearer ${OPENAI_API_KEY}` },
      body: JSON.stringify({
        model: MODEL,
        messages: [
          { role: "system", content: system },
          { role: "user", content: prompt },
        ],
        max_completion_tokens: maxOutputTokens,
      }),
      signal: AbortSignal.timeout(120_000),
    });
    // The queue hands out the chat once more, later.
    if (!response.ok) throw new Error(`the summarizer returned status ${response.status}`);
    const { choices, usage } = await response.json();
    return { text: choices[0].message.content ?? "", finishReason: choices[0].finish_reason, usage };
  };
}

async function standIn({ prompt }) {
  const orders = [...new Set(prompt.match(/order \d+/g))];
  return {
    text: `- The person asked about ${orders.slice(0, 20).join(", ") || "their orders"}.`,
    finishReason: "stop",
  };
}
