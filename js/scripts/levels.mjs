// How much a run of checks does. Each level runs all checks of the one before it and more, and the same ones at greater length.

export const levels = {
  /** `npm test`: what one runs after every change. */
  quick: {
    kind: "fast",
    profile: "dev",
    cases: 16,
    // Long tests have fewer cases: tests/js/suite/length.mjs.
    suite: { PRECIS_SUITE: "short" },
    sdks: { PRECIS_SDKS: "newest" },
    everyWay: false,
  },
  /** `npm test -- all`: what a change needs before it lands. */
  all: {
    kind: "shipped",
    profile: "cases",
    cases: 1_000,
    suite: {},
    everyWay: false,
    soak: { chats: 60, requests: 100 },
    fuzzSeconds: 5,
  },
  /** `npm test -- full`: what a night has time for. */
  full: {
    kind: "shipped",
    profile: "cases",
    cases: 10_000,
    suite: {},
    everyWay: true,
    soak: { chats: 1_000, requests: 100 },
    fuzzSeconds: 120,
  },
};

/** How much later levels do, from the least to the most. */
const order = Object.keys(levels);

/** Whether a check is among those of a level. */
export function runsIn({ from = "quick" }, level) {
  if (!order.includes(from)) throw new Error(`no level is called "${from}"; there are ${order.join(", ")}`);
  return order.indexOf(from) <= order.indexOf(level);
}
