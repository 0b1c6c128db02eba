/**
 * Thinking that is bound to what was sent before it: what the provider is asked to do about it, and what it did.
 */
import type { Report } from "precis";

type Members = Readonly<Record<string, unknown>>;

const members = (value: unknown): Members => (typeof value === "object" && value !== null ? (value as Members) : {});

/** Types of thinking that do not go with the setting. */
const WITHOUT_BINDING: readonly unknown[] = ["disabled", "between_tools"];

const DROPS = { anthropic: { thinking: { blockBinding: { prefixMismatchBehavior: "drop_block" } } } } as const;

/**
 * The provider options that have invalid thinking left out rather than refused, as long as a report asks for them. Nothing
 * if the caller has set it otherwise, or the provider's package is older than the setting. `own`: what is known of the
 * caller's options, which the SDK merges with these.
 */
export function bindingOptions(report: Report, model: unknown, own: unknown): { providerOptions?: typeof DROPS } {
  if (report.provider === null) return {};
  const { specificationVersion } = members(model);
  if (typeof model !== "string" && specificationVersion !== "v4") return {};
  const { type, blockBinding } = members(members(members(own).anthropic).thinking);
  return WITHOUT_BINDING.includes(type) || blockBinding !== undefined ? {} : { providerOptions: DROPS };
}

/** A request's own provider options with those of {@link bindingOptions}. */
export function withBinding(report: Report, model: unknown, own: unknown): { providerOptions?: unknown } {
  const { providerOptions } = bindingOptions(report, model, own);
  if (!providerOptions) return {};
  const { anthropic } = members(own);
  const thinking = { ...members(members(anthropic).thinking), ...providerOptions.anthropic.thinking };
  return { providerOptions: { ...members(own), anthropic: { ...members(anthropic), thinking } } };
}

/** A report with what the provider did to thinking. */
export function transformed(report: Report, step: unknown): Report {
  const { inputTransformations: list } = members(members(members(step).providerMetadata).anthropic);
  if (!Array.isArray(list) || list.length === 0) return report;
  // Only models that bind thinking say so.
  const thinking = report.thinking ?? { rule: "bound", source: "model", leftOut: [] };
  return { ...report, thinking: { ...thinking, transformations: list } };
}
