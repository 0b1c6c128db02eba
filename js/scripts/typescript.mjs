// node js/scripts/typescript.mjs [--keep FOLDER] PROJECT… [--deprecated PROJECT…]: compiles TypeScript projects as `tsc -p`
// does, in one process: what several of them read, as the libraries that programs import, is read and parsed once. Of those
// after `--deprecated` it also lists the uses of deprecated names. With `--keep` the folder holds what each project that
// passed has read, and one that would read the same is not compiled again.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import ts from "typescript";
import { at, hash, imported, main, root } from "./common.mjs";
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

/** The configuration of a project, which is given by its folder or by the file itself. */
function configured(project) {
  const given = resolve(root, project);
  const path = existsSync(join(given, "tsconfig.json")) ? join(given, "tsconfig.json") : given;
  const refuse = ({ messageText }) => {
    throw new Error(`${project}: ${ts.flattenDiagnosticMessageText(messageText, "\n")}`);
  };
  const config = ts.getParsedCommandLineOfConfigFile(path, {}, { ...sys, onUnRecoverableConfigFileDiagnostic: refuse });
  return { ...config, path };
}

/** A project with the service that compiles it and the errors that were found. */
export function compiled(config) {
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

/** What projects that passed have read, in a folder; without one, nothing is kept. */
function keeper(folder) {
  if (folder === undefined) return { holds: () => false, keep: () => {} };
  const place = (project) => join(folder, `${project.replaceAll(/[^\w.-]/g, "-")}.json`);
  /** Libraries are those of the lock files above a project. */
  const locks = (path) => {
    const above = dirname(path);
    const own = join(above, "package-lock.json");
    return [...(existsSync(own) ? [own] : []), ...(above === root || above === dirname(above) ? [] : locks(above))];
  };
  const keyOf = ({ path, options, fileNames }, files) =>
    files.every((file) => existsSync(at(file)))
      ? hash(
          [...files.map((file) => at(file)), ...locks(path), ...imported("js/scripts/typescript.mjs")],
          JSON.stringify([options, fileNames]),
        )
      : "";
  return {
    holds(project, config) {
      if (!existsSync(place(project))) return false;
      const { files, key } = JSON.parse(readFileSync(place(project), "utf8"));
      return key !== "" && key === keyOf(config, files);
    },
    keep(project, config, program) {
      const own = program.getSourceFiles().map(({ fileName }) => relative(root, sys.realpath(fileName)));
      const files = own.filter((file) => !/(^|\/)node_modules\//.test(file)).sort();
      mkdirSync(folder, { recursive: true });
      writeFileSync(place(project), JSON.stringify({ files, key: keyOf(config, files) }));
    },
  };
}

const format = {
  getCanonicalFileName: (name) => name,
  getCurrentDirectory: () => root,
  getNewLine: () => "\n",
};

main(import.meta.url, (args) => {
  const [folder, given] = args[0] === "--keep" ? [args[1], args.slice(2)] : [undefined, args];
  const { holds, keep } = keeper(folder);
  const from = given.indexOf("--deprecated");
  const [plain, current] = from < 0 ? [given, []] : [given.slice(0, from), given.slice(from + 1)];
  const faults = [];
  for (const project of [...plain, ...current]) {
    const config = configured(project);
    if (config.fileNames.length === 0) faults.push(`${project}: no file to compile`);
    if (holds(project, config)) continue;
    const made = compiled(config);
    const found = made.errors.map((error) => ts.formatDiagnostic(error, format).trimEnd());
    if (current.includes(project)) found.push(...deprecatedUses(made).map((use) => `deprecated: ${use}`));
    if (found.length === 0) keep(project, config, made.program);
    faults.push(...found);
  }
  if (faults.length > 0) throw new Error(faults.join("\n"));
});
