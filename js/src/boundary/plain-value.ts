/** Whether `JSON.stringify` would leave a member with this value out. */
export function isNothing(value: unknown): boolean {
  return value === undefined || typeof value === "function" || typeof value === "symbol";
}

/** What stands in for `value`: the answer of its `toJSON`, a boxed primitive's content. */
export function resolve(value: unknown, key: string): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value) || bytesOf(value) !== null) return value;
  const { toJSON } = value as { toJSON?: unknown };
  const answer: unknown = typeof toJSON === "function" ? toJSON.call(value, key) : value;
  if (answer instanceof Number) return Number(answer);
  if (answer instanceof String) return String(answer);
  if (answer instanceof Boolean || answer instanceof BigInt) return answer.valueOf();
  return answer;
}

/** The bytes of a buffer or a view of one, of whatever realm, or null. */
export function bytesOf(value: unknown): Uint8Array | null {
  if (ArrayBuffer.isView(value)) return new Uint8Array(value.buffer, value.byteOffset, value.byteLength);
  if (value instanceof ArrayBuffer) return new Uint8Array(value);
  return null;
}
