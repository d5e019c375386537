import type { Node } from "jsonc-parser";
import { followPath, isComment, type Property, propertiesOf, type Range, type Token, tokensIn } from "./json-tree.ts";
import type { Edited, Placed } from "./syntax.ts";
import { spliced } from "./text-lines.ts";

/** Takes one placed value out of JSON text: the inverse of the insertion, and comments of others stay. */
export function takeJson(text: string, placed: Placed): Edited<null> {
  const { objects, property } = followPath(text, placed.path);
  const object = objects.at(-1);
  if (property === null || object === undefined) return { ok: true, text: withoutMade(text, placed), made: null };
  if (placed.before !== null) {
    const { offset, length } = property.value;
    return { ok: true, text: spliced(text, offset, offset + length, placed.before), made: null };
  }
  const out = withoutMade(withoutProperty(text, object, property), placed);
  return { ok: true, text: withInside(out, placed), made: null };
}

/** Cuts a property with its comma and the white space in front of it. */
function withoutProperty(text: string, object: Node, property: Property): string {
  const inner = { start: object.offset + 1, end: object.offset + object.length - 1 };
  const tokens = tokensIn(text, inner);
  const before = tokens.filter((token) => token.end <= property.start).at(-1) ?? null;
  const behind = tokens.filter((token) => token.start >= property.end);
  const comma = behind.find((token) => !isComment(token));
  const start = before?.end ?? inner.start;
  if (comma?.kind === "comma") {
    const isGlued = before?.kind === "lineComment" && !/^[ \t]*(\r?\n|$)/.test(text.slice(comma.end, inner.end));
    return cut(text, [{ start: isGlued ? property.start : start, end: property.end }, comma]);
  }
  const isGlued = before?.kind === "lineComment" && !/^\s*?\n/.test(text.slice(property.end));
  return cut(text, [...commaInFront(tokens, property), { start: isGlued ? property.start : start, end: property.end }]);
}

/** The comma that nothing follows any more. */
function commaInFront(tokens: readonly Token[], property: Property): readonly Range[] {
  const before = tokens.filter((token) => token.end <= property.start && !isComment(token)).at(-1);
  return before?.kind === "comma" ? [before] : [];
}

function cut(text: string, ranges: readonly Range[]): string {
  const lastFirst = ranges.toSorted((one, other) => other.start - one.start);
  return lastFirst.reduce((rest, { start, end }) => spliced(rest, start, end, ""), text);
}

/** Objects that were made for the value go with the last thing in them; a comment is a thing. */
function withoutMade(given: string, { path, known }: Placed): string {
  let text = given;
  for (let length = path.length - 1; length > known; length -= 1) {
    const { objects, property } = followPath(text, path.slice(0, length));
    const object = objects.at(-1);
    if (property === null || object === undefined || !isHollow(text, property.value)) return text;
    text = withoutProperty(text, object, property);
  }
  return text;
}

/** An object that was empty before gets the white space back that it held. */
function withInside(text: string, { path, known, inside }: Placed): string {
  const object = followPath(text, path.slice(0, known + 1)).objects[known];
  if (inside === null || object === undefined || !isHollow(text, object)) return text;
  return spliced(text, object.offset + 1, object.offset + object.length - 1, inside);
}

function isHollow(text: string, node: Node): boolean {
  if (node.type !== "object" || propertiesOf(node).length > 0) return false;
  return tokensIn(text, { start: node.offset + 1, end: node.offset + node.length - 1 }).length === 0;
}
