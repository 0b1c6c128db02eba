import { quiet } from "../quiet.ts";
import { encodedIn } from "./encoded.ts";
import { describeMedia } from "./media.ts";
import { Leaf, type Leaves, NO_ROLE } from "./message-stamp.ts";
import { high, low, Op, type Tape } from "./tape.ts";
import { writeValue } from "./value.ts";

/** The host's own token counter, and whether it failed. */
export interface Count {
  readonly counter: (text: string) => number;
  failed: boolean;
}

const ASSISTANT = 2;

/** Writes one message to the tape, with the counts of its strings where the host counts. */
export function writeMessage(tape: Tape, leaves: Leaves, count: Count | null): void {
  const role = leaves[0] as number;
  // Nothing is ever trusted for having no role: the model may have said anything.
  tape.op(Op.message, role === NO_ROLE ? ASSISTANT : role);
  for (let at = 1; at < leaves.length; ) {
    const word = leaves[at++] as number;
    switch (word & 15) {
      case Leaf.speaker:
        tape.op(Op.speaker);
        text(tape, leaves[at++] as string, count);
        break;
      case Leaf.document:
        tape.op(Op.document, word >> 4);
        text(tape, leaves[at++] as string, count);
        tape.string(leaves[at++] as string);
        break;
      case Leaf.text:
        tape.op(Op.text, word >> 4);
        text(tape, leaves[at++] as string, count);
        break;
      case Leaf.reasoning:
        tape.op(Op.reasoning, word >>> 4);
        text(tape, leaves[at++] as string, count);
        break;
      case Leaf.call:
        tape.op(Op.call, word >>> 5, (word >> 4) & 1);
        tape.string(leaves[at++] as string);
        text(tape, leaves[at++] as string, count);
        value(tape, leaves[at++], count);
        break;
      case Leaf.result:
        tape.op(Op.result, word >> 5, (word >> 4) & 1);
        tape.string(leaves[at++] as string);
        tape.string(leaves[at++] as string);
        value(tape, leaves[at++], count, true);
        break;
      case Leaf.media:
        media(tape, word >>> 4, leaves[at++], leaves[at++], leaves[at++]);
        break;
      case Leaf.opaque:
        tape.op(Op.opaque);
        value(tape, leaves[at++], count, true);
        break;
      case Leaf.asked:
      case Leaf.approved:
        tape.op((word & 15) === Leaf.asked ? Op.approvalRequest : Op.approvalResponse, word >> 4);
        tape.string(leaves[at++] as string);
        value(tape, leaves[at++], count);
        break;
      case Leaf.compaction:
        tape.op(Op.compaction, word >> 5, (word >> 4) & 1);
        text(tape, leaves[at++] as string, count);
        value(tape, leaves[at++], count);
        break;
      case Leaf.tool:
        tape.op(Op.tool);
        text(tape, leaves[at++] as string, count);
        text(tape, leaves[at++] as string, count);
        value(tape, leaves[at++], count);
        break;
    }
  }
}

function text(tape: Tape, text: string, count: Count | null): void {
  const before = tape.total;
  tape.string(text);
  if (count) counted(tape, count, text, tape.total - before);
}

/** `seesMedia`: of what tools and providers say; what a model called with, and schemas, are letters to everybody. */
function value(tape: Tape, value: unknown, count: Count | null, seesMedia = false): void {
  const before = tape.total;
  writeValue(tape, value, seesMedia);
  if (count) counted(tape, count, typeof value === "string" ? value : json(value, seesMedia), tape.total - before);
}

/** `word`: the kind in its low four bits, the part's place above them. */
function media(tape: Tape, word: number, data: unknown, mediaType: unknown, name: unknown): void {
  const { bytes, width, height, mediaType: type, reference, print } = describeMedia(data, mediaType);
  tape.op(Op.media, word, low(bytes), high(bytes), width, height);
  tape.string(type);
  tape.string(reference);
  tape.string(print === null ? "" : print.map((half) => half.toString(16).padStart(8, "0")).join(""));
  tape.string(typeof name === "string" ? name : "");
}

/** The host's count; where it fails, the simplest rule there is: a quarter of the bytes. */
function counted(tape: Tape, count: Count, text: string | null, bytes: number): void {
  let tokens: unknown;
  try {
    tokens = text === null ? undefined : count.counter(text);
  } catch {}
  if (typeof tokens !== "number" || !(tokens >= 0 && tokens <= 0xffffffff)) {
    quiet(tokens);
    count.failed ||= text !== null;
    tokens = bytes >> 2;
  }
  tape.op(Op.count, Math.round(tokens as number));
}

/** A value as the text a provider sees, without the bytes and media in it. */
function json(value: unknown, seesMedia: boolean): string | null {
  function readable(this: unknown, key: string, member: unknown): unknown {
    if (typeof member === "bigint") return String(member);
    const isMedium = seesMedia && typeof member === "string" && encodedIn(member, { key, object: this as object });
    return isMedium || ArrayBuffer.isView(member) ? "" : member;
  }
  try {
    return JSON.stringify(value, readable) ?? "";
  } catch {
    return null;
  }
}
