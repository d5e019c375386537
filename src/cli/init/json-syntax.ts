import { getNodeValue, type Node } from "jsonc-parser";
import { takeJson } from "./json-take.ts";
import { followPath, isComment, jsonFault, lineAt, propertiesOf, tokensIn, treeOf } from "./json-tree.ts";
import type { Edited, Fault, Json, KeyPath, Placed, Syntax } from "./syntax.ts";
import { indentIn, lineEndOf, spliced } from "./text-lines.ts";

const INDENT_DEFAULT = "  ";

/** JSON, with comments and trailing commas where the file has them. None is ever added. */
export const jsonSyntax: Syntax = {
  name: "json",
  faultOf: jsonFault,
  valueOf(text) {
    const tree = treeOf(text);
    return tree === null ? {} : getNodeValue(tree);
  },
  lineOf(text, path) {
    const { property, objects } = followPath(text, path);
    return lineAt(text, property?.start ?? objects.at(-1)?.offset ?? 0);
  },
  hasComments(text, path) {
    const { property } = followPath(text, path);
    return property !== null && tokensIn(text, property).some(isComment);
  },
  isEmpty(text) {
    const kinds = tokensIn(text, { start: 0, end: text.length }).map((token) => token.kind);
    return kinds.every((kind) => kind === "brace") && kinds.length <= 2;
  },
  put: putJson,
  take: takeJson,
};

function putJson(given: string, path: KeyPath, value: Json): Edited<Placed> {
  const isBare = treeOf(given) === null;
  if (isBare && tokensIn(given, { start: 0, end: given.length }).length > 0) {
    return { ok: false, fault: { line: 1, words: "expected an object, got comments alone" } };
  }
  // A text without a value gets its braces first; both go again together.
  const text = isBare ? `{}${lineEndOf(given)}` : given;
  const fault = faultOnTheWay(text, path);
  if (fault !== null) return { ok: false, fault };
  const { objects, property } = followPath(text, path);
  if (property === null) return inserted(text, objects, path, value);
  const { offset, length } = property.value;
  const written = JSON.stringify(value);
  const made = {
    path,
    value,
    before: text.slice(offset, offset + length),
    inside: null,
    known: path.length,
    text: null,
  };
  return { ok: true, text: spliced(text, offset, offset + length, written), made };
}

/** A key that is stated twice, or a value in place of an object, leaves open what the client would read. */
function faultOnTheWay(text: string, path: KeyPath): Fault | null {
  let node = treeOf(text);
  for (const [index, key] of path.entries()) {
    if (node === null) return null;
    const name = path.slice(0, index).join(".");
    if (node.type !== "object")
      return {
        line: lineAt(text, node.offset),
        words: `${name}: expected an object, got ${text.slice(node.offset, node.offset + 20)}`,
      };
    const found = propertiesOf(node).filter((one) => one.key === key);
    const second = found[1];
    if (second !== undefined)
      return { line: lineAt(text, second.start), words: `${path.slice(0, index + 1).join(".")}: stated twice` };
    node = found[0]?.value ?? null;
  }
  return null;
}

/** As the first property, so that no comma and no comment of others is touched. */
function inserted(text: string, objects: readonly Node[], path: KeyPath, value: Json): Edited<Placed> {
  const object = objects.at(-1);
  const known = objects.length - 1;
  const key = path[known];
  if (object === undefined || key === undefined) return { ok: false, fault: { line: 1, words: "expected an object" } };
  const nested = path.slice(known + 1).reduceRight<Json>((inner, name) => ({ [name]: inner }), value);
  const place = placeIn(text, object, unitOf(text));
  const written = `${JSON.stringify(key)}${place.lead.includes("\n") ? ": " : compactColon(text)}${rendered(nested, place, lineEndOf(text))}`;
  const piece = `${place.lead}${written}${place.tail}`;
  const made = { path, value, before: null, inside: place.inside, known, text: piece };
  return { ok: true, text: spliced(text, place.start, place.end, piece), made };
}

interface InsertPlace {
  readonly start: number;
  readonly end: number;
  /** White space in front of the property: that in front of what came first before. */
  readonly lead: string;
  readonly tail: string;
  readonly inside: string | null;
  readonly unit: string;
}

function placeIn(text: string, object: Node, unit: string): InsertPlace {
  const open = object.offset + 1;
  const close = object.offset + object.length - 1;
  const eol = lineEndOf(text);
  const tokens = tokensIn(text, { start: open, end: close });
  const deeper = `${indentOfLine(text, object.offset)}${unit}`;
  const [first, second] = tokens;
  if (first === undefined) {
    const tail = `${eol}${indentOfLine(text, object.offset)}`;
    return { start: open, end: close, lead: `${eol}${deeper}`, tail, inside: text.slice(open, close), unit };
  }
  // A comment behind the brace stays in its line, where nothing else follows in it.
  const after = second?.start ?? close;
  const staysInLine =
    isComment(first) && !text.slice(open, first.start).includes("\n") && text.slice(first.end, after).includes("\n");
  const start = staysInLine ? first.end : open;
  const space = text.slice(start, staysInLine ? after : first.start);
  const indent = indentIn(space);
  const isBeforeClose = staysInLine && second === undefined;
  const lead = indent === null ? space : `${eol}${isBeforeClose ? deeper : indent}`;
  const tail = propertiesOf(object).length === 0 ? "" : ",";
  return { start, end: start, lead, tail, inside: null, unit };
}

function rendered(value: Json, { lead, unit }: InsertPlace, eol: string): string {
  const indent = indentIn(lead);
  if (indent === null) return JSON.stringify(value);
  return JSON.stringify(value, null, unit).replaceAll("\n", `${eol}${indent}`);
}

/** Of `{"a":1}` and `{"a": 1}` the one that the text uses. */
function compactColon(text: string): string {
  return /":\S/.test(text) && !/": /.test(text) ? ":" : ": ";
}

function indentOfLine(text: string, offset: number): string {
  const start = text.lastIndexOf("\n", offset - 1) + 1;
  return /^[ \t]*/.exec(text.slice(start, offset))?.[0] ?? "";
}

/** The step by which the text is indented: that of its first property. */
function unitOf(text: string): string {
  const [property] = propertiesOf(treeOf(text) ?? { type: "object", offset: 0, length: 0 });
  if (property === undefined) return INDENT_DEFAULT;
  const indent = indentOfLine(text, property.start);
  return indent === "" ? INDENT_DEFAULT : indent;
}
