// What programs use although the library that declares it calls it deprecated: people copy examples.
import { dirname, relative } from "node:path";
import ts from "typescript";
import { at, root } from "./common.mjs";

/** The uses of deprecated names in the programs of a TypeScript project, as lines of `file:line: what`. */
export function deprecatedUses(folder) {
  const path = at(folder, "tsconfig.json");
  const { options, fileNames } = ts.parseJsonConfigFileContent(
    ts.readConfigFile(path, ts.sys.readFile).config,
    ts.sys,
    dirname(path),
  );
  const host = {
    getCompilationSettings: () => options,
    getScriptFileNames: () => fileNames,
    getScriptVersion: () => "1",
    getScriptSnapshot: (file) => {
      const text = ts.sys.readFile(file);
      return text === undefined ? undefined : ts.ScriptSnapshot.fromString(text);
    },
    getCurrentDirectory: () => root,
    getDefaultLibFileName: ts.getDefaultLibFilePath,
    ...{ fileExists: ts.sys.fileExists, readFile: ts.sys.readFile },
    ...{ directoryExists: ts.sys.directoryExists, getDirectories: ts.sys.getDirectories },
  };
  const service = ts.createLanguageService(host);
  const program = service.getProgram();
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
