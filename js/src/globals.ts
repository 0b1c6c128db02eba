/**
 * Types of the platform, for declarations that compile whatever library a program is compiled with: the DOM's, Node's, a
 * Worker's, or none of them.
 */

/** The type of a class that is global where it is declared; else what precis uses of it. */
type Global<Name extends string, Else> = typeof globalThis extends {
  readonly [name in Name]: { prototype: infer Instance };
}
  ? Instance
  : Else;

/** An `AbortSignal`. */
export type Signal = Global<
  "AbortSignal",
  { readonly aborted: boolean; readonly reason: unknown; throwIfAborted(): void }
>;

/** A `URL`. */
export type Address = Global<"URL", { readonly href: string }>;

/** A `CryptoKey`. */
export type Key = Global<"CryptoKey", { readonly algorithm: object; readonly usages: readonly string[] }>;

/** The `indexedDB` of a page or worker. */
export type Databases = Global<"IDBFactory", { open(name: string, version?: number): unknown }>;
