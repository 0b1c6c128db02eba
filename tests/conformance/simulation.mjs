// The simulations as conversations: every entry of a session, and where a request goes to the model.

/**
 * @returns entries in order, and for each request how many of them the model sees, and the index of its turn's user entry
 */
export function conversation(session) {
  const entries = [];
  const requests = [];
  session.turn_list.forEach((turn, number) => {
    const user = entries.length;
    const request = () => requests.push({ sees: entries.length, user });
    entries.push({
      role: "user",
      parts: [{ text: filler(`Question ${number}: `, turn.user_bytes) }, ...turn.inline.map(inlinePart)],
    });
    request();
    const calls = turn.tools.map(([name, bytes], index) => ({ id: `call_${number}_${index}`, name, bytes }));
    const batches = turn.sequential ? calls.map((call) => [call]) : calls.length ? [calls] : [];
    for (const batch of batches) {
      entries.push({ role: "model", parts: batch.map(callPart) }, { role: "user", parts: batch.map(resultPart) });
      request();
    }
    const bytes = 16 + String(number).length + (turn.response_bytes || 120);
    entries.push({ role: "model", parts: [{ text: filler(`Answer ${number}: `, bytes) }] });
  });
  return { entries, requests };
}

/** What every request carries besides its entries. */
export function surroundings(session) {
  const toolTokens = session.tool_definitions?.heuristic_tokens ?? 0;
  return {
    system: session.system_prompt_bytes ? "x".repeat(session.system_prompt_bytes) : undefined,
    tools: toolTokens ? [{ name: "", description: "x".repeat(4 * toolTokens) }] : undefined,
    tokens: Math.floor(session.system_prompt_bytes / 4) + toolTokens,
  };
}

const inlinePart = ([mimeType, bytes]) => ({ inlineData: { mimeType, data: new Uint8Array(bytes) } });
const callPart = ({ id, name }) => ({ functionCall: { id, name, args: { param: "value" } } });
const resultPart = ({ id, name, bytes }) => ({
  functionResponse: { id, name, response: { result: "x".repeat(bytes) } },
});

const WORDS =
  "the pods of the payment service restart every few minutes and the log shows a timeout towards its database ";

function filler(start, bytes) {
  return (start + WORDS.repeat(Math.ceil(bytes / WORDS.length))).slice(0, bytes);
}
