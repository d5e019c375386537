import { createScanner, type Node, type ParseError, parseTree, printParseErrorCode } from "jsonc-parser";
import type { Fault, KeyPath } from "./syntax.ts";

/** Where something stands in a text. */
export interface Range {
  readonly start: number;
  readonly end: number;
}

/** One property of an object. */
export interface Property {
  readonly key: string;
  readonly start: number;
  readonly end: number;
  readonly value: Node;
}

/** Token of JSON with comments; white space is none. */
export interface Token extends Range {
  readonly kind: "brace" | "comma" | "lineComment" | "blockComment" | "other";
}

const LEVELS_MAX = 200;

/** The parsed text, comments and trailing commas allowed; null for a text without a value. */
export function treeOf(text: string): Node | null {
  return parseTree(text, [], { allowTrailingComma: true }) ?? null;
}

/** What keeps the text from being an object of JSON with comments. */
export function jsonFault(text: string): Fault | null {
  if (deepestOf(text) > LEVELS_MAX) return { line: 1, words: `expected at most ${LEVELS_MAX} levels of nesting` };
  const errors: ParseError[] = [];
  const tree = parseTree(text, errors, { allowTrailingComma: true, allowEmptyContent: true });
  const [error] = errors;
  if (error !== undefined) return { line: lineAt(text, error.offset), words: wordsOf(error) };
  if (tree === undefined || tree.type === "object") return null;
  return {
    line: lineAt(text, tree.offset),
    words: `expected an object, got ${tree.type === "array" ? "a list" : `a ${tree.type}`}`,
  };
}

/** Line of a place in the text, from 1. */
export function lineAt(text: string, offset: number): number {
  return text.slice(0, offset).split("\n").length;
}

/** Properties of an object in their order. */
export function propertiesOf(node: Node): readonly Property[] {
  return (node.children ?? []).flatMap((property) => {
    const [key, value] = property.children ?? [];
    if (key === undefined || value === undefined) return [];
    return [{ key: String(key.value), start: property.offset, end: value.offset + value.length, value }];
  });
}

/** The property at `path`, as far as the text has it: the objects on the way, and the property where there is one. */
export function followPath(
  text: string,
  path: KeyPath,
): { readonly objects: readonly Node[]; readonly property: Property | null } {
  const objects: Node[] = [];
  let node = treeOf(text);
  for (const [index, key] of path.entries()) {
    if (node === null || node.type !== "object") break;
    objects.push(node);
    const property = propertiesOf(node).find((one) => one.key === key);
    if (property === undefined) break;
    if (index === path.length - 1) return { objects, property };
    node = property.value;
  }
  return { objects, property: null };
}

/** Tokens and comments between two places of a valid text. */
export function tokensIn(text: string, { start, end }: Range): readonly Token[] {
  const scanner = createScanner(text, false);
  scanner.setPosition(start);
  const tokens: Token[] = [];
  for (;;) {
    scanner.scan();
    const at = scanner.getTokenOffset();
    if (at >= end) return tokens;
    const token = { start: at, end: at + scanner.getTokenLength() };
    const written = text.slice(token.start, token.end);
    if (written.trim() !== "") tokens.push({ kind: kindOf(written), ...token });
  }
}

/** True for a comment of either kind. */
export function isComment(token: Token): boolean {
  return token.kind === "lineComment" || token.kind === "blockComment";
}

function kindOf(written: string): Token["kind"] {
  if (written.startsWith("//")) return "lineComment";
  if (written.startsWith("/*")) return "blockComment";
  if (written === ",") return "comma";
  return written === "{" || written === "}" ? "brace" : "other";
}

/** The parser calls itself for each level; a text must not exhaust the stack. */
function deepestOf(text: string): number {
  const scanner = createScanner(text, true);
  let level = 0;
  let deepest = 0;
  for (;;) {
    scanner.scan();
    const at = scanner.getTokenOffset();
    if (at >= text.length) return deepest;
    const written = text[at];
    if (written === "{" || written === "[") level += 1;
    if (written === "}" || written === "]") level -= 1;
    deepest = Math.max(deepest, level);
  }
}

function wordsOf({ error }: ParseError): string {
  const name = printParseErrorCode(error);
  if (name === "EndOfFileExpected") return "expected the end of the file, got more";
  const words = name.replaceAll(/(?<=.)([A-Z])/g, " $1").toLowerCase();
  return `expected valid JSON (comments are allowed), got: ${words}`;
}
