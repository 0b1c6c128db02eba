import { partsWeigher, piecesReader } from "../anatomy.ts";
import type { Conversation } from "../transcripts/conversation.ts";
import type { Displayed, Part } from "./document.ts";

/** Messages of a conversation as people see them; those that several views share are made once. */
export interface MessageDisplay {
  of(message: object): Displayed;
  parts(message: object): Readonly<Record<Part, number>>;
}

export function messageDisplay(conversation: Conversation): MessageDisplay {
  const read = piecesReader(conversation);
  const weigh = partsWeigher(conversation);
  const known = new WeakMap<object, Displayed>();
  const weights = new WeakMap<object, Readonly<Record<Part, number>>>();
  const parts = (message: object) => {
    const found = weights.get(message) ?? weigh(message);
    weights.set(message, found);
    return found;
  };
  const make = (message: object): Displayed => {
    const { role = "unknown", pieces } = read(message);
    const text = pieces.map(({ kind, tool, text }) => label(kind, tool, text)).filter((one) => one !== "");
    return {
      role,
      tools: [...new Set(pieces.flatMap(({ tool }) => tool ?? []))],
      tokens: sum(parts(message)),
      text: text.length > 0 ? text.join("\n\n") : (JSON.stringify(message) ?? ""),
      ...(pieces.some(({ kind }) => kind === "tool results") && { result: true as const }),
    };
  };
  return {
    parts,
    of(message) {
      const found = known.get(message) ?? make(message);
      known.set(message, found);
      return found;
    },
  };
}

function label(kind: string, tool: string | undefined, text: string): string {
  if (kind === "tool inputs") return `${tool ?? ""} ← ${text}`;
  if (kind === "tool results") return tool ? `${tool} → ${text}` : text;
  if (kind === "reasoning") return text === "" ? "" : `(reasoning) ${text}`;
  if (kind === "media") return "(media)";
  return text;
}

export function sum(parts: Readonly<Record<string, number>>): number {
  return Object.values(parts).reduce((total, one) => total + one, 0);
}
