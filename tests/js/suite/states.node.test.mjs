// States that earlier versions stored: the chat goes on as it would have, and nothing is sent otherwise.
import { readdirSync, readFileSync } from "node:fs";
import { createCompactor } from "precis";
import * as formats from "precis/formats";
import { deepEqual, equal, ok, test } from "./harness.mjs";
import { chats, sent } from "./states.mjs";

const folder = new URL("../../fixtures/states/", import.meta.url);
const versions = readdirSync(folder).filter((name) => name.endsWith(".json"));
ok(versions.length > 0);

for (const version of versions) {
  const recorded = JSON.parse(readFileSync(new URL(version, folder), "utf8"));
  ok(
    recorded.some(({ state }) => state.checkpoints?.length > 1) &&
      recorded.some(({ state }) => state.clips?.length > 0),
  );
  for (const { name, format, messages, options } of chats(formats)) {
    const states = recorded.filter(({ chat }) => chat === name);
    test(`states of ${version} go on: ${name}`, async () => {
      ok(states.length >= 3, `${states.length} states`);
      for (const { end, state, view } of states) {
        const compactor = createCompactor({ format, maxOutputTokens: 200, ...options });
        const call = { messages: messages.slice(0, end), state, system: "You mend parsers." };
        const prepared = await compactor.beforeModel(call);
        // A new compaction is written as this version writes it; all else is sent as it was.
        const rest = (sent) =>
          prepared.state.revision > state.revision ? sent.filter((one) => typeof one === "number") : sent;
        deepEqual(rest(sent(prepared.view, messages)), rest(view), `after ${end} messages`);
        // What the user required in a text of an earlier version, or in a message that stays, is still there.
        if (name === "digest" && end > 24) ok(JSON.stringify(prepared.view).includes("Never edit src/generated.rs."));
        equal(prepared.report.diverged, null);
        ok(prepared.state.revision >= state.revision);
        // What was reported of the request before counts.
        const reported = compactor.afterModel(state, { prompt_tokens: 1_000 }, state.pending?.request);
        equal(reported.version, state.version);
      }
    });
  }
}
