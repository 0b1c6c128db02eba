// States in which a number is any other, or an item of a list is missing: refused with advice or used, and the engine goes on.
import { createCompactor, PrecisError } from "precis";
import { frozen, ok, test } from "./harness.mjs";
import { cases, spread } from "./length.mjs";
import { conversation, everyShape } from "./scenarios.mjs";

/** What addresses, counts and hashes end at. */
const NUMBERS = [0, 1, 2 ** 31 - 1, 2 ** 32 - 1, 2 ** 53 - 1];

/** Each number of a value exchanged, and each item of its lists taken out. */
function* forgeries(value, within = (changed) => changed) {
  if (typeof value === "number") for (const other of NUMBERS) yield within(other);
  if (typeof value !== "object" || value === null) return;
  for (const [key, own] of Object.entries(value)) {
    if (Array.isArray(value)) yield within(value.toSpliced(Number(key), 1));
    yield* forgeries(own, (changed) =>
      within(Array.isArray(value) ? value.with(Number(key), changed) : { ...value, [key]: changed }),
    );
  }
}

for (const [title, shape] of Object.entries(everyShape))
  test(`${title}: whatever a state says, the engine goes on, and the newest message is sent`, async () => {
    const { format } = shape;
    const compactor = createCompactor({ format, contextWindow: 2_000, maxOutputTokens: 200, tune: { memory: 2_000 } });
    const history = frozen(conversation(shape, { messages: 30, size: 400, seed: 3, tools: true }));
    let state = null;
    for (let at = 4; at <= history.length; at += 4)
      ({ state } = await compactor.beforeModel({
        messages: history.slice(0, at),
        state,
        pin: (_, index) => index % 7 === 3,
      }));
    const forged = [...forgeries(JSON.parse(JSON.stringify(state)))];
    ok(forged.length > 500, `${forged.length} states`);
    for (const state of spread(forged, cases(forged.length, 60)))
      try {
        const { view } = await compactor.beforeModel({ messages: history, state });
        ok(JSON.stringify(view).includes(JSON.stringify(history.at(-1)).slice(-60, -10)));
      } catch (error) {
        ok(error instanceof PrecisError && !error.code.startsWith("engine-"), error);
      }
  });
