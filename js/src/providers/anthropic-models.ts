/** What a Claude model asks of thinking that comes back to it. */
export interface ClaudeModel {
  /**
   * Who is refused a block whose prefix has changed, where the request does not say what to do: every account, those made
   * since 2026-08-31, or nobody because the model does not look.
   */
  readonly prefix: "every-account" | "new-accounts" | "unchecked";
  /** The models whose blocks it reads, beside its own. Others are left out silently. */
  readonly reads: readonly string[];
  /** Whether it reads only the blocks of the account that they were made for. */
  readonly ownAccount: boolean;
  /** Whether the open round of a tool must begin with thinking: always with a budget, with `enabled`, or never. */
  readonly demandsThinking: "enabled" | "never";
}

type Row = Partial<ClaudeModel>;

/** From platform.claude.com: preserved thinking, what is new in Fable 5.2, thinking. */
const MODELS: Readonly<Record<string, Row>> = {
  "fable-5-2": { prefix: "every-account", reads: ["mythos-5-2"] },
  "mythos-5-2": { prefix: "every-account", reads: ["fable-5-2"] },
  "mythos-5-1": { prefix: "every-account" },
  "fable-5-1": { prefix: "new-accounts", reads: ["opus-5", "opus-5-5"] },
  "opus-5-5": { prefix: "new-accounts" },
  "sonnet-5-5": { prefix: "new-accounts", ownAccount: true },
  "haiku-5-5": { prefix: "new-accounts", ownAccount: true },
  "fable-5": { prefix: "unchecked" },
  "mythos-5": { prefix: "unchecked" },
  "opus-5": { prefix: "unchecked" },
  "sonnet-5": { prefix: "unchecked" },
};

/** A model that is in no list is taken for the strictest. */
const UNKNOWN: ClaudeModel = { prefix: "every-account", reads: [], ownAccount: false, demandsThinking: "never" };
/** Those of 2025 and before, 4.6 included, know a budget; of them 4.6 and newer think adaptively unless told otherwise. */
const FOUR: ClaudeModel = { prefix: "unchecked", reads: [], ownAccount: false, demandsThinking: "enabled" };

/** The family of a model's id: `opus-5-5` of `us.anthropic.claude-opus-5-5-20260922-v1:0`. */
export function familyOf(model: unknown): string {
  const id = typeof model === "string" ? model.toLowerCase().replaceAll(".", "-") : "";
  const [, name, version] = /claude-([a-z]+)-(\d{1,2}(?:-\d{1,2})?)(?!\d)/.exec(id) ?? [];
  const [, older, tier] = /claude-(\d(?:-\d)?)-([a-z]+)/.exec(id) ?? [];
  return name ? `${name}-${version}` : tier ? `${tier}-${older}` : id;
}

export function claudeModel(model: unknown): ClaudeModel {
  const family = familyOf(model);
  const row = MODELS[family];
  if (row) return { ...UNKNOWN, ...row };
  const major = Number(/-(\d+)/.exec(family)?.[1] ?? Number.NaN);
  return major <= 4 ? FOUR : UNKNOWN;
}
