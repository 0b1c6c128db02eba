import { createCompactor } from "./compactor.ts";
import { PrecisError } from "./errors.ts";
import type { Format, ReadableFormat } from "./format.ts";
import { ANY, checkMembers, checkReadable, type Table, table } from "./members.ts";
import type { Compactor, CompactorOptions } from "./types.ts";

/** What {@link createMeter} takes: the options of a compactor that have a say in what is counted. */
export interface MeterOptions<Base>
  extends Pick<CompactorOptions<Base>, "contextWindow" | "maxOutputTokens" | "repair" | "tune"> {
  /** The shape of your messages. It need not be able to write: `aiSdkUI` will do. */
  readonly format: ReadableFormat<Base>;
}

const METER: Table = /* @__PURE__ */ table<MeterOptions<never>>(
  {
    ...{ parameter: "options", code: "invalid-option", unknown: ["unknown-option", "option"] },
    owner: "the options of createMeter",
  },
  { format: ANY, contextWindow: ANY, maxOutputTokens: ANY, repair: ANY, tune: ANY },
);

/**
 * Makes a meter: it says how full the window is with what would be sent, and changes nothing. For a compactor's own chats
 * its `usage` says the same; a meter is for messages in a shape that can only be read, such as UI messages in a browser.
 *
 * @throws PrecisError when an option is refused.
 */
export function createMeter<Base>(options: MeterOptions<Base>): Pick<Compactor<Base>, "usage"> {
  checkMembers(METER, options);
  const { format } = options;
  checkReadable(format);
  const { usage } = createCompactor({ ...options, format: { ...unwritten, ...format } as Format<Base> });
  return { usage };
}

/** What a state has edited or covered would have to be written: of such a chat the meter measures the model messages. */
const unwritten = { summary: refuse, replace: refuse, without: <M>(message: M): M => message };

function refuse(): never {
  throw new PrecisError(
    "invalid-option",
    "format",
    "This format can only read messages, but the state has edited some. Measure the messages that were passed to the compactor, in their own format.",
  );
}
