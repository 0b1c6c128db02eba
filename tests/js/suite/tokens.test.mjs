// The estimator without a vocabulary counts the same in every runtime, and the family follows the model.
import { createCompactor } from "precis";
import { openaiChat } from "precis/formats";
import golden from "../../fixtures/tokens.json" with { type: "json" };
import { equal, match, notEqual, ok, test, throws } from "./harness.mjs";

const make = (tokens) => createCompactor({ format: openaiChat, contextWindow: 2 ** 40, tune: { tokens } });
const raw = (compactor, content, more = {}) => compactor.usage({ messages: [{ role: "user", content }], ...more }).raw;

for (const family of ["o200k", "cl100k", "claude", "gemini"])
  test(`${family}: texts count as everywhere`, () => {
    const compactor = make({ estimator: "lexical", family });
    const around = raw(compactor, "");
    for (const { text, times = 1, [family]: expected } of golden)
      equal(raw(compactor, text.repeat(times)) - around, expected, JSON.stringify(text));
  });

test("the family follows the model of each call, unless it is named", () => {
  const text = "Съешь же ещё этих мягких французских булок";
  const messages = [{ role: "user", content: text }];
  const of = (family) => raw(make({ estimator: "lexical", family }), text);
  const compactor = make({ estimator: "lexical" });
  const counted = (model) => compactor.usage({ messages, model }).raw;
  notEqual(of("o200k"), of("cl100k"));
  equal(counted(undefined), of("o200k"));
  equal(counted("gpt-4"), of("cl100k"));
  equal(counted("gemini-2.5-flash"), of("gemini"));
  equal(counted("gpt-4"), of("cl100k"));
  equal(counted("some-model"), of("o200k"));
  equal(make({ estimator: "lexical", family: "claude" }).usage({ messages, model: "gpt-4" }).raw, of("claude"));
});

test("a family that does not exist is told the nearest", () => {
  throws(
    () => make({ estimator: "lexical", family: "cl100" }),
    (error) => {
      equal(error.path, "tune.tokens.family");
      match(error.advice, /Did you mean "cl100k"/);
      return true;
    },
  );
});

test("text that is none is counted in time that grows with its length alone", () => {
  const compactor = make({ estimator: "lexical" });
  for (const unit of ["a", " ", "\n", "😀", "\u0301", "\ud800", "\udc00", "=", "漢", "\u0000"]) {
    const count = raw(compactor, unit.repeat(200_000));
    ok(Number.isSafeInteger(count) && count > 0, JSON.stringify(unit));
  }
  equal(raw(compactor, "\ud83d"), raw(compactor, "\ufffd"));
});
