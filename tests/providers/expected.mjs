// Refusals that are known and not yet put right, by provider and rule. The list is to be empty; an entry for which nothing
// is refused any longer fails the check.
export const expected = [
  {
    provider: "openai-responses",
    rule: "item-without-reasoning",
    why: "a cut goes between reasoning and a later item of its reply",
  },
];
