// Runs only where another runtime is compared with Node: EXPECTED is what Node decided.
import { equal, ok, test } from "../suite/harness.mjs";
import { decisions } from "./agreement.mjs";

test("every decision is Node's, byte for byte", async () => {
  const expected = EXPECTED;
  const told = await decisions();
  ok(expected.length > 50);
  equal(told.length, expected.length);
  for (const [index, text] of told.entries()) equal(text, expected[index]);
});
