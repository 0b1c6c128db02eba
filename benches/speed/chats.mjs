// Chats of any size, the same every time.

const WORDS =
  "the build failed again linker cannot find symbol which second crate exports so I looked into manifest and saw that feature is off by default turned it on ran tests they pass now except one about dates whose fixture expects UTC please check src/parser/date.rs before you commit also rename parse_date to parse_timestamp".split(
    " ",
  );

/** `length` UTF-16 units of prose with numbers and paths in it. */
export function text(length, seed) {
  let random = (seed * 2_654_435_761) >>> 0 || 1;
  const words = [`${seed}:`];
  for (let size = 0; size < length; size += words.at(-1).length + 1) {
    random = (Math.imul(random, 1_664_525) + 1_013_904_223) >>> 0;
    words.push(random % 17 === 0 ? String(random >>> 12) : WORDS[(random >>> 8) % WORDS.length]);
  }
  // One flat string, as a parser makes it.
  return Buffer.from(words.join(" ").slice(0, length)).toString();
}

/** People and a model in turn, `count` messages of `length` bytes. */
export function chat(count, length) {
  return Array.from({ length: count }, (_, index) => said(index, length));
}

/** One message of such a chat. */
export function said(index, length) {
  return { role: index % 2 ? "assistant" : "user", content: text(length, index) };
}

/** An agent's session in the AI SDK's shape: a question, then calls with their results, then an answer; 20 messages a turn. */
export function session(count) {
  return Array.from({ length: count }, (_, index) => {
    const at = index % 20;
    const toolCallId = `call_${index - (index % 2 ? 0 : 1)}`;
    if (at === 0) return { role: "user", content: text(200, index) };
    if (at === 19) return { role: "assistant", content: [{ type: "text", text: text(300, index) }] };
    if (at % 2) {
      const input = { command: `grep -rn parse_date src/${index}`, timeout: 60 };
      return { role: "assistant", content: [{ type: "tool-call", toolCallId, toolName: "shell", input }] };
    }
    const output = { type: "text", value: text(400, index) };
    return { role: "tool", content: [{ type: "tool-result", toolCallId, toolName: "shell", output }] };
  });
}
