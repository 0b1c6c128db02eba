// All that takes time: reading transcripts, playing them through the engine, and finding what the page shows.
import { load } from "precis";
import { detailOf, overviewOf, pageOf, placeOf, rememberedOf } from "../../../js/src/cli/inspector/book.ts";
import type { InspectorDocument, Settings, Trace } from "../../../js/src/cli/inspector/document.ts";
import { fitted } from "../../../js/src/cli/inspector/fitted.ts";
import { recordedDocuments } from "../../../js/src/cli/inspector/recorded.ts";
import { type Pause, STOPPED, type Subject, subjectOf } from "../../../js/src/cli/inspector/subject.ts";
import { traceOf } from "../../../js/src/cli/inspector/trace.ts";
import { decoded } from "../../../js/src/cli/text.ts";
import { type Conversation, TranscriptError } from "../../../js/src/cli/transcripts/conversation.ts";
import { transcripts } from "../../../js/src/cli/transcripts/detect.ts";
import { dataOf } from "./data.ts";
import type { Opened, Prices } from "./protocol.ts";

/** The most bytes of a transcript, as it is and unpacked. */
const MOST_BYTES = 400_000_000;
/** Milliseconds of work between two looks at what the page wants, and between two pictures of what is not finished. */
const SLICE = 12;
const PICTURE = 250;

interface Chat {
  readonly conversation?: Conversation;
  readonly recorded?: InspectorDocument;
}

let chats: readonly Chat[] = [];
let file = "";
let notes: readonly string[] = [];
let subject: Subject | undefined;
let shown: InspectorDocument | undefined;
/** Grows with whatever makes work that is under way useless. */
let current = 0;
/** Traces that came with the file. */
let played: readonly Trace[] = [];

const calls = {
  async open(name: string, bytes: Uint8Array): Promise<Opened> {
    // Without the engine a meter counts a quarter of the bytes.
    await load();
    const text = await textOf(name, bytes);
    const skipped: string[] = [];
    const recorded = recordedDocuments(name, text, (reason) => void skipped.push(reason));
    const found: Chat[] = recorded
      ? recorded.map((one) => ({ recorded: one.document, ...(one.conversation && { conversation: one.conversation }) }))
      : transcripts(name, text, (reason) => void skipped.push(reason)).map((conversation) => ({ conversation }));
    [chats, file, notes] = [found, name, skipped];
    const sizes = chats.map(sizeOf);
    return calls.pick(sizes.indexOf(Math.max(...sizes)));
  },

  async pick(index: number): Promise<Opened> {
    const mine = ++current;
    const chat = chats[index];
    if (!chat) throw new TranscriptError("There is no such conversation in the file.");
    subject = chat.conversation ? await subjectOf(chat.conversation, null, pauseOf(mine)) : undefined;
    const { conversation, recorded } = chat;
    played = recorded?.variants ?? [];
    const { name = file, shape = "recording" } = conversation ?? recorded ?? {};
    shown = {
      ...{ precis: "inspector", version: 1, file, name, shape, model: conversation?.model ?? recorded?.model ?? null },
      messages: subject?.displayed ?? recorded?.messages ?? [],
      requests: subject?.requests ?? recorded?.requests ?? [],
      variants: [],
      prices: null,
      ...(recorded?.shortened && { shortened: recorded.shortened }),
    };
    return {
      ...{ file, name, shape, model: shown.model, notes, picked: index },
      messages: shown.messages.length,
      requests: shown.requests.length,
      tools: toolsOf(shown),
      conversations: chats.map(
        (one, at) => `${nameOf(one, at)}, ${sizeOf(one)} ${one.recorded ? "requests" : "messages"}`,
      ),
      ...(recorded && { variants: recorded.variants.map(({ settings }) => settings) }),
      live: subject !== undefined,
      ...(shown.shortened && { shortened: shown.shortened }),
    };
  },

  /** Plays what was not played yet, and says what came of each variant as it goes on. */
  async plan(settings: readonly Settings[], prices: Prices | null): Promise<void> {
    const mine = ++current;
    if (!shown) return;
    const before = shown;
    const known = (wanted: Settings) =>
      before.variants.find((one) => isSame(one.settings, wanted) && (!wanted.pays || isSame(before.prices, prices)));
    // Until they are played, the page is told about what stands in their place.
    const variants: Trace[] = settings.map((wanted, at) => known(wanted) ?? before.variants[at] ?? emptyTrace(wanted));
    shown = { ...before, variants, prices };
    for (const [at, wanted] of settings.entries()) {
      const found = known(wanted) ?? played.find((one) => isSame(one.settings, wanted));
      if (found) {
        variants[at] = found;
        tell(at, found, null);
        continue;
      }
      if (!subject) continue;
      const trace = await traceOf({ ...subject, prices }, wanted, pauseOf(mine, at));
      if (mine !== current) return;
      variants[at] = trace;
      tell(at, trace, null);
    }
  },

  page: (...given: [number, number, "sent" | "history", number, number]) => pageOf(there(), ...given),
  detail: (...given: [number, number, "sent" | "history", number]) => detailOf(there(), ...given),
  place: (...given: [number, number, "sent" | "history", number]) => placeOf(there(), ...given),
  remembered: (...given: [number, number]) => rememberedOf(there(), ...given),
  async exported(prices: Prices | null, most?: number): Promise<string> {
    const whole = { ...there(), prices };
    return JSON.stringify(
      most === undefined ? whole : await fitted(whole, most, async (one) => (await dataOf(one)).length),
    );
  },
};

