// Every rule: a request that is refused with the provider's words, and one that is accepted.
import { deepEqual, equal, match, ok } from "node:assert/strict";
import { test } from "node:test";
import { cases, held } from "./cases.mjs";
import { provider } from "./rules.mjs";
import { pages } from "./table.mjs";

for (const [name, all] of Object.entries(cases)) {
  test(name, async (context) => {
    for (const { rule, why, words, illegal, legal, prepare, options, open, accepted = true } of all) {
      await context.test(`${rule}${why ? `: ${why}` : ""}`, () => {
        const chat = held(name, { open, ...options });
        prepare?.(chat);
        if (accepted) equal(answered(chat, chat.send()), "accepted");
        const answer = chat.server.answer(illegal(chat), { text: "Not said." });
        ok(!answer.ok, "it is not refused");
        const found = answer.findings.filter((finding) => finding.rule === rule);
        ok(
          found.length > 0,
          `refused for ${answer.findings.map((finding) => `${finding.rule}: ${finding.text}`).join("; ")}`,
        );
        match(found[0].text, words);
        ok(found[0].source);
        if (legal) equal(answered(chat, legal(chat)), "accepted");
      });
    }
  });

  test(`${name}: no rule is without a case`, () => {
    const tried = new Set(all.map(({ rule }) => rule));
    deepEqual(
      provider(name)
        .rules.map(({ id }) => id)
        .filter((id) => !tried.has(id)),
      [],
    );
  });
}

function answered({ server }, request) {
  const answer = server.answer(request, { text: "Well." });
  return answer.ok ? "accepted" : answer.findings.map(({ rule, text }) => `${rule}: ${text}`).join("\n");
}

test("docs/providers.md lists these rules", () => {
  const { text, made } = pages();
  equal(text, made, "node tests/providers/table.mjs --update");
});
