import { type AST, getStaticTOMLValue, ParseError, parseTOML } from "toml-eslint-parser";
import type { Fault, KeyPath } from "./syntax.ts";

/** One `key = value`, with the whole path of its key. */
export interface KeyValue {
  readonly path: KeyPath;
  readonly start: number;
  readonly end: number;
  readonly valueStart: number;
  readonly valueEnd: number;
  /** True inside `{ … }`, where it cannot be cut out by its line. */
  readonly isInline: boolean;
}

/** One `[header]` line. */
export interface Header {
  readonly path: KeyPath;
  readonly start: number;
  readonly end: number;
}

/** What stands where in a TOML text. */
export interface TomlTree {
  readonly headers: readonly Header[];
  readonly keyValues: readonly KeyValue[];
  readonly comments: readonly { readonly start: number; readonly end: number }[];
}

const VERSION = { tomlVersion: "1.0" } as const;
const LEVELS_MAX = 200;

/** What keeps the text from being TOML. */
export function tomlFault(text: string): Fault | null {
  if (/[[{]{200}/.test(text.replaceAll(/\s/g, "")))
    return { line: 1, words: `expected at most ${LEVELS_MAX} levels of nesting` };
  try {
    parseTOML(text, VERSION);
    return null;
  } catch (error) {
    if (!(error instanceof ParseError)) throw error;
    const words = error.message.charAt(0).toLowerCase() + error.message.slice(1);
    return { line: error.lineNumber, words: `expected valid TOML, got: ${words}` };
  }
}

/** The values of a valid text. */
export function tomlValue(text: string): unknown {
  return getStaticTOMLValue(parseTOML(text, VERSION));
}

/** Headers, keys and comments of a valid text, in their order. */
export function tomlTree(text: string): TomlTree {
  const program = parseTOML(text, VERSION);
  const headers: Header[] = [];
  const keyValues: KeyValue[] = [];
  for (const node of program.body[0].body) {
    if (node.type === "TOMLKeyValue") keyValues.push(...keyValuesOf(node, [], false));
    else {
      const path = node.resolvedKey.map(String);
      headers.push({ path, start: node.range[0], end: headerEnd(text, node) });
      keyValues.push(...node.body.flatMap((inner) => keyValuesOf(inner, path, false)));
    }
  }
  const comments = program.comments.map(({ range: [start, end] }) => ({ start, end }));
  return { headers, keyValues, comments };
}

/** True where `path` is `above`, or stands in it. */
export function isWithin(path: KeyPath, above: KeyPath): boolean {
  return above.every((key, index) => path[index] === key);
}

function keyValuesOf(node: AST.TOMLKeyValue, above: KeyPath, isInline: boolean): readonly KeyValue[] {
  const path = [...above, ...node.key.keys.map((key) => (key.type === "TOMLBare" ? key.name : key.value))];
  const [start, end] = node.range;
  const [valueStart, valueEnd] = node.value.range;
  const own = { path, start, end, valueStart, valueEnd, isInline };
  if (node.value.type !== "TOMLInlineTable") return [own];
  return [own, ...node.value.body.flatMap((inner) => keyValuesOf(inner, path, true))];
}

function headerEnd(text: string, node: AST.TOMLTable): number {
  const close = text.indexOf("]", node.key.range[1]);
  return close + (node.kind === "array" ? 2 : 1);
}