function there(): InspectorDocument {
  if (!shown) throw new TranscriptError("Open a transcript first.");
  return shown;
}

function tell(variant: number, trace: Trace, done: number | null): void {
  postMessage({ event: "update", variant, overview: overviewOf(trace), done });
}

/** Lets messages of the page in now and then; ends work that is no longer wanted. */
function pauseOf(mine: number, variant?: number): Pause {
  let worked = performance.now();
  let pictured = worked;
  return async (done, all, sofar) => {
    const now = performance.now();
    if (now - worked < SLICE) return;
    await new Promise<void>((next) => {
      const { port1, port2 } = new MessageChannel();
      port1.onmessage = () => {
        port1.close();
        next();
      };
      port2.postMessage(null);
    });
    if (mine !== current) throw STOPPED;
    if (variant !== undefined && sofar && now - pictured > PICTURE) {
      tell(variant, sofar(), done / all);
      pictured = performance.now();
    }
    worked = performance.now();
  };
}

async function textOf(name: string, bytes: Uint8Array): Promise<string> {
  if (bytes.length > MOST_BYTES)
    throw new TranscriptError(`${name} is too large: up to ${MOST_BYTES / 1_000_000} MB are read at once.`);
  if (bytes[0] !== 0x1f || bytes[1] !== 0x8b) return decoded(name, bytes);
  try {
    const stream = new Blob([bytes as BlobPart]).stream().pipeThrough(new DecompressionStream("gzip"));
    return decoded(name, new Uint8Array(await new Response(stream).arrayBuffer()));
  } catch (error) {
    if (error instanceof TranscriptError) throw error;
    throw new TranscriptError(`${name} begins like a gzip file and cannot be unpacked.`);
  }
}

function sizeOf({ conversation, recorded }: Chat): number {
  return conversation?.messages.length ?? recorded?.requests.length ?? 0;
}

function nameOf({ conversation, recorded }: Chat, at: number): string {
  const name = conversation?.name ?? recorded?.name ?? file;
  return name === file ? `conversation ${at + 1}` : name;
}

function toolsOf({ messages }: InspectorDocument): string[] {
  const tokens = new Map<string, number>();
  for (const message of messages)
    for (const tool of message.tools) tokens.set(tool, (tokens.get(tool) ?? 0) + message.tokens);
  return [...tokens].sort(([, one], [, other]) => other - one).map(([tool]) => tool);
}

function emptyTrace(settings: Settings): Trace {
  const parts = { system: [], tools: [], summary: [], user: [], assistant: [], toolResults: [], media: [] };
  const lists = { tokens: [], trigger: [], cached: [], written: [], output: [], compactions: [], views: [] };
  return { settings, parts, ...lists, rewrites: 0, forgets: 0, calculated: 0 };
}

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

addEventListener("message", async ({ data: { id, call, given } }: MessageEvent) => {
  try {
    const value = await (calls as unknown as Record<string, (...given: unknown[]) => unknown>)[call as string]?.(
      ...given,
    );
    postMessage({ id, value });
  } catch (error) {
    if (error === STOPPED) return postMessage({ id, stopped: true });
    const said = error instanceof Error ? error.message : String(error);
    postMessage({ id, error: error instanceof TranscriptError ? said : `This could not be done: ${said}` });
  }
});
