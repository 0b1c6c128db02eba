import type { Format } from "precis";
import { type Json, objects, type Provider } from "./rule.ts";
import { callsIn, type Spoken, spokenBy } from "./spoken.ts";
import { wires } from "./wires.ts";

/** A recorded chat. */
export interface Chat {
  // biome-ignore lint/suspicious/noExplicitAny: each shape has its own message type, which only the format looks at
  readonly format: Format<any>;
  readonly messages: readonly object[];
  readonly system?: unknown;
  readonly tools?: unknown;
  readonly model?: string | undefined;
}

/** A request to a provider, and which message each entry of its history was made of. */
export interface Request {
  readonly body: Json;
  readonly origin: readonly number[];
}

/** Whether a provider takes the messages of a format as they are. */
export const isNative = ({ wire }: Provider, { name }: { readonly name: string }): boolean =>
  wires[wire].format === name;

/**
 * What a host sends to go on with a chat. Messages of the provider's own shape go as they are; others are written as its
 * clients would, one for one as far as the API lets them.
 */
export function requestOf(provider: Provider, { format, messages, system, tools, model }: Chat): Request {
  const beside = {
    ...(model !== undefined && { model }),
    ...(tools !== undefined && { tools }),
    ...(system !== undefined && { system }),
  };
  if (isNative(provider, format))
    return { body: { ...beside, [provider.list]: messages }, origin: messages.map((_, at) => at) };
  const spoken = grouped(messages.map((message, at) => ({ at, spoken: spokenBy(format, message) })));
  const wire = wires[provider.wire];
  const entries = spoken.flatMap(({ at, spoken }) => wire.write(spoken).map((entry) => ({ at, entry })));
  const joined = provider.wire === "converse" ? joinRoles(entries) : entries;
  return { body: { ...beside, [provider.list]: joined.map(({ entry }) => entry) }, origin: joined.map(({ at }) => at) };
}

interface Placed {
  readonly at: number;
  readonly spoken: Spoken;
}

/** Results that follow each other are one message, with the names of their calls; leading instructions stand beside the history. */
export function grouped(all: readonly Placed[]): Placed[] {
  const names = new Map(all.flatMap(({ spoken }) => callsIn(spoken).map(({ id, name }) => [id, name] as const)));
  const found: Placed[] = [];
  for (const { at, spoken } of all) {
    if (spoken.role === "system" && found.length === 0) continue;
    const parts = spoken.parts.map((part) => (part.kind === "result" ? { ...part, name: names.get(part.id) } : part));
    const before = found.at(-1);
    if (spoken.role === "tool" && before?.spoken.role === "tool")
      found[found.length - 1] = { at: before.at, spoken: { role: "tool", parts: [...before.spoken.parts, ...parts] } };
    else found.push({ at, spoken: { ...spoken, parts } });
  }
  return found;
}

interface Entry {
  readonly at: number;
  readonly entry: Json;
}

/** Neighbours of one role as one message, with no instructions among them. */
function joinRoles(entries: readonly Entry[]): Entry[] {
  const found: Entry[] = [];
  for (const { at, entry } of entries) {
    const role = entry.role === "system" ? "user" : entry.role;
    const before = found.at(-1);
    const content = objects(entry.content);
    if (before && before.entry.role === role)
      found[found.length - 1] = {
        at: before.at,
        entry: { role, content: [...objects(before.entry.content), ...content] },
      };
    else found.push({ at, entry: { role, content } });
  }
  return found;
}
