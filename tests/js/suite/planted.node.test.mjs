// What a person requires, what is pinned, names in six languages: planted once and asked for after 1, 10 and 100
// compactions. `node benches/recall.mjs --planted` prints the table.
import { createCompactor } from "precis";
import { openaiChat } from "precis/formats";
import { deepEqual, equal, test } from "./harness.mjs";
import { cases } from "./length.mjs";
import { AFTER, planted } from "./planted.mjs";

const after = cases(AFTER, [1, 10]);
const summarize = async () => ({ text: "The work goes on.", finishReason: "stop" });

const complete = (row, kinds) => {
  for (const kind of kinds) deepEqual(row.kept[kind].lost, [], `${kind} after ${row.compactions} compactions`);
  deepEqual(row.promoted, [], `after ${row.compactions} compactions`);
};

test("without a summarizer all that was planted is there after many compactions, and nothing a tool said", async () => {
  const rows = await planted(createCompactor, openaiChat, undefined, after);
  equal(rows.length, after.length);
  for (const row of rows) complete(row, Object.keys(row.kept));
});

test("whoever summarizes, all that a person typed is there after many compactions", async () => {
  const rows = await planted(createCompactor, openaiChat, summarize, after);
  equal(rows.length, after.length);
  for (const row of rows) complete(row, Object.keys(row.kept));
});
