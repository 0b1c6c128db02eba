// node benches/tokens/corpus.mjs FOLDER : writes FOLDER/train.json, the texts that benches/tokens/fit.mjs fits to, and
// FOLDER/other-files.json, excerpts from other files of the same sources, to look at while a setting is chosen (a list for
// benches/tokens.mjs). Clones what benches/tokens/sources.mjs names into FOLDER, some 3 GB; a clone that is there already
// (`FOLDER/owner+name`, bare or not) is used as it is, if it has the commit.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { at, main, packages } from "../../js/scripts/common.mjs";
import { sources } from "./sources.mjs";

/** Characters of an excerpt, excerpts of a file, bytes of a file. */
const [excerpt, excerpts, largest] = [4_000, 12, 400_000];

/** How languages are called that have more than one name. */
const languages = {
  ...{ np: "ne", fa_IR: "fa", pt_BR: "pt", pt_PT: "pt", "pt-br": "pt", ptbr: "pt", "zh-hans": "zh", cn: "zh" },
  ...{ "zh-hant": "zh-tw", zh_TW: "zh-tw", "zh-TW": "zh-tw", tw: "zh-tw", "zh-cn": "zh", kh: "km", "no-nb": "no" },
  ...{ fil: "tl", english: "en", chinese: "zh", traditional_chinese: "zh-tw", tchinese: "zh-tw", japanese: "ja" },
  ...{ korean: "ko", german: "de", french: "fr", spanish: "es", italian: "it", portuguese: "pt", russian: "ru" },
  ...{ hindi: "hi", bangla: "bn", indonesia: "id", persian: "fa", turkish: "tr", swedish: "sv", thai: "th" },
  ...{ telugu: "te", hebrew: "he", greek: "el", ukrainian: "uk", marathi: "mr", urdu: "ur", oriya: "or" },
  ...{ jpn: "ja", kor: "ko", cmn_hans: "zh", cmn_hant: "zh-tw" },
};

/** Some of the declaration's languages are hardly ever written; their few scripts would drown in them. */
const declared =
  "jpn kor cmn_hans cmn_hant rus ukr bel bul mkd srp_cyrl kaz kir tgk mon arb pes_1 pes_2 urd heb hin mar npi nep ben guj pan ori tam tel kan mal sin tha lao khm mya kat hye amh tir ell_monotonic deu_1996 fra spa ita por_BR por_PT nld swe dan nob nno fin est lav lit pol ces slk slv hrv bos_latn srp_latn hun ron_2006 tur aze_latn azj_latn uzn_latn vie ind mly_latn zlm tgl swh hau_NG yor ibo zul xho afr eus cat glg gle cym isl mlt als epo som jav sun ceb bod div uig_arab pbu snd hat_popular mlg fry ltz".split(
    " ",
  );

/** The most characters of a class. */
function most(cls) {
  if (/^(prose|md|review|said) /.test(cls) && !/ en$/.test(cls)) return 700_000;
  if (/^(tldr|ui|declaration) /.test(cls) && cls !== "tldr en") return 150_000;
  return /^(base64|hex|ids)$/.test(cls) ? 60_000 : 900_000;
}

/** How much a class counts beside the others: what chats with tools are full of most. */
function shareOf(cls) {
  const [kind, language] = cls.split(" ");
  const most = language === "en" || /^(code|json|yaml|logs|session|base64|hex|ids)$/.test(kind) ? 2.5 : 1;
  return most * ownShare(kind, language);
}

function ownShare(kind, language) {
  if (kind === "prose" && (language === "pcm" || language === "sa")) return 0.3;
  if (kind === "md" && language !== "en") return 0.5;
  if (kind === "tldr" || kind === "ui") return 0.3;
  if (kind === "declaration") return 0.25;
  if (/^(chat|said|review|food|places)$/.test(kind) && /^(zh|ja|ko)$/.test(language)) return 1.5;
  if (kind === "session") return 0.7;
  if (/^(base64|hex|ids)$/.test(kind)) return 0.5;
  return kind === "csv" || language === "tcl" || language === "lua" ? 0.4 : 1;
}

main(import.meta.url, async ([folder]) => {
  if (!folder) throw new Error("node benches/tokens/corpus.mjs FOLDER");
  mkdirSync(folder, { recursive: true });
  await packages();
  await packages("benches");
  /** By class: `{ name, text }`. */
  const found = new Map();
  const add = (cls, name, text) => {
    if (!text || text.includes("\0")) return;
    if (!found.has(cls)) found.set(cls, []);
    found.get(cls).push({ name, text });
  };
  for (const source of sources) read(source, cloned(folder, source), add);
  interfaces(add);
  declarations(add);
  random(add);

  const [train, others] = [[], []];
  for (const [cls, all] of [...found].sort(([one], [other]) => (one < other ? -1 : 1))) {
    let [taken, apart] = [0, 0];
    const share = Number(shareOf(cls).toFixed(3));
    for (const { name, text } of all.sort((one, other) => hash(one.name) - hash(other.name))) {
      // Every sixth file stays apart, where there is enough.
      const other = !/^(declaration|ui) /.test(cls) && hash(`apart ${name}`) % 6 === 0;
      for (let from = 0, i = 0; from < text.length && i < excerpts; from += excerpt, i++) {
        const part = whole(text.slice(from, from + excerpt));
        if (!other && taken < most(cls)) {
          train.push({ cls, text: part, share });
          taken += part.length;
        } else if (other && apart < 40 && i < 2 && part.length > 60) {
          others.push({ cls, text: whole(part.slice(0, [60, 300, 1_000, 3_000][hash(name + from) % 4])) });
          apart++;
        }
      }
    }
  }
  writeFileSync(join(folder, "train.json"), JSON.stringify(train));
  writeFileSync(join(folder, "other-files.json"), JSON.stringify(others));
  const characters = train.reduce((sum, { text }) => sum + text.length, 0);
  console.log(`${train.length} excerpts, ${characters} characters, ${found.size} classes; ${others.length} apart`);
});

