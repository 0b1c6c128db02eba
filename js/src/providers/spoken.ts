import type { Format, MediaKind } from "precis";

/** A message of any shape, as far as all providers agree. */
export interface Spoken {
  readonly role: "system" | "user" | "assistant" | "tool";
  readonly parts: readonly Piece[];
  /** Who speaks, where the shape has names. */
  readonly name?: string | undefined;
}

export type Piece =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "reasoning"; readonly text: string }
  | Call
  | Result
  | { readonly kind: "media"; readonly is: MediaKind; readonly data: unknown; readonly mediaType: string | undefined };

export interface Call {
  readonly kind: "call";
  readonly id: string;
  readonly name: string;
  readonly input: unknown;
}

export interface Result {
  readonly kind: "result";
  readonly id: string;
  readonly name?: string | undefined;
  readonly output: unknown;
  readonly failed: boolean;
}

/** Reads a message through its format. What the format does not know is left out, an unknown message is the assistant's. */
export function spokenBy(format: Format<object>, message: object): Spoken {
  let role: Spoken["role"] = "assistant";
  let name: string | undefined;
  const parts: Piece[] = [];
  format.read(message, {
    role(said) {
      role = said;
    },
    speaker(said) {
      name = said;
    },
    text: (_, text) => void parts.push({ kind: "text", text }),
    reasoning: (text) => void (text && parts.push({ kind: "reasoning", text })),
    call: (id, name, input) => void parts.push({ kind: "call", id: String(id), name: String(name), input }),
    result: (_, id, output, failed) => void parts.push({ kind: "result", id: String(id), output, failed }),
    media: (is, data, mediaType) => void parts.push({ kind: "media", is, data, mediaType }),
    document: (_, text) => void parts.push({ kind: "text", text }),
    approvalRequest: () => {},
    approvalResponse: () => {},
    compaction: (_, text) => void (text && parts.push({ kind: "text", text })),
    opaque: () => {},
  });
  return { role, parts, ...(name && { name }) };
}

export const textsOf = ({ parts }: Spoken): string =>
  parts.flatMap((part) => (part.kind === "text" ? [part.text] : [])).join("\n\n");
export const callsIn = ({ parts }: Spoken): Call[] => parts.flatMap((part) => (part.kind === "call" ? [part] : []));
export const resultsIn = ({ parts }: Spoken): Result[] =>
  parts.flatMap((part) => (part.kind === "result" ? [part] : []));
export const reasoningOf = ({ parts }: Spoken): string =>
  parts.flatMap((part) => (part.kind === "reasoning" ? [part.text] : [])).join("\n");
