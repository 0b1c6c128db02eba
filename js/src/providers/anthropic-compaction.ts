import { betas } from "./anthropic-binding.ts";
import { blocksOf, pathOf, turnsOf } from "./anthropic-shape.ts";
import { inner, isJson, objects, type Rule } from "./rule.ts";

const ON_DEMAND = "platform.claude.com/docs/en/build-with-claude/compaction-on-demand";

/** The beta of summaries on demand: on the request for one, and on every request that carries one. */
export const COMPACT = "compact-2026-09-04";
const LONGEST_INSTRUCTIONS = 16_384;

const refused = (code: string, text: string, at: number | null = null) => ({ at, text, code });

/** What must be true of a request for a summary, and of those that carry one. */
export const compactionRules: Rule[] = [
  {
    id: "compaction-beta",
    about: `A request for a summary, and each that carries one, names the beta ${COMPACT}.`,
    source: ON_DEMAND,
    *find({ body, headers }) {
      if (headers === undefined || betas(headers).includes(COMPACT)) return;
      if (body.compaction !== undefined) yield { at: null, text: "compaction: Extra inputs are not permitted" };
      for (const place of signedBlocks(body))
        yield {
          at: place.message,
          text: `${pathOf(place)}: Input tag 'compaction' requires the \`${COMPACT}\` value in the \`anthropic-beta\` header`,
        };
    },
  },
  {
    id: "compaction-request",
    about:
      "A request for a summary has no context management, stop sequences, output format, forced tool or remaining budget.",
    source: ON_DEMAND,
    *find({ body }) {
      const { compaction, stop_sequences, context_management } = body;
      if (!isJson(compaction)) return;
      if (compaction.type !== "summarize") yield { at: null, text: "compaction.type: Input should be 'summarize'" };
      const { instructions } = compaction;
      if (typeof instructions === "string" && instructions.length > LONGEST_INSTRUCTIONS)
        yield {
          at: null,
          text: `compaction.instructions: String should have at most ${LONGEST_INSTRUCTIONS} characters`,
        };
      const forced = inner(body, "tool_choice").type;
      const given = Object.entries({
        context_management: context_management !== undefined,
        stop_sequences: Array.isArray(stop_sequences) && stop_sequences.length > 0,
        "output_config.format": inner(body, "output_config").format !== undefined,
        tool_choice: forced === "any" || forced === "tool",
        "task_budget.remaining": inner(body, "task_budget").remaining !== undefined,
      });
      for (const [name, is] of given)
        if (is) yield { at: null, text: `compaction: cannot be used together with \`${name}\`` };
    },
  },
  {
    id: "compaction-open-call",
    about: "A summary is asked for when no call is open.",
    source: ON_DEMAND,
    *find({ body }) {
      if (body.compaction === undefined) return;
      const turns = turnsOf(body);
      const last = turns.at(-1);
      if (last?.role === "assistant" && last.blocks.some(({ block }) => block.type === "tool_use"))
        yield refused(
          "compaction_incomplete_turn",
          "compaction: the conversation ends in an open tool call",
          last.last,
        );
      if (turns.length === 0 || turns.every(({ blocks }) => blocks.every(({ block }) => block.type === "compaction")))
        yield refused("compaction_nothing_to_summarize", "compaction: there is nothing to summarize");
    },
  },
  {
    id: "compaction-block-place",
    about: "There is one signed summary, and it comes first.",
    source: ON_DEMAND,
    *find({ body }) {
      const found = signedBlocks(body);
      const [first, second] = found;
      if (first && (first.message !== 0 || first.index !== 0))
        yield refused(
          "compaction_block_misplaced",
          `${pathOf(first)}: a compaction block must be the first block of the first message`,
          first.message,
        );
      if (second)
        yield refused(
          "compaction_block_ambiguous",
          `${pathOf(second)}: a request may hold exactly one compaction block`,
          second.message,
        );
      if (first && objects(inner(body, "context_management").edits).some(({ type }) => type === "compact_20260112"))
        yield refused(
          "compaction_block_ambiguous",
          "context_management: `compact_20260112` cannot run on a request that holds a signed compaction block",
        );
    },
  },
  {
    id: "compaction-block-signature",
    about: "A summary comes back letter for letter, under the signature it was sent with.",
    source: ON_DEMAND,
    remembers: true,
    *find({ body, memory }) {
      for (const place of signedBlocks(body)) {
        const made = memory?.recall("summary", String(place.block.signature));
        if (!made)
          yield refused(
            "compaction_signature_invalid",
            `${pathOf(place)}: Invalid \`signature\` in \`compaction\` block`,
            place.message,
          );
        else if (made.content !== place.block.content)
          yield refused(
            "compaction_content_mismatch",
            `${pathOf(place)}: the content of the compaction block was changed`,
            place.message,
          );
        else if (JSON.stringify(made.toolChanges) !== JSON.stringify(place.block.tool_changes))
          yield refused(
            "compaction_tool_changes_mismatch",
            `${pathOf(place)}: the tool changes of the compaction block were changed`,
            place.message,
          );
      }
    },
  },
];

/** Summaries that were made on demand; those of a threshold carry no signature. */
function signedBlocks(body: Parameters<typeof blocksOf>[0]) {
  return blocksOf(body).filter(({ block }) => block.type === "compaction" && typeof block.signature === "string");
}
