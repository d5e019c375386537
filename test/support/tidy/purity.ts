import ts from "typescript";
import { folderOf, PURE_FOLDERS } from "./imports.ts";
import { eachNode, isTest, type Source, type Violation, violationAt } from "./source.ts";

const IMPURE_NAMES = new Set([
  "Date",
  "process",
  "console",
  "performance",
  "crypto",
  "fetch",
  "globalThis",
  "setTimeout",
  "setInterval",
  "setImmediate",
  "queueMicrotask",
  "require",
]);

/** Clock, randomness, environment, waiting and module state in folders that are pure. */
export function purityViolations(source: Source): readonly Violation[] {
  const folder = folderOf(source.path);
  if (folder === null || !PURE_FOLDERS.includes(folder) || isTest(source.path)) return [];
  const found: Violation[] = [];
  eachNode(source.tree, (node) => {
    const what = impurityOf(node);
    if (what !== null) found.push(violationAt(source, node, `${folder} is pure and may not use ${what}`));
  });
  return found;
}

function impurityOf(node: ts.Node): string | null {
  if (node.kind === ts.SyntaxKind.AsyncKeyword) return "async";
  if (ts.isAwaitExpression(node) || (ts.isForOfStatement(node) && node.awaitModifier !== undefined)) return "await";
  if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword) return "import()";
  if (ts.isPropertyAccessExpression(node) && node.getText() === "Math.random") return "Math.random";
  if (ts.isPropertyAccessExpression(node) && node.getText() === "import.meta") return "import.meta";
  if (ts.isVariableStatement(node) && ts.isSourceFile(node.parent)) return isConstant(node) ? null : "module state";
  if (ts.isIdentifier(node) && IMPURE_NAMES.has(node.text) && isUse(node)) return node.text;
  return null;
}

function isConstant(statement: ts.VariableStatement): boolean {
  return (statement.declarationList.flags & ts.NodeFlags.Const) !== 0;
}

/** True where a name stands for the global value: no property, no type, no declaration of its own. */
function isUse(node: ts.Identifier): boolean {
  const { parent } = node;
  if (ts.isPropertyAccessExpression(parent) && parent.name === node) return false;
  if (ts.isPropertyAssignment(parent) && parent.name === node) return false;
  if (ts.isTypeNode(parent) || ts.isTypeElement(parent) || ts.isClassElement(parent)) return false;
  const isDeclared = (ts.isVariableDeclaration(parent) || ts.isParameter(parent)) && parent.name === node;
  return !isDeclared && !ts.isBindingElement(parent);
}
