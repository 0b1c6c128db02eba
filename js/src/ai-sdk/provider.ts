/**
 * Whether the provider compacts the chat itself: then two would summarize the same messages, and the provider's usage
 * would not be that of what was sent.
 */

type Members = Readonly<Record<string, unknown>>;

/** Members of provider options, requests and answers that hold it. */
const PLACES = ["contextManagement", "context_management", "compaction", "compactionTrigger"] as const;

/** Whether a call's `providerOptions` ask for it. */
export function asksForCompaction(providerOptions: unknown): boolean {
  return Object.values(members(providerOptions)).some((provider) => configures(members(provider)));
}

/** Whether a finished step shows it: in the request that was sent, or in what the provider says of it. */
export function showsCompaction(step: unknown): boolean {
  const { request, providerMetadata } = members(step);
  return configures(members(members(request).body)) || asksForCompaction(providerMetadata);
}

/** Whether messages hold what a provider has made of those before it. */
export function holdsCompaction(messages: readonly { readonly content: unknown }[]): boolean {
  return messages.some(({ content }) => Array.isArray(content) && content.some(isBlock));
}

function isBlock(part: unknown): boolean {
  const { kind, providerOptions } = members(part);
  if (typeof kind === "string" && kind.endsWith(".compaction")) return true;
  return Object.values(members(providerOptions)).some((provider) => isCompact(members(provider).type));
}

function configures(provider: Members): boolean {
  return PLACES.some((place) => {
    const value = provider[place];
    return value === true || (place === "compaction" && isObject(value)) || names(value, 0);
  });
}

/** Whether something in here has a `type` that speaks of compaction; edits that only clear results have others. */
function names(value: unknown, depth: number): boolean {
  if (!isObject(value) || depth > 3) return false;
  if (isCompact((value as Members).type)) return true;
  return Object.values(value).some((member) => names(member, depth + 1));
}

const isCompact = (type: unknown): boolean => typeof type === "string" && type.startsWith("compact");
const isObject = (value: unknown): value is object => typeof value === "object" && value !== null;
const members = (value: unknown): Members => (isObject(value) ? (value as Members) : {});
