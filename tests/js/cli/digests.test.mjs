// What is left of recorded sessions when all of them is compacted without a model, as files to be read by eye: would you,
// given only this, go on with the work? What a reader needs is asserted, in its order, and not how it is worded around it.
// `PRECIS_RECORD=FOLDER node --test tests/js/cli/digests.test.mjs` writes the digests into a folder, to be read beside what
// a careful person wrote by hand (`tests/fixtures/digests/*.by-hand.md`) who had read the session and had as much room.
import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { at } from "../../../js/scripts/common.mjs";
import { program } from "../../../js/scripts/demo.mjs";

const { load } = await import(pathToFileURL(await program("files")).href);
const { createCompactor, summaryOf } = await import(pathToFileURL(at("pkg/index.js")).href);

/** The recorded sessions by name: the file, and the window. */
const sessions = {
  "pi-session": ["pi-session/refactoring.jsonl", 13_000],
  "swe-agent": ["swe-agent/marshmallow-1867.traj", 5_000],
  "swe-agent-bash": ["swe-agent/crypto-eps.traj", 12_000],
  openhands: ["digests/sessions/openhands.jsonl", 24_000],
  "claude-code": ["anthropic/claude-code.jsonl", 24_000],
  aider: ["digests/sessions/aider.jsonl", 24_000],
  "tau-bench": ["tau-bench/airline.json", 8_000],
  toolbench: ["digests/sessions/toolbench.jsonl", 24_000],
  crosswoz: ["openai-chat/chinese.jsonl", 24_000],
  "copilot-chat": ["digests/sessions/copilot-chat.jsonl", 24_000],
  intake: ["digests/sessions/intake.jsonl", 3_000],
  sql: ["digests/sessions/sql.jsonl", 3_500],
};
/** What the user says next: all before it is covered, but for what they said last, which stands in the view as it is. */
const next = { role: "user", content: "Go on." };
/** All that code writes in place of the past: the digest and, where the newest request goes on, the progress note. */
function written(state) {
  const note = state.checkpoints.at(-1).note?.text;
  return note ? `${summaryOf(state)}\n\n${note}` : summaryOf(state);
}

