import ts from "typescript";

/** One TypeScript file under test, with its path from the repository's root. */
export interface Source {
  readonly path: string;
  readonly text: string;
  readonly tree: ts.SourceFile;
}

/** A rule broken at a place, in words. */
export interface Violation {
  readonly path: string;
  readonly line: number;
  readonly words: string;
}

/** Parses `text`; `path` decides which rules apply to it. */
export function toSource(path: string, text: string): Source {
  return { path, text, tree: ts.createSourceFile(path, text, ts.ScriptTarget.ES2023, true) };
}

/** A violation at `node`. */
export function violationAt(source: Source, node: ts.Node, words: string): Violation {
  const { line } = source.tree.getLineAndCharacterOfPosition(node.getStart(source.tree));
  return { path: source.path, line: line + 1, words };
}

/** Calls `visit` for every node of the tree, parents first. */
export function eachNode(root: ts.Node, visit: (node: ts.Node) => void): void {
  visit(root);
  ts.forEachChild(root, (child) => eachNode(child, visit));
}

/** True for a test, which may reach for everything. */
export function isTest(path: string): boolean {
  return path.endsWith(".test.ts");
}