/** Without half a character at either end. */
function whole(text) {
  return text.replace(/^[\udc00-\udfff]|[\ud800-\udbff]$/g, "");
}

function hash(text) {
  return Number.parseInt(createHash("md5").update(text).digest("hex").slice(0, 8), 16);
}

/** The clone of a repository that has the commit. */
function cloned(folder, { repo, commit }) {
  const place = join(folder, repo.replace("/", "+"));
  if (!existsSync(place)) git(folder, "clone", "--quiet", "--no-checkout", `https://github.com/${repo}`, place);
  const has = spawnSync("git", ["cat-file", "-e", commit], { cwd: place }).status === 0;
  if (!has) git(place, "fetch", "--quiet", "origin", commit);
  return place;
}

function git(folder, ...args) {
  const { input } = typeof args[0] === "object" ? args.shift() : {};
  const options = { cwd: folder, input, maxBuffer: 2 ** 30, env: { ...process.env, GIT_LFS_SKIP_SMUDGE: "1" } };
  const { status, stdout, stderr } = spawnSync("git", args, options);
  if (status !== 0) throw new Error(`git ${args.join(" ")}: ${stderr}`);
  return stdout;
}

/** Adds what the rules of a source take. Held-out prose is a code of conduct: none is taken. */
function read({ repo, commit, take }, place, add) {
  const wanted = [];
  for (const entry of git(place, "ls-tree", "-r", "-z", "-l", commit).toString().split("\0").filter(Boolean)) {
    const [kind, path] = entry.split("\t");
    const [, , object, size] = kind.split(/ +/);
    const rule = take.find(([pattern]) => pattern.test(path));
    if (!rule || /code.?of.?conduct/i.test(path) || (!rule[2] && Number(size) > largest)) continue;
    const [pattern, cls, texts = (text) => [text]] = rule;
    const [, language] = path.match(pattern);
    if (cls.startsWith("declaration") && !declared.includes(language)) continue;
    wanted.push({ path, object, texts, cls: cls.replace("*", languages[language] ?? language) });
  }
  for (const [i, text] of blobs(place, wanted).entries()) {
    const { path, cls, texts } = wanted[i];
    if (text === null) console.error(`${repo}: ${path} is not in the clone, passed over`);
    for (const [part, one] of text === null ? [] : texts(text).entries()) add(cls, `${repo}/${path}#${part}`, one);
    // What a tool that writes files is called with.
    if (text !== null && cls === "code py" && hash(path) % 40 === 0)
      add("json args", path, JSON.stringify({ path: `/app/${basename(path)}`, content: text.slice(0, 3_000) }));
  }
}

/** The text of each file, null for one that the clone lacks. */
function blobs(place, wanted) {
  const input = wanted.map(({ object }) => `${object}\n`).join("");
  const all = git(place, { input }, "cat-file", "--batch");
  const found = [];
  for (let at = 0; at < all.length; ) {
    const end = all.indexOf(10, at);
    const [, kind, size] = all.subarray(at, end).toString().split(" ");
    at = end + 1;
    if (kind === "missing") found.push(null);
    else {
      found.push(all.subarray(at, at + Number(size)).toString());
      at += Number(size) + 1;
    }
  }
  return found;
}

/** The messages of the TypeScript compiler that is installed here, in its languages. */
function interfaces(add) {
  const place = at("node_modules/typescript/lib");
  for (const language of readdirSync(place)) {
    const file = join(place, language, "diagnosticMessages.generated.json");
    if (!existsSync(file)) continue;
    const all = Object.values(JSON.parse(readFileSync(file, "utf8")));
    for (let i = 0; i < all.length; i += 20)
      add(`ui ${languages[language] ?? language}`, `${language}#${i}`, all.slice(i, i + 20).join("\n"));
  }
}

/** The type declarations of the packages that are installed for development. */
function declarations(add) {
  for (const folder of ["node_modules", "benches/node_modules"]) {
    const all = readdirSync(at(folder), { recursive: true, encoding: "utf8" });
    for (const name of all.filter((name) => /\.d\.[mc]?ts$/.test(name) && !/precis|lib\.(dom|webworker)/.test(name))) {
      const file = at(folder, name);
      const { size } = statSync(file);
      if (size < largest) add("code ts", name, readFileSync(file, "utf8"));
    }
  }
}

/** Base64, hex and ids, the same every time. */
function random(add) {
  let state = 12_345;
  const below = (most) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * most);
  };
  const bytes = (count) => Buffer.from(Array.from({ length: count }, () => below(256)));
  const id = () =>
    below(2)
      ? bytes(16)
          .toString("hex")
          .replace(/(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-")
      : `call_${bytes(18).toString("base64").replace(/[+/=]/g, "x")}`;
  for (let i = 0; i < 60; i++) {
    add("base64", `${i}`, bytes(600).toString("base64"));
    add("hex", `${i}`, bytes(600).toString("hex"));
    add("ids", `${i}`, Array.from({ length: 20 }, id).join("\n"));
  }
}
