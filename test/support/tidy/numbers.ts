import ts from "typescript";
import { folderOf } from "./imports.ts";
import { eachNode, isTest, type Source, type Violation, violationAt } from "./source.ts";

const HOME = "src/policies/size-bound-default.ts";
const PAIR = new Set([16_384, 262_144]);

/** The two numbers of the size bound, written anywhere but in their one place. */
export function numberViolations(source: Source): readonly Violation[] {
  if (folderOf(source.path) === null || isTest(source.path) || source.path === HOME) return [];
  const found: Violation[] = [];
  eachNode(source.tree, (node) => {
    if (!ts.isNumericLiteral(node) || !PAIR.has(Number(node.text))) return;
    found.push(violationAt(source, node, `${node.getText()}: the size bound stands in ${HOME} alone`));
  });
  return found;
}
