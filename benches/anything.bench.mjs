// One megabyte of anything, read and compacted, takes less than a second: text that once took seconds or minutes, as a tool
// prints it and as a person pastes it. Times are of this machine.
import { createCompactor } from "precis";
import { openaiChat } from "precis/formats";

const SIZE = 1_000_000;
const MOST = 1_000;
const filled = (text) => text.repeat(Math.ceil(SIZE / Buffer.byteLength(text)));
const numbered = (each) => {
  const parts = [];
  for (let at = 0, length = 0; length < SIZE; at++) length += parts[parts.push(each(at)) - 1].length;
  return parts.join("");
};
const texts = {
  "a@a@": filled("a@"),
  "a/a/": filled("a/"),
  blanks: filled(" "),
  "line ends": filled("\n"),
  "combining marks": filled("\u0301"),
  "markers of ours": filled("[precis: "),
  "diff lines": filled("+a\n-b\n"),
  "one word": filled("a"),
  digits: filled("1"),
  Chinese: filled("计算"),
  brackets: filled("["),
  "JSON of small elements": `[${filled("1,")}1]`,
  names: numbered((at) => `file_${at}.rs `),
  rules: numbered((at) => `Never touch file ${at}. `),
  "lines of a log": numbered((at) => `ERROR ${at}: it did not work\n`),
};
const called = { id: "c", type: "function", function: { name: "read", arguments: "{}" } };
const pasts = {
  printed: (content) => [
    { role: "user", content: "Go." },
    { role: "assistant", content: null, tool_calls: [called] },
    { role: "tool", tool_call_id: "c", content },
  ],
  pasted: (content) => [{ role: "user", content }],
  covered: (content) => [
    { role: "user", content },
    { role: "assistant", content: "Well. ".repeat(8_000) },
    { role: "user", content: "And now?" },
  ],
};

for (const [kind, content] of Object.entries(texts)) {
  for (const [where, past] of Object.entries(pasts)) {
    const samples = [];
    for (let round = 0; round < 3; round++) {
      const compactor = createCompactor({ format: openaiChat, contextWindow: 32_000, maxOutputTokens: 1_000 });
      const from = process.cpuUsage();
      await compactor.beforeModel({ messages: past(content) });
      const { user, system } = process.cpuUsage(from);
      samples.push((user + system) / 1_000);
    }
    const ratio = Math.min(...samples);
    const workload = `1 MB of ${kind}, ${where}`;
    console.log(
      JSON.stringify({
        workload,
        peer: null,
        ratio,
        unit: "ms",
        goal: MOST,
        ok: ratio <= MOST,
        samples: { precis: samples },
      }),
    );
  }
}
