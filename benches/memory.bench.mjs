// The engine's memory: wasm pages never go back, so what one chat needs at its largest stays for good.
const { Instance } = WebAssembly;
let memory;
// The package shows its memory to nobody; every way to load it makes an instance.
WebAssembly.Instance = class extends Instance {
  constructor(...args) {
    super(...args);
    memory ??= this.exports.memory;
  }
};
const { createCompactor } = await import("precis");
const { aiSdk, openaiChat } = await import("precis/formats");
const { chat, session } = await import("./speed/chats.mjs");

const MOST = 16;
const megabytes = () => memory.buffer.byteLength / 2 ** 20;

const long = chat(4000, 1000);
const wide = createCompactor({ format: openaiChat, contextWindow: 1_000_000, maxOutputTokens: 4096 });
await wide.beforeModel({ messages: long });
const afterLong = megabytes();

const small = createCompactor({ format: aiSdk, contextWindow: 3000, maxOutputTokens: 256 });
const rest = [];
for (let n = 1; n <= 10_000; n++) {
  await small.beforeModel({ messages: session(40) });
  if (n % 1000 === 0) rest.push(megabytes());
}
row("wasm memory after a session of 1M tokens", afterLong, MOST, "MB");
row("wasm memory after 10,000 sessions", rest.at(-1), MOST, "MB");
row("growth of wasm memory from 1,000 sessions to 10,000", rest.at(-1) / rest[0], 1, "times its size");

function row(workload, ratio, goal, unit) {
  console.log(
    JSON.stringify({ workload, peer: null, ratio, unit, goal, ok: ratio <= goal, samples: { precis: rest } }),
  );
}
