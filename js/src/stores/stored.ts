/** A state as it is stored. */
import { input, PrecisError, type SessionState } from "precis";

/** What a database returned for a state: its text, or the value where a client has parsed it already. */
export function parsed(stored: unknown): SessionState | null {
  if (stored === undefined || stored === null) return null;
  return (typeof stored === "string" ? JSON.parse(stored) : stored) as SessionState;
}

/**
 * Checks that a client has the methods that are called.
 *
 * @throws PrecisError `invalid-option` naming them.
 */
export function checkClient(client: unknown, methods: readonly string[], expected: string): void {
  const given = (client ?? {}) as Readonly<Record<string, unknown>>;
  if (methods.every((method) => typeof given[method] === "function")) return;
  throw input.wrong("invalid-option", "client", `${expected}, with ${methods.join(" and ")}`, client);
}

/**
 * The entry of a table by its name.
 *
 * @throws PrecisError `invalid-option` for a name that it does not have.
 */
export function chosen<T>(table: Readonly<Record<string, T>>, name: unknown, path: string): T {
  const found = typeof name === "string" && Object.hasOwn(table, name) ? table[name] : undefined;
  if (found !== undefined) return found;
  const names = Object.keys(table).map((one) => JSON.stringify(one));
  throw new PrecisError("invalid-option", path, `Expected one of ${names.join(", ")}, got ${JSON.stringify(name)}.`);
}
