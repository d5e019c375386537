import { posix } from "node:path";
import ts from "typescript";
import { eachNode, isTest, type Source, type Violation, violationAt } from "./source.ts";

const BESIDE_KEEPER = ["model", "keeper", "engine", "lib"];

/** What each folder of `src` may import of ours, itself apart. Null: everything that stands below it. */
const ALLOWED: Readonly<Record<string, readonly string[] | null>> = {
  lib: [],
  model: [],
  engine: ["model", "lib"],
  policies: ["model", "lib"],
  dialects: ["model", "lib"],
  wires: ["model", "lib"],
  providers: ["model", "lib"],
  stores: ["model", "lib"],
  keeper: ["model", "engine", "lib"],
  proxy: BESIDE_KEEPER,
  mcp: BESIDE_KEEPER,
  adapters: BESIDE_KEEPER,
  dashboard: BESIDE_KEEPER,
  replay: BESIDE_KEEPER,
  testing: [...BESIDE_KEEPER, "stores", "providers", "replay"],
  config: null,
  "builtins.ts": null,
  "builtin-settings.ts": null,
  cli: null,
  "index.ts": null,
};

/** From the top: nothing may import what stands before it. */
const ABOVE = ["index.ts", "cli", "builtin-settings.ts", "builtins.ts", "config"];

/** Folders that see nothing but values: no packages, and of Node only what computes. */
export const PURE_FOLDERS = ["lib", "model", "engine", "policies", "dialects", "wires", "providers"];

const DRIVERS = ["better-sqlite3", "pg", "kysely"];

/** Imports that point the wrong way, or into a package the folder may not know. */
export function importViolations(source: Source): readonly Violation[] {
  const folder = folderOf(source.path);
  if (folder === null || isTest(source.path)) return [];
  return importsOf(source).flatMap(({ node, target }) => {
    const words = target.startsWith(".")
      ? ownWords(source.path, folder, posix.join(posix.dirname(source.path), target))
      : packageWords(source.path, folder, target);
    return words === null ? [] : [violationAt(source, node, words)];
  });
}

/** First name below `src`: a folder, or a file of the root; null outside. */
export function folderOf(path: string): string | null {
  const [root, name] = path.split("/");
  return root === "src" && name !== undefined ? name : null;
}

function ownWords(from: string, folder: string, target: string): string | null {
  const other = folderOf(target);
  if (other === null) return `${from} imports ${target}, which is outside src`;
  if (other === folder) return wireWords(from, target);
  const allowed = ALLOWED[folder];
  if (allowed === undefined) return `${folder} has no place in the table of import directions`;
  const isAllowed = allowed === null ? isBelow(folder, other) : allowed.includes(other);
  return isAllowed ? null : `${folder} may not import ${other}`;
}

function isBelow(folder: string, other: string): boolean {
  const place = ABOVE.indexOf(other);
  return place === -1 || place > ABOVE.indexOf(folder);
}

/** What any wire is made of. */
const SHARED_BY_WIRES = "shared";

/** Wires stand side by side: one may use what they share, never another's. */
function wireWords(from: string, target: string): string | null {
  const own = from.split("/");
  const other = target.split("/");
  const isOtherWire = own[1] === "wires" && other.length > 3 && other[2] !== own[2] && other[2] !== SHARED_BY_WIRES;
  return isOtherWire ? "one wire may not import another" : null;
}

function packageWords(path: string, folder: string, target: string): string | null {
  if (PURE_FOLDERS.includes(folder)) {
    const isHash = path === "src/lib/hash.ts" && target === "node:crypto";
    return isHash || target === "node:buffer" ? null : `${folder} is pure and may not import ${target}`;
  }
  if (target.startsWith("node:")) return null;
  const isDriver = DRIVERS.includes(target);
  if (folder === "stores" && !isDriver) return `stores may import one driver each, not ${target}`;
  return isDriver && folder !== "stores" ? `only stores may import ${target}` : null;
}

interface Import {
  readonly node: ts.Node;
  readonly target: string;
}

function importsOf(source: Source): readonly Import[] {
  const found: Import[] = [];
  eachNode(source.tree, (node) => {
    const target = targetOf(node);
    if (target !== null) found.push({ node, target });
  });
  return found;
}

function targetOf(node: ts.Node): string | null {
  if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) {
    return node.moduleSpecifier !== undefined && ts.isStringLiteral(node.moduleSpecifier)
      ? node.moduleSpecifier.text
      : null;
  }
  if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument) && ts.isStringLiteral(node.argument.literal)) {
    return node.argument.literal.text;
  }
  if (!ts.isCallExpression(node) || node.expression.kind !== ts.SyntaxKind.ImportKeyword) return null;
  const [target] = node.arguments;
  return target !== undefined && ts.isStringLiteral(target) ? target.text : null;
}
