import { statSync } from "node:fs";
import { join } from "node:path";
import type { Format } from "precis";
import { type Given, UsageError } from "./arguments.ts";
import { load, namesIn, together } from "./files.ts";
import { fit, grouped, paint } from "./paint.ts";
import { notice, print, progressLine } from "./print.ts";
import { isRequest, outliner } from "./recognise.ts";
import { type Conversation, type JsonObject, NoConversation, TranscriptError } from "./transcripts/conversation.ts";

/** The conversation that `--conversation` names, by its number or by what its name holds; without it the longest, which is said. */
export function chosen(given: Given, conversations: readonly Conversation[]): Conversation {
  const wanted = given.text("conversation");
  return branchOf(given, wanted === undefined ? longest(conversations) : named(wanted, conversations));
}

/** All of them, or those that were chosen. */
export function chosenOf(given: Given, conversations: readonly Conversation[]): readonly Conversation[] {
  const isAsked = given.text("conversation") !== undefined || given.text("branch") !== undefined;
  return isAsked ? [chosen(given, conversations)] : conversations;
}

function named(wanted: string, conversations: readonly Conversation[]): Conversation {
  const count = conversations.length;
  if (/^\d+$/.test(wanted)) {
    const found = conversations[Number(wanted) - 1];
    if (found) return found;
    const has = count === 1 ? "there is only one" : `there are ${count}`;
    throw new UsageError(`--conversation ${wanted} is not among them: ${has}, counted from 1.`);
  }
  const words = wanted.toLowerCase();
  const exact = conversations.filter(({ name }) => name.toLowerCase() === words);
  const found = exact.length > 0 ? exact : conversations.filter(({ name }) => name.toLowerCase().includes(words));
  const [one, ...more] = found;
  if (one && more.length === 0) return one;
  const some = (one ? found : conversations).slice(0, 5).map(({ name }) => `"${fit(name, 60)}"`);
  const which = one ? `${found.length} conversations have it in their names` : "no conversation has it in its name";
  throw new UsageError(`--conversation "${fit(wanted, 60)}": ${which} (${some.join(", ")}${count > 5 ? ", …" : ""}).`);
}

/** What stands beside a conversation is only taken where it is named. */
function longest(conversations: readonly Conversation[]): Conversation {
  const main = conversations.filter(({ aside }) => !aside);
  const [first, ...rest] = main.length > 0 ? main : conversations;
  if (!first) throw new TranscriptError("There is no conversation to choose from.");
  const best = rest.reduce((best, one) => (one.messages.length > best.messages.length ? one : best), first);
  if (conversations.length > 1) {
    const number = conversations.indexOf(best) + 1;
    const beside = conversations.length - main.length;
    const also = beside > 0 && main.length > 0 ? `, ${grouped(beside)} of them sub-agents or before a compaction` : "";
    const why = main.length === 1 ? "the main one" : "the longest";
    notice(
      `There are ${grouped(conversations.length)} conversations${also}; this is number ${number}, ${why}. --conversation K takes another.`,
    );
  }
  return best;
}

function branchOf(given: Given, conversation: Conversation): Conversation {
  const branches = conversation.branches ?? [];
  const number = given.count("branch", 1);
  if (number === undefined || number === 1) {
    if (branches.length > 0 && number === undefined)
      notice(
        `This chat has ${grouped(branches.length + 1)} branches; this is the newest. --branch N takes another (2 is the one before).`,
      );
    return conversation;
  }
  const branch = branches[number - 2];
  if (branch) return branch();
  const has = branches.length === 0 ? "no other branch" : `${branches.length + 1} branches`;
  throw new UsageError(`--branch ${number} is too high: the conversation has ${has}.`);
}

/** As much of a folder is read for its list, the newest files first. */
const MOST_BYTES = 400_000_000;

interface Entry {
  readonly file: string;
  /** Its number in the file; nothing for the only one, and for a file with so many that they share a line. */
  readonly conversation: number | null;
  readonly conversations: number;
  readonly name: string;
  readonly shape: string;
  readonly messages: number;
  readonly modified: string;
  readonly request: string;
}

