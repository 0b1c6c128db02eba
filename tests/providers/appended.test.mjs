// `summaryRequest: "append"`: recorded chats, each request for a summary judged as the provider judges it, beside those of the
// chat itself. It begins with the very bytes of the last request, and declares its tools.
import { deepEqual, ok } from "node:assert/strict";
import { test } from "node:test";
import { at } from "../../js/scripts/common.mjs";
import { clients } from "./clients.mjs";
import { replay } from "./replay.mjs";
import { sessions } from "./sessions.mjs";

/** A local template is asked for by name; of Mistral a message of a user never follows results. */
const PROVIDERS = Object.keys(clients).filter((name) => name !== "local");
const chats = [];
for (const folder of ["swe-agent", "tau-bench", "openai-chat"])
  chats.push(...(await sessions([at("tests/fixtures", folder)])).slice(0, 2));

for (const provider of PROVIDERS)
  test(`${provider}: what is appended to a chat is refused nowhere`, async () => {
    let appended = 0;
    for (const [number, chat] of chats.entries()) {
      const contextWindow = [4_000, 8_000, 16_000][number % 3];
      const found = await replay(chat, provider, {
        append: true,
        options: { contextWindow, maxOutputTokens: 400 },
      });
      deepEqual(found.refusals, [], chat.name);
      appended += found.appended;
    }
    ok(appended > 0, "nothing was appended");
  });
