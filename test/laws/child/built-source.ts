import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";

const ROOT = join(import.meta.dirname, "../../..");
const FOLDERS = ["src", "test/laws", "test/support"];

/** Ebb and these tests as JavaScript, for child processes; in a folder from which the dependencies are found. */
export interface BuiltSource {
  /** File of a module, by its path in the repository without extension. */
  fileOf(module: string): string;
  remove(): void;
}

/** `change` may put other words into a file. */
export function buildSource(folders: readonly string[] = FOLDERS, change: Change = (_, text) => text): BuiltSource {
  const cache = join(ROOT, "node_modules/.cache");
  mkdirSync(cache, { recursive: true });
  const built = mkdtempSync(join(cache, "ebb-laws-"));
  writeFileSync(join(built, "package.json"), '{ "type": "module" }');
  for (const folder of folders) transpileFolder(folder, built, change);
  return {
    fileOf: (module) => join(built, `${module}.js`),
    remove: () => rmSync(built, { recursive: true }),
  };
}

type Change = (path: string, text: string) => string;

function transpileFolder(folder: string, built: string, change: Change): void {
  mkdirSync(join(built, folder), { recursive: true });
  for (const entry of readdirSync(join(ROOT, folder), { withFileTypes: true })) {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory()) transpileFolder(path, built, change);
    else if (path.endsWith(".ts") && !path.endsWith(".test.ts")) transpileFile(path, built, change);
  }
}

function transpileFile(path: string, built: string, change: Change): void {
  const { outputText } = ts.transpileModule(change(path, readFileSync(join(ROOT, path), "utf8")), {
    compilerOptions: {
      target: ts.ScriptTarget.ES2023,
      module: ts.ModuleKind.ESNext,
      verbatimModuleSyntax: true,
      rewriteRelativeImportExtensions: true,
    },
  });
  writeFileSync(join(built, path.replace(/\.ts$/, ".js")), outputText);
}
