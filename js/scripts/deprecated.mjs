// What programs use although the library that declares it calls it deprecated: people copy examples.
import { relative } from "node:path";
import ts from "typescript";
import { root } from "./common.mjs";

/** The uses of deprecated names in the programs of a project (typescript.mjs), as lines of `file:line: what`. */
export function deprecatedUses({ service, program, fileNames }) {
  const checker = program.getTypeChecker();
  const uses = [];
  for (const name of fileNames) {
    const file = program.getSourceFile(name);
    const note = (start, what) => {
      const { line } = file.getLineAndCharacterOfPosition(start);
      uses.push(`${relative(root, name)}:${line + 1}: ${what}`);
    };
    for (const { reportsDeprecated, start, messageText } of service.getSuggestionDiagnostics(name))
      if (reportsDeprecated) note(start, ts.flattenDiagnosticMessageText(messageText, " "));
    // An option of that kind in an object is no use to the compiler.
    const visit = (node) => {
      if (ts.isObjectLiteralElement(node) && node.name && ts.isObjectLiteralExpression(node.parent)) {
        const option = checker.getContextualType(node.parent)?.getProperty(node.name.getText());
        const tag = option?.getJsDocTags(checker).find((one) => one.name === "deprecated");
        if (tag) note(node.getStart(), `'${node.name.getText()}': ${ts.displayPartsToString(tag.text)}`);
      }
      ts.forEachChild(node, visit);
    };
    visit(file);
  }
  return uses;
}
