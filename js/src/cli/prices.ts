import { UsageError } from "./arguments.ts";
import type { Prices } from "./bill.ts";

/** `3,0.3,3.75,15`. */
export function pricesOf(text: string | undefined): Prices | undefined {
  if (text === undefined) return undefined;
  const numbers = text.split(",").map((one) => (one.trim() === "" ? Number.NaN : Number(one)));
  const [input = 0, cached = 0, write = 0, output = 0] = numbers;
  if (numbers.length !== 4 || numbers.some((one) => !(one >= 0 && Number.isFinite(one))))
    throw new UsageError(
      `--prices takes four prices of a million tokens, input,cached,write,output, such as 3,0.3,3.75,15; not "${text}".`,
    );
  return { input, cached, write, output };
}
