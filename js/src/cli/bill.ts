/** What a million tokens cost. */
export interface Prices {
  readonly input: number;
  readonly cached: number;
  readonly write: number;
  readonly output: number;
}

/** Tokens of all requests, as a provider with prompt caching bills them. */
export interface Billed {
  /** Of prompts: read from the cache, and written to it. */
  readonly cached: number;
  readonly written: number;
  readonly output: number;
}

/** With prompt caching, and as it would be without. */
export function costs({ cached, written, output }: Billed, { input, ...prices }: Prices) {
  const replies = output * prices.output;
  const total = (prompts: number) => (prompts + replies) / 1_000_000;
  return {
    bill: total(cached * prices.cached + written * prices.write),
    uncached: total((cached + written) * input),
  };
}

/** Enough digits to tell amounts apart. */
export function money(amount: number): string {
  return amount.toFixed(amount < 1 ? 4 : 2);
}
