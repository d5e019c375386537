import { valueAt } from "./plain-value.ts";
import type { Edited, KeyPath, Placed } from "./syntax.ts";
import { isTakenOut } from "./taken-out.ts";
import { spliced } from "./text-lines.ts";
import { isWithin, tomlFault, tomlTree, tomlValue } from "./toml-tree.ts";

/**
 * Takes one placed value out of TOML text: the very piece that was put in where it still stands so, else its lines.
 * Comments stay.
 */
export function takeToml(text: string, placed: Placed): Edited<null> {
  const { path, before } = placed;
  if (valueAt(tomlValue(text), path) === undefined) return { ok: true, text, made: null };
  const line = text.slice(0, firstAt(text, path)).split("\n").length;
  const out =
    before === null ? (withoutPiece(text, placed) ?? withoutLines(text, path)) : withBefore(text, path, before);
  if (out !== null && isValidWithout(text, out, placed)) return { ok: true, text: out, made: null };
  return { ok: false, fault: { line, words: `${path.join(".")}: cannot be taken out by itself; take it out by hand` } };
}

function withBefore(text: string, path: KeyPath, before: string): string | null {
  const found = tomlTree(text).keyValues.find((one) => one.path.length === path.length && isWithin(one.path, path));
  return found === undefined ? null : spliced(text, found.valueStart, found.valueEnd, before);
}

function withoutPiece(text: string, placed: Placed): string | null {
  const piece = placed.text ?? "";
  const at = text.indexOf(piece);
  if (piece === "" || at === -1 || text.includes(piece, at + 1)) return null;
  const end = at + piece.length;
  // The line end that the last line lacked stays where something follows now.
  const ended = end < text.length ? (/^\r?\n(?=\r?\n)/.exec(piece)?.[0] ?? "") : "";
  const out = spliced(text, at, end, ended);
  return isValidWithout(text, out, placed) ? out : null;
}

/** Header and keys with their lines; a comment behind one of them keeps its line. */
function withoutLines(text: string, path: KeyPath): string | null {
  const { headers, keyValues } = tomlTree(text);
  const ours = [...headers, ...keyValues].filter((one) => isWithin(one.path, path));
  if (ours.some((one) => "isInline" in one && one.isInline && !isInside(one.path, path))) return null;
  const lastFirst = ours
    .filter((one) => !("isInline" in one && one.isInline))
    .toSorted((one, other) => other.start - one.start);
  return lastFirst.reduce((rest, { start, end }) => withoutLine(rest, start, end), text);
}

function isInside(path: KeyPath, above: KeyPath): boolean {
  return path.length > above.length;
}

function withoutLine(text: string, start: number, end: number): string {
  const lineStart = text.lastIndexOf("\n", start - 1) + 1;
  const rest = /^[ \t]*(\r?\n|$)/.exec(text.slice(end));
  const isAlone = text.slice(lineStart, start).trim() === "" && rest !== null;
  return isAlone ? spliced(text, lineStart, end + (rest[0]?.length ?? 0), "") : spliced(text, start, end, "");
}

function isValidWithout(text: string, out: string, placed: Placed): boolean {
  return tomlFault(out) === null && isTakenOut(tomlValue(text), tomlValue(out), placed);
}

function firstAt(text: string, path: KeyPath): number {
  const { headers, keyValues } = tomlTree(text);
  return Math.min(...[...headers, ...keyValues].filter((one) => isWithin(one.path, path)).map((one) => one.start));
}
