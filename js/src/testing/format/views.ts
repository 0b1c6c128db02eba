import { checkMessages, createCompactor, type Format } from "precis";
import { attempt, type Examined } from "./finding.ts";
import { asJson, readAll, type Said } from "./said.ts";

/** What `createCompactor` asks of a format is there. */
export function checkMembers<M>(given: Examined<M>): void {
  const { format, said, report } = given;
  attempt(given, "members", null, "createCompactor", () =>
    createCompactor({ format: format as Format<M>, contextWindow: 100_000, maxOutputTokens: 1_000 }),
  );
  if (format.alternation === "strict" && typeof format.merge !== "function")
    report(
      "members",
      null,
      'With alternation "strict" the format needs merge(first, second): a summary and the request after it become one message.',
    );
  const needs = said.flat().find(({ kind }) => ["approvalRequest", "approvalResponse", "compaction"].includes(kind));
  if (needs && typeof format.without !== "function")
    report(
      "members",
      null,
      `The format passes to.${needs.kind}, so it needs without(message, parts): faulty ones are left out.`,
    );
}

/** Calls and results are found to each other. */
export function checkPairs<M>({ format, messages, said, report }: Examined<M>): void {
  for (const { rule, index, message } of checkMessages(format, messages)) {
    const ids = (wanted: string) =>
      said.flat().flatMap(({ kind, args }) => (kind === wanted ? asJson(args[wanted === "call" ? 0 : 1]) : []));
    const isPair = rule === "orphan-result" || rule === "unanswered-call";
    const seen = `Calls were read with the ids ${ids("call").join(", ") || "none"}, results with ${ids("result").join(", ") || "none"}.`;
    const advice = isPair
      ? `${seen} Pass the same id for both, as it stands in the messages; if the samples really lack one of them, complete them.`
      : "Give samples that a provider would accept, or read them so.";
    report("pairs", index, `${rule}: ${message} ${advice}`);
  }
}

/** So many tokens a history should have, so that there is something to cut. */
const ENOUGH = 12_000;
/** The windows that it is brought into, in hundredths of its tokens. */
const SHARES = [70, 40, 20];
const REPLY = 256;

const isSummarized = ({ kind, args }: Said) => kind === "compaction" && typeof args[1] === "string";

/** Views of the samples, and of the samples over and over, through the engine itself. */
export function checkViews<M>(given: Examined<M>): void {
  const { format, messages, said, report } = given;
  const view = (history: readonly M[], contextWindow: number, repair: boolean): readonly M[] | undefined =>
    attempt(given, "view", null, `A compaction into ${contextWindow} tokens`, () => {
      const options = { contextWindow, maxOutputTokens: REPLY, repair };
      const compactor = createCompactor({ format: format as Format<M>, ...options });
      return compactor.commit({ messages: history }, compactor.plan({ messages: history })).view;
    });
  const wide = { format: format as Format<M>, contextWindow: 1_000_000, maxOutputTokens: REPLY };
  const usage = attempt(given, "view", null, "usage", () => createCompactor(wide).usage({ messages }));
  if (!usage) return;
  const { tokens } = usage;
  const before = asJson(messages);
  const whole = view(messages, tokens * 4 + 10_000, false);
  // What a provider has summarized itself is not sent again.
  const expected = messages.slice(
    Math.max(
      0,
      said.findLastIndex((all) => all.some(isSummarized)),
    ),
  );
  const at = whole?.findIndex((message, place) => message !== expected[place]) ?? -1;
  if (whole && (at >= 0 || whole.length !== expected.length))
    report(
      "view",
      at < 0 ? null : at,
      "A view in which nothing had to be done holds other messages than the samples. Check what read passes at that place.",
    );
  const times = Math.max(1, Math.ceil(ENOUGH / Math.max(1, tokens)));
  const history = Array.from({ length: times }, () => messages).flat();
  const own = new Set(history);
  const accepted = checkMessages(format, history).length;
  for (const share of SHARES) {
    const shorter = view(history, Math.ceil((Math.max(tokens * times, 4_000) * share) / 100) + REPLY, true);
    if (!shorter) continue;
    const faults = checkMessages(format, shorter);
    if (faults.length > accepted)
      report(
        "view",
        null,
        `A compaction into ${share} % brings ${faults[0]?.rule} into the view: ${faults[0]?.message}`,
      );
    for (const message of shorter)
      if (!own.has(message))
        attempt(given, "view", null, "read of a message that a compaction made", () => readAll(format, message));
  }
  if (asJson(messages) !== before)
    report("written-to", null, "A compaction has changed the samples. replace, without and merge must return copies.");
}
