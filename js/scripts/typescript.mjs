// node js/scripts/typescript.mjs PROJECT… [--deprecated PROJECT…]: compiles TypeScript projects as `tsc -p` does, in one
// process: what several of them read, as the libraries that programs import, is read and parsed once. Of those after
// `--deprecated` it also lists the uses of deprecated names.
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import ts from "typescript";
import { main, root } from "./common.mjs";
import { deprecatedUses } from "./deprecated.mjs";

const { sys } = ts;
const registry = ts.createDocumentRegistry(sys.useCaseSensitiveFileNames, root);
const snapshots = new Map();

/** What a file holds, or undefined where there is none. */
function snapshotOf(file) {
  if (!snapshots.has(file)) {
    const text = sys.readFile(file);
    snapshots.set(file, text === undefined ? undefined : ts.ScriptSnapshot.fromString(text));
  }
  return snapshots.get(file);
}

/** A project, by its folder or its configuration, with the service that compiles it and the errors that were found. */
export function compiled(project) {
  const given = resolve(root, project);
  const path = existsSync(join(given, "tsconfig.json")) ? join(given, "tsconfig.json") : given;
  const refuse = ({ messageText }) => {
    throw new Error(`${project}: ${ts.flattenDiagnosticMessageText(messageText, "\n")}`);
  };
  const config = ts.getParsedCommandLineOfConfigFile(path, {}, { ...sys, onUnRecoverableConfigFileDiagnostic: refuse });
  const host = {
    getCompilationSettings: () => config.options,
    getScriptFileNames: () => config.fileNames,
    // Nothing changes while this runs.
    getScriptVersion: () => "1",
    getScriptSnapshot: snapshotOf,
    getCurrentDirectory: () => root,
    getDefaultLibFileName: ts.getDefaultLibFilePath,
    useCaseSensitiveFileNames: () => sys.useCaseSensitiveFileNames,
    ...{ fileExists: sys.fileExists, readFile: sys.readFile, readDirectory: sys.readDirectory, realpath: sys.realpath },
    ...{ directoryExists: sys.directoryExists, getDirectories: sys.getDirectories },
  };
  const service = ts.createLanguageService(host, registry);
  const program = service.getProgram();
  const errors = [...config.errors, ...ts.getPreEmitDiagnostics(program)];
  return { service, program, fileNames: config.fileNames, errors };
}

const format = {
  getCanonicalFileName: (name) => name,
  getCurrentDirectory: () => root,
  getNewLine: () => "\n",
};

main(import.meta.url, (args) => {
  const from = args.indexOf("--deprecated");
  const [plain, current] = from < 0 ? [args, []] : [args.slice(0, from), args.slice(from + 1)];
  const faults = [];
  for (const project of [...plain, ...current]) {
    const made = compiled(project);
    if (made.fileNames.length === 0) faults.push(`${project}: no file to compile`);
    faults.push(...made.errors.map((error) => ts.formatDiagnostic(error, format).trimEnd()));
    if (current.includes(project)) faults.push(...deprecatedUses(made).map((use) => `deprecated: ${use}`));
  }
  if (faults.length > 0) throw new Error(faults.join("\n"));
});
