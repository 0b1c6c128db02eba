import { weigher } from "./anatomy.ts";
import type { Changes } from "./changes.ts";
import { SILENT } from "./changes.ts";
import { fit, grouped } from "./paint.ts";
import type { Conversation } from "./transcripts/conversation.ts";
import { listOf } from "./words.ts";

const WIDTH = 90;

/** What a view has in place of a history: `-` for what left, `+` for what was added, `~` for what was made shorter. */
export function differences(
  conversation: Conversation,
  view: readonly object[],
  { added, copies, covered }: Changes,
): string[] {
  const { messages } = conversation;
  const tokens = weigher(conversation);
  const gone = new Set(covered);
  const made = new Set(added);
  const places = new Map(messages.map((message, index) => [message, index]));
  for (const [index, copy] of copies) places.set(copy, index);
  const lines: string[] = [];
  let from = 0;
  let same: number[] = [];
  for (const message of view) {
    const index = places.get(message);
    if (made.has(message) || index === undefined) {
      flush();
      lines.push(`+ ${grouped(tokens(message))} tokens: ${textOf(message)}`);
      continue;
    }
    leave(index);
    from = index + 1;
    if (!copies.has(index)) same.push(index);
    else {
      flush();
      const original = messages[index] as object;
      lines.push(`~ message ${index + 1}: ${grouped(tokens(original))} → ${grouped(tokens(message))} tokens`);
      lines.push(`  - ${textOf(original)}`, `  + ${textOf(message)}`);
    }
  }
  leave(messages.length);
  flush();
  return lines;

  /** Those before `to` that the view lacks. */
  function leave(to: number): void {
    const left = [];
    for (let index = from; index < to; index++) if (gone.has(index)) left.push(index);
    if (left.length === 0) return;
    flush();
    const sum = left.reduce((total, index) => total + tokens(messages[index] as object), 0);
    lines.push(`- ${listOf(left)}: ${grouped(sum)} tokens`);
  }

  function flush(): void {
    if (same.length > 0) lines.push(`  ${listOf(same)} as before`);
    same = [];
  }

  /** The beginning of what a message says, calls or returns. */
  function textOf(message: object): string {
    const found: string[] = [];
    const add = (value: unknown) => {
      found.push(typeof value === "string" ? value : (JSON.stringify(value) ?? ""));
    };
    try {
      conversation.format.read(message, {
        ...SILENT,
        text: (_, text) => add(text),
        call: (_, name, input) => add(`${name} ${JSON.stringify(input)}`),
        result: (_, __, output) => add(output),
      });
    } catch {
      add(message);
    }
    return fit(found.find((text) => text.trim() !== "") ?? JSON.stringify(message), WIDTH);
  }
}
