/**
 * What Anthropic says it did to thinking that was sent to it (`input_transformations`), wherever an answer has it: at the
 * top, in the first event of a stream, or in the metadata of a step of the AI SDK.
 */
type Members = Readonly<Record<string, unknown>>;

const members = (value: unknown): Members => (typeof value === "object" && value !== null ? (value as Members) : {});

/** The transformations of an answer, a step, or the events of a stream; of several lists the last. */
export function transformationsOf(answer: unknown): readonly unknown[] {
  try {
    if (Array.isArray(answer)) return answer.map(transformationsOf).findLast(({ length }) => length > 0) ?? [];
    const { providerMetadata, message, input_transformations: own } = members(answer);
    const found = own ?? members(message).input_transformations;
    const list = found ?? members(members(providerMetadata).anthropic).inputTransformations;
    return Array.isArray(list) ? list : [];
  } catch {
    return [];
  }
}

/** Whether some thinking was left out because something before it had changed. */
export function showsMismatch(answer: unknown): boolean {
  return transformationsOf(answer).some((one) => {
    const { type, reason } = members(one);
    return type === "thinking_dropped" && reason === "prefix_binding_mismatch";
  });
}
