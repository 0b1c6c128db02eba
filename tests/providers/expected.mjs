// Refusals that are known and not yet put right, by provider and rule. The list is to be empty; an entry for which nothing
// is refused any longer fails the check.
export const expected = [
  {
    provider: "anthropic",
    rule: "thinking-binding",
    why: "signed thinking is kept behind a prefix that was rewritten",
  },
  { provider: "bedrock", rule: "thinking-binding", why: "signed thinking is kept behind a prefix that was rewritten" },
  { provider: "deepseek", rule: "reasoning-passed-back", why: "`drop-old` takes the reasoning beside calls alone" },
  { provider: "kimi", rule: "reasoning-passed-back", why: "`drop-old` takes the reasoning beside calls alone" },
  {
    provider: "openai-responses",
    rule: "item-without-reasoning",
    why: "a cut goes between reasoning and a later item of its reply",
  },
];
