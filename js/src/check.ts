import { enter } from "./boundary/engine.ts";
import { Memory } from "./cache/read.ts";
import type { Format, ReadableFormat } from "./format.ts";
import { checkReadable } from "./members.ts";

/** What a provider would refuse about a list of messages. For `precis/testing`. @internal */
export function checkMessages<M>(
  format: ReadableFormat<M> & Pick<Format<M>, "alternation">,
  messages: readonly M[],
): { rule: string; index: number; message: string }[] {
  checkReadable(format);
  const history = new Memory(format, "bytes4", null).history(messages);
  return enter((glue) => glue.check(history.records(), format.alternation === "strict"));
}
