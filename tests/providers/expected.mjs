// Refusals that are known and not yet put right, by provider and rule. The list is to be empty; an entry that nothing is
// refused for any longer fails the check.
export const expected = [];
