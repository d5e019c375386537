import { basename } from "node:path";
import ts from "typescript";
import { folderOf } from "./imports.ts";
import { eachNode, isTest, type Source, type Violation, violationAt } from "./source.ts";

const FILE_LINES_MAX = 400;
const FUNCTION_LINES_MAX = 70;
const NESTING_MAX = 3;
const VAGUE_NAME = /(^|-)(service|manager|utils?|helpers?|misc|common)(-|\.|$)/;

/** Files and functions that do not fit, and names that say nothing. */
export function shapeViolations(source: Source): readonly Violation[] {
  return [...fileViolations(source), ...functionViolations(source), ...exportViolations(source)];
}

function fileViolations(source: Source): readonly Violation[] {
  const found: Violation[] = [];
  const lines = source.text.split("\n").length - 1;
  if (lines > FILE_LINES_MAX) found.push(wholeFile(source, `${lines} lines, at most ${FILE_LINES_MAX}`));
  const name = basename(source.path);
  if (VAGUE_NAME.test(name)) found.push(wholeFile(source, "the file's name says nothing about its content"));
  if (!/^[a-z0-9]+(-[a-z0-9]+)*(\.[a-z0-9]+)*\.ts$/.test(name)) found.push(wholeFile(source, "not kebab-case"));
  return found;
}

function functionViolations(source: Source): readonly Violation[] {
  const found: Violation[] = [];
  eachNode(source.tree, (node) => {
    if (!ts.isFunctionLike(node) || !("body" in node) || node.body === undefined) return;
    const lines = lineCount(source, node);
    if (lines > FUNCTION_LINES_MAX && !isGroupOfTests(node)) {
      found.push(violationAt(source, node, `a function of ${lines} lines, at most ${FUNCTION_LINES_MAX}`));
    }
    const levels = nestingOf(node.body as ts.Node, 0);
    if (levels > NESTING_MAX) {
      found.push(violationAt(source, node, `${levels} levels of nesting, at most ${NESTING_MAX}`));
    }
  });
  return found;
}

function exportViolations(source: Source): readonly Violation[] {
  const found: Violation[] = [];
  const isSource = folderOf(source.path) !== null && !isTest(source.path);
  eachNode(source.tree, (node) => {
    if (node.kind === ts.SyntaxKind.AnyKeyword) found.push(violationAt(source, node, "any"));
    if (isDefaultExport(node) && !source.path.endsWith(".config.ts")) {
      found.push(violationAt(source, node, "a default export"));
    }
    if (ts.isExportDeclaration(node) && node.exportClause === undefined) {
      found.push(violationAt(source, node, "a starred re-export"));
    }
  });
  if (!isSource) return found;
  for (const statement of source.tree.statements) {
    if (ts.isExpressionStatement(statement)) found.push(violationAt(source, statement, "a side effect on import"));
    if (isUndocumented(statement)) found.push(violationAt(source, statement, "an export without a sentence above it"));
  }
  return found;
}

function isDefaultExport(node: ts.Node): boolean {
  return (
    ts.isExportAssignment(node) || (node.kind === ts.SyntaxKind.DefaultKeyword && ts.canHaveModifiers(node.parent))
  );
}

/** Types speak through their names; what runs says what it promises. */
function isUndocumented(statement: ts.Statement): boolean {
  const runs =
    ts.isFunctionDeclaration(statement) || ts.isVariableStatement(statement) || ts.isClassDeclaration(statement);
  if (!runs || !statement.modifiers?.some((one) => one.kind === ts.SyntaxKind.ExportKeyword)) return false;
  return ts.getJSDocCommentsAndTags(statement).length === 0;
}

function isGroupOfTests(node: ts.Node): boolean {
  const call = node.parent;
  return ts.isCallExpression(call) && /^describe\b/.test(call.expression.getText());
}

function lineCount(source: Source, node: ts.Node): number {
  const start = source.tree.getLineAndCharacterOfPosition(node.getStart(source.tree)).line;
  return source.tree.getLineAndCharacterOfPosition(node.getEnd()).line - start + 1;
}

/** Depth of statements that branch, repeat or catch, without those of inner functions; `else if` adds no level. */
function nestingOf(node: ts.Node, level: number): number {
  if (ts.isFunctionLike(node)) return level;
  const isElseIf = ts.isIfStatement(node) && ts.isIfStatement(node.parent) && node.parent.elseStatement === node;
  const isLevel =
    ts.isIfStatement(node) ||
    ts.isIterationStatement(node, false) ||
    ts.isSwitchStatement(node) ||
    ts.isTryStatement(node);
  const inner = isLevel && !isElseIf ? level + 1 : level;
  let deepest = inner;
  ts.forEachChild(node, (child) => {
    deepest = Math.max(deepest, nestingOf(child, inner));
  });
  return deepest;
}

function wholeFile(source: Source, words: string): Violation {
  return { path: source.path, line: 1, words };
}
