import { commonPrefix, holdsRequest } from "../replay.ts";
import { sum } from "./displayed.ts";
import { PARTS, type Part, type Settings, type Trace } from "./document.ts";
import { billedAs, type Ledger, ledger } from "./ledger.ts";
import { plainWay } from "./plain-ways.ts";
import { precisOf } from "./precis.ts";
import { type Pause, STOPPED, type Subject } from "./subject.ts";

/** Milliseconds that are worked before others are let in. */
const MOST_MS = 12;

/** Plays a conversation in one way. The trace reports what goes wrong, and then ends there. */
export async function traceOf(subject: Subject, settings: Settings, pause: Pause = () => {}): Promise<Trace> {
  const book = ledger(subject, settings);
  const wait: Pause = (done, all) => pause(done, all, () => book.trace());
  try {
    await (isPlain(settings.way) ? plain : precisOf)(subject, settings, book, wait);
  } catch (error) {
    if (error === STOPPED) throw error;
    return book.trace(error instanceof Error ? error.message : String(error));
  }
  return book.trace();
}

function isPlain(way: Settings["way"]): boolean {
  return way === "everything" || way === "newest" || way === "cleared";
}

/** What is commonly done without a library. */
async function plain(subject: Subject, settings: Settings, book: Ledger, pause: Pause): Promise<void> {
  const { conversation, requests, outline, display, beside, bill } = subject;
  const { messages } = conversation;
  const way = plainWay(conversation, settings.way);
  // By place in the view, the tokens of all before it.
  const sums = [Object.fromEntries(PARTS.map((part) => [part, 0])) as Record<Part, number>];
  let before: readonly object[] = [];
  let from = performance.now();
  for (const [request, reply] of requests.entries()) {
    if (performance.now() - from > MOST_MS) {
      await pause(request, requests.length);
      from = performance.now();
    }
    const view = await way.view(reply);
    const same = commonPrefix(before, view);
    sums.length = same + 1;
    for (const message of view.slice(same)) {
      const own = display.parts(message);
      const last = sums.at(-1) as Record<Part, number>;
      sums.push(Object.fromEntries(PARTS.map((part) => [part, last[part] + own[part]])) as Record<Part, number>);
    }
    const parts = sums.at(-1) as Record<Part, number>;
    const beforehand = request === 0 ? 0 : beside + sum(sums[same] as Record<Part, number>);
    book.plain({
      parts,
      ...billedAs(bill(reply, view)?.prompt_tokens, beside + sum(parts), beforehand),
      isRewritten: same < before.length,
      remembers: holdsRequest(messages.slice(0, reply), view, outline),
    });
    before = view;
  }
}
