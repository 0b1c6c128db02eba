// What docs/ai-sdk.md says of SDKs is what was tested. In its tables a row names words of tests' titles: where a cell
// says that something works such tests must have passed, where it says no none may have.
import { readFileSync } from "node:fs";
import { at } from "./common.mjs";

/**
 * Gives the number of cells that were compared; throws the list of those that are wrong.
 *
 * @param output - what the tests of tests/js/ai-sdk said, as TAP.
 * @param major - of the Node that ran them.
 */
export function checkSupported(output, major) {
  const passed = [...output.matchAll(/^\s*ok \d+ - (.*)$/gm)].flatMap(([, title]) =>
    /# SKIP/.test(title) ? [] : title,
  );
  const cells = tables(readFileSync(at("docs/ai-sdk.md"), "utf8")).flatMap((rows) => cellsOf(rows, major));
  if (cells.length === 0) throw new Error("docs/ai-sdk.md: no table of what is supported");
  const wrong = cells.filter(({ begins, words, works }) => {
    const found = passed.some((title) => title.startsWith(begins) && title.includes(words));
    return found !== works;
  });
  if (wrong.length > 0)
    throw new Error(
      wrong
        .map(({ what, words, works }) => `docs/ai-sdk.md: ${what}: ${works ? "no" : "a"} test “${words}” has passed`)
        .join("\n"),
    );
  return cells.length;
}

/** The tables of which each row names a test, as rows of cells, the head first. */
function tables(text) {
  return text
    .split("\n\n")
    .filter((block) => block.startsWith("|") && block.includes("“"))
    .map((block) =>
      block
        .trim()
        .split("\n")
        .filter((line) => !line.startsWith("|--")),
    )
    .map((lines) =>
      lines.map((line) =>
        line
          .split("|")
          .slice(1, -1)
          .map((cell) => cell.trim()),
      ),
    );
}

/**
 * What a table says, cell by cell: whether a test with these words in its title has passed on this Node. Columns are
 * versions of the AI SDK, whose row `Node` says where they run, or one that is called so itself.
 */
function cellsOf([head, ...rows], major) {
  const nodes = rows.find(([name]) => name === "Node");
  const isListed = (cell) => cell.split(", ").includes(String(major));
  return rows
    .filter((row) => row !== nodes)
    .flatMap((row) => {
      const tests = [...row.at(-1).matchAll(/“([^”]+)”/g)].map(([, words]) => words);
      if (tests.length === 0) throw new Error(`docs/ai-sdk.md: “${row[0]}” names no test`);
      return row.slice(1, -1).flatMap((cell, index) => {
        const column = head[index + 1].replaceAll("`", "");
        if (!nodes) return tests.map((words) => ({ what: row[0], begins: "", words, works: isListed(cell) }));
        const works = isListed(nodes[index + 1]) && !/^not?\b/.test(cell);
        return tests.map((words) => ({ what: `${row[0]}, ${column}`, begins: column, words, works }));
      });
    });
}
