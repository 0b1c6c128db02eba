// What the measure of benches/recall.mjs takes for a thing that is used again, and what not. It is judged by samples, so
// that nobody makes the engine look better by a definition.
import { deepEqual, equal, ok } from "node:assert/strict";
import { test } from "node:test";
import { repeated, stretches } from "../../../benches/recall/cjk.mjs";
import { holds, searchable } from "../../../benches/recall/holds.mjs";
import { names, namesOf } from "../../../benches/recall/names.mjs";
import { phrases } from "../../../benches/recall/phrases.mjs";
import { lexical } from "../../../benches/recall/things.mjs";

/** The things of one class in a text, sorted. */
const found = (kind, text) => lexical(text).flatMap(([one, thing]) => (one === kind ? [thing] : []));
const all = (kind, text, things) => deepEqual(found(kind, text).sort(), [...things].sort());
const none = (text) => deepEqual(lexical(text), []);
const held = (kind, text, thing) => holds(searchable(text), kind, thing);

test("ids are what stands for one record, address or commit", () => {
  all("ids", "Order #W5918442 of mia_li_3668, paid with gift_card_7250692: item 4829106732, ticket ABC-12.", [
    "#W5918442",
    "mia_li_3668",
    "gift_card_7250692",
    "4829106732",
    "ABC-12",
  ]);
  all("ids", "Mail a@b.org about https://example.com/x?y=1, on 10.0.0.1:5432 since 1565ff2, call 555-123-4567.", [
    "a@b.org",
    "https://example.com/x?y=1",
    "10.0.0.1:5432",
    "1565ff2",
    "555-123-4567",
  ]);
  all("ids", "8e2b0c1f-1111-2222-3333-444455556666", ["8e2b0c1f-1111-2222-3333-444455556666"]);
});

test("codes are capitals with digits, and no units or standards", () => {
  all("codes", "K7QZPM on HAT030, lint says E402.", ["K7QZPM", "HAT030", "E402"]);
  none("In UTF8 and SHA256, 16 of them at B2 in the OK state.");
});

test("dates and times count as they are written, places in a file do not", () => {
  const text = "On 2024-05-20, at 10:30 or 3 pm on May 20, 2024, by 2024-05-21T15:00:00, 5月20日, not a.py:22:1";
  all("dates", text, ["2024-05-20", "10:30", "3 pm", "May 20, 2024", "2024-05-21T15:00:00", "5月20日"]);
});

test("symbols are paths, files, and names of code", () => {
  all("symbols", "Open src/core/tools.ts, tools.ts, ./run.sh and /usr/local/lib/x.", [
    "src/core/tools.ts",
    "tools.ts",
    "./run.sh",
    "/usr/local/lib/x",
  ]);
  all("symbols", "get_user, getUser, TimeDelta, MAX_SIZE, fields.DateTime, self.meta.fields", [
    "get_user",
    "getUser",
    "TimeDelta",
    "MAX_SIZE",
    "fields.DateTime",
    "meta.fields",
  ]);
});

test("what any value can be asked for is no name of its own", () => {
  none("lines.append(x); kwargs.get('a'); text.strip().split(','); console.log(JSON.stringify(x)); self.fields");
  all("symbols", "userMessages.map(f)", ["userMessages"]);
});

test("flags have two dashes", () => {
  all("flags", "npm test --no-verify --window=32 -v, a -- b", ["--no-verify", "--window"]);
  ok(held("flags", "use `--no-verify`", "--no-verify"));
  ok(!held("flags", "use --no-verify-ssl", "--no-verify"));
});

test("numbers are amounts, versions, and three digits and more; round ones and years are chosen", () => {
  all("numbers", "$54.04, 1,250, 75%, 16GB, v1.2.3, 1867 rows, 3.11", [
    "54.04",
    "1,250",
    "75%",
    "16GB",
    "v1.2.3",
    "1867",
    "3.11",
  ]);
  none("5 of 12, 100 and 2000 in 2024; 1. first 2. second");
});

test("words of a sentence are nothing", () => {
  none(
    "The quick Brown fox jumps, and/or reads/writes. I think that works well, e.g. this. Isn't it? The end.The start.",
  );
  none("GitHub and JavaScript on an iPhone: a well-known, state-of-the-art thing.");
  none("Done.\\nPlease reply.\\nIf you can, do.");
});

test("a thing is held by itself, not as a part of another", () => {
  ok(held("ids", '{"user":"mia_li_3668"}', "mia_li_3668"));
  ok(!held("ids", "mia_li_36681", "mia_li_3668"));
  ok(!held("symbols", "my_get_user", "get_user"));
  for (const text of ["1.250", "1,250", "2024-05-250", "10:250"]) ok(!held("numbers", text, "250"), text);
  for (const text of ["$250.", "250元", "(250)"]) ok(held("numbers", text, "250"), text);
  ok(held("dates", "2024-05-20T15:00:00", "2024-05-20"));
});

test("escaped text is compared as it reads", () => {
  ok(held("symbols", '"a\\nget_user(\\"b\\")"', "get_user"));
  ok(held("phrases", '"he said \\"too many\\n  files\\""', "too many files"));
  ok(held("cjk", '"\\u9053\\u8def"', "道路"));
});

const item = (text, ...leaves) => {
  const call = leaves.length > 0;
  const shown = call ? leaves.join("\n") : text;
  return { role: "user", text: shown, leaves, parts: [{ type: call ? "call" : "text", text: shown, leaves }] };
};

test("names are capitalized, never small in their session, and used in a call or twice before", () => {
  const items = [
    item("My name is Mia and I live in Seville. The field is green."),
    item("So you are Mia from Seville. Field notes are for Portia."),
    item("Hello Mia in Seville! Field, Portia."),
    item("", "Portia", "SFO"),
  ];
  const said = namesOf(items);
  const used = (index) => names(items[index], index, said).map(([, name]) => name);
  deepEqual(used(2), ["Mia", "Seville"]);
  deepEqual(used(3), ["Portia", "SFO"]);
});

test("phrases are two words and more in a pair of quotation marks", () => {
  const of = (text) => phrases(text).map(([, phrase]) => phrase);
  deepEqual(of("\"Too many open files\" from `npm run build`, 'pull request'"), [
    "Too many open files",
    "npm run build",
    "pull request",
  ]);
  deepEqual(of('`x` and then `y`, it\'s what they don\'t say; "ok", `{ a: 1 }`, "1 2"'), []);
});

test("Chinese, Japanese and Korean are parted at what only joins, and everyday words are nothing", () => {
  deepEqual(stretches("您好，推荐您去八达岭长城，谢谢。"), ["八达岭长城"]);
  deepEqual(stretches("私はホームセンターで働いています").includes("ホームセンター"), true);
  deepEqual(stretches("저는 도서관에서 피아노를 좋아합니다"), ["도서관", "피아노"]);
  deepEqual(stretches("plain words"), []);
});

test("what is repeated is as long as it stood before", () => {
  const past = "我想去八达岭长城，听도서관을";
  const has = (one) => past.includes(one);
  deepEqual(repeated("八达岭长城南门", has), [["cjk", "八达岭长城"]]);
  deepEqual(repeated("도서관에서", has), [["cjk", "도서관"]]);
  equal(repeated("天安门", has).length, 0);
  // Not the end of another word.
  deepEqual(
    repeated("去图书馆", (one) => "美术馆".includes(one)),
    [],
  );
});
