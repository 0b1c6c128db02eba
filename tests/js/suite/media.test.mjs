// Media count by what they show, in every form they come in; the same natively (tests/rust/media.rs reads the same rows).
import { createCompactor } from "precis";
import { aiSdk, anthropic, openaiChat } from "precis/formats";
import rows from "../../fixtures/media.json" with { type: "json" };
import { deepEqual, ok, test } from "./harness.mjs";

const KINDS = ["image", "pdf", "audio", "video", "file"];
const plain = {
  name: "plain",
  read({ kind, data }, to) {
    to.role("user");
    to.media(kind, data, undefined);
  },
  summary: (text) => ({ kind: "file", data: text }),
  replace: (message) => message,
};
const options = { contextWindow: 1_000_000, tune: { tokens: { estimator: "lexical" } } };
const own = createCompactor({ ...options, format: plain });
const tokens = (kind, data, model) => own.usage({ messages: [{ kind, data }], model }).parts.media;
const filled = (bytes, ...parts) => {
  const all = new Uint8Array(bytes);
  for (const [at, values] of parts) all.set(values, at);
  return all;
};
const ascii = (text) => [...text].map((letter) => letter.charCodeAt(0));
const base64 = (bytes) => btoa(String.fromCharCode(...bytes));

test("golden values", () => {
  for (const [model, kind, bytes, width, height, expected] of rows) {
    const known = kind === 0 ? { width, height } : kind === 1 ? { pages: width } : { seconds: width };
    const data = bytes > 0 ? { data: new Uint8Array(bytes), ...known } : { url: "https://example.com/a", ...known };
    deepEqual([model, kind, tokens(KINDS[kind], data, model)], [model, kind, expected]);
  }
});

const claude = "claude-sonnet-4-5";
const headers = {
  png: filled(400, [0, [0x89, ...ascii("PNG\r\n\x1a\n")]], [18, [1, 0x2c]], [22, [0, 200]]),
  gif: filled(400, [0, ascii("GIF89a")], [6, [0x2c, 1, 200, 0]]),
  webp: filled(400, [0, ascii("RIFF")], [8, ascii("WEBPVP8X")], [24, [0x2b, 1, 0, 199, 0, 0]]),
  jpeg: filled(400, [0, [0xff, 0xd8, 0xff, 0xe0, 0, 4, 0, 0, 0xff, 0xc0, 0, 17, 8, 0, 200, 1, 0x2c]]),
};

for (const [name, bytes] of Object.entries(headers)) {
  test(`a ${name} of 300 × 200 pixels, as bytes, base64, data URL`, () => {
    const expected = Math.ceil(300 / 28) * Math.ceil(200 / 28) + 3;
    for (const data of [bytes, base64(bytes), `data:image/${name};base64,${base64(bytes)}`, { data: bytes }])
      deepEqual(tokens("image", data, claude), expected);
  });

  test(`a ${name} whose header is cut off or damaged is a usual picture`, () => {
    const usual = tokens("image", "https://example.com/picture", claude);
    ok(usual > 1_000 && usual < 2_000, `${usual}`);
    for (let length = 1; length < 8; length++) deepEqual(tokens("image", bytes.slice(0, length), claude), usual);
    for (let at = 0; at < 30; at++) {
      const broken = filled(400, [0, bytes], [at, [bytes[at] ^ 0xff]]);
      const counted = tokens("image", broken, claude);
      ok(counted >= 1 && counted <= 1_571, `${at}: ${counted}`);
    }
  });
}

test("what is said of a picture goes before its header; nonsense is not heard", () => {
  deepEqual(tokens("image", { data: headers.png, width: 28, height: 28 }, claude), 4);
  for (const width of [0, -5, Number.NaN, Number.POSITIVE_INFINITY, "28", null, 1e300]) {
    const counted = tokens("image", { data: headers.png, width, height: 28 }, claude);
    ok(counted >= 1 && counted <= 1_571, `${width}: ${counted}`);
  }
  ok(tokens("image", { data: headers.png, width: 100_000, height: 100_000 }, claude) <= 1_571);
});

