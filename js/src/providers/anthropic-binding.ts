import { claudeModel, familyOf } from "./anthropic-models.ts";
import { type Block, blocksOf, contentOf, isThinking, messagesOf, pathOf, signatureOf } from "./anthropic-shape.ts";
import { type Asked, type Breach, inner, isJson, type Json, type Memory, objects, type Rule } from "./rule.ts";

const PRESERVED = "platform.claude.com/docs/en/build-with-claude/preserved-thinking";
const FIX = `${PRESERVED.replace("preserved-thinking", "fix-bound-to-a-different-conversation")}`;

/** The beta that lets a request say what is done about changed prefixes. */
export const CONTROLS = "thinking-binding-controls-2026-08-01";

/** What a server notes under the signature of a block of thinking. */
export interface Produced {
  /** The digest of all that stood before it: system, tools, messages; see {@link trailOf}. */
  readonly prefix: string;
  /** The signatures of the thinking that the model saw before it, in order. */
  readonly before: readonly string[];
  /** The signatures of all thinking of the same reply. */
  readonly reply: readonly string[];
  readonly text: unknown;
  readonly family: string;
  readonly account: string;
}

/** What a server notes under the signature of a summary that it wrote on demand. */
export interface Summarized {
  readonly content: unknown;
  readonly toolChanges: unknown;
  /** Digests of system and tools, and of the summarized blocks in order. */
  readonly start: string;
  readonly covers: readonly string[];
  readonly lastRole: unknown;
  /** Whether the model that wrote it binds thinking; if not, thinking behind it is stale. */
  readonly binds: boolean;
}

declare module "./rule.ts" {
  interface Notes {
    thinking: Produced;
    summary: Summarized;
  }
}

/** What became of one block of thinking. */
export interface Judged {
  readonly place: Block;
  readonly path: string;
  readonly signature: string;
  readonly outcome: "kept" | "dropped" | "allowed" | "refused";
  readonly reason?: "organization_binding_mismatch" | "model_binding_mismatch" | "prefix_binding_mismatch" | undefined;
}

/** What the request says should happen, or what happens by default. */
export type Mode = "error" | "drop_block" | "allow" | "unchecked";

export const bindingRules: Rule[] = [
  {
    id: "thinking-forged",
    about: "Thinking is the server's own, letter for letter.",
    source: PRESERVED,
    remembers: true,
    *find({ body, memory }) {
      for (const place of blocksOf(body)) {
        const { block, message } = place;
        if (!isThinking(block) || signatureOf(block) === "") continue;
        const made = memory?.recall("thinking", signatureOf(block));
        if (!made || made.text !== (block.thinking ?? block.data))
          yield { at: message, text: `${pathOf(place)}: Invalid \`signature\` in \`${String(block.type)}\` block` };
      }
    },
  },
  {
    id: "thinking-of-the-newest-message",
    about: "The thinking of the newest message of the assistant comes back whole and in order, or not at all.",
    source: "platform.claude.com/docs/en/build-with-claude/thinking",
    remembers: true,
    *find({ body, memory }) {
      const messages = messagesOf(body);
      const at = messages.findLastIndex(({ role }) => role === "assistant");
      const sent = contentOf(messages[at] ?? {})
        .filter(isThinking)
        .map(signatureOf);
      const replies = new Map(
        sent.map((signature) => {
          const reply = memory?.recall("thinking", signature)?.reply ?? [signature];
          return [reply.join(), reply] as const;
        }),
      );
      for (const reply of replies.values()) {
        const own = sent.filter((signature) => reply.includes(signature));
        if (own.join() !== reply.join())
          yield {
            at,
            text: `messages.${at}.content: \`thinking\` or \`redacted_thinking\` blocks in the latest assistant message cannot be modified. These blocks must remain as they were in the original response.`,
          };
      }
    },
  },
  {
    id: "binding-controls",
    about: `\`block_binding\` needs the beta ${CONTROLS} and thinking that is adaptive or enabled.`,
    source: FIX,
    *find(asked) {
      const { body, headers } = asked;
      const thinking = inner(body, "thinking");
      if (thinking.block_binding === undefined) return;
      const where = `thinking.${String(thinking.type)}.block_binding`;
      const hasBeta = headers === undefined || betas(headers).includes(CONTROLS);
      if (!hasBeta || (thinking.type !== "adaptive" && thinking.type !== "enabled"))
        yield { at: null, text: `${where}: Extra inputs are not permitted` };
      const given = inner(thinking, "block_binding").prefix_mismatch_behavior;
      if (given !== undefined && given !== "drop_block" && given !== "error")
        yield { at: null, text: `${where}.prefix_mismatch_behavior: Input should be 'drop_block' or 'error'` };
    },
  },
  {
    id: "thinking-binding",
    about: "Thinking stands behind what it was produced behind: system, tools, and every message before it.",
    source: PRESERVED,
    remembers: true,
    *find(asked) {
      for (const judged of judgeThinking(asked)) {
        if (judged.outcome !== "refused") continue;
        yield different(asked, judged);
        return;
      }
    },
  },
];

/** Betas that a request names, in its header or, as Bedrock has it, in its body. */
export function betas(headers: Readonly<Record<string, string>>): string[] {
  return (headers["anthropic-beta"] ?? "").split(",").map((one) => one.trim());
}

function different({ headers }: Asked, { path, place }: Judged): Breach {
  const hint =
    headers && !betas(headers).includes(CONTROLS)
      ? ` That setting requires the \`${CONTROLS}\` value in the \`anthropic-beta\` header.`
      : "";
  return {
    at: place.message,
    text: `${path}: Invalid \`signature\` in \`${String(place.block.type)}\` block. The block is bound to a different conversation. Remove the block, or set \`thinking.block_binding.prefix_mismatch_behavior\` to "drop_block".${hint}`,
  };
}

