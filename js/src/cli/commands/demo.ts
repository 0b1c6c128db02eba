import { COMMON, LIMITS } from "../arguments.ts";
import { type Command, EXIT } from "../command.ts";
import { save } from "../output.ts";
import { readFiles } from "../reading.ts";
import { recordedSession, recordedText } from "../session.ts";
import { tell } from "../telling.ts";

const WINDOWS = [32_000, 64_000, 128_000];

export const demo: Command = {
  name: "demo",
  usage: "[FILE…] [options]",
  summary: "Replays a recorded coding session through three context windows: no LLM, no key.",
  about: [
    "Before each recorded reply, the compactor sees all messages so far. Code writes the summaries.",
    "Without a FILE, it uses the session that comes with the package. A FILE may also be a folder.",
  ],
  options: {
    window: { ...COMMON.windows, help: `${COMMON.windows.help} (default 32k,64k,128k)` },
    ...LIMITS,
    save: { type: "string", value: "FILE", help: "write the session of the package there, to try other commands on" },
    force: { type: "boolean", help: "with --save: write over what is there" },
    strict: COMMON.strict,
    json: COMMON.json,
    help: COMMON.help,
  },
  async run(given) {
    const to = given.text("save");
    if (to !== undefined) {
      save(to, recordedText(), given.flag("force"));
      return EXIT.done;
    }
    const windows = given.windows(WINDOWS);
    if (given.files.length === 0) return tell(given, recordedSession(), windows);
    const { conversations, end } = await readFiles(given);
    return end(await tell(given, conversations, windows));
  },
};