/** What a reader needs of each session, in this order: in the digest, and in what was said last, which the view holds as it is. */
const facts = {
  "pi-session": {
    digest: [
      /WP1: Create bash-executor\.ts/,
      /refactored to be nicer/,
      /code sharing between the different run modes/,
      /only want e2e tests for AgentSession/,
      /createa {1,2}full implementation plan in coding-agent\/docs\/refactor\.md/,
      /pick up from where you left/,
      /setters are methods because they have side effects/,
      /Already done, do not repeat/,
      /Check: npm run check ← .*Property 'tokensAfter' does not exist/,
      /Commit: WP5\+WP6/,
      /update the CompactionResult interface/,
    ],
    request: [/start implementing/, /keep the old code around for reference/],
  },
  "swe-agent": {
    digest: [
      /strange behaviour of `TimeDelta` field serialization/,
      /timedelta\(milliseconds=345\)/,
      /`344`, but it seems that `345` is correct/,
      /fields\.py#L1474/,
      /ONLY ENTER ONE COMMAND AT A TIME/,
      /← \/testbed\/src\/marshmallow\/fields\.py/,
      /integer division, which truncates the decimal part/,
      /round\(value\.total_seconds\(\) \/ base_unit\.total_seconds\(\)\)\) # round to nearest int start_line=1475/,
      /IndentationError/,
      /\(again\)/,
      /remove the reproduce\.py/,
    ],
    request: [],
  },
  "swe-agent-bash": {
    digest: [
      /named "eps"/,
      /ONLY ENTER ONE COMMAND AT A TIME/,
      /eps1\.9_zer0-day_b7604a922c8feef666a957933751a074\.avi/,
      /EOY XF, AY VMU M UKFNY/,
      /Evil Corp, we have delivered on our promise/,
      /utte {0,1}base64: invalid input/,
      /flat\{People always make the best exploits\.\}/,
      /submit flat\{People always make the best exploits\.\}/,
      /flag instead of flat/,
      /Wrong flag!/,
    ],
    request: [],
  },
  openhands: {
    digest: [
      /create \/workspace\/hello\.py/,
      /No such file or directory: '\/workspace\/hello\.py'/,
      /there's already a `hello\.py` file/,
      /should be an absolute path/,
      /the single line `print\('Hello, World!'\)`/,
      /agent-sdk\.worktree\/telemetry\/hello\.py/,
    ],
    request: [/named hello\.py that prints 'Hello, World!'/],
  },
  "claude-code": {
    digest: [
      /create a comprehensive CLAUDE\.md/,
      /node dist\/find_issues\.js --authors/,
      /Read \/Users\/roblou\/code\/debugtest\/tsconfig\.json/,
    ],
    request: [/create a CLAUDE\.md file/],
  },
  aider: {
    digest: [
      /make SuitableRepoNotFound class/,
      /F821 undefined name/,
      /catch SuitableRepoNotFound not `FileNotFoundError`/,
    ],
    request: [/\/run aider/],
  },
  "tau-bench": {
    digest: [
      /changes to my upcoming flight/,
      /HXDUBJ/,
      /2 checked bags/,
      /HAT278 departing at 4 pm/,
      /above my budget/,
    ],
    request: [/Thanks, you too!/],
  },
  toolbench: {
    digest: [/transitaire_for_transitaires is_id=ACT_AGENCE/, /sales@act\.nc/, /'Gondrand' customs agency/],
    request: [/'Gondrand' customs agency/, /list of all available transitaires/],
  },
  crosswoz: {
    digest: [
      /人均消费50-100元，评分4\.5分以上的餐馆/,
      /过客\(南锣鼓巷店\)/,
      /票价免费的景点/,
      /团结湖公园比较适合散步/,
      /010-65276611/,
      /评分是5分，提供吹风机的酒店/,
      /如家商旅酒店\(北京牡丹园地铁站店\)/,
      /就去他家吧/,
    ],
    request: [/真是太谢谢你了/],
  },
  "copilot-chat": {
    digest: [
      /4 20 sentince long paragraphs of lorem ipsum as if you were shrek/,
      /as if you were shrek for testing/,
      /what component or feature you're testing/,
      /Here are 4 paragraphs of 20-sentence Shrek-style lorem ipsum/,
      /Third time's the charm/,
    ],
    request: [/im testing chat just do it/],
  },
  intake: {
    digest: [
      /Ruth Wessendorf, geboren am 14\.03\.1961/,
      /Knöchel sind abends dick, links mehr als rechts/,
      /Bisoprolol 2,5 mg/,
      /Penicillin, da bekam ich/,
      /Kontrastmittel 2017/,
      /Hashimoto seit 2012/,
      /Faktor V Leiden/,
      /TSH war 5,8/,
      /nicht an meine Krankenkasse/,
      // What was changed stands behind what it was.
      /Bisoprolol nehme ich seit zwei Wochen nicht mehr/,
      /erst um 9:20/,
      /0151 4470 2963/,
    ],
    request: [/Zusammenfassung für Frau Dr\. Averbeck/],
  },
  sql: {
    digest: [
      /1,284,310\.55 EUR\) is higher than what finance booked \(1,231,902\.10 EUR\)/,
      /never query payments without a date range/,
      /11\.45 for SEK and 0\.935 for CHF/,
      /62,189\.23 too high/,
      /17,880\.35 EUR of them too much/,
      /264 orders are `on_hold`/,
      /31 of the 264 were paid after all/,
      /counts payments, not orders, by paid_at in Europe\/Berlin/,
      /migration 0147/,
      /Call the column rate, not eur_rate/,
      /not be refreshed between 06:00 and 09:00/,
      /report_weekly_v2, the old one stays until January/,
    ],
    request: [/Write the migration now/],
  },
};
/** Fails unless a text holds facts in their order. */
function holds(text, wanted) {
  let from = 0;
  for (const fact of wanted) {
    const found = text.slice(from).search(fact);
    assert.ok(found >= 0, `${fact} behind character ${from} of:\n${text}`);
    from += found;
  }
}

for (const [name, [path, contextWindow]] of Object.entries(sessions)) {
  test(`${name}: the digest says in its order what a reader needs, and compacting once more changes nothing`, async () => {
    const [{ format, messages: recorded, system, tools }] = load([at("tests/fixtures", path)], assert.fail);
    const messages = [...recorded, next];
    // Counted in a way that no fit of the estimator changes.
    const compactor = createCompactor({
      format,
      contextWindow,
      keep: { messages: 1 },
      tune: { tokens: { estimator: "bytes4" } },
    });
    const first = await compactor.compact({ messages, system, tools });
    const text = written(first.state);
    const folder = process.env.PRECIS_RECORD;
    if (folder) {
      mkdirSync(folder, { recursive: true });
      writeFileSync(`${folder}/${name}.md`, `${text}\n`);
    }
    holds(text, facts[name].digest);
    const stands = first.view.filter((message) => messages.includes(message) && message.role !== "system");
    holds(JSON.stringify(stands), facts[name].request);
    // A change that failed is none.
    assert.doesNotMatch(text, /^Changed: .*\/workspace\/hello\.py/m);
    const names = text.match(/^Also seen: .*$/m)?.[0] ?? "";
    assert.ok(names.length <= text.length * 0.16, `${names.length} of ${text.length} are names`);
    const again = await compactor.compact({ messages, system, tools, state: first.state });
    assert.equal(again.report.outcome, "reused");
    assert.deepEqual(again.state, first.state);
    assert.deepEqual(again.view, first.view);
  });
}