test("a header that says nothing, or 100,000 × 100,000 pixels, costs no less than something and no more than the largest", () => {
  // Where each header keeps its two sizes, in bytes, the first of them first.
  const places = { png: [16, 20, 4, true], gif: [6, 8, 2, false], webp: [24, 27, 3, false], jpeg: [15, 13, 2, true] };
  const written = (value, count, big) => {
    const bytes = Array.from({ length: count }, (_, at) => Math.floor(value / 256 ** at) & 0xff);
    return big ? bytes.reverse() : bytes;
  };
  for (const [model, most] of [
    [claude, 1_571],
    ["gpt-4o", 765],
    ["gpt-5", 630],
    ["gemini-2.5-flash", 17 * 258],
    ["some-model", 765],
  ])
    for (const [name, [width, height, count, big]] of Object.entries(places))
      for (const sizes of [
        [0, 0],
        [0, 200],
        [300, 0],
        [100_000, 100_000],
        [1, 100_000],
        [256 ** count - 1, 256 ** count - 1],
      ]) {
        const parts = [width, height].map((at, axis) => [
          at,
          written(Math.min(sizes[axis], 256 ** count - 1), count, big),
        ]);
        const counted = tokens("image", filled(400, [0, headers[name]], ...parts), model);
        ok(counted >= 1 && counted <= most, `${model}, ${name} of ${sizes}: ${counted}`);
      }
});

test("pages of a PDF: from its page tree, page by page, or by its size", () => {
  const pdf = (text, bytes = 90_000) => filled(bytes, [0, ascii(`%PDF-1.4\n${text}`)]);
  const page = "<< /Type /Page /Parent 2 0 R >>\n";
  deepEqual(tokens("pdf", pdf("<< /Type /Pages /Kids [3 0 R] /Count 7 >>"), claude), 7 * 2_100);
  deepEqual(tokens("pdf", pdf("<< /Count 7 /Type /Pages /Kids [3 0 R] >>"), claude), 7 * 2_100);
  deepEqual(tokens("pdf", pdf(page.repeat(3)), claude), 3 * 2_100);
  deepEqual(tokens("pdf", pdf("<< /Type /Outlines /Count 400 >>"), claude), 2 * 2_100);
  deepEqual(tokens("pdf", pdf("compressed", 240_000), claude), 5 * 2_100);
  deepEqual(tokens("pdf", { data: pdf(page), pages: 12 }, claude), 12 * 2_100);
  // The tree may stand at the end.
  const late = filled(400_000, [0, ascii("%PDF-1.4")], [399_000, ascii("<< /Type /Pages /Count 9 >>")]);
  deepEqual(tokens("pdf", late, claude), 9 * 2_100);
  deepEqual(tokens("pdf", base64(pdf(page.repeat(3), 3_000)), claude), 3 * 2_100);
});

test("sound by the seconds of its header", () => {
  const wav = filled(96_044, [0, ascii("RIFF")], [8, ascii("WAVEfmt ")], [28, [0x80, 0xbb, 0, 0]]);
  deepEqual(tokens("audio", wav, "gemini-2.5-flash"), 3 * 32);
  const silent = filled(96_044, [0, ascii("RIFF")], [8, ascii("WAVEfmt ")]);
  ok(tokens("audio", silent, "gemini-2.5-flash") >= 1, "a header that says no rate");
});

test("no format counts base64 as text, or a reference as nothing", () => {
  const large = base64(filled(30_000, [0, headers.png]));
  const messages = {
    openai: [openaiChat, { type: "image_url", image_url: { url: `data:image/png;base64,${large}` } }],
    anthropic: [anthropic, { type: "image", source: { type: "base64", media_type: "image/png", data: large } }],
    "ai sdk": [aiSdk, { type: "image", image: large, mediaType: "image/png" }],
    "openai's url": [openaiChat, { type: "image_url", image_url: { url: "https://example.com/a.png" } }],
    "openai's file": [openaiChat, { type: "file", file: { file_id: "file-1" } }],
    "anthropic's file": [anthropic, { type: "document", source: { type: "file", file_id: "file_1" } }],
    "ai sdk's url": [aiSdk, { type: "file", data: new URL("https://example.com/a.pdf"), mediaType: "application/pdf" }],
  };
  for (const [name, [format, part]] of Object.entries(messages)) {
    const call = { messages: [{ role: "user", content: [part] }], model: claude };
    const counted = createCompactor({ ...options, format }).usage(call).parts.media;
    ok(counted > 60 && counted < 30_000, `${name}: ${counted}`);
    if (/^(openai|anthropic|ai sdk)$/.test(name)) deepEqual([name, counted], [name, 91]);
  }
});