/** Lists what a folder holds to choose from, newest file first. */
export function listFolder(given: Given, folder: string, command: string): void {
  const { entries, unread } = entriesOf(folder);
  if (entries.length === 0) throw new TranscriptError(`No conversation was found in ${folder}.`);
  if (given.flag("json")) {
    for (const entry of entries) print(JSON.stringify(entry));
    return;
  }
  const { bold, dim } = paint(process.stdout);
  const count = entries.reduce((sum, { conversations }) => sum + conversations, 0);
  print(bold(`${grouped(count)} ${count === 1 ? "conversation" : "conversations"} in ${folder}, newest file first`));
  const places = entries.map(({ file, conversation }) =>
    conversation === null ? file : `${file} --conversation ${conversation}`,
  );
  const width = (texts: readonly string[]) => Math.max(...texts.map(({ length }) => length));
  const [shapes, files] = [width(entries.map(({ shape }) => shape)), width(places)];
  const counts = width(entries.map(({ messages }) => grouped(messages)));
  for (const [at, { modified, messages, shape, request }] of entries.entries()) {
    const row = [modified.slice(0, 16).replace("T", " "), grouped(messages).padStart(counts), shape.padEnd(shapes)];
    print(`  ${row.join("  ")}  ${(places[at] ?? "").padEnd(files)}  ${dim(fit(request, 50))}`);
  }
  if (unread > 0) print(dim(`  … ${grouped(unread)} older files were not read: name a folder further down.`));
  print(`Name one of them: precis ${command} FILE`);
}

function entriesOf(folder: string): { entries: Entry[]; unread: number } {
  const progress = progressLine();
  const files = namesIn(folder)
    .map((name) => ({ name, ...factsOf(join(folder, name)) }))
    .sort((one, other) => (one.modified < other.modified ? 1 : -1));
  const parts = new Map<string, JsonObject[]>();
  const entries: Entry[] = [];
  let bytes = 0;
  let read = 0;
  for (const { name, size, modified } of files) {
    bytes += size;
    if (bytes > MOST_BYTES) break;
    read += 1;
    progress(`${grouped(read)} of ${grouped(files.length)} files`);
    const path = join(folder, name);
    const found = conversationsIn(path, (own) => parts.set(name, [...own]));
    entries.push(...entriesIn(path, modified, found, 1));
  }
  progress("");
  // Numbered as they are when the folder is read as a whole.
  const own = [...parts].sort(([one], [other]) => (one < other ? -1 : 1)).flatMap(([, records]) => records);
  const rest = together(folder, own);
  const first = entries.reduce((count, { conversations }) => count + conversations, 1);
  entries.push(...rest.flatMap((one, at) => entriesIn(folder, files[0]?.modified ?? "", [one], first + at, true)));
  return { entries, unread: files.length - read };
}

function conversationsIn(path: string, other: (parts: readonly JsonObject[]) => void): Conversation[] {
  try {
    return load([path], () => {}, { other });
  } catch (error) {
    if (error instanceof TranscriptError || error instanceof NoConversation) return [];
    throw error;
  }
}

function factsOf(path: string): { size: number; modified: string } {
  const { size, mtime } = statSync(path);
  return { size, modified: mtime.toISOString() };
}

/** Each of a file's conversations, or the file where there are many. */
function entriesIn(
  file: string,
  modified: string,
  found: readonly Conversation[],
  first: number,
  isPart = false,
): Entry[] {
  const [one] = found;
  if (!one) return [];
  const facts = (one: Conversation) => ({ file, name: one.name, shape: one.shape, modified });
  if (found.length > MOST_OF_A_FILE) {
    const messages = found.reduce((sum, { messages }) => sum + messages.length, 0);
    const request = `${grouped(found.length)} conversations: --conversation K`;
    return [{ ...facts(one), name: file, conversation: null, conversations: found.length, messages, request }];
  }
  const isNumbered = isPart || found.length > 1;
  return found.map((one, at) => ({
    ...facts(one),
    ...{ conversation: isNumbered ? first + at : null, conversations: 1, messages: one.messages.length },
    request: fit(one.name !== file ? one.name : requestIn(one), 200),
  }));
}

const MOST_OF_A_FILE = 10;

/** What a person asked first. */
function requestIn({ messages, format }: Conversation): string {
  const outline = outliner(format as Format<object>);
  const request = messages.find((message) => isRequest(outline(message)));
  return request ? (outline(request).texts.find((text) => text.trim() !== "") ?? "") : "";
}
