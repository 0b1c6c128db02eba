// The package as it is installed: each entry loads, in whatever way and place the run chose.
import assert from "node:assert/strict";
import { test } from "node:test";
import { createCompactor } from "precis";
import * as formats from "precis/formats";
import { check } from "precis/testing";

for (const [name, format] of Object.entries(formats)) {
  test(`the engine answers at the first call, nothing to initialize (${name})`, () => {
    const messages = [{ role: "user", content: "How many planets are there?" }];
    const compactor = createCompactor({ format, contextWindow: 8_000 });
    assert.ok(compactor.usage({ messages }).tokens > 0);
    assert.deepEqual(check(format, messages), []);
  });
}
