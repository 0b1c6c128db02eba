// The tables of `node benches/recall.mjs`.
import { ALL, OURS } from "./measure.mjs";
import { CLASSES } from "./things.mjs";

/**
 * What is kept by each method of all, of what is hard, and of what nobody repeated, anywhere and in a line with a word of its
 * own; and ours by class.
 */
export function tables(rows) {
  const sources = [...new Set(rows.map(({ source }) => source))].filter((source) => source !== ALL);
  const columns = [...sources, ...(sources.length > 1 ? [ALL] : [])];
  const of = (source, method) => rows.find((row) => row.source === source && row.method === method);
  const methods = [...new Set(rows.map(({ method }) => method))];
  const scope = (name) => [
    [`${name}: kept / in context (mean view tokens)`, ...columns],
    ...methods.map((method) => [
      method,
      ...columns.map((source) => cell(of(source, method)?.[name], of(source, method))),
    ]),
    [`needed (${name})`, ...columns.map((source) => String(of(source, OURS)?.[name].needed ?? 0))],
  ];
  const classes = [
    [`${OURS} by class: all / hard`, ...columns],
    ...CLASSES.map((kind) => [kind, ...columns.map((source) => both(of(source, OURS)?.classes[kind]))]),
    [
      "bare names, of what was written",
      ...columns.map((source) => percent({ recall: of(source, OURS)?.names ?? null })),
    ],
    ...["sessions", "compactions"].map((what) => [
      what,
      ...columns.map((source) => String(of(source, OURS)?.[what] ?? 0)),
    ]),
  ];
  return [scope("all"), scope("hard"), scope("fresh"), classes].map(aligned).join("\n\n");
}

const percent = ({ recall } = { recall: null }) => (recall === null ? "-" : `${(recall * 100).toFixed(1)} %`);
const cell = (sum, row) =>
  sum?.recall == null ? "-" : `${percent(sum)} / ${percent({ recall: sum.inContext })} (${row.meanTokens})`;
const both = (sums) => (sums?.all.needed ? `${percent(sums.all)} / ${percent(sums.hard)} of ${sums.hard.needed}` : "-");

function aligned(table) {
  const widths = table[0].map((_, column) => Math.max(...table.map((line) => line[column].length)));
  return table
    .map((line) =>
      line
        .map((word, column) => word.padEnd(widths[column]))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}
