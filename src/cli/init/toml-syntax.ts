import { isMap, valueAt } from "./plain-value.ts";
import type { Edited, Json, KeyPath, Placed, Syntax } from "./syntax.ts";
import { lineEndOf, spliced } from "./text-lines.ts";
import { takeToml } from "./toml-take.ts";
import { isWithin, tomlFault, tomlTree, tomlValue } from "./toml-tree.ts";

/**
 * TOML. A single value is put in front of everything, where no table has begun yet; a table behind everything. An
 * existing value can be exchanged, an existing table cannot.
 */
export const tomlSyntax: Syntax = {
  name: "toml",
  faultOf: tomlFault,
  valueOf: tomlValue,
  lineOf(text, path) {
    const { headers, keyValues } = tomlTree(text);
    const starts = [...headers, ...keyValues].filter((one) => isWithin(one.path, path)).map((one) => one.start);
    return text.slice(0, Math.min(...starts, text.length)).split("\n").length;
  },
  hasComments(text, path) {
    const { headers, keyValues, comments } = tomlTree(text);
    const ours = [...headers, ...keyValues].filter((one) => isWithin(one.path, path));
    const start = Math.min(...ours.map((one) => one.start));
    const end = Math.max(...ours.map((one) => one.end));
    return comments.some((comment) => comment.start > start && comment.end < end);
  },
  isEmpty: (text) => text.trim() === "",
  put: putToml,
  take: takeToml,
};

function putToml(text: string, path: KeyPath, value: Json): Edited<Placed> {
  if (valueAt(tomlValue(text), path) !== undefined) return exchanged(text, path, value);
  return isMap(value) ? withTable(text, path, value) : withFirstLine(text, path, value);
}

function exchanged(text: string, path: KeyPath, value: Json): Edited<Placed> {
  const found = tomlTree(text).keyValues.find((one) => one.path.length === path.length && isWithin(one.path, path));
  if (found === undefined || isMap(value)) {
    const words = `${path.join(".")}: expected no such table; take it out by hand, or give it another name`;
    return { ok: false, fault: { line: tomlSyntax.lineOf(text, path), words } };
  }
  const before = text.slice(found.valueStart, found.valueEnd);
  const made = { path, value, before, inside: null, known: path.length, text: null };
  return { ok: true, text: spliced(text, found.valueStart, found.valueEnd, scalar(value)), made };
}

function withFirstLine(text: string, path: KeyPath, value: Json): Edited<Placed> {
  const piece = `${keyText(path)} = ${scalar(value)}${lineEndOf(text)}`;
  return checked(piece + text, { path, value, before: null, inside: null, known: 0, text: piece });
}

function withTable(text: string, path: KeyPath, value: Readonly<Record<string, unknown>>): Edited<Placed> {
  const eol = lineEndOf(text);
  const lines = Object.entries(value).map(([key, inner]) => `${keyText([key])} = ${scalar(inner as Json)}`);
  const lead = text === "" ? "" : `${text.endsWith("\n") ? "" : eol}${eol}`;
  const piece = `${lead}[${keyText(path)}]${eol}${lines.join(eol)}${eol}`;
  return checked(text + piece, { path, value: value as Json, before: null, inside: null, known: 0, text: piece });
}

/** A map that was written as `{ … }` takes no further table: the parser says so. */
function checked(text: string, made: Placed): Edited<Placed> {
  const fault = tomlFault(text);
  if (fault === null) return { ok: true, text, made };
  const words = `${made.path.join(".")}: expected a place for it (${fault.words}); write the tables around it as [headers]`;
  return { ok: false, fault: { line: fault.line, words } };
}

function keyText(path: KeyPath): string {
  return path.map((key) => (/^[A-Za-z0-9_-]+$/.test(key) ? key : JSON.stringify(key))).join(".");
}

/** Strings of JSON are strings of TOML, but for DEL, which TOML wants escaped. */
function scalar(value: Json): string {
  return Array.isArray(value)
    ? `[${value.map(scalar).join(", ")}]`
    : JSON.stringify(value).replaceAll("\u007f", "\\u007f");
}
