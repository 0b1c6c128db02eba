import { existsSync, readFileSync, statSync } from "node:fs";
import { STRATEGIES } from "../contract.ts";
import { type Given, UsageError } from "./arguments.ts";
import { textOf } from "./bytes.ts";
import { EXIT } from "./command.ts";
import { STDIN } from "./files.ts";
import { type InspectorDocument, type Settings, WAYS, type Way } from "./inspector/document.ts";
import { leftOut } from "./inspector/fitted.ts";
import { recordedDocuments } from "./inspector/recorded.ts";
import { subjectOf } from "./inspector/subject.ts";
import { traceOf } from "./inspector/trace.ts";
import { checkTarget, save } from "./output.ts";
import { grouped } from "./paint.ts";
import { pricesOf } from "./prices.ts";
import { notice, progressLine } from "./print.ts";
import { readOne } from "./reading.ts";
import { type Report, reportOf } from "./report.ts";
import type { Conversation } from "./transcripts/conversation.ts";

/** What a page may hold beside the chat: browsers read it at once. */
const MOST_BYTES = 200_000_000;

/** Writes the page of `precis inspect --html`: what the inspector shows of the chat, by itself. */
export async function writeReport(given: Given, out: string): Promise<number> {
  const prices = pricesOf(given.text("prices")) ?? null;
  checkTarget(out, given.flag("force"));
  const recorded = recordingOf(given.files);
  if (recorded) {
    write(given, out, await reportOf({ ...recorded, prices }));
    return EXIT.done;
  }
  const { conversation, end } = await readOne(given);
  const progress = progressLine();
  const subject = await subjectOf(conversation, prices);
  const variants = [];
  for (const settings of variantsOf(given)) {
    const trace = await traceOf(subject, settings, (done, all) =>
      progress(`${WAYS[settings.way]}: ${grouped(done)} of ${grouped(all)} requests`),
    );
    if (trace.error !== undefined) throw new UsageError(trace.error);
    variants.push(trace);
  }
  progress("writing the page");
  const played = { messages: subject.displayed, requests: subject.requests, variants, prices };
  const report = await reportOf(documentOf(conversation, played));
  progress("");
  write(given, out, report);
  return end(EXIT.done);
}

type Played = Pick<InspectorDocument, "messages" | "requests" | "variants" | "prices">;

function documentOf({ file, name, shape, model }: Conversation, played: Played): InspectorDocument {
  return { ...{ precis: "inspector", version: 1, file, name, shape, model: model ?? null }, ...played };
}

function write(given: Given, out: string, { page, document }: Report): void {
  if (page.length > MOST_BYTES)
    throw new UsageError(
      `The page would have ${Math.round(page.length / 1e6)} MB, more than a browser opens. Take a part of the chat.`,
    );
  save(out, page, given.flag("force"));
  if (out === STDIN) return;
  notice(`${out} shows ${grouped(document.requests.length)} requests; open it in a browser.`);
  if (document.shortened) notice(leftOut(document.shortened));
}

function variantsOf(given: Given): Settings[] {
  const { contextWindow: window, maxOutputTokens: reply, tune } = given.limits(given.window());
  const estimator = tune.tokens?.estimator as Settings["estimator"];
  const more = { window, ...(reply !== undefined && { reply }), ...(estimator && { estimator }) };
  const own = (tune.preset ?? tune.strategy ?? "tail") as Way;
  const ways: Way[] = given.flag("compare")
    ? [own, ...STRATEGIES.filter((way) => way !== own), "everything", "newest", "cleared"]
    : [own, "everything"];
  return ways.map((way) => ({ way, ...more }));
}

/** What was recorded is shown as it was, not played. */
function recordingOf(files: readonly string[]): InspectorDocument | undefined {
  const [file] = files;
  if (files.length !== 1 || file === undefined || file === STDIN || !existsSync(file) || !statSync(file).isFile())
    return undefined;
  const bytes = readFileSync(file);
  if (!/"precis"\s*:/.test(bytes.subarray(0, 4_096).toString("latin1"))) return undefined;
  const all = recordedDocuments(file, textOf(file, bytes), (reason) => notice(reason));
  return all
    ?.map(({ document }) => document)
    .reduce((best, one) => (one.requests.length > best.requests.length ? one : best));
}
