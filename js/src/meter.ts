import { PrecisError } from "./errors.ts";
import type { Format } from "./format.ts";
import { engine } from "./loaded.ts";
import { ANY, checkMembers, checkReadable, type Table, table } from "./members.ts";
import { type Counted, checkRough, roughly } from "./rough.ts";
import type { Compactor, MeterOptions } from "./types.ts";

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
 * It does not bring the engine into a bundle. Where the engine is loaded (after `await load()`, or once the program has made
 * a compactor) the engine measures; before, a quarter of the bytes is counted, and the usage says `source: "rough"`.
 *
 * @throws PrecisError when an option is refused.
 */
export function createMeter<Base>(options: MeterOptions<Base>): Pick<Compactor<Base>, "usage"> {
  checkMembers(METER, options);
  checkReadable(options.format);
  let exact = exactly(options);
  if (!exact) checkRough(options);
  const counted = new WeakMap<object, Counted>();
  return {
    usage(call) {
      exact ??= exactly(options);
      return exact ? exact.usage(call) : roughly(options, call, counted);
    },
  };
}

/** The engine's meter, where the engine is loaded. */
function exactly<Base>(options: MeterOptions<Base>): Pick<Compactor<Base>, "usage"> | undefined {
  return engine.createCompactor?.({ ...options, format: { ...unwritten, ...options.format } as Format<Base> });
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