/** What is done about a changed prefix in this request. */
export function modeOf({ body, use, memory }: Asked): Mode {
  const { prefix } = claudeModel(body.model);
  if (prefix === "unchecked") return "unchecked";
  const given = inner(inner(body, "thinking"), "block_binding").prefix_mismatch_behavior;
  if (given === "error" || given === "drop_block") return given;
  if (use === "batch") return "drop_block";
  return prefix === "every-account" || memory?.account.isNew ? "error" : "allow";
}

/**
 * What becomes of each block of thinking. A block is valid while the digest of its prefix is what it was, and while the
 * thinking that still stands before it is an unbroken end of what stood there when it was made: it may leave from the
 * start, not from the middle, and what left may not come back.
 */
export function* judgeThinking(asked: Asked): Iterable<Judged> {
  const { body, memory } = asked;
  if (!memory) return;
  const mode = modeOf(asked);
  const model = claudeModel(body.model);
  const readable = [familyOf(body.model), ...model.reads];
  const kept: string[] = [];
  for (const [place, prefix] of trailOf(body, memory).before) {
    if (!isThinking(place.block)) continue;
    const signature = signatureOf(place.block);
    const made = memory.recall("thinking", signature);
    const judged = { place, path: pathOf(place), signature };
    if (!made) continue;
    if (model.ownAccount && made.account !== memory.account.name)
      yield { ...judged, outcome: "dropped", reason: "organization_binding_mismatch" };
    else if (!readable.includes(made.family)) yield { ...judged, outcome: "dropped", reason: "model_binding_mismatch" };
    else if (mode === "unchecked" || (made.prefix === prefix && isEndOf(kept, made.before))) {
      kept.push(signature);
      yield { ...judged, outcome: "kept" };
    } else if (mode === "drop_block") yield { ...judged, outcome: "dropped", reason: "prefix_binding_mismatch" };
    else {
      kept.push(signature);
      yield { ...judged, outcome: mode === "error" ? "refused" : "allowed", reason: "prefix_binding_mismatch" };
    }
  }
}

const isEndOf = (end: readonly string[], list: readonly string[]): boolean =>
  end.length <= list.length && end.every((one, at) => one === list[list.length - end.length + at]);

/**
 * The blocks of a request, each with the digest of what stands before it, and the digest of all. Thinking itself, marks
 * of the cache and tools that are loaded later are not part of it, nor is where one message of a role ends and the next
 * begins. Behind a summary that was written on demand stands what it summarized.
 */
export function trailOf(
  body: Json,
  memory: Memory,
): { readonly before: ReadonlyMap<Block, string>; readonly end: string } {
  const start = startOf(body, memory);
  const before = new Map<Block, string>();
  let digest = start;
  for (const { place, items } of standingFor(body, memory, start)) {
    before.set(place, digest);
    digest = items.reduce((all, item) => memory.digest(`${all} ${item}`), digest);
  }
  return { before, end: digest };
}

/**
 * Each block with the digests that it adds to the prefix. With other instructions or tools, a model that does not bind, or a
 * next message that cannot go on from what was summarized, a summary stands for itself: thinking from before it is stale.
 */
function* standingFor(body: Json, memory: Memory, start: string): Iterable<{ place: Block; items: readonly string[] }> {
  const places = blocksOf(body);
  for (const [at, place] of places.entries()) {
    if (isThinking(place.block)) {
      yield { place, items: [] };
      continue;
    }
    const summary = summaryIn(place, memory);
    const next = places[at + 1]?.role;
    const goesOn = summary?.binds && summary.start === start && next !== summary.lastRole && next !== "system";
    yield { place, items: summary && goesOn ? summary.covers : [itemOf(place, memory)] };
  }
}

const summaryIn = ({ block }: Block, memory: Memory): Summarized | undefined =>
  block.type === "compaction" ? memory.recall("summary", signatureOf(block)) : undefined;

/** What a reply adds to the digest, block by block. */
export function afterBlock(digest: string, block: Json, memory: Memory): string {
  return memory.digest(`${digest} ${itemOf({ role: "assistant", block }, memory)}`);
}

/** Digests of all blocks of a request that are part of the prefix, with what a summary among them stands for. */
export function itemsOf(body: Json, memory: Memory): string[] {
  return [...standingFor(body, memory, startOf(body, memory))].flatMap(({ items }) => items);
}

export function startOf({ system, tools }: Json, memory: Memory): string {
  const texts = typeof system === "string" ? [{ type: "text", text: system }] : objects(system);
  const known = objects(tools)
    .filter((tool) => tool.defer_loading !== true)
    .map((tool) => canonical(tool))
    .sort();
  return memory.digest(`${texts.map(canonical).join("\n")}\n\n${known.join("\n")}`);
}

const digests = new WeakMap<object, { readonly role: unknown; readonly digest: string }>();

function itemOf({ role, block }: Pick<Block, "role" | "block">, memory: Memory): string {
  const known = digests.get(block);
  if (known && known.role === role) return known.digest;
  const digest = memory.digest(`${String(role)} ${canonical(block)}`);
  digests.set(block, { role, digest });
  return digest;
}

/** One text for one value, whatever the order of its members; marks of the cache are left out. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join()}]`;
  if (!isJson(value)) return JSON.stringify(value) ?? "null";
  const names = Object.keys(value).filter((name) => name !== "cache_control" && value[name] !== undefined);
  return `{${names
    .sort()
    .map((name) => `${JSON.stringify(name)}:${canonical(value[name])}`)
    .join()}}`;
}
